/* SPDX-License-Identifier: Apache-2.0 */
/* Counts against a second implementation that looks at each reference by itself. */
#include "array_store.h"

#include "domains/arrays/model/count.h"
#include "domains/arrays/model/count_cells.h"
#include "tests/random.h"
#include "tests/test.h"

enum { ARRAYS = 3, PROCESSORS = 64, ELEMENTS = 400, STEPS = 5, ROUNDS = 1000 };

/* ---- The second implementation ---- */

struct naive {
    const struct weft_count_query *query;
    uint32_t array; /* or WEFT_NONE */
    uint32_t step;  /* the one that is looked at */
    struct weft_reference_counts elements[ARRAYS][ELEMENTS];
    struct weft_reference_counts servers[PROCESSORS], requesters[PROCESSORS];
    uint64_t references[PROCESSORS][PROCESSORS], messages[PROCESSORS][PROCESSORS];
    uint64_t distinct[PROCESSORS][PROCESSORS], bytes[PROCESSORS][PROCESSORS];
    uint32_t contention[ARRAYS][ELEMENTS];
    /* In the step. */
    bool needed[PROCESSORS][PROCESSORS][ARRAYS][ELEMENTS];
    bool asked[PROCESSORS][ARRAYS][ELEMENTS];
    bool touched[PROCESSORS][PROCESSORS];
};

static void index_of(const struct weft_array *array, uint64_t element, uint64_t *index)
{
    for (uint32_t d = array->rank; d-- > 0; element /= array->shape[d])
        index[d] = element % array->shape[d];
}

/* The owner of an element in a step; -1: nothing says it. */
static int64_t owner_of(const struct naive *naive, uint32_t array, uint64_t element)
{
    const struct weft_distributions *set = naive->query->distributions;
    const struct weft_array *is = weft_profile_array(naive->query->profile, array);
    const struct weft_distribution *distribution =
        set ? weft_distributions_of(set, array, naive->step) : NULL;
    uint64_t index[WEFT_ARRAY_RANK];
    index_of(is, element, index);
    return distribution ? (int64_t)weft_distribution_owner(distribution, is, index) : -1;
}

static bool owns(const struct naive *naive, uint32_t array, uint64_t element,
                 uint64_t processor)
{
    const struct weft_array *is = weft_profile_array(naive->query->profile, array);
    uint64_t index[WEFT_ARRAY_RANK];
    index_of(is, element, index);
    return weft_distribution_owns(
        weft_distributions_of(naive->query->distributions, array, naive->step), is, index,
        processor);
}

static void count(struct weft_reference_counts *to, const struct weft_pattern *pattern,
                  bool local, bool unowned)
{
    bool read = pattern->operation == WEFT_REFERENCE_READ;
    if (unowned) {
        to->unowned_reads += pattern->times;
        return;
    }
    to->local_reads += read && local ? pattern->times : 0;
    to->remote_reads += read && !local ? pattern->times : 0;
    to->local_writes += !read && local ? pattern->times : 0;
    to->remote_writes += !read && !local ? pattern->times : 0;
}

static void look_at(void *user, const struct weft_pattern *pattern, uint64_t element,
                    uint64_t owner)
{
    struct naive *naive = user;
    const struct weft_count_query *query = naive->query;
    bool read = pattern->operation == WEFT_REFERENCE_READ;
    int64_t server = owner_of(naive, pattern->array, element);
    bool placed = server >= 0;
    int64_t requester = pattern->requester_processor;
    if (!query->distributions && pattern->owner_processor >= 0) {
        server = pattern->owner_processor;
        placed = true;
    }
    server = server < 0 ? 0 : server;
    if (query->rule == WEFT_COMPUTE_PROCESSOR)
        requester = (int64_t)query->processor;
    else if (query->rule == WEFT_COMPUTE_OWNER_OF_RIGHT && read)
        requester = server;
    else if (pattern->owner_array != WEFT_NONE && query->distributions) {
        requester = owner_of(naive, pattern->owner_array, owner);
        requester = requester < 0 ? 0 : requester;
    }
    bool local;
    if (!placed)
        local = true;
    else if (!query->distributions && query->rule == WEFT_COMPUTE_OWNER_OF_LEFT
             && pattern->local >= 0)
        local = pattern->local;
    else if (requester < 0)
        local = pattern->local != 0;
    else {
        local = query->distributions
                    ? owns(naive, pattern->array, element, (uint64_t)requester)
                    : requester == server;
        server = local ? requester : server; /* its own copy */
    }
    /* No owner, no processor, no word of the trace, and no rule that makes up for it. */
    bool unowned = read && query->rule == WEFT_COMPUTE_OWNER_OF_LEFT
                   && pattern->owner_array == WEFT_NONE && requester < 0
                   && pattern->local < 0;
    count(&naive->elements[pattern->array][element], pattern, local, unowned);
    if (naive->array != WEFT_NONE && naive->array != pattern->array)
        return;
    count(&naive->servers[server], pattern, local, unowned);
    count(&naive->requesters[requester < 0 ? server : requester], pattern, local, unowned);
    if (requester >= 0)
        naive->asked[requester][pattern->array][element] = true;
    if (local || requester < 0)
        return;
    int64_t from = read ? server : requester, to = read ? requester : server;
    naive->references[from][to] += pattern->times;
    naive->needed[from][to][pattern->array][element] = true;
    naive->touched[from][to] = true;
}

