/* SPDX-License-Identifier: Apache-2.0 */
/* Reads VISTA traces: splits lines and parses records. */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/read/vista_priv.h"
#include "read/split_lines.h"

enum {
    /* Most bytes of a line: ten times what six numbers need. */
    LONGEST = 4096,
    NUMBERS = 6,     /* numbers of a record */
    MAX_PES = 65535, /* as many as a tree has rows (WEFT_TREE_MAX_PES) */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Parses an integer and moves *AT past the word. False when it is no integer of 63 bits. */
static bool parse_integer(const char **at, const char *end, int64_t *out)
{
    const char *c = *at;
    bool minus = c < end && *c == '-';
    c += minus;
    const char *first = c;
    uint64_t number = 0;
    while (c < end && (unsigned char)(*c - '0') < 10 && c - first < 19)
        number = number * 10 + (uint64_t)(*c++ - '0');
    bool ok = c > first && (c == end || is_blank(*c)) && number <= INT64_MAX;
    while (c < end && !is_blank(*c))
        c++;
    *at = c;
    *out = !ok ? 0 : minus ? -(int64_t)number : (int64_t)number;
    return ok;
}

/*
 * Parses the first NUMBERS words of a line as integers; returns the number of words. *BAD
 * is the number of the first word, from 1, that is no integer; 0: all are.
 */
static size_t parse_line(const char *at, const char *end, int64_t *numbers, size_t *bad)
{
    size_t n = 0;
    *bad = 0;
    for (;;) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            return n;
        int64_t number;
        if (!parse_integer(&at, end, &number) && !*bad)
            *bad = n + 1;
        if (n < NUMBERS)
            numbers[n] = number;
        n++;
    }
}

struct vista_parser {
    struct vista_import vista;
    bool begun;              /* the first valid record was read */
    bool headed;             /* the first line was read */
    uint32_t records_before; /* vista.records when the last line began */
    const char *path;
};

static bool read_head(struct vista_parser *parser, const char *at, const char *end,
                      struct weft_err *err)
{
    int64_t numbers[NUMBERS];
    size_t bad, n = parse_line(at, end, numbers, &bad);
    if (n != 1 || bad || numbers[0] < 1)
        return weft_fail_at(err, WEFT_ERR_FORMAT, parser->path, 1,
                            "the first line of a VISTA trace is the number of PEs");
    if (numbers[0] > MAX_PES)
        return weft_fail_at(err, WEFT_ERR_LIMIT, parser->path, 1,
                            "%lld PEs are more than Weft reads (%d)", (long long)numbers[0],
                            MAX_PES);
    parser->headed = true;
    parser->vista.n_pes = (size_t)numbers[0];
    parser->vista.pes = weft_zalloc(parser->vista.n_pes, sizeof *parser->vista.pes);
    return true;
}

static void read_record(struct vista_parser *parser, const char *at, const char *end)
{
    int64_t numbers[NUMBERS];
    size_t bad, n = parse_line(at, end, numbers, &bad);
    if (n == 0)
        return; /* an empty line */
    parser->vista.records++;
    if (n != NUMBERS) {
        vista_report(&parser->vista, VISTA_FAULT_LINE, parser->vista.line, (int64_t)n,
                     NUMBERS);
        return;
    }
    if (bad) {
        vista_report(&parser->vista, VISTA_FAULT_NUMBER, parser->vista.line, (int64_t)bad,
                     63);
        return;
    }
    if (!parser->begun)
        vista_begin(&parser->vista, weft_time_clamp(numbers[0]));
    parser->begun = true;
    vista_add(&parser->vista, &(struct vista_record){ numbers[0], numbers[1], numbers[2],
                                                      numbers[3], numbers[4], numbers[5] });
}

static bool read_line(void *user, const char *at, const char *end, struct weft_err *err)
{
    struct vista_parser *parser = user;
    parser->vista.line++;
    parser->records_before = parser->vista.records;
    if (!parser->headed)
        return read_head(parser, at, end, err);
    if (end - at >= LONGEST) {
        parser->vista.records++;
        vista_report(&parser->vista, VISTA_FAULT_LONG_LINE, parser->vista.line, end - at,
                     LONGEST);
        return true;
    }
    read_record(parser, at, end);
    return true;
}

