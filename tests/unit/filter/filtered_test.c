/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters that hide, on random traces: all queries of the filtered source against a slow,
 * obvious second implementation, which asks the source below for all entities and leaves
 * out those that a predicate in C says.
 */
#include <math.h>

#include "filter/filtered_source.h"
#include "tests/small_store.h"

/* Calls have 12 values, which have numbers of their own among shares; phases 20: too many. */
enum { THREADS = 6, SPAN = 96, ROUNDS = 60, MAX_LIST = 4096, N_VALUES = 36 };
enum { HOST_0 = 1, HOST_1 = 2, THREAD_0 = 3 }; /* containers */

static struct weft_trace *trace;
static const struct weft_source *below;
static struct weft_source *above;
static uint32_t calls, phases, marks, load, messages, size_of_mark, size_of_message;
static unsigned seed;

static unsigned dice(unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

/* ---- The trace ---- */

static void add_calls(struct weft_builder *b, uint32_t track, const uint32_t *values)
{
    unsigned depth = 0;
    for (int64_t t = 0; t < SPAN; t += dice(5)) {
        if (depth < 4 && dice(2)) {
            assert_int_equal(
                weft_builder_push(b, track, t, values[dice(12)], NULL, 0, NULL), 0);
            depth++;
        } else if (depth) {
            assert_int_equal(weft_builder_pop(b, track, t, NULL), 0);
            depth--;
        }
    }
}

static void add_thread(struct weft_builder *b, uint32_t thread, const uint32_t *values)
{
    add_calls(b, weft_builder_track(b, thread, calls), values);
    uint32_t track = weft_builder_track(b, thread, phases);
    for (int64_t t = dice(9); t < SPAN; t += 1 + dice(9))
        if (dice(4))
            (void)weft_builder_set(b, track, t, values[12 + dice(dice(2) ? 4 : 20)], NULL,
                                   0, NULL);
        else
            (void)weft_builder_reset(b, track, t);
    track = weft_builder_track(b, thread, marks);
    for (int64_t t = 0; t < SPAN; t += dice(6)) {
        struct weft_field_value field = { size_of_mark, { .integer = dice(80) } };
        uint32_t value = dice(5) ? values[32 + dice(2)] : WEFT_NONE;
        (void)weft_builder_event(b, track, t, value, &field, dice(3) != 0, NULL);
    }
    track = weft_builder_track(b, thread, load);
    for (int64_t t = 0; t < SPAN; t += 1 + dice(20))
        (void)weft_builder_sample(b, track, t, dice(10));
}

static void add_messages(struct weft_builder *b, const uint32_t *values)
{
    for (int i = 0; i < 150; i++) {
        struct weft_field_value field = { size_of_message, { .integer = dice(80) } };
        struct weft_link link = { .type = messages,
                                  .value = values[34 + dice(2)],
                                  .key = WEFT_NONE,
                                  .from = THREAD_0 + dice(THREADS),
                                  .to = THREAD_0 + dice(THREADS),
                                  .begin = dice(SPAN),
                                  .end = dice(SPAN),
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = WEFT_NO_ID };
        weft_builder_link(b, &link, &field, 1);
    }
}

static void make(void)
{
    static char path[] = "/tmp/weft-filtered-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t host = add_type(b, WEFT_CONTAINER, 0, "Host", WEFT_ROLE_MACHINE);
    uint32_t thread = add_type(b, WEFT_CONTAINER, host, "Thread", WEFT_ROLE_THREAD);
    uint32_t values[N_VALUES];
    calls = add_type(b, WEFT_STATE, thread, "Calls", WEFT_ROLE_CALL);
    phases = add_type(b, WEFT_STATE, thread, "Phases", WEFT_ROLE_ACTIVITY);
    marks = add_type(b, WEFT_EVENT, thread, "Marks", WEFT_ROLE_NONE);
    load = add_type(b, WEFT_VARIABLE, thread, "load", WEFT_ROLE_NONE);
    messages = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                         .name = "Message",
                                                         .role = WEFT_ROLE_MESSAGE,
                                                         .start_type = thread,
                                                         .end_type = thread });
    size_of_mark = add_field(b, marks, "size", WEFT_FIELD_INTEGER, WEFT_ROLE_NONE);
    size_of_message = add_field(b, messages, "size", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    for (uint32_t v = 0; v < N_VALUES; v++) {
        char name[8];
        uint32_t first = v < 12 ? 0 : v < 32 ? 12 : v < 34 ? 32 : 34;
        uint32_t type = v < 12 ? calls : v < 32 ? phases : v < 34 ? marks : messages;
        snprintf(name, sizeof name, "%c%u",
                 v < 12   ? 'c'
                 : v < 32 ? 'p'
                 : v < 34 ? 'm'
                          : 'w',
                 v - first);
        values[v] = add_value(b, type, name, WEFT_ROLE_NONE);
    }
    (void)weft_builder_container(b, host, 0, "host 0", NULL, 0);
    (void)weft_builder_container(b, host, 0, "host 1", NULL, 0);
    for (uint32_t t = 0; t < THREADS; t++) {
        char name[16];
        snprintf(name, sizeof name, "thread %u", t);
        (void)weft_builder_container(b, thread, HOST_0 + t % 2, name, NULL, 0);
    }
    for (uint32_t t = 0; t < THREADS; t++)
        add_thread(b, THREAD_0 + t, values);
    add_messages(b, values);
    trace = small_store_end(b, path);
    below = weft_trace_source(trace);
}