static void end_pair(struct naive *naive, int from, int to)
{
    if (!naive->touched[from][to])
        return;
    naive->touched[from][to] = false;
    naive->messages[from][to]++;
    for (uint32_t a = 0; a < ARRAYS; a++)
        for (size_t e = 0; e < ELEMENTS; e++) {
            bool *needed = &naive->needed[from][to][a][e];
            naive->distinct[from][to] += *needed;
            naive->bytes[from][to] +=
                *needed ? weft_profile_array(naive->query->profile, a)->element_bytes : 0;
            *needed = false;
        }
}

static void end_step(struct naive *naive)
{
    for (uint32_t a = 0; a < ARRAYS; a++)
        for (size_t e = 0; e < ELEMENTS; e++) {
            uint32_t n = 0;
            for (int p = 0; p < PROCESSORS; p++)
                n += naive->asked[p][a][e];
            if (n > naive->contention[a][e])
                naive->contention[a][e] = n;
        }
    for (int p = 0; p < PROCESSORS; p++)
        for (int q = 0; q < PROCESSORS; q++)
            end_pair(naive, p, q);
    memset(naive->asked, 0, sizeof naive->asked);
}

static void count_naively(struct naive *naive)
{
    const struct weft_count_query *query = naive->query;
    for (uint32_t s = query->first_step; s < query->after_step; s++) {
        uint64_t first = weft_profile_first(query->profile, s);
        uint64_t after = weft_profile_first(query->profile, s + 1);
        naive->step = s;
        for (uint64_t i = first; i < after; i++) {
            struct weft_pattern pattern;
            weft_profile_pattern(query->profile, i, &pattern);
            array_expand(&pattern, look_at, naive);
        }
        if (first < after)
            end_step(naive);
    }
}

/* ---- Both agree ---- */

static uint64_t sum(const struct weft_reference_counts *counts)
{
    return counts->local_reads + counts->remote_reads + counts->local_writes
           + counts->remote_writes + counts->unowned_reads;
}

/* How many asked for each element of a plane. */
static void compare_requesters(const struct naive *naive, uint32_t array,
                               struct weft_array_plane plane)
{
    const struct weft_array *of = weft_profile_array(naive->query->profile, array);
    bool vector = plane.row_dimension == WEFT_NONE;
    uint64_t columns = of->shape[plane.column_dimension];
    uint32_t out[ELEMENTS];
    struct weft_err err;
    plane.shift = 0;
    if (naive->array != WEFT_NONE && naive->array != array)
        return;
    assert_true(weft_count_plane_requesters(naive->query, array, &plane, out, NULL, &err));
    for (uint64_t e = 0; e < weft_array_elements(of); e++) {
        uint64_t index[WEFT_ARRAY_RANK] = { 0 };
        bool inside = true;
        index_of(of, e, index);
        for (uint32_t d = 0; d < of->rank; d++)
            inside &= d == plane.row_dimension || d == plane.column_dimension
                      || index[d] == plane.index[d];
        uint64_t row = vector ? 0 : index[plane.row_dimension];
        if (inside)
            assert_int_equal(out[row * columns + index[plane.column_dimension]],
                             naive->contention[array][e]);
    }
}

