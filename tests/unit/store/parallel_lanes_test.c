/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same is appended by one thread without lanes and by several with them: the stores must
 * answer alike, and with lanes have the same bytes however many threads there were.
 */
#include <pthread.h>

#include "base/memory.h"
#include "tests/small_store.h"

enum { CONTAINERS = 13, LANES = 5, STEPS = 4, PER_STEP = 700 /* blocks of 256 fill */ };

struct built {
    struct weft_builder *builder;
    uint32_t state, event, variable, link, note;
    uint32_t values[3];
    uint32_t states[CONTAINERS], events[CONTAINERS], variables[CONTAINERS];
    uint32_t containers[CONTAINERS];
};

static char path[] = "/tmp/weft-lanes-test.XXXXXX";

static void begin(struct built *t)
{
    struct weft_err err;
    t->builder = weft_builder_new(path, "test", &err);
    assert_non_null(t->builder);
    struct weft_builder *b = t->builder;
    uint32_t type = weft_builder_type(b, &(struct weft_type){ .name = "thread" });
    t->state = add_type(b, WEFT_STATE, 0, "s", WEFT_ROLE_NONE);
    t->event = add_type(b, WEFT_EVENT, 0, "e", WEFT_ROLE_NONE);
    t->variable = add_type(b, WEFT_VARIABLE, 0, "v", WEFT_ROLE_NONE);
    t->link = add_type(b, WEFT_LINK, 0, "l", WEFT_ROLE_NONE);
    t->note = weft_builder_field(b, t->state, "note", WEFT_FIELD_INTEGER);
    for (int i = 0; i < 3; i++)
        t->values[i] = weft_builder_value(b, t->state, i ? "run" : "wait", NULL, 0);
    for (uint32_t i = 0; i < CONTAINERS; i++) {
        t->containers[i] = weft_builder_container(b, type, 0, "c", NULL, 0);
        t->states[i] = weft_builder_track(b, t->containers[i], t->state);
        t->events[i] = weft_builder_track(b, t->containers[i], t->event);
        t->variables[i] = weft_builder_track(b, t->containers[i], t->variable);
    }
    weft_builder_track(b, 0, t->link);
}

/* What happens to a container in a step: depends on both numbers alone. */
static void append(const struct built *t, uint32_t container, int step)
{
    struct weft_builder *b = t->builder;
    uint32_t random = container * 7919u + (uint32_t)step * 104729u + 1;
    for (int i = 0; i < PER_STEP; i++) {
        random = random * 1664525u + 1013904223u;
        int64_t time = ((int64_t)step * PER_STEP + i) * 10 + container;
        struct weft_field_value note = { .field = t->note, .integer = i };
        switch (random >> 29) {
        case 0: weft_builder_pop(b, t->states[container], time, NULL); break;
        case 1: weft_builder_reset(b, t->states[container], time); break;
        case 2:
            weft_builder_set(b, t->states[container], time, t->values[i % 3], &note, i % 2,
                             NULL);
            break;
        case 3:
            weft_builder_event(b, t->events[container], time, WEFT_NONE, NULL, 0, NULL);
            break;
        case 4: weft_builder_sample(b, t->variables[container], time, i / 4.0); break;
        case 5: weft_builder_add(b, t->variables[container], time, 0.5); break;
        default:
            weft_builder_push(b, t->states[container], time, t->values[i % 3], &note, 1,
                              NULL);
        }
    }
}

static void append_links(const struct built *t, int step)
{
    for (int i = 0; i < PER_STEP; i++) {
        char key[16];
        int n = snprintf(key, sizeof key, "%d", i);
        int64_t time = ((int64_t)step * PER_STEP + i) * 10;
        struct weft_link link = { .type = t->link,
                                  .value = WEFT_NONE,
                                  .key = weft_builder_text(t->builder, key, (size_t)n),
                                  .from = t->containers[i % CONTAINERS],
                                  .to = t->containers[(i + 1) % CONTAINERS],
                                  .begin = time,
                                  .end = time + 25,
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = WEFT_NO_ID };
        weft_builder_link(t->builder, &link, NULL, 0);
    }
}

struct share { /* the lanes of a thread: each n-th, and the links are one more lane */
    const struct built *built;
    int first, n, step;
};

static void *append_share(void *user)
{
    const struct share *share = user;
    for (int lane = share->first; lane <= LANES; lane += share->n) {
        if (lane == LANES)
            append_links(share->built, share->step);
        for (uint32_t c = 0; lane < LANES && c < CONTAINERS; c++)
            if (c % LANES == (uint32_t)lane)
                append(share->built, c, share->step);
    }
    return NULL;
}