/* ---- Filters ---- */

/* An entity, as a predicate sees it. */
struct entity {
    uint64_t id;
    enum weft_kind kind;
    uint32_t track;
    int thread;   /* of a state, event or sample; else -1 */
    int from, to; /* threads; else -1 */
    const char *value;
    uint32_t value_index;
    int64_t begin, end;
    int64_t size; /* or -1 */
    uint32_t depth;
};

static bool is(const struct entity *e, const char *value)
{
    return strcmp(e->value, value) == 0;
}

static bool is_thing(const struct entity *e)
{
    return e->kind != WEFT_VARIABLE;
}

static int64_t length(const struct entity *e)
{
    return e->end - e->begin;
}

static bool touches(const struct entity *e, int thread)
{
    return e->kind == WEFT_LINK ? e->from == thread || e->to == thread
                                : e->thread == thread;
}

static bool hides_c3(const struct entity *e)
{
    return is(e, "c3");
}
static bool hides_some(const struct entity *e)
{
    return is(e, "c1") || is(e, "p4") || is(e, "m1") || is(e, "w0");
}
static bool hides_p(const struct entity *e)
{
    return e->value[0] == 'p' && e->value[1];
}
static bool hides_rare(const struct entity *e)
{
    return is(e, "p7") || is(e, "p11") || is(e, "p15") || is(e, "p19");
}
static bool hides_states(const struct entity *e)
{
    return e->kind == WEFT_STATE;
}
static bool hides_others(const struct entity *e)
{
    return is_thing(e) && e->kind != WEFT_STATE;
}
static bool hides_row_2(const struct entity *e)
{
    return touches(e, 2);
}
static bool hides_host_0(const struct entity *e)
{
    return touches(e, 0) || touches(e, 2) || touches(e, 4);
}
static bool hides_long(const struct entity *e)
{
    return is_thing(e) && length(e) > 9;
}
static bool hides_short(const struct entity *e)
{
    return e->kind == WEFT_STATE && length(e) < 3;
}
static bool hides_large(const struct entity *e)
{
    return e->size > 40;
}
static bool hides_c1_of_1(const struct entity *e)
{
    return is(e, "c1") && e->thread == 1;
}
static bool hides_load(const struct entity *e)
{
    return e->kind == WEFT_VARIABLE;
}
static bool hides_from_3(const struct entity *e)
{
    return e->from == 3;
}
static bool hides_group(const struct entity *e)
{
    return (e->kind == WEFT_EVENT || e->kind == WEFT_LINK)
           && (touches(e, 1) || touches(e, 4));
}
static bool hides_begun(const struct entity *e)
{
    return is_thing(e) && e->begin >= 50;
}
static bool hides_nothing(const struct entity *e)
{
    return !e;
}

