/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of numbers (times, time-compare, instances, histogram) of random traces, selections,
 * windows and subtrees, against the slow model of numbers_model.h.
 */
#include <inttypes.h>
#include <math.h>

#include "numbers_model.h"
#include "store/time.h"
#include "tests/random.h"
#include "tests/table_text.h"
#include "view/views.h"

enum { SEEDS = 60, CASES = 4 /* of each seed */, LINES = 2000, LINE = 128 };

static struct numbers runs[2];

/* A question to a table. */
struct question {
    const struct numbers *numbers;
    struct weft_span window;
    uint32_t under;
    struct numbers_selection selection[NUMBERS_TERMS];
    char where[2048];
};

static struct weft_span any_window(void)
{
    int64_t begin = (int64_t)roll(NUMBERS_SPAN);
    if (!roll(3))
        return (struct weft_span){ 0, NUMBERS_SPAN };
    return (struct weft_span){ begin, begin + 1 + (int64_t)roll(NUMBERS_SPAN + 10) };
}

static void ask(struct question *question, const struct numbers *numbers, bool subtrees)
{
    question->numbers = numbers;
    question->window = any_window();
    question->under = !subtrees || roll(3) ? 0
                      : roll(2)            ? numbers->processes[roll(NUMBERS_PROCESSES)]
                                           : numbers->threads[roll(NUMBERS_THREADS)];
    numbers_select(question->selection, question->where, sizeof question->where);
}

static bool holds(const struct question *question, const struct numbers_item *item)
{
    return numbers_holds(question->numbers, question->selection, 0, item);
}

/* ---- Lines of tables ---- */

struct lines {
    char list[LINES][LINE];
    int n;
};

