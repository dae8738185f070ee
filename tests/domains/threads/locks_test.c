/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of locks against a second one, which asks for the fields of each state by itself
 * and keeps every wait, on random traces and windows; and with fields that lie.
 */
#include "domains/threads/analyse/locks.h"
#include "tests/random.h"
#include "tests/small_store.h"

/* ---- Random traces ---- */

enum { MAX_THREADS = 6, MAX_LOCKS = 5, SITES = 4, GROUPS = 2 };

struct lock_schema { /* types, values and fields of a trace */
    uint32_t group, thread, mutex, thread_states, lock_states;
    uint32_t running, blocked[2], held, contended, free;
    uint32_t object, site, holder, acquisition, held_at, other;
    uint32_t groups[GROUPS], threads[MAX_THREADS], locks[MAX_LOCKS];
    uint32_t n_threads, n_locks;
};

static char path[] = "/tmp/weft-locks-test.XXXXXX";

static void define(struct weft_builder *b, struct lock_schema *m)
{
    char name[32];
    m->group = add_type(b, WEFT_CONTAINER, 0, "g", WEFT_ROLE_PROCESS);
    m->thread = add_type(b, WEFT_CONTAINER, m->group, "t", WEFT_ROLE_THREAD);
    m->mutex = add_type(b, WEFT_CONTAINER, m->group, "l", WEFT_ROLE_MUTEX);
    m->thread_states = add_type(b, WEFT_STATE, m->thread, "ts", WEFT_ROLE_ACTIVITY);
    m->lock_states = add_type(b, WEFT_STATE, m->mutex, "ls", WEFT_ROLE_LOCK_STATE);
    m->running = add_value(b, m->thread_states, "r", WEFT_ROLE_RUNNING);
    m->blocked[0] = add_value(b, m->thread_states, "b", WEFT_ROLE_BLOCKED_ON_LOCK);
    m->blocked[1] = add_value(b, m->thread_states, "c", WEFT_ROLE_BLOCKED);
    m->free = add_value(b, m->lock_states, "f", WEFT_ROLE_FREE);
    m->held = add_value(b, m->lock_states, "h", WEFT_ROLE_HELD);
    m->contended = add_value(b, m->lock_states, "w", WEFT_ROLE_CONTENDED);
    m->other = add_field(b, m->thread_states, "x", WEFT_FIELD_INTEGER, WEFT_ROLE_NONE);
    m->object = add_field(b, m->thread_states, "o", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    m->site = add_field(b, m->thread_states, "s", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    m->holder = add_field(b, m->lock_states, "h", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER);
    m->acquisition =
        add_field(b, m->lock_states, "a", WEFT_FIELD_INTEGER, WEFT_ROLE_ACQUISITION);
    m->held_at = add_field(b, m->lock_states, "s", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    for (uint32_t s = 0; s < SITES; s++) /* two addresses of each line */
        weft_builder_site(
            b, &(struct weft_site){ .address = s, .file = "f.c", .line = s / 2 + 1 });
    for (uint32_t g = 0; g < GROUPS; g++)
        m->groups[g] = weft_builder_container(b, m->group, 0, "g", NULL, 0);
    for (uint32_t i = 0; i < m->n_threads; i++) {
        snprintf(name, sizeof name, "t%u", i);
        m->threads[i] =
            weft_builder_container(b, m->thread, m->groups[roll(GROUPS)], name, NULL, 0);
    }
    for (uint32_t i = 0; i < m->n_locks; i++) {
        snprintf(name, sizeof name, "l%u", i);
        m->locks[i] =
            weft_builder_container(b, m->mutex, m->groups[roll(GROUPS)], name, NULL, 0);
    }
}

static void lock_track(struct weft_builder *b, const struct lock_schema *m, uint32_t lock,
                       uint32_t n)
{
    uint32_t track = weft_builder_track(b, m->locks[lock], m->lock_states);
    int64_t time = roll(50);
    for (uint32_t i = 0; i < n; i++, time += roll(20)) {
        struct weft_field_value fields[3];
        size_t n_fields = 0;
        uint32_t what = roll(3);
        if (roll(8))
            fields[n_fields++] =
                (struct weft_field_value){ m->holder,
                                           { .index = m->threads[roll(m->n_threads)] } };
        if (roll(8))
            fields[n_fields++] =
                (struct weft_field_value){ m->acquisition,
                                           { .integer = (int)roll(3) - 1 } };
        if (roll(4))
            fields[n_fields++] =
                (struct weft_field_value){ m->held_at, { .index = roll(SITES) } };
        if (roll(20) == 0)
            (void)!weft_builder_reset(b, track, time);
        else
            (void)!weft_builder_set(b, track, time,
                                    what == 0   ? m->free
                                    : what == 1 ? m->held
                                                : m->contended,
                                    fields, what || !roll(4) ? n_fields : 0, NULL);
    }
}

/* A thread's states nest; it may wait for a lock, a group or nothing that is known. */
static void thread_track(struct weft_builder *b, const struct lock_schema *m,
                         uint32_t thread, uint32_t n)
{
    uint32_t track = weft_builder_track(b, m->threads[thread], m->thread_states);
    int64_t time = roll(50);
    for (uint32_t i = 0; i < n; i++, time += roll(20)) {
        struct weft_field_value fields[3];
        size_t n_fields = 0;
        if (weft_builder_open_states(b, track) > 3
            || (weft_builder_open_states(b, track) && roll(2))) {
            (void)!weft_builder_pop(b, track, time, NULL);
            continue;
        }
        if (roll(3) == 0)
            fields[n_fields++] = (struct weft_field_value){ m->other, { .integer = i } };
        if (roll(8))
            fields[n_fields++] = (struct weft_field_value){
                m->object, { .index = roll(5) ? m->locks[roll(m->n_locks)] : m->groups[0] }
            };
        if (roll(3))
            fields[n_fields++] =
                (struct weft_field_value){ m->site, { .index = roll(SITES) } };
        uint32_t what = roll(3);
        (void)!weft_builder_push(b, track, time, what ? m->blocked[what - 1] : m->running,
                                 fields, n_fields, NULL);
    }
}

static struct weft_trace *random_trace(uint32_t n_threads, uint32_t n_locks, uint32_t most)
{
    struct lock_schema m = { .n_threads = n_threads, .n_locks = n_locks };
    struct weft_builder *b = small_store_begin(path);
    define(b, &m);
    for (uint32_t i = 0; i < n_locks; i++)
        lock_track(b, &m, i, i ? roll(most + 1) : most);
    for (uint32_t i = 0; i < n_threads; i++)
        thread_track(b, &m, i, i ? roll(most + 1) : most);
    return small_store_end(b, path);
}

/* ---- The second model ---- */

enum { MAX_HOLDERS = 64 };

struct expected_lock {
    uint64_t acquisitions;
    int64_t held, waited;
    int64_t *waits;
    size_t n_waits, capacity;
    int64_t holders[MAX_HOLDERS + 1], sites[SITES]; /* the last holder is nobody known */
    bool holds[MAX_HOLDERS + 1], waits_at[SITES];
    int64_t hold_sites[SITES];
    bool holds_at[SITES];
};

struct overlap_query {
    const struct weft_source *source;
    struct weft_span window;
    struct expected_lock *of; /* by container */
    uint32_t container;
    bool lock;
};

static int64_t overlap(const struct overlap_query *a, const struct weft_state *s)
{
    int64_t from = s->begin > a->window.begin ? s->begin : a->window.begin;
    int64_t to = s->end < a->window.end ? s->end : a->window.end;
    return to > from ? to - from : 0;
}

/* Both addresses of a line are one place: the first. */
static uint32_t alike(uint32_t site)
{
    return site - site % 2;
}

static bool has_locks(const struct weft_schema *schema, uint32_t container)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].container == container && weft_is_lock_track(schema, t))
            return true;
    return false;
}

