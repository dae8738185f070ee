/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing in a file is believed.  Flipped bytes anywhere must either be refused at opening, or
 * be found by verify, or be harmless padding; asking such a trace everything must not crash,
 * hang or leak (run under sanitizers).  Cut files are refused.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "store/builder.h"
#include "store/trace.h"

static char path[] = "/tmp/weft-damage-test.XXXXXX";
static char copy_path[] = "/tmp/weft-damage-copy.XXXXXX";
static unsigned char *original;
static size_t size;

static uint64_t seed = 42424242u;
static uint64_t roll(uint64_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % limit;
}

static int set_up(void **state)
{
    (void)state;
    struct weft_err err;
    close(mkstemp(path));
    close(mkstemp(copy_path));
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    uint32_t run =
        weft_builder_type(b, &(struct weft_type){ .kind = WEFT_STATE, .name = "s" });
    uint32_t mark =
        weft_builder_type(b, &(struct weft_type){ .kind = WEFT_EVENT, .name = "e" });
    uint32_t load =
        weft_builder_type(b, &(struct weft_type){ .kind = WEFT_VARIABLE, .name = "v" });
    uint32_t link =
        weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK, .name = "l" });
    uint32_t number = weft_builder_field(b, run, "n", WEFT_FIELD_INTEGER);
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
            (void)!weft_builder_push(b, states, i * 10, values[roll(3)], &field, 1, NULL);
            depth++;
        } else if (depth) {
            (void)!weft_builder_pop(b, states, i * 10, NULL);
            depth--;
        }
        (void)!weft_builder_event(b, events, i * 11, WEFT_NONE, NULL, 0, NULL);
        (void)!weft_builder_sample(b, samples, i * 12, (double)i * 0.3);
        weft_builder_link(b,
                          &(struct weft_link){ .type = link,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .begin = i,
                                               .end = i + 5,
                                               .from_entity = WEFT_NO_ID,
                                               .to_entity = WEFT_NO_ID },
                          NULL, 0);
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

static void ask_everything(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    struct weft_span span = schema->span, part = { span.begin + 7777, span.begin + 33333 };
    struct weft_sum *sums = weft_zalloc(schema->n_values, sizeof *sums);
    float *shares = weft_alloc(100 * WEFT_MOST_SLOTS * sizeof *shares);
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
    assert_true(weft_builder_finish(b, NULL, &err));
    struct weft_trace *trace = weft_trace_open(copy_path, &err);
    assert_non_null(trace);
    assert_int_equal(weft_trace_schema(trace)->n_containers, 1);
    assert_int_equal(weft_trace_schema(trace)->span.begin, 0);
    assert_int_equal(weft_trace_schema(trace)->span.end, 0);
    ask_everything(weft_trace_source(trace));
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flipped_bytes_are_found),
        cmocka_unit_test(test_cut_files_are_refused),
        cmocka_unit_test(test_a_good_file_has_no_damage),
        cmocka_unit_test(test_what_is_no_store_is_refused),
        cmocka_unit_test(test_an_empty_trace_opens),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
