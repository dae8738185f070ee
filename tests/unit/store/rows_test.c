/* SPDX-License-Identifier: Apache-2.0 */
/* Events, samples, fields and the tables, against lists kept beside the builder. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { ROWS = 3000 };

static char path[] = "/tmp/weft-rows-test.XXXXXX";
enum { PEAK = 1000000 };
static struct weft_trace *trace;
static const struct weft_source *source;

static struct {
    int64_t event_times[ROWS], sample_times[ROWS];
    uint32_t event_values[ROWS];
    double samples[ROWS];
    size_t n_samples;
} model;

static int set_up(void **state)
{
    (void)state;
    struct weft_builder *b = small_store_begin(path);
    weft_builder_note(b, "host", "loom");
    uint32_t event = add_type(b, WEFT_EVENT, 0, "event", WEFT_ROLE_NONE);
    uint32_t variable = add_type(b, WEFT_VARIABLE, 0, "load", WEFT_ROLE_NONE);
    uint32_t number = weft_builder_field(b, event, "number", WEFT_FIELD_INTEGER);
    uint32_t real = weft_builder_field(b, event, "real", WEFT_FIELD_REAL);
    uint32_t text = weft_builder_field(b, event, "text", WEFT_FIELD_TEXT);
    uint32_t site = weft_builder_field(b, event, "site", WEFT_FIELD_SITE);
    uint32_t here = weft_builder_site(b, &(struct weft_site){ .file = "a.c", .line = 7 });
    assert_int_equal(here,
                     weft_builder_site(b, &(struct weft_site){ .file = "a.c", .line = 7 }));
    uint32_t values[3] = { weft_builder_value(b, event, "x", "1", 0xff112233),
                           weft_builder_value(b, event, "y", NULL, 0), WEFT_NONE };
    uint32_t events = weft_builder_track(b, 0, event);
    uint32_t samples = weft_builder_track(b, 0, variable);
    int64_t time = -500;
    for (size_t i = 0; i < ROWS; i++) {
        time += (int64_t)roll(100);
        model.event_times[i] = time;
        model.event_values[i] = (uint32_t)roll(3);
        uint32_t word = weft_builder_string(b, i % 2 ? "odd" : "even", i % 2 ? 3 : 4);
        struct weft_field_value fields[] = { { number, { .integer = -(int64_t)(i * i) } },
                                             { real, { .real = (double)i / 3 } },
                                             { text, { .index = word } },
                                             { site, { .index = here } } };
        /* The last three fields are there for every seventh event only. */
        assert_int_equal(weft_builder_event(b, events, time, values[model.event_values[i]],
                                            fields, i % 7 ? 1 : 4, NULL),
                         WEFT_BUILD_OK);
    }
    assert_int_equal(weft_builder_event(b, events, time - 1, values[0], NULL, 0, NULL),
                     WEFT_BUILD_BACKWARD);
    assert_int_equal(weft_builder_add(b, samples, 0, 1), WEFT_BUILD_UNSET);
    int64_t at = 0;
    double value = 0;
    for (size_t i = 0; i < ROWS; i++) {
        at += (int64_t)roll(60);
        bool add = i > 0 && roll(2);
        double x = add ? (double)roll(9) - 4 : (double)roll(1000) / (i < ROWS / 2 ? 1 : 8);
        value = add ? value + x : x;
        if (!add && roll(4) == 0) /* a value that is replaced at once, as if it never was */
            assert_int_equal(weft_builder_sample(b, samples, at, PEAK), WEFT_BUILD_OK);
        assert_int_equal(add ? weft_builder_add(b, samples, at, x)
                             : weft_builder_sample(b, samples, at, x),
                         WEFT_BUILD_OK);
        if (model.n_samples && model.sample_times[model.n_samples - 1] == at)
            model.n_samples--; /* the same time: in place */
        model.sample_times[model.n_samples] = at;
        model.samples[model.n_samples++] = value;
    }
    for (int i = 0; i < 250; i++)
        weft_builder_problem(b, WEFT_WARNING, "many", (uint64_t)i + 1, "number %d", i);
    weft_builder_problem(b, WEFT_ERROR, "once", 9, "only this");
    trace = small_store_open(b, path);
    source = weft_trace_source(trace);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_trace_close(trace);
    return unlink(path);
}

static uint32_t track_of(const char *type)
{
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        if (strcmp(source->schema->types[source->schema->tracks[t].type].name, type) == 0)
            return t;
    fail_msg("no track of %s", type);
    return 0;
}

struct events {
    struct weft_event list[ROWS];
    size_t n;
};

static bool gather_event(void *user, const struct weft_event *event)
{
    struct events *events = user;
    events->list[events->n++] = *event;
    return true;
}

