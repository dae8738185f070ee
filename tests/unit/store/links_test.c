/* SPDX-License-Identifier: Apache-2.0 */
/* Links against a list: any order in, by window, by container and by id out. */
#include "base/memory.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { LINKS = 5000, ENDS = 9 };

static char path[] = "/tmp/weft-links-test.XXXXXX";
static struct weft_trace *trace;
static const struct weft_source *source;
static struct weft_link model[LINKS];
static uint32_t size_field;

static int64_t low(const struct weft_link *l)
{
    return l->begin < l->end ? l->begin : l->end;
}

static int64_t high(const struct weft_link *l)
{
    return l->begin < l->end ? l->end : l->begin;
}

static int by_low(const void *a, const void *b)
{
    int64_t x = low(a), y = low(b);
    return x < y ? -1 : x > y;
}

static int set_up(void **state)
{
    (void)state;
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "thread", WEFT_ROLE_NONE);
    uint32_t message = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                                 .name = "message",
                                                                 .start_type = thread,
                                                                 .end_type = thread });
    uint32_t run = add_type(b, WEFT_STATE, thread, "state", WEFT_ROLE_NONE);
    uint32_t value = weft_builder_value(b, message, "data", NULL, 0);
    uint32_t running = weft_builder_value(b, run, "running", NULL, 0);
    size_field = weft_builder_field(b, message, "size", WEFT_FIELD_INTEGER);
    uint32_t ends[ENDS];
    /* Made in reverse, so that tracks are renumbered at the end. */
    for (int i = ENDS; i-- > 0;) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        ends[i] = weft_builder_container(b, thread, i % 3 && i + 1 < ENDS ? ends[i + 1] : 0,
                                         name, NULL, 0);
    }
    uint64_t state_id;
    assert_int_equal(weft_builder_push(b, weft_builder_track(b, ends[0], run), 1, running,
                                       NULL, 0, &state_id),
                     WEFT_BUILD_OK);
    for (int i = 0; i < LINKS; i++) {
        int64_t begin = (int64_t)roll(1000000) - 1000;
        model[i] =
            (struct weft_link){ .type = message,
                                .value = roll(2) ? value : WEFT_NONE,
                                .key = WEFT_NONE,
                                .from = ends[roll(ENDS)],
                                .to = ends[roll(ENDS)],
                                .begin = begin,
                                .end = begin + (int64_t)roll(roll(20) ? 500 : 900000) - 50,
                                .from_entity = roll(10) ? WEFT_NO_ID : state_id,
                                .to_entity = WEFT_NO_ID };
        if (roll(30) == 0) { /* half a link */
            model[i].to = WEFT_NONE;
            model[i].flags = WEFT_END_IMPLIED;
            model[i].end = begin;
        }
        struct weft_field_value size = { size_field, { .integer = begin } };
        weft_builder_link(b, &model[i], &size, 1);
    }
    trace = small_store_open(b, path);
    source = weft_trace_source(trace);
    qsort(model, LINKS, sizeof *model, by_low);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return unlink(path);
}

static uint32_t link_track(void)
{
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        if (source->schema->types[source->schema->tracks[t].type].kind == WEFT_LINK)
            return t;
    return WEFT_NONE;
}

struct link_list {
    struct weft_link list[LINKS];
    size_t n;
};

static bool gather(void *user, const struct weft_link *link)
{
    struct link_list *found = user;
    found->list[found->n++] = *link;
    return true;
}

static bool same(const struct weft_link *a, const struct weft_link *b)
{
    return a->begin == b->begin && a->end == b->end && a->from == b->from && a->to == b->to
           && a->value == b->value && a->flags == b->flags;
}

/* Every expected link is found once, and nothing else; links of one time come in any order. */
static void check(const struct link_list *found,
                  bool (*wanted)(const struct weft_link *, void *), void *user)
{
    size_t n = 0;
    static bool taken[LINKS];
    memset(taken, 0, sizeof taken);
    for (size_t i = 0; i < LINKS; i++) {
        if (!wanted(&model[i], user))
            continue;
        n++;
        size_t j = 0;
        while (j < found->n && (taken[j] || !same(&found->list[j], &model[i])))
            j++;
        assert_true(j < found->n);
        taken[j] = true;
    }
    assert_int_equal(n, found->n);
}

static bool in_window(const struct weft_link *link, void *user)
{
    const struct weft_span *w = user;
    return low(link) < w->end
           && (high(link) > w->begin || (low(link) == high(link) && low(link) == w->begin));
}

static void test_links_of_a_window(void **unused)
{
    (void)unused;
    static struct link_list found;
    for (int round = 0; round < 60; round++) {
        int64_t a = (int64_t)roll(1000000);
        struct weft_span window = { a, a + 1 + (int64_t)roll(100000) };
        found.n = 0;
        source->ops->links(source, link_track(), window, gather, &found);
        check(&found, in_window, &window);
        for (size_t i = 1; i < found.n; i++)
            assert_true(low(&found.list[i - 1]) <= low(&found.list[i]));
    }
}

struct at {
    uint32_t container;
    bool incoming;
    struct weft_span window;
};

static bool touches(const struct weft_link *link, void *user)
{
    const struct at *at = user;
    int64_t time = at->incoming ? link->end : link->begin;
    return (at->incoming ? link->to : link->from) == at->container
           && time >= at->window.begin && time < at->window.end;
}

static void test_links_of_a_container(void **unused)
{
    (void)unused;
    static struct link_list found;
    for (uint32_t c = 0; c < source->schema->n_containers; c++)
        for (int incoming = 0; incoming < 2; incoming++) {
            int64_t a = (int64_t)roll(500000);
            struct at at = { c, incoming, { a, a + (int64_t)roll(500000) } };
            found.n = 0;
            source->ops->links_at(source, c, incoming, at.window, gather, &found);
            check(&found, touches, &at);
        }
}

static void test_ids_lead_to_links_and_entities(void **unused)
{
    (void)unused;
    static struct link_list found;
    found.n = 0;
    source->ops->links(source, link_track(), (struct weft_span){ -2000, 3000000 }, gather,
                       &found);
    assert_int_equal(found.n, LINKS);
    for (size_t i = 0; i < LINKS; i += 7) {
        struct weft_link link;
        assert_true(source->ops->link(source, found.list[i].id, &link));
        assert_true(same(&link, &found.list[i]));
        struct weft_field_value field;
        assert_int_equal(source->ops->fields(source, link.id, &field, 1), 1);
        assert_int_equal(field.integer, link.begin);
        if (link.from_entity == WEFT_NO_ID)
            continue;
        struct weft_state state; /* the id was translated to the final order */
        assert_true(source->ops->state(source, link.from_entity, &state));
        assert_int_equal(state.begin, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links_of_a_window),
        cmocka_unit_test(test_links_of_a_container),
        cmocka_unit_test(test_ids_lead_to_links_and_entities),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