static const struct rule {
    const char *text;
    bool (*hides)(const struct entity *e);
} rules[] = {
    { "hide c3", hides_c3 },
    { "hide c1 or p4 or value = m1 or w0", hides_some },
    { "hide type = Phases", hides_p },
    { "hide value ~ \"p*\"", hides_p },
    { "hide p7 or p11 or p15 or p19", hides_rare },
    { "hide state", hides_states },
    { "hide event or link", hides_others },
    { "hide row = \"thread 2\"", hides_row_2 },
    { "hide row in \"host 0\"", hides_host_0 },
    { "hide duration > 9ns", hides_long },
    { "hide state and duration < 3ns", hides_short },
    { "hide size > 40", hides_large },
    { "hide c1 and row = \"thread 1\"", hides_c1_of_1 },
    { "hide variable LOAD", hides_load },
    { "hide from = \"thread 3\"", hides_from_3 },
    { "group G = \"thread 1\", \"thread 4\"\nhide (event or link) and row in G",
      hides_group },
    { "hide begin >= 50ns", hides_begun },
    { "group thread 0-5 by 3", hides_nothing },
    { "sort by share c3", hides_nothing },
    { "sort by similarity", hides_nothing },
    { "off hide state", hides_nothing },
};
enum { N_RULES = sizeof rules / sizeof *rules };

static bool chosen[N_RULES];

static bool is_hidden(const struct entity *e)
{
    for (size_t r = 0; r < N_RULES; r++)
        if (chosen[r] && rules[r].hides(e))
            return true;
    return false;
}

/* Chooses up to three rules, and makes the source above. */
static void choose(void)
{
    char text[2048] = "# a random chain\n";
    memset(chosen, 0, sizeof chosen);
    /* Each rule alone first; groups move rows, so the rules about rows come before. */
    for (unsigned n = 1 + dice(3); n--;)
        chosen[dice(N_RULES)] = true;
    for (size_t r = 0; r < N_RULES; r++)
        if (chosen[r]) {
            strcat(text, rules[r].text);
            strcat(text, "\n");
        }
    struct weft_err err;
    above = weft_filtered_new(below, text, &err);
    if (!above)
        fail_msg("%s: %s", text, err.message);
}

/* ---- All entities, by the source below ---- */

static struct entity all[MAX_LIST];
static size_t n_all;

static struct entity *add(uint64_t id, enum weft_kind kind, uint32_t value)
{
    assert_true(n_all < MAX_LIST);
    struct entity *e = &all[n_all++];
    struct weft_field_value fields[4];
    size_t n = below->ops->fields(below, id, fields, 4);
    uint32_t track = weft_entity_track(id);
    uint32_t container = below->schema->tracks[track].container;
    *e = (struct entity){
        .id = id,
        .kind = kind,
        .track = track,
        .thread = container >= THREAD_0 ? (int)(container - THREAD_0) : -1,
        .from = -1,
        .to = -1,
        .value = value == WEFT_NONE ? "" : below->schema->values[value].name,
        .value_index = value,
        .size = n ? fields[0].integer : -1,
    };
    return e;
}

static bool see_state(void *user, const struct weft_state *state)
{
    (void)user;
    struct entity *e = add(state->id, WEFT_STATE, state->value);
    e->begin = state->begin;
    e->end = state->end;
    e->depth = state->depth;
    return true;
}

static bool see_event(void *user, const struct weft_event *event)
{
    (void)user;
    struct entity *e = add(event->id, WEFT_EVENT, event->value);
    e->begin = e->end = event->time;
    return true;
}

static bool see_link(void *user, const struct weft_link *link)
{
    (void)user;
    struct entity *e = add(link->id, WEFT_LINK, link->value);
    e->begin = link->begin;
    e->end = link->end;
    e->from = (int)(link->from - THREAD_0);
    e->to = (int)(link->to - THREAD_0);
    return true;
}

static bool see_sample(void *user, const struct weft_sample *sample)
{
    (void)user;
    struct entity *e = add(sample->id, WEFT_VARIABLE, WEFT_NONE);
    e->begin = sample->begin;
    e->end = sample->end;
    return true;
}