static bool expect_state(void *user, const struct weft_state *s)
{
    struct overlap_query *a = user;
    const struct weft_schema *schema = a->source->schema;
    enum weft_role role = schema->values[s->value].role;
    struct weft_field_value fields[8];
    size_t n = a->source->ops->fields(a->source, s->id, fields, 8);
    if (a->lock && weft_role_is(role, WEFT_ROLE_HELD)) {
        struct expected_lock *e = &a->of[a->container];
        const struct weft_field_value *holder =
            weft_field_with_role(schema, fields, n, WEFT_ROLE_HOLDER, WEFT_FIELD_CONTAINER);
        const struct weft_field_value *begins = weft_field_with_role(
            schema, fields, n, WEFT_ROLE_ACQUISITION, WEFT_FIELD_INTEGER);
        const struct weft_field_value *at =
            weft_field_with_role(schema, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
        e->held += overlap(a, s);
        e->acquisitions += begins && begins->integer && s->begin >= a->window.begin;
        if (role == WEFT_ROLE_CONTENDED) {
            e->holders[holder ? holder->index : MAX_HOLDERS] += overlap(a, s);
            e->holds[holder ? holder->index : MAX_HOLDERS] = true;
            if (at) {
                e->hold_sites[alike(at->index)] += overlap(a, s);
                e->holds_at[alike(at->index)] = true;
            }
        }
    }
    if (a->lock || !weft_role_is(role, WEFT_ROLE_BLOCKED))
        return true;
    const struct weft_field_value *object =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    const struct weft_field_value *site =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    if (!object || !has_locks(schema, object->index))
        return true;
    struct expected_lock *e = &a->of[object->index];
    e->waits = weft_grow(e->waits, &e->capacity, e->n_waits + 1, sizeof *e->waits);
    e->waits[e->n_waits++] = s->end - s->begin;
    e->waited += overlap(a, s);
    if (site) {
        e->sites[alike(site->index)] += overlap(a, s);
        e->waits_at[alike(site->index)] = true;
    }
    return true;
}

static bool is_under(const struct weft_schema *schema, uint32_t container, uint32_t under)
{
    while (container != under && container != WEFT_NONE)
        container = schema->containers[container].parent;
    return container == under;
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void check_lock(const struct weft_lock *lock, struct expected_lock *e)
{
    uint32_t holders = 0, sites = 0, hold_sites = 0;
    assert_int_equal(lock->acquisitions, e->acquisitions);
    assert_int_equal(lock->held_ticks, e->held);
    assert_int_equal(lock->waited_ticks, e->waited);
    assert_int_equal(lock->waits, e->n_waits);
    for (uint32_t i = 0; i < lock->n_holders; i++) {
        uint32_t of = lock->holders[i].of == WEFT_NONE ? MAX_HOLDERS : lock->holders[i].of;
        assert_true(e->holds[of]);
        assert_int_equal(lock->holders[i].ticks, e->holders[of]);
        assert_true(!i || lock->holders[i].ticks <= lock->holders[i - 1].ticks);
    }
    for (uint32_t i = 0; i < lock->n_sites; i++) {
        assert_int_equal(lock->sites[i].ticks, e->sites[lock->sites[i].of]);
        assert_true(!i || lock->sites[i].ticks <= lock->sites[i - 1].ticks);
    }
    for (uint32_t i = 0; i < lock->n_hold_sites; i++) {
        assert_int_equal(lock->hold_sites[i].ticks, e->hold_sites[lock->hold_sites[i].of]);
        assert_true(!i || lock->hold_sites[i].ticks <= lock->hold_sites[i - 1].ticks);
    }
    for (uint32_t i = 0; i <= MAX_HOLDERS; i++)
        holders += e->holds[i];
    for (uint32_t i = 0; i < SITES; i++) {
        sites += e->waits_at[i];
        hold_sites += e->holds_at[i];
    }
    assert_int_equal(lock->n_holders, holders);
    assert_int_equal(lock->n_sites, sites);
    assert_int_equal(lock->n_hold_sites, hold_sites);
    if (!e->n_waits) {
        assert_int_equal(lock->wait_p99, 0);
        return;
    }
    qsort(e->waits, e->n_waits, sizeof *e->waits, by_length);
    /* The least of the waits that 99 % of them do not exceed. */
    size_t rank = 0;
    while ((rank + 1) * 100 < e->n_waits * 99)
        rank++;
    int64_t p99 = e->waits[rank];
    assert_int_equal(lock->wait_max, e->waits[e->n_waits - 1]);
    int64_t off = e->n_waits > 10000 ? p99 / 100 + 1 : 0;
    assert_true(lock->wait_p99 >= p99 - off);
    assert_true(lock->wait_p99 <= p99 + off);
}

static void check(const struct weft_source *source, uint32_t under, struct weft_span window)
{
    const struct weft_schema *schema = source->schema;
    struct expected_lock *of = weft_zalloc(schema->n_containers, sizeof *of);
    struct overlap_query a = { .source = source, .window = window, .of = of };
    struct weft_locks locks;
    struct weft_err err;
    uint32_t n = 0;
    assert_true(schema->n_containers <= MAX_HOLDERS);
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        a.container = schema->tracks[t].container;
        a.lock = weft_is_lock_track(schema, t);
        if (schema->types[schema->tracks[t].type].kind == WEFT_STATE
            && is_under(schema, a.container, under)) {
            n += a.lock;
            source->ops->states(source, t, window, expect_state, &a);
        }
    }
    assert_true(weft_locks_read(source, under, window, NULL, &locks, &err));
    assert_int_equal(locks.n, n); /* each has one track */
    for (uint32_t i = 0; i < locks.n; i++) {
        const struct weft_lock *lock = &locks.list[i], *before = lock - 1;
        check_lock(lock, &of[lock->container]);
        assert_true(is_under(schema, lock->container, under));
        assert_true(!i || lock->waited_ticks < before->waited_ticks
                    || (lock->waited_ticks == before->waited_ticks
                        && lock->acquisitions <= before->acquisitions));
    }
    weft_locks_free(&locks);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        free(of[c].waits);
    free(of);
}

static struct weft_span random_window(const struct weft_schema *schema)
{
    uint32_t length = (uint32_t)(schema->span.end - schema->span.begin) + 40;
    int64_t a = schema->span.begin - 20 + roll(length);
    int64_t b = schema->span.begin - 20 + roll(roll(2) ? length : 1 + length / 8);
    return (struct weft_span){ a < b ? a : b, a < b ? b : a };
}

static void locks_equal_the_second_model(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct weft_trace *trace =
            random_trace(1 + roll(MAX_THREADS), 1 + roll(MAX_LOCKS), 1 + roll(900));
        const struct weft_source *source = weft_trace_source(trace);
        check(source, 0, source->schema->span);
        check(source, 0, (struct weft_span){ INT64_MIN, INT64_MAX });
        for (int i = 0; i < 15; i++)
            check(source, i % 3 ? 0 : roll(source->schema->n_containers),
                  random_window(source->schema));
        weft_trace_close(trace);
    }
}