static void test_events_of_a_window(void **unused)
{
    (void)unused;
    static struct events found;
    for (int round = 0; round < 200; round++) {
        int64_t a = -600 + (int64_t)roll(200000), b = a + (int64_t)roll(40000);
        found.n = 0;
        source->ops->events(source, track_of("event"), (struct weft_span){ a, b },
                            gather_event, &found);
        size_t n = 0;
        for (size_t i = 0; i < ROWS; i++) {
            if (model.event_times[i] < a || model.event_times[i] >= b)
                continue;
            assert_int_equal(found.list[n].time, model.event_times[i]);
            assert_int_equal(weft_entity_ordinal(found.list[n].id), i);
            uint32_t value = found.list[n].value;
            if (model.event_values[i] == 2)
                assert_int_equal(value, WEFT_NONE);
            else
                assert_string_equal(source->schema->values[value].name,
                                    model.event_values[i] ? "y" : "x");
            n++;
        }
        assert_int_equal(n, found.n);
    }
}

static void test_fields_of_an_event(void **unused)
{
    (void)unused;
    uint32_t track = track_of("event");
    for (size_t i = 0; i < ROWS; i += 13) {
        struct weft_event event;
        struct weft_field_value fields[8];
        assert_true(source->ops->event(source, weft_entity_id(track, i), &event));
        assert_int_equal(event.time, model.event_times[i]);
        size_t n = source->ops->fields(source, event.id, fields, 8);
        assert_int_equal(n, i % 7 ? 1 : 4);
        for (size_t f = 0; f < n; f++) {
            const char *name = source->schema->fields[fields[f].field].name;
            if (strcmp(name, "number") == 0)
                assert_int_equal(fields[f].integer, -(int64_t)(i * i));
            else if (strcmp(name, "real") == 0)
                assert_true(fields[f].real == (double)i / 3);
            else if (strcmp(name, "text") == 0)
                assert_string_equal(source->schema->strings[fields[f].index],
                                    i % 2 ? "odd" : "even");
            else
                assert_int_equal(source->schema->sites[fields[f].index].line, 7);
        }
    }
}

struct samples {
    struct weft_sample list[ROWS];
    size_t n;
};

static bool gather_sample(void *user, const struct weft_sample *sample)
{
    struct samples *samples = user;
    samples->list[samples->n++] = *sample;
    return true;
}

static int64_t sample_end(size_t i)
{
    return i + 1 < model.n_samples ? model.sample_times[i + 1] : source->schema->span.end;
}

static void test_samples_of_a_window(void **unused)
{
    (void)unused;
    static struct samples found;
    for (int round = 0; round < 200; round++) {
        int64_t a = -100 + (int64_t)roll(100000), b = a + 1 + (int64_t)roll(20000);
        found.n = 0;
        source->ops->samples(source, track_of("load"), (struct weft_span){ a, b },
                             gather_sample, &found);
        size_t n = 0;
        for (size_t i = 0; i < model.n_samples; i++) {
            if (model.sample_times[i] >= b || sample_end(i) <= a)
                continue;
            assert_true(n < found.n);
            assert_int_equal(found.list[n].begin, model.sample_times[i]);
            assert_int_equal(found.list[n].end, sample_end(i));
            assert_true(found.list[n].value == model.samples[i]);
            n++;
        }
        assert_int_equal(n, found.n);
    }
}

static bool take_sample(void *user, const struct weft_sample *sample)
{
    *(double *)user += sample->value;
    return true;
}

/* A sum that is no number is refused, and what comes later is added to what was there before. */
static void test_sums_stay_numbers(void **unused)
{
    (void)unused;
    char other[] = "/tmp/weft-rows-test.XXXXXX";
    struct weft_builder *b = small_store_begin(other);
    uint32_t type = add_type(b, WEFT_VARIABLE, 0, "amount", WEFT_ROLE_NONE);
    uint32_t track = weft_builder_track(b, 0, type);
    assert_int_equal(weft_builder_sample(b, track, 0, DBL_MAX), WEFT_BUILD_OK);
    assert_int_equal(weft_builder_add(b, track, 0, DBL_MAX), WEFT_BUILD_RANGE);
    assert_int_equal(weft_builder_add(b, track, 0, 7 - DBL_MAX), WEFT_BUILD_OK);
    assert_int_equal(weft_builder_add(b, track, 0, 7), WEFT_BUILD_OK);
    struct weft_trace *small = small_store_open(b, other);
    const struct weft_source *of = weft_trace_source(small);
    double sum = 0;
    of->ops->samples(of, 0, (struct weft_span){ 0, 1 }, take_sample, &sum);
    assert_true(sum == 7);
    weft_trace_close(small);
    unlink(other);
}