/* Lists the entities of TRACK in WINDOW, in the order of SOURCE. */
static void list(const struct weft_source *source, uint32_t track, struct weft_span window)
{
    n_all = 0;
    switch (below->schema->types[below->schema->tracks[track].type].kind) {
    case WEFT_STATE: source->ops->states(source, track, window, see_state, NULL); break;
    case WEFT_EVENT: source->ops->events(source, track, window, see_event, NULL); break;
    case WEFT_LINK: source->ops->links(source, track, window, see_link, NULL); break;
    case WEFT_VARIABLE:
        source->ops->samples(source, track, window, see_sample, NULL);
        break;
    case WEFT_CONTAINER: break;
    }
}

static struct entity shown[MAX_LIST];
static size_t n_shown;

static void list_shown(uint32_t track, struct weft_span window)
{
    list(below, track, window);
    n_shown = 0;
    for (size_t i = 0; i < n_all; i++)
        if (!is_hidden(&all[i]))
            shown[n_shown++] = all[i];
}

static struct weft_span random_window(void)
{
    int64_t begin = dice(SPAN), end = begin + 1 + dice(SPAN);
    return dice(3) ? (struct weft_span){ begin, end } : (struct weft_span){ 0, SPAN + 1 };
}

/* ---- What is compared ---- */

static void check_visits(uint32_t track, struct weft_span window)
{
    list_shown(track, window);
    list(above, track, window);
    assert_int_equal(n_all, n_shown);
    for (size_t i = 0; i < n_all; i++)
        assert_true(all[i].id == shown[i].id);
}

/* The deepest shown state at TIME, of those in `shown`; NULL: none. */
static const struct entity *innermost(int64_t time)
{
    const struct entity *found = NULL;
    for (size_t i = 0; i < n_shown; i++)
        if (shown[i].begin <= time && time < shown[i].end
            && (!found || shown[i].depth > found->depth))
            found = &shown[i];
    return found;
}

struct changes {
    uint32_t value[2 * SPAN + 2];
    struct weft_span window;
};

static bool see_changes(void *user, const struct weft_innermost_change *list, size_t n)
{
    struct changes *c = user;
    for (size_t i = 0; i < n; i++)
        for (int64_t t = list[i].time; t < c->window.end; t++)
            c->value[t - c->window.begin] = list[i].value;
    return true;
}

static void check_innermost(uint32_t track, struct weft_span window)
{
    struct changes c = { .window = window };
    struct weft_sum *sums = weft_zalloc(below->schema->n_values, sizeof *sums);
    int64_t self[64] = { 0 };
    list_shown(track, window);
    above->ops->changes(above, track, window, NULL, see_changes, &c);
    above->ops->sums(above, &track, 1, window, sums);
    for (int64_t t = window.begin; t < window.end; t++) {
        const struct entity *e = innermost(t);
        struct weft_innermost at;
        assert_int_equal(c.value[t - window.begin], e ? e->value_index : WEFT_NONE);
        above->ops->values_at(above, &track, 1, t, &at);
        assert_true(at.id == (e ? e->id : WEFT_NO_ID));
        assert_int_equal(at.value, e ? e->value_index : WEFT_NONE);
        if (e)
            self[e->value_index]++;
    }
    for (uint32_t v = 0; v < below->schema->n_values; v++) {
        int64_t total = 0;
        for (int64_t t = window.begin; t < window.end; t++) {
            bool open = false;
            for (size_t i = 0; i < n_shown; i++)
                open |=
                    shown[i].value_index == v && shown[i].begin <= t && t < shown[i].end;
            total += open;
        }
        assert_int_equal(sums[v].self_ticks, self[v]);
        assert_int_equal(sums[v].total_ticks, total);
    }
    free(sums);
}