/* One lock and one thread with more states than one part of the work takes. */
static void long_tracks_are_cut(void **state)
{
    (void)state;
    struct weft_trace *trace = random_trace(1, 1, 140000);
    const struct weft_source *source = weft_trace_source(trace);
    check(source, 0, source->schema->span);
    for (int i = 0; i < 4; i++)
        check(source, 0, random_window(source->schema));
    weft_trace_close(trace);
}

/* ---- Fields that lie ---- */

static const struct weft_source *honest;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 29;
}

/* What a lying file says instead: something that is not there, or another container. */
static int64_t lie(uint64_t id, uint32_t field, int64_t value)
{
    static const int64_t lies[] = { 1000000000, INT64_MAX, INT64_MIN, -1, 0, UINT32_MAX };
    uint64_t which = mix(id + field) % 24;
    bool number = honest->schema->fields[field].kind == WEFT_FIELD_INTEGER;
    return which < sizeof lies / sizeof *lies && !number ? lies[which] : value;
}

static size_t lying_fields(const struct weft_source *source, uint64_t id,
                           struct weft_field_value *out, size_t capacity)
{
    (void)source;
    size_t n = honest->ops->fields(honest, id, out, capacity);
    for (size_t i = 0; i < n; i++) {
        if (honest->schema->fields[out[i].field].kind == WEFT_FIELD_INTEGER)
            continue;
        int64_t value = lie(id, out[i].field, out[i].index);
        out[i].index = value < 0 || value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    }
    return n;
}

