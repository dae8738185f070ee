/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits against a second model, which asks for the fields of each state by itself, on random
 * traces and windows; sites that read alike; and how sites are written.
 */
#include "analyse/sites_by_line.h"
#include "domains/threads/analyse/waits_by_place.h"
#include "tests/count_where.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { THREADS = 4, OBJECTS = 3, SITES = 6, VALUES = 4 };
static const enum weft_role roles[VALUES] = { WEFT_ROLE_RUNNING,
                                              WEFT_ROLE_BLOCKED_ON_CONDITION,
                                              WEFT_ROLE_BLOCKED_ON_END,
                                              WEFT_ROLE_SLEEPING };

/* Threads 1 to THREADS, objects after them; thread 0's states name neither object nor site. */
static struct weft_trace *random_trace(uint32_t most, enum weft_role object_role)
{
    char path[] = "/tmp/weft-waits-test.XXXXXX";
    uint32_t values[VALUES];
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "t", WEFT_ROLE_NONE);
    uint32_t states = add_type(b, WEFT_STATE, thread, "s", WEFT_ROLE_NONE);
    for (uint32_t v = 0; v < VALUES; v++) {
        values[v] = add_value(b, states, (char[]){ (char)('a' + v), 0 }, roles[v]);
    }
    uint32_t object = weft_builder_field(b, states, "o", WEFT_FIELD_CONTAINER);
    uint32_t site = weft_builder_field(b, states, "p", WEFT_FIELD_SITE);
    weft_builder_field_role(b, object, object_role);
    weft_builder_field_role(b, site, WEFT_ROLE_SITE);
    for (uint32_t s = 0; s < SITES; s++) /* three addresses of each line */
        weft_builder_site(
            b, &(struct weft_site){
                   .address = s, .function = "f", .file = "/x/f.c", .line = s / 3 + 1 });
    for (uint32_t t = 0; t < THREADS + OBJECTS; t++)
        weft_builder_container(b, thread, 0, (char[]){ (char)('A' + t), 0 }, NULL, 0);
    for (uint32_t t = 1; t <= THREADS; t++) {
        uint32_t track = weft_builder_track(b, t, states);
        int64_t time = roll(50);
        for (uint32_t i = 0; i < most; i++, time += roll(20)) {
            struct weft_field_value fields[2];
            size_t n = 0;
            if (roll(4))
                fields[n++] =
                    (struct weft_field_value){ object,
                                               { .index = THREADS + 1 + roll(OBJECTS) } };
            if (roll(4))
                fields[n++] = (struct weft_field_value){ site, { .index = roll(SITES) } };
            if (weft_builder_open_states(b, track) && roll(2))
                (void)!weft_builder_pop(b, track, time, NULL);
            else
                (void)!weft_builder_push(b, track, time, values[roll(VALUES)], fields,
                                         t == 1 ? 0 : n, NULL);
        }
    }
    return small_store_end(b, path);
}

/* ---- The second model: a cell for each value, object (or none) and line (or none) ---- */

enum { OF_OBJECTS = THREADS + OBJECTS + 2, LINES = SITES / 3 + 1 };
struct cell {
    uint64_t count;
    int64_t ticks, longest, by_thread[OF_OBJECTS];
    bool waits[OF_OBJECTS];
};
/* What began and has not ended, innermost last; cell: NULL, it is no wait. */
struct begun {
    int64_t end;
    struct cell *cell;
    int64_t own; /* without what is in it */
};
struct model {
    struct begun begun[1 << 16];
    size_t n_begun;
    const struct weft_source *source;
    struct weft_span window;
    uint32_t container;
    struct cell cells[VALUES][OF_OBJECTS][LINES];
};

/* The innermost one has ended. */
static void end_innermost(struct model *m)
{
    const struct begun *ended = &m->begun[--m->n_begun];
    if (ended->cell && ended->own > ended->cell->longest)
        ended->cell->longest = ended->own;
}

