/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing in a file is believed.  Flipped bytes anywhere must either be refused at opening, or
 * be found by verify, or be harmless padding; asking such a trace everything must not crash,
 * hang or leak (run under sanitizers).  Cut files are refused.
 */
#include <fcntl.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "store/entities_by_time.h"
#include "store/raw_time/raw_source.h"
#include "tests/random.h"
#include "tests/small_store.h"

static char path[] = "/tmp/weft-damage-test.XXXXXX";
static char copy_path[] = "/tmp/weft-damage-copy.XXXXXX";
static unsigned char *original;
static size_t size;

static int set_up(void **unused)
{
    (void)unused;
    struct weft_err err;
    close(mkstemp(path));
    close(mkstemp(copy_path));
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    uint32_t run = add_type(b, WEFT_STATE, 0, "s", WEFT_ROLE_NONE);
    uint32_t mark = add_type(b, WEFT_EVENT, 0, "e", WEFT_ROLE_NONE);
    uint32_t load = add_type(b, WEFT_VARIABLE, 0, "v", WEFT_ROLE_NONE);
    uint32_t link = add_type(b, WEFT_LINK, 0, "l", WEFT_ROLE_NONE);
    uint32_t number = weft_builder_field(b, run, "n", WEFT_FIELD_INTEGER);
    weft_builder_index_field(b, number);
    uint32_t bytes = add_field(b, link, "b", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    uint32_t host = weft_builder_host(b, &(struct weft_host){ .name = "h" });
    struct weft_clock_knot knots[] = { { 0, 7 }, { 500, 900 }, { 70000, 80000 } };
    weft_builder_container_clock(
        b, 0,
        weft_builder_clock(
            b, &(struct weft_clock){ .host = host, .knots = knots, .n_knots = 3 }));
    weft_builder_note(b, "machine", "a");
    weft_builder_problem(b, WEFT_WARNING, "odd", 1, "something is odd");
    uint64_t state = WEFT_NO_ID;
    uint32_t values[3];
    for (int v = 0; v < 3; v++)
        values[v] = weft_builder_value(b, run, (char[]){ (char)('a' + v), 0 }, NULL, 0);
    uint32_t states = weft_builder_track(b, 0, run),
             events = weft_builder_track(b, 0, mark);
    uint32_t samples = weft_builder_track(b, 0, load);
    uint32_t depth = 0;
    for (int i = 0; i < 6000; i++) {
        struct weft_field_value field = { number, { .integer = i } };
        if (depth < 5 && roll(2)) {
            (void)!weft_builder_push(b, states, i * 10, values[roll(3)], &field, 1, &state);
            depth++;
        } else if (depth) {
            (void)!weft_builder_pop(b, states, i * 10, NULL);
            depth--;
        }
        (void)!weft_builder_event(b, events, i * 11, WEFT_NONE, NULL, 0, NULL);
        (void)!weft_builder_sample(b, samples, i * 12, (double)i * 0.3);
        field = (struct weft_field_value){ bytes, { .integer = i } };
        weft_builder_link(b,
                          &(struct weft_link){ .type = link,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .begin = i,
                                               .end = i + (i % 8 ? 5 : -5),
                                               .from_entity = state,
                                               .to_entity = i % 3 ? state : WEFT_NO_ID },
                          &field, i % 2);
    }
    assert_true(weft_builder_finish(b, NULL, &err));
    struct weft_mapping map;
    assert_true(weft_map_file(&map, path, &err));
    size = map.size;
    original = weft_alloc(size);
    memcpy(original, map.data, size);
    weft_unmap(&map);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(original);
    unlink(copy_path);
    return unlink(path);
}

static void write_copy(const unsigned char *bytes, size_t n)
{
    int fd = open(copy_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
}

static bool see_state(void *user, const struct weft_state *state)
{
    (void)state;
    return ++*(size_t *)user < 100000;
}
static bool see_event(void *user, const struct weft_event *event)
{
    (void)event;
    return ++*(size_t *)user < 100000;
}
static bool see_sample(void *user, const struct weft_sample *sample)
{
    (void)sample;
    return ++*(size_t *)user < 100000;
}
static bool see_link(void *user, const struct weft_link *link)
{
    (void)link;
    return ++*(size_t *)user < 100000;
}

static bool see_id(void *user, uint64_t id)
{
    (void)id;
    return ++*(size_t *)user < 100000;
}
static bool see_run(void *user, const struct weft_field_run *run)
{
    return (*(size_t *)user += run->n) < 100000;
}

/* The questions that indexes, summaries of links and decoded blocks answer. */
static void ask_for_more(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    struct weft_innermost at[8];
    struct weft_pair_sums sums = { 0 };
    uint32_t tracks[8], n_tracks = schema->n_tracks < 8 ? schema->n_tracks : 8;
    for (uint32_t t = 0; t < n_tracks; t++)
        tracks[t] = t;
    int64_t times[] = { INT64_MIN, schema->span.begin + 1234, 33333, INT64_MAX };
    size_t n = 0;
    for (int i = 0; i < 4; i++) {
        source->ops->values_at(source, tracks, n_tracks, times[i], at);
        source->ops->pair_sums(source, tracks, n_tracks,
                               (struct weft_span){ times[i] / 2, times[i] }, &sums);
        source->ops->pairs_pending(source, tracks, n_tracks, times[i], &sums);
        for (int backward = 0; backward < 2; backward++) {
            struct weft_near_query query = { tracks, n_tracks, &(uint32_t){ 1 },
                                             1,      times[i], backward };
            (void)source->ops->near(source, &query);
            struct weft_walk walk;
            struct weft_entity entity;
            weft_walk_begin(&walk, source, tracks, n_tracks, ~0u, times[i], backward);
            for (n = 0; n < 30000 && weft_walk_next(&walk, &entity);)
                n++;
            weft_walk_end(&walk);
        }
    }
    for (uint32_t t = 0; t < n_tracks; t++) {
        n = 0;
        source->ops->field_range(source, t, 0, 100, 900, see_run, &n);
        for (uint64_t o = 0; o < 50; o++)
            source->ops->links_of(source, weft_entity_id(t, o), o & 1, see_link, &n);
    }
    for (uint32_t f = 0; f < schema->n_fields; f++)
        for (int64_t value = -2; value < 50; value++)
            (void)source->ops->find(
                source, &(struct weft_field_value){ f, { .integer = value } }, see_id, &n);
    free(sums.rows);
}

static void ask_everything(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    struct weft_span span = schema->span, part = { span.begin + 7777, span.begin + 33333 };
    struct weft_sum *sums = weft_zalloc(schema->n_values, sizeof *sums);
    float *shares = weft_alloc(100 * WEFT_MAX_SLOTS * sizeof *shares);
    struct weft_envelope envelope[100];
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        size_t n = 0;
        struct weft_field_value fields[4];
        uint64_t id = weft_entity_id(t, schema->tracks[t].count / 2);
        source->ops->fields(source, id, fields, 4);
        switch (schema->types[schema->tracks[t].type].kind) {
        case WEFT_STATE:
            source->ops->states(source, t, span, see_state, &n);
            source->ops->states(source, t, part, see_state, &n);
            source->ops->sums(source, &t, 1, part, sums);
            struct weft_share_query query = { &t, 1, part, 100, shares };
            source->ops->shares(source, &query);
            query.window = span;
            query.columns = 3;
            source->ops->shares(source, &query);
            struct weft_state state;
            (void)source->ops->state(source, id, &state);
            break;
        case WEFT_EVENT: source->ops->events(source, t, part, see_event, &n); break;
        case WEFT_VARIABLE:
            source->ops->samples(source, t, part, see_sample, &n);
            source->ops->envelope(source, t, span, 100, envelope);
            break;
        case WEFT_LINK: source->ops->links(source, t, part, see_link, &n); break;
        case WEFT_CONTAINER: break;
        }
    }
    size_t n = 0;
    source->ops->links_at(source, 0, true, part, see_link, &n);
    free(sums);
    free(shares);
    ask_for_more(source);
}

static void test_flipped_bytes_are_found(void **unused)
{
    (void)unused;
    unsigned char *bytes = weft_alloc(size);
    unsigned refused = 0, found = 0;
    struct weft_file_header header;
    memcpy(&header, original, sizeof header);
    struct weft_file_section data = header.sections[WEFT_SECTION_DATA];
    for (int round = 0; round < 400; round++) {
        memcpy(bytes, original, size);
        /* Half of the time in the blocks, which are only checked when asked for. */
        size_t at = round % 2 ? data.offset + roll(data.size) : roll(size);
        bytes[at] ^= (unsigned char)(1u << roll(8));
        write_copy(bytes, size);
        struct weft_err err;
        struct weft_trace *trace = weft_trace_open(copy_path, &err);
        if (!trace) {
            assert_int_equal(err.code, WEFT_ERR_FORMAT);
            refused++;
            continue;
        }
        found += weft_trace_verify(trace, NULL) > 0;
        ask_everything(weft_trace_source(trace));
        weft_trace_close(trace);
    }
    free(bytes);
    /* What is neither refused nor found hit the padding of the header page or of a section. */
    assert_true(refused + found > 320);
    assert_true(found > 150);
}

/* Numbers that a file may hold to do harm. */
static uint64_t hostile(uint64_t old)
{
    static const uint64_t numbers[] = { 0,         1,          255,        256,
                                        65536,     UINT32_MAX, INT32_MAX,  UINT64_MAX,
                                        INT64_MAX, 1ull << 63, 1ull << 40, 1ull << 32 };
    return roll(3) ? numbers[roll(sizeof numbers / sizeof *numbers)] : old + roll(64) - 32;
}

/* Tables and blocks with right checksums and wrong numbers: refused, or harmless. */
static void test_hostile_numbers_do_no_harm(void **unused)
{
    (void)unused;
    static const enum weft_section_kind kinds[] = {
        WEFT_SECTION_INDEXES,    WEFT_SECTION_INDEX_BLOCKS,  WEFT_SECTION_INDEX_ROWS,
        WEFT_SECTION_PAIR_TREES, WEFT_SECTION_PAIR_NODES,    WEFT_SECTION_PAIR_ENDS,
        WEFT_SECTION_CLOCKS,     WEFT_SECTION_TRACK_NUMBERS, WEFT_SECTION_TRACKS,
        WEFT_SECTION_DIRECTORY,  WEFT_SECTION_DATA,          WEFT_SECTION_REACH,
    };
    unsigned char *bytes = weft_alloc(size);
    unsigned opened = 0, refused = 0;
    for (int round = 0; round < 1500; round++) {
        memcpy(bytes, original, size);
        struct weft_file_header *header = (struct weft_file_header *)(void *)bytes;
        enum weft_section_kind kind = kinds[(size_t)round % (sizeof kinds / sizeof *kinds)];
        struct weft_file_section *section = &header->sections[kind];
        assert_true(section->size >= 4);
        for (uint64_t k = 1 + roll(3); k-- > 0;) {
            size_t width = roll(2) && section->size >= 8 ? 8 : roll(2) ? 4 : 2;
            size_t at = section->offset + roll(section->size / width) * width;
            uint64_t number = 0;
            memcpy(&number, bytes + at, width);
            number = hostile(number);
            memcpy(bytes + at, &number, width);
        }
        section->checksum = XXH3_64bits(bytes + section->offset, section->size);
        header->checksum = 0;
        header->checksum = XXH3_64bits(header, sizeof *header);
        write_copy(bytes, size);
        struct weft_err err;
        struct weft_trace *trace = weft_trace_open(copy_path, &err);
        if (!trace) {
            assert_int_equal(err.code, WEFT_ERR_FORMAT);
            refused++;
            continue;
        }
        (void)weft_trace_verify(trace, NULL);
        ask_for_more(weft_trace_source(trace));
        struct weft_source *raw = weft_raw_time_new(weft_trace_source(trace));
        if (round % 4 == 0)
            ask_for_more(raw);
        weft_raw_time_free(raw);
        weft_trace_close(trace);
        opened++;
    }
    free(bytes);
    assert_true(opened > 300);
    assert_true(refused > 300);
}

/* Write the copy, its header with a right checksum, and try to open it. */
static void assert_refused(unsigned char *bytes, const char *why)
{
    struct weft_file_header *header = (struct weft_file_header *)(void *)bytes;
    header->checksum = 0;
    header->checksum = XXH3_64bits(header, sizeof *header);
    write_copy(bytes, size);
    struct weft_err err;
    assert_null(weft_trace_open(copy_path, &err));
    assert_int_equal(err.code, WEFT_ERR_FORMAT);
    assert_non_null(strstr(err.message, why));
}

/* What many rows of a table claim for themselves would be read, or copied, once for each. */
static void test_nothing_is_claimed_twice(void **unused)
{
    (void)unused;
    unsigned char *bytes = weft_alloc(size);
    memcpy(bytes, original, size);
    struct weft_file_header *header = (struct weft_file_header *)(void *)bytes;
    struct weft_file_section data = header->sections[WEFT_SECTION_DATA];
    data.checksum = XXH3_64bits(bytes + data.offset, data.size);
    for (int kind = 1; kind < WEFT_SECTION_LIMIT; kind++)
        header->sections[kind] = data;
    assert_refused(bytes, "overlap");

    memcpy(bytes, original, size);
    struct weft_file_section *section = &header->sections[WEFT_SECTION_INDEXES];
    struct weft_file_index *indexes =
        (struct weft_file_index *)(void *)(bytes + section->offset);
    uint64_t n = section->size / sizeof *indexes;
    assert_true(n > 1);
    for (uint64_t i = 0; i < n; i++) {
        indexes[i].first_block = 0;
        indexes[i].n_blocks = header->sections[WEFT_SECTION_INDEX_BLOCKS].size
                              / sizeof(struct weft_file_block);
    }
    section->checksum = XXH3_64bits(indexes, section->size);
    assert_refused(bytes, "contradict");
    free(bytes);
}

/* Tables that answers can do without: each is lost alone, said to be, and the rest is answered. */
static void test_some_tables_may_be_lost(void **unused)
{
    (void)unused;
    static const bool safe[WEFT_SECTION_LIMIT] = {
        [WEFT_SECTION_STRINGS] = true,    [WEFT_SECTION_SITES] = true,
        [WEFT_SECTION_LINK_ENDS] = true,  [WEFT_SECTION_LINK_INDEX] = true,
        [WEFT_SECTION_PROBLEMS] = true,   [WEFT_SECTION_NOTES] = true,
        [WEFT_SECTION_MIPS] = true,       [WEFT_SECTION_SHARE_CHECKSUMS] = true,
        [WEFT_SECTION_INDEXES] = true,    [WEFT_SECTION_INDEX_BLOCKS] = true,
        [WEFT_SECTION_PAIR_TREES] = true, [WEFT_SECTION_PAIR_NODES] = true,
        [WEFT_SECTION_PAIR_ENDS] = true,
    };
    unsigned char *bytes = weft_alloc(size);
    struct weft_file_header header;
    memcpy(&header, original, sizeof header);
    unsigned lost = 0, refused = 0;
    for (int kind = 1; kind < WEFT_SECTION_LIMIT; kind++) {
        const struct weft_file_section *section = &header.sections[kind];
        if (!section->size || kind == WEFT_SECTION_DATA || kind == WEFT_SECTION_SHARES
            || kind == WEFT_SECTION_INDEX_ROWS)
            continue;
        memcpy(bytes, original, size);
        bytes[section->offset + roll(section->size)] ^= 1;
        write_copy(bytes, size);
        struct weft_err err;
        struct weft_trace *trace = weft_trace_open(copy_path, &err);
        assert_int_equal(trace != NULL, safe[kind]);
        if (!trace) {
            assert_non_null(strstr(err.message, "the table of "));
            refused++;
            continue;
        }
        const struct weft_source *source = weft_trace_source(trace);
        struct weft_damage damage;
        ask_everything(source);
        assert_int_equal(source->ops->damage(source, 0, &damage, 1), 1);
        assert_non_null(damage.table);
        assert_int_equal(damage.offset, section->offset);
        assert_int_equal(weft_trace_verify(trace, NULL), 1); /* the blocks are good */
        weft_trace_close(trace);
        lost++;
    }
    free(bytes);
    assert_true(lost >= 9);
    assert_true(refused >= 9);
}

/* An index that can be made again loses its name with the first damage, and only its own name. */
static void test_a_damaged_index_is_thrown_away(void **unused)
{
    (void)unused;
    struct weft_file_header header;
    memcpy(&header, original, sizeof header);
    unsigned char *bytes = weft_alloc(size);
    memcpy(bytes, original, size);
    bytes[header.sections[WEFT_SECTION_DATA].offset + 40] ^= 1;
    for (int replaced = 0; replaced < 2; replaced++) {
        struct weft_err err;
        write_copy(bytes, size);
        struct weft_trace *trace = weft_trace_open(copy_path, &err);
        assert_non_null(trace);
        weft_trace_expendable(trace, copy_path);
        if (replaced) { /* somebody made it again meanwhile */
            unlink(copy_path);
            close(open(copy_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        }
        assert_int_equal(access(copy_path, F_OK), 0);
        assert_true(weft_trace_verify(trace, NULL) > 0);
        assert_int_equal(access(copy_path, F_OK), replaced ? 0 : -1);
        weft_trace_close(trace);
        if (!replaced)
            close(open(copy_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    }
    free(bytes);
}

static void test_cut_files_are_refused(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < size; n += 1 + size / 97) {
        write_copy(original, n);
        struct weft_err err;
        assert_null(weft_trace_open(copy_path, &err));
        assert_int_equal(err.code, WEFT_ERR_FORMAT);
    }
}

static void test_a_good_file_has_no_damage(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    assert_int_equal(weft_trace_verify(trace, NULL), 0);
    ask_everything(weft_trace_source(trace));
    weft_trace_close(trace);
}

static void test_what_is_no_store_is_refused(void **unused)
{
    (void)unused;
    struct weft_err err;
    assert_null(weft_trace_open("/nonexistent/x.weft", &err));
    assert_int_equal(err.code, WEFT_ERR_READ);
    write_copy((const unsigned char *)"%EventDef", 9);
    assert_null(weft_trace_open(copy_path, &err));
    assert_int_equal(err.code, WEFT_ERR_FORMAT);
    unsigned char *bytes = weft_alloc(size);
    memcpy(bytes, original, size);
    bytes[8] = 99; /* another version: said so, whatever the checksum */
    write_copy(bytes, size);
    assert_null(weft_trace_open(copy_path, &err));
    assert_non_null(strstr(err.message, "version 99"));
    free(bytes);
}

static void test_an_empty_trace_opens(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(copy_path, "test", &err);
    struct weft_trace *trace = small_store_open(b, copy_path);
    assert_int_equal(weft_trace_schema(trace)->n_containers, 1);
    assert_int_equal(weft_trace_schema(trace)->span.begin, 0);
    assert_int_equal(weft_trace_schema(trace)->span.end, 0);
    ask_everything(weft_trace_source(trace));
    weft_trace_close(trace);
}

/*
 * Somebody writes over the file, or cuts it, while it is open: whatever is there now, what is
 * asked has an answer, and it is known that the answer counts for nothing.
 */
static void test_a_file_that_changes_while_open_does_no_harm(void **unused)
{
    (void)unused;
    struct weft_err err;
    unsigned char *bytes = weft_alloc(size);
    for (int round = 0; round < 16; round++) {
        write_copy(original, size);
        struct weft_trace *trace = weft_trace_open(copy_path, &err);
        assert_non_null(trace);
        if (round % 3 == 1)
            ask_everything(weft_trace_source(trace)); /* blocks may be believed by now */
        assert_true(weft_trace_intact(trace, &err));
        size_t n = round % 2 ? size : (size_t)roll((int)size);
        for (size_t i = 0; i < size; i++)
            bytes[i] = round % 4 < 2 ? (unsigned char)roll(256) : original[size - 1 - i];
        write_copy(bytes, n);
        ask_everything(weft_trace_source(trace));
        weft_trace_verify(trace, NULL);
        assert_false(weft_trace_intact(trace, &err));
        assert_int_equal(err.code, WEFT_ERR_READ);
        weft_trace_close(trace);
    }
    free(bytes);
}

/* Also when what stands at its begin and its size are as they were. */
static void test_a_file_that_is_written_over_in_its_middle(void **unused)
{
    (void)unused;
    struct weft_err err;
    write_copy(original, size);
    struct weft_trace *trace = weft_trace_open(copy_path, &err);
    assert_non_null(trace);
    ask_everything(weft_trace_source(trace));
    assert_true(weft_trace_intact(trace, &err));
    /* The times of files have the steps of the system's clock, some milliseconds. */
    nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
    int fd = open(copy_path, O_WRONLY);
    unsigned char other = (unsigned char)~original[size / 2];
    assert_int_equal(pwrite(fd, &other, 1, (off_t)(size / 2)), 1);
    close(fd);
    assert_false(weft_trace_intact(trace, &err));
    assert_int_equal(err.code, WEFT_ERR_READ);
    weft_trace_close(trace);
}

/* Times are such that the difference of any two is an int64_t; nothing else gets into a store. */
static void test_times_have_limits(void **unused)
{
    (void)unused;
    static const struct {
        int64_t time;
        bool fits;
    } cases[] = { { (INT64_C(1) << 62) - 1, true },
                  { INT64_C(1) << 62, false },
                  { -(INT64_C(1) << 62), true },
                  { -(INT64_C(1) << 62) - 1, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_err err;
        struct weft_builder *b = weft_builder_new(copy_path, "test", &err);
        uint32_t mark = add_type(b, WEFT_EVENT, 0, "e", WEFT_ROLE_NONE);
        (void)!weft_builder_event(b, weft_builder_track(b, 0, mark), cases[i].time,
                                  WEFT_NONE, NULL, 0, NULL);
        assert_int_equal(weft_builder_finish(b, NULL, &err), cases[i].fits);
        if (!cases[i].fits)
            assert_int_equal(err.code, WEFT_ERR_LIMIT);
    }
}

/* A reader may see a field of an event twice: the last value counts, and the store is whole. */
static void test_a_field_given_twice_is_kept_once(void **unused)
{
    (void)unused;
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(copy_path, "test", &err);
    uint32_t mark = add_type(b, WEFT_EVENT, 0, "e", WEFT_ROLE_NONE);
    uint32_t field = weft_builder_field(b, mark, "f", WEFT_FIELD_INTEGER);
    uint32_t track = weft_builder_track(b, 0, mark);
    for (int64_t i = 0; i < 600; i++) {
        struct weft_field_value twice[] = { { field, { .integer = -1 } },
                                            { field, { .integer = i } } };
        (void)!weft_builder_event(b, track, i, WEFT_NONE, twice, 2, NULL);
    }
    struct weft_trace *trace = small_store_open(b, copy_path);
    assert_int_equal(weft_trace_verify(trace, NULL), 0);
    const struct weft_source *source = weft_trace_source(trace);
    for (uint64_t i = 0; i < 600; i += 7) {
        struct weft_field_value values[2];
        assert_int_equal(source->ops->fields(source, weft_entity_id(0, i), values, 2), 1);
        assert_int_equal(values[0].integer, i);
    }
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flipped_bytes_are_found),
        cmocka_unit_test(test_hostile_numbers_do_no_harm),
        cmocka_unit_test(test_nothing_is_claimed_twice),
        cmocka_unit_test(test_some_tables_may_be_lost),
        cmocka_unit_test(test_a_damaged_index_is_thrown_away),
        cmocka_unit_test(test_cut_files_are_refused),
        cmocka_unit_test(test_a_good_file_has_no_damage),
        cmocka_unit_test(test_what_is_no_store_is_refused),
        cmocka_unit_test(test_an_empty_trace_opens),
        cmocka_unit_test(test_a_file_that_changes_while_open_does_no_harm),
        cmocka_unit_test(test_a_file_that_is_written_over_in_its_middle),
        cmocka_unit_test(test_times_have_limits),
        cmocka_unit_test(test_a_field_given_twice_is_kept_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