struct lying {
    uint32_t track, field;
    bool (*visit)(void *user, const struct weft_field_run *run);
    void *user;
};

static bool lie_in_run(void *user, const struct weft_field_run *run)
{
    const struct lying *lying = user;
    int64_t values[4096];
    assert_true(run->n <= 4096);
    for (size_t i = 0; i < run->n; i++)
        values[i] = lie(weft_entity_id(lying->track, run->ordinals[i]), lying->field,
                        run->values[i]);
    return lying->visit(lying->user,
                        &(struct weft_field_run){ run->ordinals, values, run->n });
}

static void lying_range(const struct weft_source *source, uint32_t track, uint32_t field_,
                        uint64_t first, uint64_t after,
                        bool (*visit)(void *user, const struct weft_field_run *run),
                        void *user)
{
    (void)source;
    struct lying lying = { track, field_, visit, user };
    honest->ops->field_range(honest, track, field_, first, after, lie_in_run, &lying);
}

static void states_of_honest(const struct weft_source *source, uint32_t track,
                             struct weft_span window,
                             bool (*visit)(void *user, const struct weft_state *state),
                             void *user)
{
    (void)source;
    honest->ops->states(honest, track, window, visit, user);
}

static bool state_of_honest(const struct weft_source *source, uint64_t id,
                            struct weft_state *out)
{
    (void)source;
    return mix(id) % 3 && honest->ops->state(honest, id, out); /* or lost */
}