static bool expect_state(void *user, const struct weft_state *s)
{
    struct model *m = user;
    const struct weft_schema *schema = m->source->schema;
    struct weft_field_value fields[4];
    size_t n = m->source->ops->fields(m->source, s->id, fields, 4);
    enum weft_role role = schema->values[s->value].role;
    int64_t from = s->begin > m->window.begin ? s->begin : m->window.begin;
    int64_t to = s->end < m->window.end ? s->end : m->window.end;
    int64_t part = to > from ? to - from : 0;
    /* It is a part of what it is in, and so no part of the wait that this may be. */
    while (m->n_begun && m->begun[m->n_begun - 1].end <= s->begin)
        end_innermost(m);
    struct cell *around = m->n_begun ? m->begun[m->n_begun - 1].cell : NULL;
    if (around) {
        around->ticks -= part;
        around->by_thread[m->container] -= part;
        m->begun[m->n_begun - 1].own -= s->end - s->begin;
    }
    m->begun[m->n_begun++] = (struct begun){ s->end, NULL, s->end - s->begin };
    if (!weft_role_is(role, WEFT_ROLE_BLOCKED) && !weft_role_is(role, WEFT_ROLE_SLEEPING))
        return true;
    const struct weft_field_value *object =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    if (!object)
        object = weft_field_with_role(schema, fields, n, WEFT_ROLE_COMMUNICATOR_OF,
                                      WEFT_FIELD_CONTAINER);
    const struct weft_field_value *site =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    struct cell *cell = &m->cells[s->value][object ? object->index : OF_OBJECTS - 1]
                                 [site ? site->index / 3 : LINES - 1];
    m->begun[m->n_begun - 1].cell = cell;
    cell->count++;
    cell->ticks += part;
    cell->by_thread[m->container] += part;
    cell->waits[m->container] = true;
    return true;
}

static void check(const struct weft_source *source, uint32_t under, struct weft_span window)
{
    const struct weft_schema *schema = source->schema;
    struct model *m = weft_zalloc(1, sizeof *m);
    struct weft_waits waits;
    struct weft_err err;
    size_t rows = 0;
    m->source = source;
    m->window = window;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        m->container = schema->tracks[t].container;
        m->n_begun = 0;
        if (!under || under == m->container)
            source->ops->states(source, t, window, expect_state, m);
        while (m->n_begun)
            end_innermost(m);
    }
    for (size_t i = 0; i < sizeof m->cells / sizeof(struct cell); i++)
        rows += (&m->cells[0][0][0])[i].count > 0;
    assert_true(weft_waits_read(source, under, window, true, NULL, &waits, &err));
    assert_int_equal(waits.n, rows);
    for (size_t i = 0; i < waits.n; i++) {
        const struct weft_wait *wait = &waits.list[i];
        const struct cell *cell =
            &m->cells[wait->value]
                     [wait->object == WEFT_NONE ? OF_OBJECTS - 1 : wait->object]
                     [wait->site == WEFT_NONE ? LINES - 1 : wait->site / 3];
        uint32_t waiters = 0, worst = 0;
        for (uint32_t c = 0; c < OF_OBJECTS; c++) {
            waiters += cell->waits[c];
            if (cell->waits[c]
                && (!cell->waits[worst] || cell->by_thread[c] > cell->by_thread[worst]))
                worst = c;
        }
        assert_true(wait->site == WEFT_NONE || wait->site % 3 == 0);
        assert_int_equal(wait->count, cell->count);
        assert_int_equal(wait->ticks, cell->ticks);
        assert_int_equal(wait->longest, cell->longest);
        assert_int_equal(wait->waiters, waiters);
        assert_int_equal(wait->worst, worst);
        assert_int_equal(wait->worst_ticks, cell->by_thread[worst]);
        assert_int_equal(wait->own, schema->values[wait->value].role
                                        != WEFT_ROLE_BLOCKED_ON_CONDITION);
        assert_true(!i || wait->own > waits.list[i - 1].own
                    || (wait->own == waits.list[i - 1].own
                        && wait->ticks <= waits.list[i - 1].ticks));
    }
    weft_waits_free(&waits);
    free(m);
}