static void test_integrals_are_exact(void **unused)
{
    (void)unused;
    int64_t last = source->schema->span.end;
    for (int round = 0; round < 300; round++) {
        enum { PARTS = 40 };
        int64_t times[PARTS + 1] = { (int64_t)roll((uint64_t)last + 400) - 200 };
        uint64_t longest = UINT64_C(1)
                           << roll(14); /* from many in a sample to many blocks */
        double out[PARTS];
        for (int i = 0; i < PARTS; i++)
            times[i + 1] = times[i] + (int64_t)roll(longest);
        source->ops->integrals(source, track_of("load"), times, PARTS, out);
        for (int i = 0; i < PARTS; i++) {
            double expected = 0, largest = 0;
            for (size_t s = 0; s < model.n_samples; s++) {
                int64_t x = model.sample_times[s], y = sample_end(s);
                x = x > times[i] ? x : times[i];
                y = y < times[i + 1] ? y : times[i + 1];
                expected += x < y ? model.samples[s] * (double)(y - x) : 0;
                largest += x < y ? fabs(model.samples[s]) * (double)(y - x) : 0;
            }
            /* What is before and behind an edge in its block is subtracted. */
            assert_true(fabs(out[i] - expected) <= 1e-12 * (largest + 1e7));
        }
    }
}

static void test_envelope_holds_the_curve(void **unused)
{
    (void)unused;
    struct weft_span span = source->schema->span;
    struct weft_envelope out[50];
    for (int round = 0; round < 40; round++) {
        int64_t a = span.begin + (int64_t)roll((uint64_t)(span.end - span.begin));
        int64_t length = 50 * (1 + (int64_t)roll(round % 2 ? 1000 : 30000));
        struct weft_span window = { a, a + length };
        source->ops->envelope(source, track_of("load"), window, 50, out);
        for (int c = 0; c < 50; c++) {
            int64_t from = a + length / 50 * c, to = from + length / 50;
            double min = INFINITY, max = -INFINITY, integral = 0, covered = 0;
            for (size_t i = 0; i < model.n_samples; i++) {
                int64_t x = model.sample_times[i] > from ? model.sample_times[i] : from;
                int64_t y = sample_end(i) < to ? sample_end(i) : to;
                if (x >= y)
                    continue;
                min = fmin(min, model.samples[i]);
                max = fmax(max, model.samples[i]);
                integral += model.samples[i] * (double)(y - x);
                covered += (double)(y - x);
            }
            if (covered == 0) {
                assert_true(isnan(out[c].min));
                continue;
            }
            /* A block that crosses an edge is split by its samples, or, when it is no longer
               than a column, by its summary: so never less than the truth. */
            assert_true(out[c].min <= (float)min && out[c].max >= (float)max);
            assert_true(out[c].max < PEAK);
            assert_true(out[c].mean >= out[c].min - 1e-3f
                        && out[c].mean <= out[c].max + 1e-3f);
            if (length / 50 < 200)
                assert_true(fabs((double)out[c].mean - integral / covered) < 1e-2);
        }
    }
}

static void test_problems_are_kept_then_counted(void **unused)
{
    (void)unused;
    uint64_t many = 0, once = 0;
    for (uint32_t p = 0; p < source->schema->n_problems; p++) {
        const struct weft_problem *problem = &source->schema->problems[p];
        if (strcmp(problem->kind, "many") == 0)
            many += problem->count;
        if (strcmp(problem->kind, "once") == 0) {
            assert_string_equal(problem->message, "only this");
            assert_int_equal(problem->line, 9);
            assert_int_equal(problem->severity, WEFT_ERROR);
            once += problem->count;
        }
    }
    assert_int_equal(many, 250);
    assert_int_equal(once, 1);
    assert_int_equal(source->schema->n_problems, 102);
    assert_string_equal(source->schema->notes[0].text, "loom");
}

/*
 * Each of a chain of containers is called "a", and "a/a" for short: a path of many parts may come to
 * one of them in more ways than can be tried.
 */