/* Shares of all tracks of a type, in columns of two ticks. */
static void check_shares(uint32_t type)
{
    enum { COLUMNS = SPAN / 2 };
    const struct weft_schema *schema = below->schema;
    uint32_t tracks[THREADS], slots = schema->types[type].slots;
    float *shares = weft_alloc((size_t)COLUMNS * slots * sizeof *shares);
    double *wanted = weft_zalloc((size_t)COLUMNS * slots, sizeof *wanted);
    size_t n = 0;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].type == type)
            tracks[n++] = t;
    struct weft_span window = { 0, SPAN };
    for (size_t i = 0; i < n; i++) {
        list_shown(tracks[i], window);
        for (int64_t t = 0; t < SPAN; t++) {
            const struct entity *e = innermost(t);
            if (!e)
                continue;
            uint32_t rank = schema->values[e->value_index].rank;
            wanted[t / 2 * slots + (rank < slots ? rank : slots - 1)] += 0.5;
        }
    }
    struct weft_share_query query = { tracks, n, window, COLUMNS, shares, NULL, true };
    above->ops->shares(above, &query);
    for (size_t i = 0; i < (size_t)COLUMNS * slots; i++)
        if (fabs(shares[i] - wanted[i]) > 1e-3)
            fail_msg("share %zu of type %u: %f, not %f", i, type, shares[i], wanted[i]);
    free(shares);
    free(wanted);
}

/* Walks a track by its runs, and asks for neighbours. */
static void check_runs(uint32_t track)
{
    struct weft_run *run = weft_alloc(sizeof *run);
    uint64_t count = above->schema->tracks[track].count;
    enum weft_kind kind = below->schema->types[below->schema->tracks[track].type].kind;
    size_t n = 0;
    list_shown(track, (struct weft_span){ -1, SPAN + 1 });
    bool *seen = weft_zalloc(n_shown + 1, sizeof *seen);
    for (uint64_t at = 0; at < count; at = run->after) {
        above->ops->run(above, track, at, run);
        assert_true(run->first <= at && at < run->after);
        assert_true(run->n == 0 || run->n == run->after - run->first);
        for (size_t k = 0; k < run->n; k++)
            for (size_t i = 0; i < n_shown; i++)
                if (shown[i].id == weft_entity_id(track, run->first + k)) {
                    uint64_t id = kind == WEFT_STATE   ? run->states[k].id
                                  : kind == WEFT_EVENT ? run->events[k].id
                                  : kind == WEFT_LINK  ? run->links[k].id
                                                       : run->samples[k].id;
                    assert_true(id == shown[i].id && !seen[i]);
                    seen[i] = true;
                    n++;
                }
    }
    assert_int_equal(n, n_shown);
    free(seen);
    free(run);
}

static void check_near(uint32_t track)
{
    list_shown(track, (struct weft_span){ -1, SPAN + 1 });
    for (int64_t time = 0; time <= SPAN; time += 1 + dice(7))
        for (int backward = 0; backward < 2; backward++) {
            uint32_t values[2] = { dice(N_VALUES), dice(N_VALUES) };
            struct weft_near_query query = { &track,          1,    values,
                                             dice(2) ? 2 : 0, time, backward };
            uint64_t best = WEFT_NO_ID;
            int64_t best_time = 0;
            for (size_t i = 0; i < n_shown; i++) {
                const struct entity *e = &shown[i];
                int64_t at = e->begin < e->end ? e->begin : e->end;
                bool fits = !query.n_values || e->value_index == values[0]
                            || e->value_index == values[1];
                if (!fits || (at < time) != backward)
                    continue;
                if (best == WEFT_NO_ID || (backward ? at > best_time : at < best_time)
                    || (at == best_time && (e->id < best) != backward)) {
                    best = e->id;
                    best_time = at;
                }
            }
            struct weft_near near = above->ops->near(above, &query);
            assert_true(near.id == best);
        }
}

static void check_pairs(uint32_t track, struct weft_span window)
{
    struct weft_pair_sums sums = { 0 };
    for (int pending = 0; pending < 2; pending++) {
        if (pending)
            above->ops->pairs_pending(above, &track, 1, window.begin, &sums);
        else
            above->ops->pair_sums(above, &track, 1, window, &sums);
        list_shown(track, (struct weft_span){ -1, SPAN + 1 });
        uint64_t count = 0, wanted = 0;
        int64_t bytes = 0, wanted_bytes = 0;
        for (size_t i = 0; i < n_shown; i++)
            if (pending ? shown[i].begin <= window.begin && window.begin < shown[i].end
                        : shown[i].begin >= window.begin && shown[i].begin < window.end) {
                wanted++;
                wanted_bytes += shown[i].size * (1 + shown[i].from * 10 + shown[i].to);
            }
        for (size_t i = 0; i < sums.n; i++) {
            count += sums.rows[i].count;
            bytes += sums.rows[i].bytes
                     * (1 + (int)(sums.rows[i].from - THREAD_0) * 10
                        + (int)(sums.rows[i].to - THREAD_0));
        }
        assert_int_equal(count, wanted);
        assert_int_equal(bytes, wanted_bytes);
    }
    free(sums.rows);
}

