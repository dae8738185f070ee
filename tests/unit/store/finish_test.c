/* SPDX-License-Identifier: Apache-2.0 */
/* The end of building, of many values and containers: what it makes, and that it may be ended. */
#include "base/progress_and_cancel.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { VALUES = 50000, CONTAINERS = 5000, NAMES = 20000, LENGTHS = 4 };

static char path[] = "/tmp/weft-finish-test.XXXXXX";

/* Each container has a state; many values have none, and some have the same name. */
static struct weft_builder *build(int64_t *self)
{
    struct weft_err err = { 0 };
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
    memset(self, 0, VALUES * sizeof *self);
    weft_builder_resolution(b, 1, 1);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "t", WEFT_ROLE_NONE);
    uint32_t state = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_STATE, .name = "s", .parent = thread });
    for (uint32_t v = 0; v < VALUES; v++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", (unsigned)roll(NAMES));
        weft_builder_value(b, state, name, NULL, 0);
    }
    for (uint32_t c = 0; c < CONTAINERS; c++) {
        uint32_t container = weft_builder_container(b, thread, 0, "c", NULL, 0);
        uint32_t track = weft_builder_track(b, container, state);
        uint32_t value = (uint32_t)roll(VALUES);
        int64_t length = 1 + (int64_t)roll(LENGTHS);
        weft_builder_push(b, track, 0, value, NULL, 0, NULL);
        weft_builder_pop(b, track, length, NULL);
        self[value] += length;
    }
    return b;
}

/* By self time, the longest first; then by name; then as they were made. */
static bool is_before(const struct weft_schema *schema, uint32_t a, uint32_t b)
{
    const struct weft_value *x = &schema->values[a], *y = &schema->values[b];
    if (x->self_ticks != y->self_ticks)
        return x->self_ticks > y->self_ticks;
    int order = strcmp(x->name, y->name);
    return order ? order < 0 : a < b;
}

static void many_values_have_their_ranks(void **state)
{
    (void)state;
    int64_t *self = calloc(VALUES, sizeof *self);
    uint32_t *by_rank = malloc(VALUES * sizeof *by_rank);
    struct weft_err err = { 0 };
    assert_true(weft_builder_finish(build(self), NULL, &err));
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    const struct weft_schema *schema = weft_trace_schema(trace);
    memset(by_rank, 0xff, VALUES * sizeof *by_rank);
    for (uint32_t v = 0; v < VALUES; v++) {
        assert_int_equal(schema->values[v].self_ticks, self[v]);
        assert_true(schema->values[v].rank < VALUES);
        assert_int_equal(by_rank[schema->values[v].rank], UINT32_MAX);
        by_rank[schema->values[v].rank] = v;
    }
    for (uint32_t i = 1; i < VALUES; i++)
        assert_true(is_before(schema, by_rank[i - 1], by_rank[i]));
    weft_trace_close(trace);
    unlink(path);
    free(by_rank);
    free(self);
}

struct step_counter {
    uint64_t steps, last; /* LAST: where the job is cancelled */
};

static void count(struct weft_job *job, void *user)
{
    struct step_counter *counting = user;
    if (++counting->steps == counting->last)
        job->cancelled = true;
}

/* It looks at its job while it sorts, and between parts of the tracks; then nothing is left. */
static void it_ends_when_it_is_cancelled(void **state)
{
    (void)state;
    int64_t *self = calloc(VALUES, sizeof *self);
    struct weft_err err = { 0 };
    struct step_counter counting = { 0 };
    struct weft_job job = { .progress = count, .user = &counting };
    assert_true(weft_builder_finish(build(self), &job, &err));
    uint64_t steps = counting.steps;
    assert_true(steps >= VALUES / 8192 + 2 * CONTAINERS / 1024);
    unlink(path);
    for (uint64_t last = 1; last <= steps; last += 1 + steps / 40) {
        counting = (struct step_counter){ .last = last };
        job.cancelled = false;
        assert_false(weft_builder_finish(build(self), &job, &err));
        assert_int_equal(err.code, WEFT_ERR_CANCELLED);
        assert_int_equal(access(path, F_OK), -1);
    }
    free(self);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd >= 0)
        close(fd);
    unlink(path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_values_have_their_ranks),
        cmocka_unit_test(it_ends_when_it_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
