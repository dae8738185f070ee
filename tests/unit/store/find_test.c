/* SPDX-License-Identifier: Apache-2.0 */
/* Finding entities by fields, links by entities, and fields by ordinals: against lists. */
#include "random_trace.h"
#include "tests/random.h"
#include "tests/test.h"

static struct random_trace model;

static int set_up(void **state)
{
    (void)state;
    random_trace_begin(&model, false);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    random_trace_end(&model);
    return 0;
}

struct ids {
    uint64_t list[RANDOM_MAX_ITEMS];
    size_t n, most;
};

static bool gather(void *user, uint64_t id)
{
    struct ids *ids = user;
    assert_true(ids->n < RANDOM_MAX_ITEMS);
    ids->list[ids->n++] = id;
    return ids->n < ids->most;
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The ids of all items with a value of a field, by looking at all of them. */
static void expect(enum random_field field, int64_t bits, struct ids *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < model.n_items; i++)
        if (model.items[i].has >> field & 1 && model.items[i].fields[field] == bits)
            out->list[out->n++] = random_id(&model, &model.items[i]);
    qsort(out->list, out->n, sizeof *out->list, compare_ids);
}

static struct weft_field_value value_of(enum random_field field, int64_t bits)
{
    struct weft_field_value value = { .field = model.fields[field] };
    if (field == RANDOM_ENTITY)
        value.entity = random_id(&model, &model.items[bits]);
    else if (field == RANDOM_TEXT || field == RANDOM_SITE || field == RANDOM_CONTAINER)
        value.index = (uint32_t)bits;
    else
        value.integer = bits;
    return value;
}

static void test_every_value_of_every_field(void **unused)
{
    (void)unused;
    static struct ids wanted, found;
    const struct weft_source *source = model.source;
    for (int f = 0; f < RANDOM_PLAIN; f++) {
        size_t hits = 0;
        for (uint32_t i = 0; i < model.n_items; i++) {
            if (!(model.items[i].has >> f & 1) || (f == RANDOM_ENTITY && roll(8)))
                continue;
            int64_t bits = model.items[i].fields[f];
            if (roll(4)) /* most values occur often */
                continue;
            struct weft_field_value value = value_of(f, bits);
            expect(f, bits, &wanted);
            found.n = 0;
            found.most = SIZE_MAX;
            assert_true(source->ops->find(source, &value, gather, &found));
            assert_int_equal(found.n, wanted.n);
            assert_memory_equal(found.list, wanted.list, wanted.n * sizeof *wanted.list);
            hits += found.n;
            if (found.n > 1) { /* the visitor may stop */
                found.n = 0;
                found.most = 1;
                assert_true(source->ops->find(source, &value, gather, &found));
                assert_int_equal(found.n, 1);
            }
        }
        assert_true(hits > 100);
    }
}

static void test_what_is_not_there(void **unused)
{
    (void)unused;
    static struct ids found, wanted;
    const struct weft_source *source = model.source;
    found.most = SIZE_MAX;
    for (int64_t number = -40; number < 40; number++) {
        struct weft_field_value value = value_of(RANDOM_INTEGER, number);
        expect(RANDOM_INTEGER, number, &wanted);
        found.n = 0;
        assert_true(source->ops->find(source, &value, gather, &found));
        assert_int_equal(found.n, wanted.n);
        assert_true(number >= -20 && number < 20 ? found.n > 0 : found.n == 0);
    }
    found.n = 0;
    int64_t ends[] = { INT64_MIN, INT64_MAX };
    for (int i = 0; i < 2; i++) {
        struct weft_field_value value = value_of(RANDOM_INTEGER, ends[i]);
        assert_true(source->ops->find(source, &value, gather, &found));
    }
    assert_int_equal(found.n, 0);
    struct weft_field_value plain = value_of(RANDOM_PLAIN, 0);
    assert_false(source->ops->find(source, &plain, gather, &found));
    plain.field = source->schema->n_fields;
    assert_false(source->ops->find(source, &plain, gather, &found));
}