static void fields_that_lie_count_as_absent(void **state)
{
    (void)state;
    for (int round = 0; round < 24; round++) {
        struct weft_trace *trace = random_trace(3, 3, round < 22 ? 1 + roll(800) : 100000);
        honest = weft_trace_source(trace);
        struct weft_source_ops ops = { .states = states_of_honest,
                                       .fields = lying_fields,
                                       .field_range = lying_range,
                                       .state = state_of_honest };
        const struct weft_source source = { &ops, honest->schema };
        check(&source, 0, source.schema->span);
        for (int i = 0; i < (round < 22 ? 10 : 2); i++)
            check(&source, 0, random_window(source.schema));
        weft_trace_close(trace);
    }
}

static void nothing_is_no_fault(void **state)
{
    (void)state;
    struct weft_trace *trace = random_trace(1, 1, 0);
    const struct weft_source *source = weft_trace_source(trace);
    check(source, 0, source->schema->span);
    check(source, 0, (struct weft_span){ 5, 5 });
    weft_trace_close(trace);
}

/* Where no state could name its lock, that nobody waited is not known. */
static void waits_are_known_or_not(void **state)
{
    (void)state;
    struct weft_trace *trace = random_trace(2, 2, 200);
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_schema *schema = source->schema;
    struct weft_field *fields =
        (struct weft_field *)schema->fields; /* of this trace alone */
    struct weft_locks locks;
    struct weft_err err = { 0 };
    assert_true(weft_locks_read(source, 0, schema->span, NULL, &locks, &err));
    assert_true(locks.waits_known);
    weft_locks_free(&locks);
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (fields[f].role == WEFT_ROLE_OBJECT)
            fields[f].role = WEFT_ROLE_NONE;
    assert_true(weft_locks_read(source, 0, schema->span, NULL, &locks, &err));
    assert_false(locks.waits_known);
    assert_int_equal(locks.n, 2);
    weft_locks_free(&locks);
    weft_trace_close(trace);
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    struct weft_trace *trace = random_trace(2, 2, 2000);
    struct weft_job job = { .cancelled = true };
    struct weft_locks locks;
    struct weft_err err = { 0 };
    const struct weft_source *source = weft_trace_source(trace);
    assert_false(weft_locks_read(source, 0, source->schema->span, &job, &locks, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    weft_trace_close(trace);
}

/*
 * t0 holds l0 from 10 to 40, read by readers, and was ready from 20 to 25 and from 35 to 50;
 * t1 waits from 15 to 40 until t0 gives it back, and holds it from 40 to 45, as a writer.
 * The wake-up arrives at WOKEN, and may name the wait.
 */
static struct weft_trace *story(int64_t woken, bool named)
{
    struct lock_schema m = { .n_threads = 2, .n_locks = 1 };
    struct weft_builder *b = small_store_begin(path);
    define(b, &m);
    uint32_t ready = add_value(b, m.thread_states, "w", WEFT_ROLE_READY);
    uint32_t shared =
        add_field(b, m.lock_states, "r", WEFT_FIELD_INTEGER, WEFT_ROLE_SHARED);
    uint32_t wake = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                              .name = "w",
                                                              .role = WEFT_ROLE_WAKE_UP,
                                                              .start_type = m.thread,
                                                              .end_type = m.thread });
    uint32_t lock = weft_builder_track(b, m.locks[0], m.lock_states);
    uint32_t holder = weft_builder_track(b, m.threads[0], m.thread_states);
    uint32_t waiter = weft_builder_track(b, m.threads[1], m.thread_states);
    uint64_t wait;
    struct weft_field_value hold[] = { { m.holder, { .index = m.threads[0] } },
                                       { m.acquisition, { .integer = 1 } },
                                       { shared, { .integer = 1 } },
                                       { m.held_at, { .index = 2 } } };
    struct weft_field_value object = { m.object, { .index = m.locks[0] } };
    (void)!weft_builder_set(b, lock, 10, m.held, hold, 4, NULL);
    (void)!weft_builder_set(b, holder, 20, ready, NULL, 0, NULL);
    (void)!weft_builder_set(b, holder, 25, m.running, NULL, 0, NULL);
    (void)!weft_builder_set(b, holder, 35, ready, NULL, 0, NULL);
    (void)!weft_builder_reset(b, holder, 50);
    (void)!weft_builder_push(b, waiter, 15, m.blocked[0], &object, 1, &wait);
    (void)!weft_builder_pop(b, waiter, 40, NULL);
    hold[0].index = m.threads[1];
    hold[2].integer = 0;
    hold[3].index = 0;
    (void)!weft_builder_set(b, lock, 40, m.held, hold, 4, NULL);
    (void)!weft_builder_set(b, lock, 45, m.free, NULL, 0, NULL);
    weft_builder_link(b,
                      &(struct weft_link){ .type = wake,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = m.threads[0],
                                           .to = m.threads[1],
                                           .begin = woken,
                                           .end = woken,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = named ? wait : WEFT_NO_ID },
                      NULL, 0);
    return small_store_end(b, path);
}