static int by_bytes(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void sort(struct lines *lines)
{
    qsort(lines->list, (size_t)lines->n, LINE, by_bytes);
}

static void are_equal(struct lines *found, struct lines *expected,
                      const struct question *question)
{
    sort(found);
    sort(expected);
    for (int i = 0; i < found->n || i < expected->n; i++) {
        const char *x = i < found->n ? found->list[i] : "nothing",
                   *y = i < expected->n ? expected->list[i] : "nothing";
        if (strcmp(x, y) != 0)
            fail_msg("%d to %d, below %u, '%s': line %d: '%s', not '%s'",
                     (int)question->window.begin, (int)question->window.end,
                     question->under, question->where, i, x, y);
    }
}

/* Splits LINE at its commas, in place; there are N cells. */
static void split(char *line, const char **cells, int n)
{
    for (int i = 0; i < n; i++) {
        cells[i] = line;
        line += strcspn(line, ",");
        assert_true(*line == (i < n - 1 ? ',' : 0));
        *line++ = 0;
    }
}

/* Calls TAKE with the cells of each row of the table, which has N columns. */
static void read_table(const struct weft_view *view, const struct weft_request *request,
                       int n, void (*take)(void *user, const char *const *cells),
                       void *user)
{
    const char *cells[16];
    char *csv = table_csv(view, request), *next;
    for (char *line = csv; *line; line = next) {
        size_t length = strcspn(line, "\r\n");
        next = line + length + strspn(line + length, "\r\n");
        line[length] = 0;
        if (line == csv)
            continue; /* the names */
        split(line, cells, n);
        take(user, cells);
    }
    free(csv);
}

/* ---- Times ---- */

enum by { ALL, CLASS, STATE, OBJECT, SITE, FUNCTION, ROW, PARTNER, WAKER, BYS };
static const char *const by_names[BYS] = { "all",      "class", "state",   "object", "site",
                                           "function", "row",   "partner", "waker" };

/* Times of the model: groups with their text, ticks and intervals of each run. */
struct groups {
    struct {
        char text[LINE];
        int64_t ticks[2];
        int count[2];
    } list[LINES];
    int n;
};

static int group_of(struct groups *groups, const char *text)
{
    int i = 0;
    while (i < groups->n && strcmp(groups->list[i].text, text) != 0)
        i++;
    if (i == groups->n) {
        memset(&groups->list[groups->n++], 0, sizeof groups->list[0]);
        strcpy(groups->list[i].text, text);
    }
    return i;
}

/* "[row,]class,state,object,site,function": what of a state, or of none, tells BY. */
static void describe(const struct question *question, uint32_t thread, int state,
                     bool scheduled, enum by by, bool lines, char *text)
{
    const struct numbers *numbers = question->numbers;
    const struct numbers_item *item = state < 0 ? NULL : &numbers->list[state];
    bool all = by == ALL;
    uint32_t row = by == ROW               ? thread
                   : by == PARTNER && item ? numbers_partner(numbers, item)
                   : by == WAKER && item   ? numbers_waker(numbers, item)
                                           : WEFT_NONE;
    sprintf(text, "%s%s%s,%s,%s,%s,", by >= ROW ? numbers_name(numbers, row) : "",
            by >= ROW ? "," : "",
            all || by == CLASS ? (item        ? numbers_values[item->value].class
                                  : scheduled ? "unknown"
                                              : "work")
                               : "",
            item && (all || by == STATE) ? numbers_value_name(item) : "",
            item && item->lock >= 0 && (all || by == OBJECT)
                ? numbers_name(numbers, numbers->locks[item->lock])
                : "",
            item && (all || by == SITE) ? numbers_site(item->site, lines) : "");
}

/* Adds, tick by tick, what threads did in RUN. */
static void add_times(const struct question *question, int run, enum by by, bool lines,
                      struct groups *groups)
{
    const struct numbers *numbers = question->numbers;
    for (int t = 0; t < NUMBERS_THREADS; t++) {
        uint32_t thread = numbers->threads[t];
        const struct weft_container *life = &numbers->source->schema->containers[thread];
        bool scheduled, has = numbers_has_states(numbers, thread, &scheduled);
        int before = -2;
        if (!has || !numbers_is_in(numbers, thread, question->under))
            continue;
        for (int64_t at = question->window.begin; at < question->window.end; at++) {
            char text[LINE];
            int state = numbers_state_at(numbers, thread, at);
            if (at < life->begin || at >= life->end)
                continue;
            bool counts = question->where[0]
                              ? state >= 0 && holds(question, &numbers->list[state])
                              : true;
            if (counts) {
                describe(question, thread, state, scheduled, by, lines, text);
                int group = group_of(groups, text);
                groups->list[group].ticks[run]++;
                groups->list[group].count[run] += state != before;
            }
            before = state;
        }
    }
}

struct times_check {
    struct lines found;
    int first; /* column of total_ns */
    bool counts;
    int64_t before, sum;
};

static void take_time(void *user, const char *const *cells)
{
    struct times_check *check = user;
    char *line = check->found.list[check->found.n++];
    const char *const *numbers = cells + check->first;
    int64_t total = strtoll(numbers[0], NULL, 10);
    for (int i = 0; i < check->first; i++)
        line += sprintf(line, "%s%s", i ? "," : "", cells[i]);
    sprintf(line, ",%s,%s", numbers[0], check->counts ? numbers[2] : "");
    assert_true(total <= check->before); /* the most first */
    check->before = total;
    assert_true(fabs(strtod(numbers[1], NULL) - 100.0 * (double)total / (double)check->sum)
                < 0.0051);
}

static void check_times(const struct question *question, enum by by)
{
    static struct groups groups;
    static struct times_check check;
    static struct lines expected;
    const struct weft_set set = { &question->numbers->source, 1 };
    const char *settings[] = { by_names[by], question->where, NULL };
    const struct weft_request request = { .set = &set,
                                          .window = question->window,
                                          .under = question->under,
                                          .settings = settings };
    groups.n = expected.n = 0;
    add_times(question, 0, by, true, &groups);
    /* Time in no state is in pieces, whose number tells nothing. */
    check = (struct times_check){ .first = 5 + (by >= ROW),
                                  .counts = question->where[0],
                                  .before = INT64_MAX };
    for (int i = 0; i < groups.n; i++) {
        char *line = expected.list[expected.n++];
        line += sprintf(line, "%s,%d,", groups.list[i].text, (int)groups.list[i].ticks[0]);
        if (check.counts)
            sprintf(line, "%d", groups.list[i].count[0]);
        check.sum += groups.list[i].ticks[0];
    }
    read_table(&weft_view_times, &request, check.first + 3, take_time, &check);
    are_equal(&check.found, &expected, question);
}

struct compare_check {
    struct lines found;
    int first; /* column of total_ns */
    bool counts;
    int64_t before;
};

static void take_change(void *user, const char *const *cells)
{
    struct compare_check *check = user;
    char *line = check->found.list[check->found.n++];
    const char *const *numbers = cells + check->first;
    int64_t change = llabs(strtoll(numbers[2], NULL, 10));
    for (int i = 0; i < check->first + 3; i++)
        line += sprintf(line, "%s%s", i ? "," : "", cells[i]);
    if (check->counts)
        sprintf(line, ",%s,%s", numbers[3], numbers[4]);
    assert_true(change <= check->before); /* the largest change first */
    check->before = change;
}

static void check_compare(const struct question *first, const struct question *second,
                          enum by by)
{
    static struct groups groups;
    static struct compare_check check;
    static struct lines expected;
    const struct weft_source *sources[] = { first->numbers->source,
                                            second->numbers->source };
    const struct weft_set set = { sources, 2 };
    char range[64];
    const char *settings[] = { by_names[by], range, first->where, second->where, NULL };
    struct weft_request request = {
        .set = &set, .window = first->window, .under = first->under, .settings = settings
    };
    snprintf(range, sizeof range, "%" PRId64 "ns:%" PRId64 "ns", second->window.begin,
             second->window.end);
    groups.n = expected.n = 0;
    add_times(first, 0, by, false, &groups);
    add_times(second, 1, by, false, &groups);
    check = (struct compare_check){ .first = 5 + (by >= ROW),
                                    .counts = first->where[0] && second->where[0],
                                    .before = INT64_MAX };
    for (int i = 0; i < groups.n; i++) {
        int x = (int)groups.list[i].ticks[0], y = (int)groups.list[i].ticks[1];
        char *line = expected.list[expected.n++];
        line += sprintf(line, "%s,%d,%d,%d", groups.list[i].text, x, y, y - x);
        if (check.counts)
            sprintf(line, ",%d,%d", groups.list[i].count[0], groups.list[i].count[1]);
    }
    read_table(&weft_view_time_compare, &request, check.first + 5, take_change, &check);
    are_equal(&check.found, &expected, first);
}

/* The range of the second run is a text, of times that the trace has; it has no subtree. */
static void ask_second(struct question *question)
{
    struct weft_span span = runs[1].source->schema->span, *window = &question->window;
    ask(question, &runs[1], false);
    window->end = window->end < span.end ? window->end : span.end;
    if (window->begin >= window->end)
        *window = span;
}

static void times_are_those_of_a_walk_tick_by_tick(void **unused)
{
    (void)unused;
    static struct question questions[2];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        roll_from(seed);
        numbers_begin(&runs[0]);
        numbers_begin(&runs[1]);
        for (int i = 0; i < CASES; i++) {
            ask(&questions[0], &runs[0], true);
            ask_second(&questions[1]);
            for (enum by by = ALL; by < BYS; by++) {
                check_times(&questions[0], by);
                check_compare(&questions[0], &questions[1], by);
            }
        }
        numbers_end(&runs[0]);
        numbers_end(&runs[1]);
    }
}