/* A plane of an array, in squares of some size. */
static void compare_cells(const struct naive *naive, uint32_t array)
{
    const struct weft_array *of = weft_profile_array(naive->query->profile, array);
    struct weft_array_plane plane = { WEFT_NONE, (uint32_t)roll(of->rank),
                                      .shift = (unsigned)roll(4) };
    if (of->rank > 1)
        plane.row_dimension =
            (plane.column_dimension + 1 + (uint32_t)roll(of->rank - 1)) % of->rank;
    for (uint32_t d = 0; d < of->rank; d++)
        plane.index[d] = roll(of->shape[d]);
    bool vector = plane.row_dimension == WEFT_NONE;
    uint64_t height = vector ? 1 : of->shape[plane.row_dimension];
    uint64_t rows = weft_array_cells(height, plane.shift);
    uint64_t columns = weft_array_cells(of->shape[plane.column_dimension], plane.shift);
    uint64_t wanted[ELEMENTS][WEFT_REFERENCE_KINDS] = { { 0 } };
    for (uint64_t e = 0; e < weft_array_elements(of); e++) {
        uint64_t index[WEFT_ARRAY_RANK], row;
        const struct weft_reference_counts *counts = &naive->elements[array][e];
        bool inside = true;
        index_of(of, e, index);
        for (uint32_t d = 0; d < of->rank; d++)
            inside &= d == plane.row_dimension || d == plane.column_dimension
                      || index[d] == plane.index[d];
        if (!inside)
            continue;
        row = vector ? 0 : index[plane.row_dimension] >> plane.shift;
        uint64_t *cell =
            wanted[row * columns + (index[plane.column_dimension] >> plane.shift)];
        cell[0] += counts->local_reads;
        cell[1] += counts->remote_reads;
        cell[2] += counts->local_writes;
        cell[3] += counts->remote_writes;
        cell[4] += counts->unowned_reads;
    }
    struct weft_err err;
    bool full = false;
    uint32_t(*cells)[WEFT_REFERENCE_KINDS] = calloc(rows * columns, sizeof *cells);
    assert_true(weft_count_cells(naive->query, array, &plane, cells, &full, NULL, &err));
    for (uint64_t i = 0; i < rows * columns; i++)
        for (int k = 0; k < WEFT_REFERENCE_KINDS; k++)
            assert_int_equal(cells[i][k], wanted[i][k]);
    assert_false(full);
    free(cells);
    compare_requesters(naive, array, plane);
}

static void compare(const struct naive *naive)
{
    const struct weft_count_query *query = naive->query;
    struct weft_reference_counts elements[ELEMENTS], processors[PROCESSORS];
    uint64_t all[2] = { 0, 0 };
    struct weft_err err;
    assert_true(weft_count_all_processors(query) <= PROCESSORS);
    for (uint32_t a = 0; a < ARRAYS; a++) {
        uint32_t requesters[ELEMENTS];
        memset(elements, 0, sizeof elements);
        assert_true(weft_count_elements(query, a, elements, NULL, &err));
        assert_memory_equal(elements, naive->elements[a], sizeof elements);
        compare_cells(naive, a);
        for (size_t e = 0; e < ELEMENTS; e++)
            all[0] +=
                naive->array == WEFT_NONE || naive->array == a ? sum(&elements[e]) : 0;
        if (naive->array != WEFT_NONE && naive->array != a)
            continue;
        assert_true(weft_count_requesters(query, a, requesters, NULL, &err));
        size_t n = weft_array_elements(weft_profile_array(query->profile, a));
        assert_memory_equal(requesters, naive->contention[a], n * sizeof *requesters);
    }
    for (int by = 0; by < 2; by++) {
        memset(processors, 0, sizeof processors);
        assert_true(weft_count_processors(query, naive->array, by, processors, NULL, &err));
        assert_memory_equal(processors, by ? naive->requesters : naive->servers,
                            sizeof processors);
    }
    for (int p = 0; p < PROCESSORS; p++)
        all[1] += sum(&processors[p]);
    assert_int_equal(all[0], all[1]);

    struct weft_flow *flows;
    size_t n, at = 0;
    assert_true(weft_count_flows(query, naive->array, &flows, &n, NULL, &err));
    for (uint32_t p = 0; p < PROCESSORS; p++)
        for (uint32_t q = 0; q < PROCESSORS; q++) {
            if (!naive->references[p][q])
                continue;
            assert_true(at < n);
            assert_int_equal(flows[at].from, p);
            assert_int_equal(flows[at].to, q);
            assert_int_equal(flows[at].references, naive->references[p][q]);
            assert_int_equal(flows[at].elements, naive->distinct[p][q]);
            assert_int_equal(flows[at].messages, naive->messages[p][q]);
            assert_int_equal(flows[at].bytes, naive->bytes[p][q]);
            at++;
        }
    assert_int_equal(at, n);
    free(flows);
}

