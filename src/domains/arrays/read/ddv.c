/* SPDX-License-Identifier: Apache-2.0 */
/* Reads traces of distributed arrays.  The sizes of arrays and arrangements are known at
   the end, so records are kept until then. */
#include "domains/arrays/read/ddv_priv.h"

#include <stdlib.h>
#include <string.h>

#include "read/split_lines.h"
#include "store/build/spill.h"

enum {
    LONGEST = 4096,  /* bytes of a line that are parsed */
    STRIDE = 1 << 12 /* records between two checks of the job while patterns are joined */
};

struct ddv_parser {
    struct weft_builder *builder;
    const char *folder;
    struct weft_spill records;
    uint64_t line, n_records, faults;
    bool says_something;    /* the last line is a reference, or a fault */
    struct ddv_sizes sizes; /* sizes given, or large enough for all records */
};

static void grow(uint64_t *size, uint64_t index)
{
    if (*size <= index)
        *size = index + 1;
}

static void keep(struct ddv_parser *parser, const struct ddv_record *record)
{
    grow(&parser->sizes.rows, record->row);
    grow(&parser->sizes.columns, record->column);
    for (int i = 0; i < 2; i++) {
        grow(&parser->sizes.processors[i], record->processor[i]);
        if (record->asked)
            grow(&parser->sizes.processors[i], record->requester[i]);
    }
    weft_spill_append(&parser->records, parser->folder, record, sizeof *record);
    parser->n_records++;
}

static bool read_line(void *user, const char *at, const char *end, struct weft_err *err)
{
    struct ddv_parser *parser = user;
    size_t n = (size_t)(end - at);
    struct ddv_record record;
    struct ddv_sizes sizes;
    const char *fault = "the line is too long";
    uint64_t before = parser->n_records + parser->faults;
    parser->line++;
    switch (n >= LONGEST ? DDV_FAULT : ddv_read_line(at, n, &record, &sizes, &fault)) {
    case DDV_RECORD: keep(parser, &record); break;
    case DDV_SIZES:
        if (!parser->n_records && !parser->sizes.name[0])
            parser->sizes = sizes;
        break;
    case DDV_NOTHING: break;
    case DDV_FAULT:
        parser->faults++;
        weft_builder_problem(parser->builder, WEFT_ERROR, "bad-reference", parser->line,
                             "%s; the line is left out", fault);
        break;
    }
    parser->says_something = parser->n_records + parser->faults > before;
    (void)err;
    return true;
}

static bool begun(void *user)
{
    return ((struct ddv_parser *)user)->n_records > 0;
}

static bool read_lines(struct ddv_parser *parser, struct weft_input *input,
                       struct weft_job *job, struct weft_err *err)
{
    const struct weft_line_receiver receiver = { parser, LONGEST, read_line, begun };
    struct weft_lines_end end;
    if (!weft_split_lines(input, &receiver, &end, job, err))
        return false;
    if (end.damage.code != WEFT_OK)
        weft_builder_problem(parser->builder, WEFT_ERROR, "damaged",
                             parser->line - (end.unfinished > 0), "%s", end.damage.message);
    else if (end.unfinished && parser->says_something)
        weft_builder_problem(parser->builder, WEFT_WARNING, "unfinished-line", parser->line,
                             "the last line has no end (%zu bytes): the trace may be "
                             "cut in what it says last",
                             end.unfinished);
    return true;
}

/* ---- Into the store ---- */

static uint64_t processor(const struct ddv_parser *parser, const uint16_t *at)
{
    return at[0] * parser->sizes.processors[1] + at[1];
}

static uint32_t new_type(struct weft_builder *builder, const char *name,
                         enum weft_role role)
{
    return weft_builder_type(builder, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                                           .name = name,
                                                           .role = role,
                                                           .start_type = WEFT_NONE,
                                                           .end_type = WEFT_NONE });
}

static void write_record(const struct ddv_parser *parser,
                         struct weft_profile_writer *writer,
                         const struct ddv_record *record)
{
    struct weft_pattern pattern = {
        .step = record->time,
        .owner_array = WEFT_NONE,
        .operation = record->write ? WEFT_REFERENCE_WRITE : WEFT_REFERENCE_READ,
        .site = WEFT_NONE,
        .owner_processor = (int64_t)processor(parser, record->processor),
        .requester_processor =
            record->asked ? (int64_t)processor(parser, record->requester) : -1,
        .local = record->local,
        .times = 1,
        .element = record->row * parser->sizes.columns + record->column,
        .extent = { 1, 1, 1, 1 },
    };
    if (!weft_profile_writer_add(writer, &pattern))
        weft_builder_problem(parser->builder, WEFT_ERROR, "too-large", 0,
                             "a reference to (%u,%u) has no place in the profile",
                             record->row, record->column);
}