struct field_sum {
    uint64_t n;
    int64_t sum;
};

static bool see_run(void *user, const struct weft_field_run *run)
{
    struct field_sum *sum = user;
    for (size_t i = 0; i < run->n; i++) {
        sum->n++;
        sum->sum += run->values[i] * (int64_t)(run->ordinals[i] + 1);
    }
    return true;
}

static void check_column(uint32_t track, uint32_t field)
{
    struct field_sum sum = { 0 }, wanted = { 0 };
    list_shown(track, (struct weft_span){ -1, SPAN + 1 });
    for (size_t i = 0; i < n_shown; i++)
        if (shown[i].size >= 0) {
            wanted.n++;
            wanted.sum += shown[i].size * (int64_t)(weft_entity_ordinal(shown[i].id) + 1);
        }
    above->ops->column(above, track, field, see_run, &sum);
    assert_int_equal(sum.n, wanted.n);
    assert_int_equal(sum.sum, wanted.sum);
}

/* The tree is one: subtrees are ranges of preorder, and each track stands once. */
static void check_tree(void)
{
    const struct weft_schema *s = above->schema;
    uint32_t n_tracks = 0;
    for (uint32_t c = 0; c < s->n_containers; c++) {
        const struct weft_container *of = &s->containers[c];
        assert_int_equal(s->preorder[of->order], c);
        for (uint32_t i = s->track_begin[of->order]; i < s->track_begin[of->order + 1];
             i++) {
            assert_int_equal(s->tracks[s->track_at[i]].container, c);
            n_tracks++;
        }
        bool is_shown = of->order < s->containers[0].subtree_end;
        if (c && is_shown) {
            const struct weft_container *parent = &s->containers[of->parent];
            assert_true(parent->order < of->order
                        && of->subtree_end <= parent->subtree_end);
            assert_int_equal(of->depth, parent->depth + 1);
        }
    }
    assert_int_equal(n_tracks, s->n_tracks);
}

static void check_chain(void)
{
    const struct weft_schema *schema = below->schema;
    check_tree();
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        struct weft_span window = random_window();
        enum weft_kind kind = schema->types[schema->tracks[t].type].kind;
        check_visits(t, window);
        check_runs(t);
        if (kind == WEFT_STATE)
            check_innermost(t, window);
        if (kind != WEFT_VARIABLE)
            check_near(t);
        if (kind == WEFT_LINK) {
            check_pairs(t, window);
            check_column(t, size_of_message);
        }
        if (kind == WEFT_EVENT)
            check_column(t, size_of_mark);
    }
    check_shares(calls);
    check_shares(phases);
}

static void hidden_things_are_left_out(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        seed = round;
        make();
        for (int chain = 0; chain < 4; chain++) {
            choose();
            check_chain();
            weft_filtered_free(above);
        }
        weft_trace_close(trace);
    }
}

/* ---- Rows ---- */

/* Returns the shown containers in tree order: "root{a b{c}}" without the root's name. */
static const char *tree(const char *filters)
{
    static char text[1024];
    struct weft_err err;
    above = weft_filtered_new(below, filters, &err);
    if (!above)
        return strcpy(text, err.message);
    const struct weft_schema *s = above->schema;
    text[0] = '\0';
    for (uint32_t p = 1; p < s->containers[0].subtree_end; p++) {
        const struct weft_container *c = &s->containers[s->preorder[p]];
        char line[64];
        snprintf(line, sizeof line, "%u%s ", c->depth, c->name);
        strcat(text, line);
    }
    weft_filtered_free(above);
    return text;
}