/* ---- Random profiles ---- */

static uint32_t random_array(struct array_store *store, const char *name, uint64_t *shape)
{
    struct weft_array array = { .name = name, .element_bytes = 1 + roll(9) };
    array.rank = 1 + (uint32_t)roll(3);
    for (uint32_t d = 0; d < array.rank; d++)
        shape[d] = array.shape[d] = 1
                                    + roll(array.rank == 1   ? 300
                                           : array.rank == 2 ? 18
                                                             : 7);
    assert_true(weft_profile_writer_array(store->writer, &array, 0) != WEFT_NONE);
    return array.rank;
}

struct shapes {
    uint32_t rank[ARRAYS];
    uint64_t shape[ARRAYS][WEFT_ARRAY_RANK];
};

/* A way that a loop may go: along dimensions, or anywhere. */
static int64_t random_stride(const struct shapes *shapes, uint32_t array)
{
    int64_t stride = (int64_t)roll(3) - 1;
    for (uint32_t d = shapes->rank[array] - 1; d > 0 && roll(2); d--)
        stride = stride * (int64_t)shapes->shape[array][d] + (int64_t)roll(3) - 1;
    return roll(12) ? stride : (int64_t)roll(40) - 20;
}

static struct weft_pattern random_pattern(const struct shapes *shapes, bool found)
{
    uint32_t array = (uint32_t)roll(ARRAYS), owner = (uint32_t)roll(ARRAYS);
    struct weft_pattern pattern =
        array_reference((uint32_t)roll(STEPS), array, roll(300), owner, roll(300), roll(2));
    if (roll(3) == 0) { /* on behalf of itself, or of one beside it */
        pattern.owner_array = array;
        pattern.owner = pattern.element + roll(3) - 1;
    }
    pattern.times = 1 + roll(3);
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        pattern.extent[k] = roll(3) ? 1 + roll(9) : 1;
        pattern.stride[k] = random_stride(shapes, array);
        pattern.owner_stride[k] = pattern.owner_array == array && roll(3)
                                      ? pattern.stride[k]
                                      : random_stride(shapes, pattern.owner_array);
    }
    if (!found) {
        if (roll(5) == 0)
            pattern.owner_array = WEFT_NONE; /* nobody's, if it is a read */
        return pattern;
    }
    pattern.owner_array = roll(2) ? WEFT_NONE : pattern.owner_array;
    pattern.owner_processor = (int64_t)roll(8) - (roll(3) == 0);
    pattern.requester_processor = (int64_t)roll(9) - 1;
    pattern.local = (int8_t)((int)roll(3) - 1);
    return pattern;
}

static void fill(struct array_store *store, const struct shapes *shapes, bool found)
{
    for (uint64_t i = 0, n = 1 + roll(7); i < n;) {
        struct weft_pattern pattern = random_pattern(shapes, found);
        if (!weft_profile_writer_add(store->writer, &pattern))
            continue;
        i++;
        while (roll(3) == 0) { /* and the same in other steps */
            pattern.step = (uint32_t)roll(STEPS);
            assert_true(weft_profile_writer_add(store->writer, &pattern));
        }
    }
}

/* ---- Random distributions ---- */

static void put_formats(char *text, const struct shapes *shapes, uint32_t array,
                        const char *verb)
{
    char formats[100] = "", extents[100] = "";
    for (uint32_t d = 0; d < shapes->rank[array]; d++) {
        uint64_t p = 1 + roll(4), size = shapes->shape[array][d];
        char *at = formats + strlen(formats);
        if (d)
            *at++ = ',';
        switch (roll(4)) {
        case 0: strcpy(at, "*"); continue;
        case 1: sprintf(at, "BLOCK(%d)", (int)((size + p - 1) / p + roll(2))); break;
        case 2: strcpy(at, "CYCLIC"); break;
        default: sprintf(at, "CYCLIC(%d)", (int)(1 + roll(4))); break;
        }
        sprintf(extents + strlen(extents), "%s%d", *extents ? "," : "", (int)p);
    }
    static int number;
    number++;
    sprintf(text + strlen(text), *extents ? "PROCESSORS P%d(%s)\n" : "PROCESSORS P%d%s\n",
            number, extents);
    sprintf(text + strlen(text), "%s %c(%s) ONTO P%d\n", verb, "ABC"[array], formats,
            number);
}