static bool write_profile(struct ddv_parser *parser, struct weft_job *job,
                          struct weft_err *err)
{
    struct ddv_sizes *sizes = &parser->sizes;
    uint64_t size;
    const struct ddv_record *records = weft_spill_read(&parser->records, &size, err);
    if (!records)
        return false;
    if (sizes->processors[0] * sizes->processors[1] > WEFT_PROFILE_PROCESSORS)
        return weft_fail(err, WEFT_ERR_LIMIT,
                         "there are more than %d processors (%llu x %llu)",
                         WEFT_PROFILE_PROCESSORS, (unsigned long long)sizes->processors[0],
                         (unsigned long long)sizes->processors[1]);
    uint32_t type = new_type(parser->builder, "Run", WEFT_ROLE_PROCESS);
    uint32_t run = weft_builder_container(parser->builder, type, 0, "run", NULL, 0);
    struct weft_profile_writer *writer =
        weft_profile_writer_new(parser->builder, run, type);
    const struct weft_array array = {
        .name = sizes->name[0] ? sizes->name : "array",
        .rank = 2,
        .shape = { sizes->rows ? sizes->rows : 1, sizes->columns ? sizes->columns : 1 },
        .element_bytes = 8,
        .arrangement_rank = sizes->processors[0] ? 2 : 0,
        .arrangement = { sizes->processors[0], sizes->processors[1] },
    };
    if (weft_profile_writer_array(writer, &array, 0) == WEFT_NONE) {
        weft_profile_writer_abandon(writer);
        return weft_fail(err, WEFT_ERR_LIMIT, "the array is too large (%llu x %llu)",
                         (unsigned long long)sizes->rows,
                         (unsigned long long)sizes->columns);
    }
    for (uint64_t i = 0; i < parser->n_records; i++) {
        if (i % STRIDE == 0 && !weft_job_step(job, i, parser->n_records, err)) {
            weft_profile_writer_abandon(writer);
            return false;
        }
        write_record(parser, writer, &records[i]);
    }
    return weft_profile_writer_finish(writer, job, err);
}

static bool read_ddv(struct weft_input *input, const struct weft_read_options *options,
                     const char *store_path, struct weft_job *job, struct weft_err *err)
{
    /* Seconds: step n lasts from second n to n + 1, so --at n selects step n. */
    int decimals = weft_time_unit_decimals(options, 0, err);
    struct ddv_parser parser = { 0 };
    if (decimals < 0)
        return false;
    parser.builder = weft_builder_new(store_path, "ddv", err);
    if (!parser.builder)
        return false;
    parser.folder = weft_builder_folder(parser.builder);
    weft_spill_init(&parser.records);
    weft_builder_resolution(parser.builder, weft_decimal_ticks(decimals), 1);
    bool ok = read_lines(&parser, input, job, err) && write_profile(&parser, job, err);
    weft_spill_free(&parser.records);
    if (!ok) {
        weft_builder_abandon(parser.builder);
        return false;
    }
    weft_builder_records(parser.builder, parser.n_records + parser.faults);
    weft_input_tell(input, parser.builder);
    return weft_builder_finish(parser.builder, job, err);
}

/* Recognizes the format by a reference or the line with sizes among the first lines. */
static int probe(const unsigned char *head, size_t size)
{
    enum { LOOKED_AT = 100 /* lines */ };
    const char *at = (const char *)head, *end = at + size;
    struct ddv_record record;
    struct ddv_sizes sizes;
    const char *fault;
    for (int i = 0; i < LOOKED_AT && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        enum ddv_line line =
            ddv_read_line(at, (size_t)(stop - at), &record, &sizes, &fault);
        if (line == DDV_SIZES || line == DDV_RECORD)
            return i == 0 ? 90 : 40;
        at = newline ? newline + 1 : end;
    }
    return 0;
}

const struct weft_reader weft_reader_ddv = {
    .name = "ddv",
    .description = "trace of references to a distributed array",
    .probe = probe,
    .read = read_ddv,
};