static void a_holder_may_have_no_processor(void **state)
{
    (void)state;
    struct weft_trace *trace = story(40, true);
    struct weft_locks locks;
    struct weft_err err;
    assert_true(weft_locks_read(weft_trace_source(trace), 0, (struct weft_span){ 0, 50 },
                                NULL, &locks, &err));
    assert_int_equal(locks.n, 1);
    assert_true(locks.ready_known);
    const struct weft_lock *lock = &locks.list[0];
    assert_int_equal(lock->ready_ticks, 5 + 5); /* not after 40: t1 runs */
    assert_int_equal(lock->held_ticks, 35);
    assert_true(lock->mode_known);
    assert_int_equal(lock->read_ticks, 30);
    assert_int_equal(lock->acquisitions, 2);
    assert_int_equal(lock->read_acquisitions, 1);
    assert_int_equal(lock->n_held_sites, 2);
    assert_int_equal(lock->held_sites[0].of, 2);
    assert_int_equal(lock->held_sites[0].ticks, 30);
    assert_int_equal(lock->held_sites[1].ticks, 5);
    assert_int_equal(lock->n_met, 1);
    assert_int_equal(lock->met[0].ticks, 25);
    const struct weft_container *containers = weft_trace_source(trace)->schema->containers;
    assert_string_equal(containers[lock->met[0].waiter].name, "t1");
    assert_string_equal(containers[lock->met[0].by].name, "t0");
    weft_locks_free(&locks);
    weft_trace_close(trace);
}

/*
 * The thread that ended a wait is the same in each window that the wait ends in: the wake-up may
 * arrive before the window, or before the end of a wait that ends with it.
 */
static void wakers_are_found_outside_of_the_window(void **state)
{
    (void)state;
    static const struct weft_span windows[] = {
        { 0, 50 }, { 0, 40 }, { 35, 50 }, { 35, 40 }
    };
    static const int64_t ticks[] = { 25, 25, 5, 5 };
    for (int named = 0; named < 2; named++) {
        struct weft_trace *trace = story(30, named);
        for (int i = 0; i < 4; i++) {
            struct weft_locks locks;
            struct weft_err err;
            assert_true(weft_locks_read(weft_trace_source(trace), 0, windows[i], NULL,
                                        &locks, &err));
            assert_int_equal(locks.list[0].n_met, 1);
            assert_int_equal(locks.list[0].met[0].ticks, ticks[i]);
            weft_locks_free(&locks);
        }
        weft_trace_close(trace);
    }
}

/* Without states of threads that are ready, how long holders were is not known. */
static void ready_is_known_or_not(void **state)
{
    (void)state;
    struct weft_trace *trace = random_trace(2, 2, 200);
    struct weft_locks locks;
    struct weft_err err;
    const struct weft_source *source = weft_trace_source(trace);
    assert_true(weft_locks_read(source, 0, source->schema->span, NULL, &locks, &err));
    assert_false(locks.ready_known);
    assert_false(locks.list[0].mode_known);
    assert_int_equal(locks.list[0].n_met, 0);
    weft_locks_free(&locks);
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_equal_the_second_model),
        cmocka_unit_test(long_tracks_are_cut),
        cmocka_unit_test(fields_that_lie_count_as_absent),
        cmocka_unit_test(nothing_is_no_fault),
        cmocka_unit_test(waits_are_known_or_not),
        cmocka_unit_test(a_holder_may_have_no_processor),
        cmocka_unit_test(wakers_are_found_outside_of_the_window),
        cmocka_unit_test(ready_is_known_or_not),
        cmocka_unit_test(it_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