struct links {
    struct weft_link list[RANDOM_LINKS];
    size_t n;
};

static bool gather_link(void *user, const struct weft_link *link)
{
    struct links *links = user;
    links->list[links->n++] = *link;
    return true;
}

static void check_links_of(uint32_t item, bool incoming, const struct links *found)
{
    size_t n = 0;
    bool taken[RANDOM_LINKS] = { false };
    for (uint32_t i = 0; i < model.n_items; i++) {
        const struct random_item *link = &model.items[i];
        if (link->kind != WEFT_LINK || (incoming ? link->to_item : link->from_item) != item)
            continue;
        n++;
        size_t j = 0;
        while (j < found->n
               && (taken[j] || found->list[j].begin != link->begin
                   || found->list[j].end != link->end || found->list[j].from != link->from
                   || found->list[j].to != link->to || found->list[j].value != link->value))
            j++;
        assert_true(j < found->n);
        taken[j] = true;
    }
    assert_int_equal(n, found->n);
    for (size_t i = 1; i < found->n; i++)
        assert_true(found->list[i - 1].id < found->list[i].id);
}

static void test_links_of_every_entity(void **unused)
{
    (void)unused;
    static struct links found;
    const struct weft_source *source = model.source;
    size_t total = 0;
    for (uint32_t i = 0; i < model.n_items; i++) {
        if (model.items[i].kind == WEFT_LINK || (i > 100 && roll(4)))
            continue;
        for (int incoming = 0; incoming < 2; incoming++) {
            found.n = 0;
            source->ops->links_of(source, random_id(&model, &model.items[i]), incoming,
                                  gather_link, &found);
            check_links_of(i, incoming, &found);
            total += found.n;
        }
    }
    assert_true(total > RANDOM_LINKS / 2);
    found.n = 0;
    source->ops->links_of(source, WEFT_NO_ID, false, gather_link, &found);
    assert_int_equal(found.n, 0);
}

struct values {
    uint64_t ordinals[RANDOM_MAX_ITEMS];
    int64_t values[RANDOM_MAX_ITEMS];
    size_t n;
};

static bool gather_run(void *user, const struct weft_field_run *run)
{
    struct values *values = user;
    assert_true(run->n > 0);
    for (size_t i = 0; i < run->n; i++) {
        values->ordinals[values->n] = run->ordinals[i];
        values->values[values->n++] = run->values[i];
    }
    return true;
}

static void test_fields_of_any_range_of_ordinals(void **unused)
{
    (void)unused;
    static struct values found;
    const struct weft_source *source = model.source;
    uint32_t container = model.containers[1];
    for (int round = 0; round < 600; round++) {
        uint64_t first = roll(900), after = round % 7 ? first + roll(400) : UINT64_MAX;
        size_t n = 0;
        found.n = 0;
        uint32_t track = WEFT_NONE;
        for (uint32_t i = 0; i < model.n_items; i++)
            if (model.items[i].kind == WEFT_STATE && model.items[i].container == container)
                track = random_track(&model, &model.items[i]);
        source->ops->field_range(source, track, model.fields[RANDOM_INTEGER], first, after,
                                 gather_run, &found);
        for (uint32_t i = 0; i < model.n_items; i++) {
            const struct random_item *item = &model.items[i];
            if (item->kind != WEFT_STATE || item->container != container
                || !(item->has >> RANDOM_INTEGER & 1) || item->ordinal < first
                || item->ordinal >= after)
                continue;
            assert_true(n < found.n);
            assert_int_equal(found.ordinals[n], item->ordinal);
            assert_int_equal(found.values[n], item->fields[RANDOM_INTEGER]);
            n++;
        }
        assert_int_equal(found.n, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_value_of_every_field),
        cmocka_unit_test(test_what_is_not_there),
        cmocka_unit_test(test_links_of_every_entity),
        cmocka_unit_test(test_fields_of_any_range_of_ordinals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