static void test_paths_with_many_ways(void **unused)
{
    (void)unused;
    enum { DEPTH = 120 };
    char other[] = "/tmp/weft-rows-test.XXXXXX", names[2 * DEPTH + 8];
    struct weft_builder *b = small_store_begin(other);
    uint32_t type = add_type(b, WEFT_CONTAINER, 0, "thing", WEFT_ROLE_NONE);
    uint32_t container = 0;
    for (int i = 0; i < DEPTH; i++)
        container = weft_builder_container(b, type, container, "a", "a/a", 0);
    struct weft_trace *small = small_store_open(b, other);
    const struct weft_schema *schema = weft_trace_schema(small);
    bool ambiguous;
    strcpy(names, "a");
    for (int i = 1; i < DEPTH; i++)
        strcat(names, "/a");
    strcat(names, "/no");
    assert_int_equal(weft_find_container(schema, names, &ambiguous), WEFT_NONE);
    assert_true(ambiguous); /* it may be: not all ways were tried */
    assert_int_equal(weft_find_container(schema, "a/a/no", &ambiguous), WEFT_NONE);
    assert_false(ambiguous);
    assert_int_equal(weft_find_container(schema, "a/a/a", &ambiguous), WEFT_NONE);
    assert_true(ambiguous); /* the second by the first one's short name, or the third */
    weft_trace_close(small);
    unlink(other);
}

/* As deep as a command's arguments allow: a path is followed without a stack of calls. */
static void test_a_path_may_be_long(void **unused)
{
    (void)unused;
    enum { DEPTH = 60000 };
    char other[] = "/tmp/weft-rows-test.XXXXXX";
    struct weft_builder *b = small_store_begin(other);
    uint32_t type = add_type(b, WEFT_CONTAINER, 0, "thing", WEFT_ROLE_NONE);
    uint32_t container = 0;
    char *names = malloc(2 * DEPTH + 1);
    for (int i = 0; i < DEPTH; i++) {
        container = weft_builder_container(b, type, container, "a", NULL, 0);
        memcpy(names + 2 * i, "a/", 2);
    }
    names[2 * DEPTH - 1] = '\0';
    struct weft_trace *deep = small_store_open(b, other);
    bool ambiguous;
    assert_int_equal(weft_find_container(weft_trace_schema(deep), names, &ambiguous),
                     container);
    free(names);
    weft_trace_close(deep);
    unlink(other);
}

static void test_containers_are_found_by_what_people_type(void **unused)
{
    (void)unused;
    char other[] = "/tmp/weft-rows-test.XXXXXX";
    struct weft_builder *b = small_store_begin(other);
    uint32_t type = add_type(b, WEFT_CONTAINER, 0, "thing", WEFT_ROLE_NONE);
    uint32_t a = weft_builder_container(b, type, 0, "a/b", NULL, 0);
    uint32_t host = weft_builder_container(b, type, 0, "host", "h1", 0);
    uint32_t t1 = weft_builder_container(b, type, host, "t", NULL, 0);
    uint32_t t2 = weft_builder_container(b, type, a, "t", "x", 0);
    struct weft_trace *small = small_store_open(b, other);
    const struct weft_schema *schema = weft_trace_schema(small);
    bool ambiguous;
    assert_int_equal(weft_find_container(schema, "0", &ambiguous), 0);
    assert_int_equal(weft_find_container(schema, "host", &ambiguous), host);
    assert_int_equal(weft_find_container(schema, "h1", &ambiguous), host);
    assert_int_equal(weft_find_container(schema, "host/t", &ambiguous), t1);
    assert_int_equal(weft_find_container(schema, "0/h1/t", &ambiguous), t1);
    assert_int_equal(weft_find_container(schema, "a/b/t", &ambiguous), t2);
    assert_int_equal(weft_find_container(schema, "x", &ambiguous), t2);
    assert_int_equal(weft_find_container(schema, "#3", &ambiguous), t1);
    assert_int_equal(weft_find_container(schema, "t", &ambiguous), WEFT_NONE);
    assert_true(ambiguous);
    assert_int_equal(weft_find_container(schema, "nobody", &ambiguous), WEFT_NONE);
    assert_false(ambiguous);
    assert_int_equal(schema->containers[host].depth, 1);
    assert_int_equal(schema->containers[0].subtree_end, 5);
    /* Two things are called "t": their labels have their parents', and find them again. */
    struct weft_arena arena = { 0 };
    const char **labels = weft_container_labels(schema, &arena);
    assert_string_equal(labels[host], "host");
    assert_string_equal(labels[t1], "host/t");
    assert_string_equal(labels[t2], "a/b/t");
    assert_int_equal(weft_find_container(schema, labels[t1], &ambiguous), t1);
    weft_arena_free(&arena);
    weft_trace_close(small);
    unlink(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_of_a_window),
        cmocka_unit_test(test_fields_of_an_event),
        cmocka_unit_test(test_samples_of_a_window),
        cmocka_unit_test(test_sums_stay_numbers),
        cmocka_unit_test(test_integrals_are_exact),
        cmocka_unit_test(test_envelope_holds_the_curve),
        cmocka_unit_test(test_problems_are_kept_then_counted),
        cmocka_unit_test(test_containers_are_found_by_what_people_type),
        cmocka_unit_test(test_paths_with_many_ways),
        cmocka_unit_test(test_a_path_may_be_long),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