static void append_by_threads(const struct built *t, int n, int step)
{
    pthread_t threads[LANES];
    struct share shares[LANES];
    for (int i = 0; i < n; i++) {
        shares[i] = (struct share){ t, i, n, step };
        assert_int_equal(pthread_create(&threads[i], NULL, append_share, &shares[i]), 0);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    weft_builder_settle(t->builder);
}

/* N_THREADS 0: without lanes. */
static void build(int n_threads)
{
    struct built t;
    begin(&t);
    if (n_threads)
        weft_builder_lanes(t.builder, LANES);
    for (uint32_t c = 0; n_threads && c < CONTAINERS; c++) {
        weft_builder_assign(t.builder, t.states[c], c % LANES);
        weft_builder_assign(t.builder, t.events[c], c % LANES);
        weft_builder_assign(t.builder, t.variables[c], c % LANES);
    }
    for (int step = 0; step < STEPS; step++) {
        if (n_threads) {
            append_by_threads(&t, n_threads, step);
        } else {
            for (uint32_t c = 0; c < CONTAINERS; c++)
                append(&t, c, step);
            append_links(&t, step);
        }
        if (step == 1) /* in the middle, while blocks of it wait */
            weft_builder_destroy(t.builder, t.containers[0], 2 * PER_STEP * 10);
    }
    struct weft_err err;
    assert_true(weft_builder_finish(t.builder, NULL, &err));
}

static bool put_state(void *user, const struct weft_state *state)
{
    fprintf(user, "state %llx %lld %lld %u %u %u\n", (unsigned long long)state->id,
            (long long)state->begin, (long long)state->end, state->value, state->depth,
            state->flags);
    return true;
}

static bool put_event(void *user, const struct weft_event *event)
{
    fprintf(user, "event %llx %lld %u\n", (unsigned long long)event->id,
            (long long)event->time, event->value);
    return true;
}

static bool put_sample(void *user, const struct weft_sample *sample)
{
    fprintf(user, "sample %lld %lld %g\n", (long long)sample->begin, (long long)sample->end,
            sample->value);
    return true;
}

static bool put_link(void *user, const struct weft_link *link)
{
    fprintf(user, "link %lld %lld %u %u %u\n", (long long)link->begin, (long long)link->end,
            link->from, link->to, link->key);
    return true;
}

static bool put_run(void *user, const struct weft_field_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        fprintf(user, "field %llu %lld\n", (unsigned long long)run->ordinals[i],
                (long long)run->values[i]);
    return true;
}

/* Everything that the store answers, as text. */
static char *answers(void)
{
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    const struct weft_source *s = weft_trace_source(trace);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%lld %lld\n", (long long)s->schema->span.begin,
            (long long)s->schema->span.end);
    for (uint32_t t = 0; t < s->schema->n_tracks; t++) {
        switch (s->schema->types[s->schema->tracks[t].type].kind) {
        case WEFT_STATE:
            s->ops->states(s, t, s->schema->span, put_state, out);
            s->ops->column(s, t, 0, put_run, out);
            break;
        case WEFT_EVENT: s->ops->events(s, t, s->schema->span, put_event, out); break;
        case WEFT_VARIABLE: s->ops->samples(s, t, s->schema->span, put_sample, out); break;
        default: s->ops->links(s, t, s->schema->span, put_link, out);
        }
    }
    assert_int_equal(fclose(out), 0);
    weft_trace_close(trace);
    return text;
}

static void *bytes_of_store(size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    void *bytes = weft_alloc(1 << 24);
    *size = fread(bytes, 1, 1 << 24, file);
    assert_in_range(*size, 1, (1 << 24) - 1);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void lanes_change_nothing(void **state)
{
    (void)state;
    close(mkstemp(path));
    build(0);
    char *wanted = answers();
    assert_non_null(strstr(wanted, "link "));
    void *first = NULL;
    size_t first_size = 0;
    for (int n = 1; n <= LANES; n++) {
        build(n);
        char *got = answers();
        assert_string_equal(got, wanted);
        free(got);
        size_t size;
        void *bytes = bytes_of_store(&size);
        if (first) {
            assert_int_equal(size, first_size);
            assert_memory_equal(bytes, first, size);
            free(bytes);
        } else {
            first = bytes;
            first_size = size;
        }
    }
    free(first);
    free(wanted);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lanes_change_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