/* A process has no states itself: named alone it stands for its threads. */
static void a_process_stands_for_its_threads(void **unused)
{
    (void)unused;
    roll_from(7);
    numbers_begin(&runs[0]);
    const struct weft_set set = { &runs[0].source, 1 };
    const char *lists[] = { "p0", "p0+", "" };
    char *tables[3];
    for (int i = 0; i < 3; i++) {
        const char *settings[] = { "row", "", lists[i] };
        const struct weft_request request = { .set = &set,
                                              .window = runs[0].source->schema->span,
                                              .under = i < 2 ? 0 : runs[0].processes[0],
                                              .settings = settings };
        tables[i] = table_csv(&weft_view_times, &request);
    }
    assert_non_null(strstr(tables[2], "\nt"));
    assert_string_equal(tables[0], tables[2]);
    assert_string_equal(tables[1], tables[2]);
    for (int i = 0; i < 3; i++)
        free(tables[i]);
    numbers_end(&runs[0]);
}

/* ---- Instances and histogram ---- */

static bool is_asked(const struct question *question, const struct numbers_item *item)
{
    const struct numbers *numbers = question->numbers;
    int64_t begin = question->window.begin, end = question->window.end;
    bool in = item->kind == WEFT_LINK
                  ? numbers_is_in(numbers, item->from, question->under)
                        || numbers_is_in(numbers, item->to, question->under)
                  : numbers_is_in(numbers, item->container, question->under);
    end += end == numbers->source->schema->span.end; /* what is at the very end, too */
    return in && item->begin < end
           && (item->end > begin || (item->begin == item->end && item->end == begin))
           && holds(question, item);
}