static void rows_go_where_filters_say(void **unused)
{
    (void)unused;
    seed = 1;
    make();
    assert_string_equal(tree(""), "1host 0 2thread 0 2thread 2 2thread 4 "
                                  "1host 1 2thread 1 2thread 3 2thread 5 ");
    assert_string_equal(tree("group pair = thread 2, \"thread 4\""),
                        "1host 0 2thread 0 2pair 3thread 2 3thread 4 "
                        "1host 1 2thread 1 2thread 3 2thread 5 ");
    /* A group of rows of two hosts stands beside these, where its first member's host stood. */
    assert_string_equal(tree("group pair = thread 5, thread 4\n"),
                        "1host 0 2thread 0 2thread 2 1pair 2thread 4 2thread 5 "
                        "1host 1 2thread 1 2thread 3 ");
    assert_string_equal(tree("group thread 0-5:3"),
                        "1host 0 1thread 0-2 2thread 0 2thread 2 2thread 1 "
                        "1thread 3-5 2thread 4 2thread 3 2thread 5 1host 1 ");
    assert_string_equal(tree("move thread 0, thread 4 under host 1"),
                        "1host 0 2thread 2 "
                        "1host 1 2thread 0 2thread 4 2thread 1 2thread 3 2thread 5 ");
    assert_string_equal(tree("order host 1, thread 4"),
                        "1host 1 2thread 1 2thread 3 2thread 5 "
                        "1host 0 2thread 4 2thread 0 2thread 2 ");
    assert_string_equal(tree("hide not row in host 1 and not row = thread 2"),
                        "1host 0 2thread 2 1host 1 2thread 1 2thread 3 2thread 5 ");
    assert_string_equal(tree("hide rows of Host"), "");
    assert_string_equal(
        tree("group g = thread 0\nhide row in g"),
        "1host 0 2thread 2 2thread 4 1host 1 2thread 1 2thread 3 2thread 5 ");
    assert_string_equal(tree("group type"),
                        "filters, line 1: right: group NAME = ROW, ROW; "
                        "group worker 0-63 by 4; group by type, host, function or depth N");
    assert_string_equal(tree("\n\nmove host 0 under thread 0"),
                        "filters, line 3: a row cannot go under itself or what it holds");
    assert_string_equal(tree("hode state"),
                        "filters, line 1: 'hode' is no filter (did you mean hide?)");
    assert_string_equal(tree("group g = nobody"),
                        "filters, line 1: no row is called 'nobody'");
    weft_trace_close(trace);
}

/* Four threads live for 10 ticks; thread K is busy for the first BUSY[K] of them. */
static void rows_are_sorted_by_their_shares(void **unused)
{
    (void)unused;
    static const int64_t busy[] = { 3, 9, 0, 5 };
    char path[] = "/tmp/weft-sorted-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
    uint32_t state = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_ACTIVITY);
    uint32_t busy_value = add_value(b, state, "busy", WEFT_ROLE_RUNNING);
    uint32_t idle = add_value(b, state, "idle", WEFT_ROLE_NONE);
    for (uint32_t k = 0; k < 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "t%u", k == 3 ? 10 : k);
        uint32_t c = weft_builder_container(b, thread, 0, name, NULL, 0);
        uint32_t track = weft_builder_track(b, c, state);
        if (busy[k])
            (void)weft_builder_set(b, track, 0, busy_value, NULL, 0, NULL);
        (void)weft_builder_set(b, track, busy[k], idle, NULL, 0, NULL);
        (void)weft_builder_reset(b, track, 10);
    }
    trace = small_store_end(b, path);
    below = weft_trace_source(trace);
    assert_string_equal(tree("sort by share busy"), "1t1 1t10 1t0 1t2 ");
    assert_string_equal(tree("sort by share idle"), "1t2 1t0 1t10 1t1 ");
    assert_string_equal(tree("sort by share busy\nsort by name"), "1t0 1t1 1t2 1t10 ");
    assert_string_equal(tree("sort by share lazy"),
                        "filters, line 1: no state is called 'lazy'");
    weft_trace_close(trace);
}