static void put_map(char *text, const struct shapes *shapes, uint32_t array)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < shapes->rank[array]; d++)
        n *= shapes->shape[array][d];
    sprintf(text + strlen(text), "MAP %c\n", "ABC"[array]);
    while (n--)
        sprintf(text + strlen(text), "%d\n", (int)roll(7));
}

/* ARRAY lies where some place of another array does, which lies somewhere already. */
static void put_alignment(char *text, const struct shapes *shapes, uint32_t array,
                          uint32_t with)
{
    char dummies[40] = "", places[100] = "";
    bool used[WEFT_ARRAY_RANK] = { false };
    for (uint32_t d = 0; d < shapes->rank[with]; d++) {
        uint64_t size = shapes->shape[with][d];
        sprintf(places + strlen(places), "%s", d ? "," : "");
        uint32_t from = (uint32_t)roll(shapes->rank[array]);
        char *at = places + strlen(places);
        if (roll(4) == 0)
            strcpy(at, "*");
        else if (!used[from] && shapes->shape[array][from] <= size) {
            int room = (int)(size - shapes->shape[array][from]);
            used[from] = true;
            if (roll(2))
                sprintf(at, "I%d+%d", (int)from, (int)roll((uint64_t)room + 1));
            else
                sprintf(at, "%d-I%d", (int)size + 1 - (int)roll((uint64_t)room + 1),
                        (int)from);
        } else
            sprintf(at, "%d", (int)(1 + roll(size)));
    }
    for (uint32_t d = 0; d < shapes->rank[array]; d++)
        sprintf(dummies + strlen(dummies), used[d] ? "%sI%d" : "%s*", d ? "," : "", (int)d);
    sprintf(text + strlen(text), "ALIGN %c(%s) WITH %c(%s)\n", "ABC"[array], dummies,
            "ABC"[with], places);
}

static struct weft_distributions *random_distributions(const struct array_store *store,
                                                       const struct shapes *shapes)
{
    static char text[20000];
    text[0] = 0;
    bool mapped = roll(6) == 0;
    if (mapped)
        put_map(text, shapes, 0);
    else
        put_formats(text, shapes, 0, "DISTRIBUTE");
    if (roll(3) && !mapped)
        put_alignment(text, shapes, 1, 0);
    else
        put_formats(text, shapes, 1, "DISTRIBUTE");
    if (roll(3)) /* else nothing is said of C */
        put_formats(text, shapes, 2, "DISTRIBUTE");
    if (roll(2)) {
        sprintf(text + strlen(text), "STEP %d\n", (int)(1 + roll(STEPS - 1)));
        put_formats(text, shapes, 0, "REDISTRIBUTE");
        if (mapped)
            put_formats(text, shapes, 1, "REDISTRIBUTE");
    }
    struct weft_err err = { 0 };
    struct weft_distributions *set =
        weft_distributions_parse("random", text, strlen(text), store->profile, &err);
    if (!set)
        fail_msg("%s\n%lu: %s", text, (unsigned long)err.line, err.message);
    return set;
}

static void check(const struct array_store *store, const struct shapes *shapes, bool found)
{
    struct weft_distributions *set =
        found && roll(2) ? NULL : random_distributions(store, shapes);
    struct weft_count_query query = { .profile = store->profile,
                                      .distributions = set,
                                      .rule = (enum weft_compute_rule)(roll(2) * roll(3)),
                                      .processor = roll(12),
                                      .first_step =
                                          (uint32_t)roll(2) * (uint32_t)roll(STEPS),
                                      .after_step = STEPS };
    struct naive *naive = calloc(1, sizeof *naive);
    naive->query = &query;
    naive->array = roll(2) ? WEFT_NONE : (uint32_t)roll(ARRAYS);
    count_naively(naive);
    compare(naive);
    free(naive);
    weft_distributions_free(set);
}

static void all_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct shapes shapes;
        roll_from(seed);
        bool found = seed % 4 == 0;
        struct array_store store = array_store_begin();
        for (uint32_t a = 0; a < ARRAYS; a++)
            shapes.rank[a] =
                random_array(&store, (const char *[]){ "A", "B", "C" }[a], shapes.shape[a]);
        fill(&store, &shapes, found);
        array_store_open(&store);
        for (int i = 0; i < 4; i++)
            check(&store, &shapes, found);
        array_store_free(&store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