struct instances_check {
    struct lines found;
    int64_t before;
};

static void take_instance(void *user, const char *const *cells)
{
    struct instances_check *check = user;
    char *line = check->found.list[check->found.n++];
    int64_t length = strtoll(cells[10], NULL, 10);
    for (int i = 0; i < 11; i++)
        line += sprintf(line, "%s%s", i ? "," : "", cells[i]);
    assert_true(length <= check->before); /* the longest first */
    check->before = length;
}

static void write_instance(const struct numbers *numbers, const struct numbers_item *item,
                           char *line)
{
    bool link = item->kind == WEFT_LINK, state = item->kind == WEFT_STATE;
    int64_t zero = numbers->source->schema->span.begin;
    const char *object = link ? numbers_name(numbers, item->to)
                         : item->lock >= 0
                             ? numbers_name(numbers, numbers->locks[item->lock])
                             : "";
    sprintf(line, "%s,%s,%s,%s,%s,%s,%s,%s,%d,%d,%d", weft_kind_name(item->kind),
            numbers_name(numbers, link ? item->from : item->container), numbers_type(item),
            numbers_value_name(item), object, numbers_site(item->site, true),
            state ? numbers_name(numbers, numbers_partner(numbers, item)) : "",
            state ? numbers_name(numbers, numbers_waker(numbers, item)) : "",
            (int)(item->begin - zero), (int)(item->end - zero),
            (int)(item->end - item->begin));
}

static void check_instances(const struct question *question)
{
    static struct instances_check check;
    static struct lines expected;
    const struct numbers *numbers = question->numbers;
    const struct weft_set set = { &numbers->source, 1 };
    const char *settings[] = { question->where, "length", "100000" };
    const struct weft_request request = { .set = &set,
                                          .window = question->window,
                                          .under = question->under,
                                          .settings = settings };
    check = (struct instances_check){ .before = INT64_MAX };
    expected.n = 0;
    for (int i = 0; i < numbers->n; i++)
        if (is_asked(question, &numbers->list[i]))
            write_instance(numbers, &numbers->list[i], expected.list[expected.n++]);
    read_table(&weft_view_instances, &request, 12, take_instance, &check);
    are_equal(&check.found, &expected, question);
}

struct bins_check {
    const struct question *question;
    int n;
};

static void take_bin(void *user, const char *const *cells)
{
    struct bins_check *check = user;
    const struct numbers *numbers = check->question->numbers;
    double from = strtod(cells[0], NULL), to = strtod(cells[1], NULL);
    int count = 0, total = 0;
    for (int i = 0; i < numbers->n; i++) {
        int64_t length = numbers->list[i].end - numbers->list[i].begin;
        if (!is_asked(check->question, &numbers->list[i]) || (double)length < from
            || (double)length >= to)
            continue;
        count++;
        total += (int)length;
    }
    assert_int_equal(strtol(cells[2], NULL, 10), count);
    assert_int_equal(strtol(cells[3], NULL, 10), total);
    check->n += count;
}

static void check_histogram(const struct question *question)
{
    struct bins_check check = { question, 0 };
    const struct numbers *numbers = question->numbers;
    const struct weft_set set = { &numbers->source, 1 };
    const char *settings[] = { question->where, NULL, roll(2) ? "log" : "linear", NULL };
    const struct weft_request request = { .set = &set,
                                          .window = question->window,
                                          .under = question->under,
                                          .settings = settings };
    int n = 0;
    for (int i = 0; i < numbers->n; i++)
        n += is_asked(question, &numbers->list[i]);
    read_table(&weft_view_histogram, &request, 4, take_bin, &check);
    assert_int_equal(check.n, n); /* all are in a bin */
}

static void instances_and_bins_are_those_of_a_list(void **unused)
{
    (void)unused;
    static struct question question;
    for (uint64_t seed = 1000; seed < 1000 + SEEDS; seed++) {
        roll_from(seed);
        numbers_begin(&runs[0]);
        for (int i = 0; i < 2 * CASES; i++) {
            ask(&question, &runs[0], true);
            check_instances(&question);
            check_histogram(&question);
        }
        numbers_end(&runs[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_those_of_a_walk_tick_by_tick),
        cmocka_unit_test(a_process_stands_for_its_threads),
        cmocka_unit_test(instances_and_bins_are_those_of_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