static void waits_equal_the_second_model(void **state)
{
    (void)state;
    for (int round = 0; round < 30; round++) {
        struct weft_trace *trace = random_trace(
            1 + roll(700), round % 2 ? WEFT_ROLE_COMMUNICATOR_OF : WEFT_ROLE_OBJECT);
        const struct weft_source *source = weft_trace_source(trace);
        int64_t length = source->schema->span.end - source->schema->span.begin + 40;
        check(source, 0, source->schema->span);
        check(source, 0, (struct weft_span){ INT64_MIN, INT64_MAX });
        for (int i = 0; i < 12; i++) {
            int64_t a = roll((uint32_t)length), b = roll((uint32_t)length);
            check(source, i % 3 ? 0 : 1 + roll(THREADS),
                  (struct weft_span){ a < b ? a : b, a < b ? b : a });
        }
        weft_trace_close(trace);
    }
}

/* More states than are decoded at once. */
static void long_tracks_are_read_in_blocks(void **state)
{
    (void)state;
    struct weft_trace *trace = random_trace(200000, WEFT_ROLE_OBJECT);
    const struct weft_source *source = weft_trace_source(trace);
    check(source, 0, source->schema->span);
    weft_trace_close(trace);
}

static void cancelling_ends_it(void **state)
{
    (void)state;
    struct weft_trace *trace = random_trace(100, WEFT_ROLE_OBJECT);
    struct weft_job job = { .cancelled = true };
    struct weft_waits waits;
    struct weft_err err;
    assert_false(weft_waits_read(weft_trace_source(trace), 0, (struct weft_span){ 0, 1000 },
                                 true, &job, &waits, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    weft_waits_free(&waits);
    weft_trace_close(trace);
}

/* ---- Who ended waits, and for which objects they were ---- */

enum { WAITER = 1, SIGNALLER, OTHER, FIRST_CONDITION, CONDITIONS = 5 };

struct story { /* the trace below, and the indices of its parts */
    struct weft_builder *b;
    uint32_t wake, condition, join, track, object, site;
};

/* The waiter waits from BEGIN to END; WAKER ends that, unless it is 0. */
static void tell_wait(const struct story *story, int64_t begin, int64_t end,
                      uint32_t condition, uint32_t waker, bool named)
{
    uint64_t wait;
    const struct weft_field_value fields[] = { { story->object, { .index = condition } },
                                               { story->site, { .index = 0 } } };
    (void)!weft_builder_push(story->b, story->track, begin, story->condition, fields, 2,
                             &wait);
    (void)!weft_builder_pop(story->b, story->track, end, NULL);
    if (waker)
        weft_builder_link(story->b,
                          &(struct weft_link){ .type = story->wake,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .from = waker,
                                               .to = WAITER,
                                               .begin = end - 1,
                                               .end = end,
                                               .from_entity = WEFT_NO_ID,
                                               .to_entity = named ? wait : WEFT_NO_ID },
                          NULL, 0);
}

/*
 * A condition for each request, all made at one line: waits of 10, 20, 30, 40 and 50 ticks.
 * Three of them SIGNALLER ends, one OTHER, one nobody known.  Then it waits for an end.
 */
static struct weft_trace *requests(void)
{
    char path[] = "/tmp/weft-waits-test.XXXXXX";
    struct story s = { .b = small_store_begin(path) };
    uint32_t thread = add_type(s.b, WEFT_CONTAINER, 0, "t", WEFT_ROLE_THREAD);
    uint32_t condition = add_type(s.b, WEFT_CONTAINER, 0, "c", WEFT_ROLE_CONDITION);
    uint32_t states = add_type(s.b, WEFT_STATE, thread, "s", WEFT_ROLE_ACTIVITY);
    uint32_t made_at =
        add_field(s.b, condition, "m", WEFT_FIELD_SITE, WEFT_ROLE_CREATED_AT);
    s.wake = weft_builder_type(s.b, &(struct weft_type){ .kind = WEFT_LINK,
                                                         .name = "w",
                                                         .role = WEFT_ROLE_WAKE_UP,
                                                         .start_type = thread,
                                                         .end_type = thread });
    s.condition = add_value(s.b, states, "waits", WEFT_ROLE_BLOCKED_ON_CONDITION);
    s.join = add_value(s.b, states, "joins", WEFT_ROLE_BLOCKED_ON_END);
    s.object = add_field(s.b, states, "o", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    s.site = add_field(s.b, states, "p", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    for (uint32_t l = 1; l <= 2; l++)
        weft_builder_site(s.b,
                          &(struct weft_site){ .address = l, .file = "r.c", .line = l });
    for (uint32_t t = WAITER; t < FIRST_CONDITION; t++)
        weft_builder_container(s.b, thread, 0, (char[]){ (char)('0' + t), 0 }, NULL, 0);
    for (uint32_t c = 0; c < CONDITIONS; c++) {
        uint32_t of = weft_builder_container(s.b, condition, 0, "request", NULL, 0);
        weft_builder_container_field(s.b, of,
                                     &(struct weft_field_value){ made_at, { .index = 1 } });
    }
    s.track = weft_builder_track(s.b, WAITER, states);
    tell_wait(&s, 0, 10, FIRST_CONDITION, SIGNALLER, true);
    tell_wait(&s, 10, 30, FIRST_CONDITION + 1, SIGNALLER, false);
    tell_wait(&s, 30, 60, FIRST_CONDITION + 2, SIGNALLER, true);
    tell_wait(&s, 60, 100, FIRST_CONDITION + 3, OTHER, false);
    tell_wait(&s, 100, 150, FIRST_CONDITION + 4, 0, false);
    (void)!weft_builder_push(s.b, s.track, 150, s.join, NULL, 0, NULL);
    (void)!weft_builder_pop(s.b, s.track, 1000, NULL);
    return small_store_end(s.b, path);
}

static void waits_of_alike_objects_are_one_row(void **state)
{
    (void)state;
    struct weft_trace *trace = requests();
    struct weft_waits waits;
    struct weft_err err;
    struct weft_span all = { 0, 1000 };
    assert_true(weft_waits_read(weft_trace_source(trace), 0, all, 0, NULL, &waits, &err));
    assert_int_equal(waits.n, 2);
    assert_true(waits.wakings_known);
    const struct weft_wait *wait = &waits.list[0];
    assert_false(wait->own); /* it comes first, though the join took longer */
    assert_int_equal(wait->objects, CONDITIONS);
    assert_int_equal(wait->object, FIRST_CONDITION);
    assert_int_equal(wait->count, 5);
    assert_int_equal(wait->ticks, 150);
    assert_int_equal(wait->p50, 30);
    assert_int_equal(wait->p99, 50);
    assert_int_equal(wait->wakings, 4);
    assert_int_equal(wait->waker, SIGNALLER);
    assert_int_equal(wait->waker_wakings, 3);
    assert_true(waits.list[1].own);
    assert_int_equal(waits.list[1].objects, 0);
    assert_int_equal(waits.list[1].wakings, 0);
    assert_int_equal(waits.list[1].waker, WEFT_NONE);
    weft_waits_free(&waits);
    weft_trace_close(trace);
}

static void wakers_are_terms(void **state)
{
    (void)state;
    struct weft_trace *trace = requests();
    const struct weft_source *source = weft_trace_source(trace);
    assert_int_equal(count_where(source, "state and waker = 2"), 3);
    assert_int_equal(count_where(source, "state and waker = 3"), 1);
    assert_int_equal(count_where(source, "state and waker = 1"), 0);
    assert_int_equal(count_where(source, "state and waker = \"\""), 2); /* and the join */
    assert_int_equal(count_where(source, "blocked-on-condition and waker != \"\""), 4);
    assert_int_equal(count_where(source, "link and waker = 2"), 3);
    weft_trace_close(trace);
}

/* The waker of a wait that began before the window may have been before it, too. */
static void wakers_are_found_before_the_window(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-waits-test.XXXXXX";
    struct story s = { .b = small_store_begin(path) };
    uint32_t thread = add_type(s.b, WEFT_CONTAINER, 0, "t", WEFT_ROLE_THREAD);
    uint32_t states = add_type(s.b, WEFT_STATE, thread, "s", WEFT_ROLE_ACTIVITY);
    uint32_t wake = weft_builder_type(s.b, &(struct weft_type){ .kind = WEFT_LINK,
                                                                .name = "w",
                                                                .role = WEFT_ROLE_WAKE_UP,
                                                                .start_type = thread,
                                                                .end_type = thread });
    uint32_t waits = add_value(s.b, states, "waits", WEFT_ROLE_BLOCKED_ON_CONDITION);
    for (uint32_t t = WAITER; t < FIRST_CONDITION; t++)
        weft_builder_container(s.b, thread, 0, (char[]){ (char)('0' + t), 0 }, NULL, 0);
    uint32_t track = weft_builder_track(s.b, WAITER, states);
    (void)!weft_builder_push(s.b, track, 10, waits, NULL, 0, NULL);
    (void)!weft_builder_pop(s.b, track, 100, NULL);
    weft_builder_link(s.b,
                      &(struct weft_link){ .type = wake,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = SIGNALLER,
                                           .to = WAITER,
                                           .begin = 50,
                                           .end = 50,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = WEFT_NO_ID },
                      NULL, 0);
    struct weft_trace *trace = small_store_end(s.b, path);
    static const struct weft_span windows[] = { { 0, 200 }, { 60, 200 }, { 0, 100 } };
    for (int i = 0; i < 3; i++) {
        struct weft_waits found;
        struct weft_err err;
        assert_true(weft_waits_read(weft_trace_source(trace), 0, windows[i], 0, NULL,
                                    &found, &err));
        assert_int_equal(found.n, 1);
        assert_int_equal(found.list[0].wakings, 1);
        assert_int_equal(found.list[0].waker, SIGNALLER);
        weft_waits_free(&found);
    }
    weft_trace_close(trace);
}

static void objects_can_be_told_apart(void **state)
{
    (void)state;
    struct weft_trace *trace = requests();
    struct weft_waits waits;
    struct weft_err err;
    assert_true(weft_waits_read(weft_trace_source(trace), 0, (struct weft_span){ 0, 40 },
                                WEFT_WAITS_BY_OBJECT, NULL, &waits, &err));
    assert_int_equal(waits.n, 3); /* of 20, 10 and 10 ticks in the range */
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(waits.list[i].objects, 1);
    assert_int_equal(waits.list[0].object, FIRST_CONDITION + 1);
    assert_int_equal(waits.list[2].object, FIRST_CONDITION + 2);
    assert_int_equal(waits.list[1].waker, SIGNALLER);
    assert_int_equal(waits.list[2].waker, WEFT_NONE); /* it ends after the range */
    weft_waits_free(&waits);
    weft_trace_close(trace);
}

/* Two ranks in a collective operation: neither object nor place is named. */
static void waits_may_be_collectives_alone(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-waits-test.XXXXXX";
    struct weft_waits waits;
    struct weft_err err;
    struct weft_builder *b = small_store_begin(path);
    uint32_t rank = add_type(b, WEFT_CONTAINER, 0, "r", WEFT_ROLE_RANK);
    uint32_t states = add_type(b, WEFT_STATE, rank, "s", WEFT_ROLE_NONE);
    uint32_t all = add_value(b, states, "all", WEFT_ROLE_BLOCKED_ON_COLLECTIVE);
    for (int64_t q = 0; q < 2; q++) {
        uint32_t of = weft_builder_container(b, rank, 0, "r", NULL, 0);
        uint32_t track = weft_builder_track(b, of, states);
        (void)!weft_builder_push(b, track, 10 + 20 * q, all, NULL, 0, NULL);
        (void)!weft_builder_pop(b, track, 40, NULL);
    }
    struct weft_trace *trace = small_store_end(b, path);
    const struct weft_source *source = weft_trace_source(trace);
    assert_true(weft_has_waits(source->schema));
    assert_true(weft_waits_read(source, 0, source->schema->span, 0, NULL, &waits, &err));
    assert_int_equal(waits.n, 1);
    assert_int_equal(waits.list[0].count, 2);
    assert_int_equal(waits.list[0].ticks, 30 + 10);
    assert_int_equal(waits.list[0].objects, 0);
    assert_int_equal(waits.list[0].waker, WEFT_NONE);
    weft_waits_free(&waits);
    weft_trace_close(trace);
}

/* ---- Sites ---- */

static void what_reads_alike_is_one_place(void **state)
{
    (void)state;
    static const struct {
        struct weft_site site;
        const char *text;
        uint32_t alike;
    } cases[] = {
        { { 1, "/l/a.so", "f", "/x/f.c", 7 }, "f (f.c:7)", 0 },
        { { 2, "/l/a.so", "f", "/x/f.c", 7 }, "f (f.c:7)", 0 },
        { { 3, "/l/a.so", "f", "/x/f.c", 8 }, "f (f.c:8)", 2 },
        { { 4, "/l/a.so", "g", "/x/f.c", 7 }, "g (f.c:7)", 3 },
        { { 5, "/l/a.so", "f", "/y/f.c", 7 }, "f (f.c:7)", 4 }, /* another file */
        { { 6, "/l/a.so", "", "/x/f.c", 7 }, "f.c:7", 5 },
        { { 7, "/l/a.so", "f", "", 0 }, "f (a.so)", 6 },
        { { 8, "/l/a.so", "f", "", 0 }, "f (a.so)", 6 },
        { { 9, "/l/b.so", "f", "", 0 }, "f (b.so)", 8 },
        { { 10, "/l/a.so", "", "", 0 }, "a.so+0xa", 9 },
        { { 11, "/l/a.so", "", "", 0 }, "a.so+0xb", 10 },
        { { 12, "/l/a.so", "f", "/x/f.c", 0 }, "f (f.c)", 6 }, /* no line: by its object */
        { { 0, "", "", "/x/f.c", 0 }, "f.c", 12 }, /* a file is all that is known */
        { { 0, "", "", "/x/g.c", 0 }, "g.c", 13 },
    };
    enum { N = sizeof cases / sizeof *cases };
    struct weft_site sites[N];
    for (size_t i = 0; i < N; i++)
        sites[i] = cases[i].site;
    struct weft_schema schema = { .sites = sites, .n_sites = N };
    struct weft_arena arena = { 0 };
    uint32_t *alike = weft_sites_alike(&arena, &schema);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(alike[i], cases[i].alike);
        assert_string_equal(weft_site_text(&arena, &schema, i), cases[i].text);
    }
    assert_string_equal(weft_site_text(&arena, &schema, WEFT_NONE), "");
    weft_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_equal_the_second_model),
        cmocka_unit_test(long_tracks_are_read_in_blocks),
        cmocka_unit_test(cancelling_ends_it),
        cmocka_unit_test(waits_of_alike_objects_are_one_row),
        cmocka_unit_test(wakers_are_terms),
        cmocka_unit_test(wakers_are_found_before_the_window),
        cmocka_unit_test(objects_can_be_told_apart),
        cmocka_unit_test(waits_may_be_collectives_alone),
        cmocka_unit_test(what_reads_alike_is_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