static bool begun(void *user)
{
    return ((struct vista_parser *)user)->headed;
}

static bool read_lines(struct vista_parser *parser, struct weft_input *input,
                       struct weft_job *job, struct weft_err *err)
{
    const struct weft_line_receiver receiver = { parser, LONGEST, read_line, begun };
    struct vista_import *vista = &parser->vista;
    struct weft_lines_end end;
    if (!weft_split_lines(input, &receiver, &end, job, err))
        return false;
    if (!parser->headed && !read_line(parser, "", "", err)) /* the text is empty */
        return false;
    if (end.damage.code != WEFT_OK)
        vista_report(vista, VISTA_FAULT_DAMAGED, vista->line - (end.unfinished > 0),
                     end.unfinished ? parser->records_before : vista->records,
                     (int64_t)end.unfinished);
    else if (end.unfinished && vista->records > parser->records_before)
        vista_report(vista, VISTA_FAULT_UNFINISHED, vista->line, (int64_t)end.unfinished,
                     parser->records_before);
    return true;
}

static bool read_vista(struct weft_input *input, const struct weft_read_options *options,
                       const char *store_path, struct weft_job *job, struct weft_err *err)
{
    struct vista_program program = { 0 };
    const char *source = weft_read_option(options, "source");
    /* Microseconds: the only unit that fits figure 11 of Park 1991. */
    int decimals = weft_time_unit_decimals(options, 6, err);
    if (decimals < 0 || (source && !vista_program_read(&program, source, err)))
        return false;
    struct weft_builder *builder = weft_builder_new(store_path, "vista", err);
    if (!builder) {
        vista_program_free(&program);
        return false;
    }
    weft_builder_resolution(builder, weft_decimal_ticks(decimals), 1);
    struct vista_parser parser = { .vista = { .builder = builder,
                                              .program = source ? &program : NULL,
                                              .source = source },
                                   .path = weft_input_path(input) };
    bool ok = read_lines(&parser, input, job, err);
    if (ok && !parser.begun) {
        vista_begin(&parser.vista, 0);
        vista_report(&parser.vista, VISTA_FAULT_EMPTY, 0, 0, (int64_t)parser.vista.n_pes);
    }
    if (ok) {
        vista_end(&parser.vista);
        weft_builder_records(builder, parser.vista.records);
        weft_input_tell(input, builder);
        if (source)
            weft_builder_note(builder, "program", source);
        ok = weft_builder_finish(builder, job, err);
    } else {
        weft_builder_abandon(builder);
    }
    vista_free(&parser.vista);
    vista_program_free(&program);
    return ok;
}

/*
 * Returns true for six numbers that may be a record: the PE exists, and the index is at
 * least 1.
 */
static bool is_record(const char *at, const char *end, int64_t n_pes)
{
    int64_t numbers[NUMBERS];
    size_t bad;
    return end - at < LONGEST && parse_line(at, end, numbers, &bad) == NUMBERS && !bad
           && numbers[2] >= 0 && numbers[2] < n_pes && numbers[3] >= 1;
}

/*
 * A VISTA trace has a single number on the first line, and then a record; damaged traces
 * may have it up to LOOKED_AT lines later.
 */
static int probe(const unsigned char *head, size_t size)
{
    enum { LOOKED_AT = 100 /* lines */ };
    const char *at = (const char *)head, *end = at + size;
    const char *newline = memchr(at, '\n', size);
    int64_t numbers[NUMBERS];
    size_t bad;
    if (!newline || newline - at > 64 || parse_line(at, newline, numbers, &bad) != 1 || bad)
        return 0;
    for (int i = 0; i < LOOKED_AT && newline; i++) {
        at = newline + 1;
        newline = memchr(at, '\n', (size_t)(end - at));
        if (is_record(at, newline ? newline : end, numbers[0]))
            return i == 0 ? 90 : 40;
    }
    return 0;
}

static const struct weft_reader_option option = {
    .name = "source",
    .argument = "FILE",
    .help = "the program that a VISTA trace was made with",
    .is_setting = true,
    .is_file = true,
};

const struct weft_reader weft_reader_vista = {
    .name = "vista",
    .description = "VISTA trace of reductions",
    .probe = probe,
    .read = read_vista,
    .options = &option,
    .n_options = 1,
};