/* Rows in four patterns of two states over eight parts of the time, in a bad order. */
static void alike_rows_stand_together(void **unused)
{
    (void)unused;
    static const char *const patterns[] = { "aaaabbbb", "bbbbaaaa", "aaaabbba",
                                            "abababab", "bbbbaaab", "aaabbbbb" };
    char path[] = "/tmp/weft-alike-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
    uint32_t state = add_type(b, WEFT_STATE, thread, "State", WEFT_ROLE_ACTIVITY);
    uint32_t values[] = { add_value(b, state, "a", WEFT_ROLE_RUNNING),
                          add_value(b, state, "b", WEFT_ROLE_BLOCKED) };
    for (uint32_t k = 0; k < 6; k++) {
        char name[] = { 't', (char)('0' + k), 0 };
        uint32_t track = weft_builder_track(
            b, weft_builder_container(b, thread, 0, name, NULL, 0), state);
        for (uint32_t i = 0; i < 8; i++)
            (void)weft_builder_set(b, track, 1000 * i, values[patterns[k][i] - 'a'], NULL,
                                   0, NULL);
        (void)weft_builder_reset(b, track, 7999);
    }
    trace = small_store_end(b, path);
    below = weft_trace_source(trace);
    /* t2 and t5 differ from t0 in one part, t5 from t2 in two; t3 is nearer to t5 than t4. */
    assert_string_equal(tree("sort by similarity"), "1t0 1t2 1t5 1t3 1t4 1t1 ");
    assert_string_equal(tree("sort by name\nsort by similarity"),
                        "1t0 1t2 1t5 1t3 1t4 1t1 ");
    assert_string_equal(tree("order t4\nsort by similarity"), "1t4 1t1 1t3 1t5 1t0 1t2 ");
    weft_trace_close(trace);
}

/* ---- Rows that are used again ---- */

/* In a row no two live at once, and there are as many rows as ever lived at once. */
static void rows_of_the_ended_are_used_again(void **unused)
{
    (void)unused;
    enum { MOST = 200 };
    for (unsigned round = 0; round < 30; round++) {
        char path[] = "/tmp/weft-reuse-test.XXXXXX";
        struct weft_err err;
        int64_t begin[MOST + 1], end[MOST + 1];
        seed = round;
        uint32_t n = 1 + dice(MOST);
        struct weft_builder *b = small_store_begin(path);
        uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "Thread", WEFT_ROLE_THREAD);
        for (uint32_t c = 1; c <= n; c++) {
            begin[c] = dice(500);
            end[c] = begin[c] + 1 + dice(60);
            (void)weft_builder_container(b, thread, 0, "t", NULL, begin[c]);
            weft_builder_destroy(b, c, end[c]);
        }
        trace = small_store_end(b, path);
        above = weft_filtered_new(weft_trace_source(trace), "reuse", &err);
        assert_non_null(above);
        const struct weft_schema *schema = above->schema;
        size_t rows = 0, once = 0, most = 0;
        uint8_t seen[MOST + 1] = { 0 };
        for (uint32_t c = 1; c <= n; c++) {
            if (schema->lane_of[c] != c)
                continue;
            rows++;
            for (uint32_t at = c; at != WEFT_NONE; at = schema->lane_next[at]) {
                uint32_t next = schema->lane_next[at];
                assert_int_equal(schema->lane_of[at], c);
                assert_false(seen[at]++);
                assert_true(next == WEFT_NONE || end[at] <= begin[next]);
            }
        }
        for (int64_t t = 0; t < 600; t++) {
            once = 0;
            for (uint32_t c = 1; c <= n; c++)
                once += begin[c] <= t && t < end[c];
            most = once > most ? once : most;
        }
        for (uint32_t c = 1; c <= n; c++)
            assert_true(seen[c]);
        assert_int_equal(rows, most);
        weft_filtered_free(above);
        weft_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_things_are_left_out),
        cmocka_unit_test(rows_go_where_filters_say),
        cmocka_unit_test(rows_are_sorted_by_their_shares),
        cmocka_unit_test(alike_rows_stand_together),
        cmocka_unit_test(rows_of_the_ended_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
