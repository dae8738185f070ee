/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a PICL trace, several times if need be.  The first pass assumes that times have at
 * most 9 digits behind the point and that each node's records are in order.  When that
 * turns out wrong, the pass only surveys the rest of the file, and the next one knows
 * better.
 */
#include <stdlib.h>
#include <string.h>

#include "base/radix_sort.h"
#include "domains/messages/read/picl_priv.h"
#include "store/build/spill.h"

enum {
    BLOCK = 1 << 22, /* bytes that are read at a time */
    /* bytes of a line: five times what the members of a group of 16,384 take */
    LONGEST = 1 << 19,
    /* bytes behind a line's end that must be readable, its newline among them */
    BEYOND = 16,
    DIGITS = 9, /* behind the point: nanoseconds, unless times have more */
    MAX_DIGITS = 15,
};

struct picl_parser {
    struct picl_import picl;
    struct picl_survey survey;
    struct paje_clock clock;
    enum picl_order order; /* of the file, from earlier passes */
    bool surveys;          /* this pass failed, and only surveys for the next one */
    uint64_t line, lines_with_records;
    /* The lines of an unsorted file, and where each is, by time. */
    struct weft_spill text;
    struct weft_sort_item *items;
    size_t n_items, item_capacity;
    uint64_t text_size;
};

struct kept_line { /* precedes the bytes of a line */
    uint64_t line;
    uint32_t length;
};

/* ---- Lines ---- */

static void keep(struct picl_parser *parser, const char *at, const char *end, int64_t time)
{
    struct kept_line head = { parser->line, (uint32_t)(end - at) };
    parser->items = weft_grow(parser->items, &parser->item_capacity, parser->n_items + 1,
                              sizeof *parser->items);
    parser->items[parser->n_items++] =
        (struct weft_sort_item){ (uint64_t)time ^ UINT64_C(1) << 63, parser->text_size };
    const char *folder = weft_builder_folder(parser->picl.builder);
    weft_spill_append(&parser->text, folder, &head, sizeof head);
    weft_spill_append(&parser->text, folder, at, head.length);
    parser->text_size += sizeof head + head.length;
}

static void report(struct picl_parser *parser, enum picl_fault fault, int64_t first,
                   int64_t second)
{
    if (parser->surveys)
        return;
    picl_batch_end(&parser->picl); /* its faults come first */
    picl_report(&parser->picl, fault, parser->line, first, second);
}

/* Counts the records that were read, those in the batch among them. */
static int64_t records_so_far(const struct picl_parser *parser)
{
    return (int64_t)(parser->picl.records + parser->picl.batch.n);
}

/*
 * Takes a record into the survey, and reports what is wrong with its place.  Returns false
 * if this pass has failed.
 */
static bool in_order(struct picl_parser *parser, struct picl_record *record)
{
    int32_t before = parser->survey.node;
    enum picl_step step = picl_survey_add(&parser->survey, record);
    if (step == PICL_STEP_ON)
        return true;
    if ((step == PICL_STEP_BACK && parser->order != PICL_UNSORTED)
        || (step == PICL_STEP_NEW && parser->order == PICL_IN_ORDER))
        return false;
    if (step == PICL_STEP_NEW)
        report(parser, PICL_FAULT_CONCATENATED, record->node, parser->survey.epoch);
    else
        report(parser, PICL_FAULT_UNSORTED, record->node,
               before < 0 ? record->node : before);
    return true;
}

static void add_record(struct picl_parser *parser, struct picl_record *record,
                       const char *at, const char *end)
{
    parser->lines_with_records++;
    if (!in_order(parser, record))
        parser->surveys = true;
    if (parser->clock.wanted > parser->clock.decimals
        || parser->clock.most < parser->clock.decimals)
        parser->surveys = true;
    if (parser->surveys)
        return;
    if (parser->order == PICL_UNSORTED)
        keep(parser, at, end, record->time);
    else
        picl_batch_add(&parser->picl, record);
}

static void parse_line(struct picl_parser *parser, const char *at, const char *end,
                       bool whole)
{
    static const enum picl_fault faults[] = {
        [PICL_BAD_WORDS] = PICL_FAULT_RECORD,
        [PICL_BAD_NUMBER] = PICL_FAULT_NUMBER,
        [PICL_BAD_TIME] = PICL_FAULT_TIME,
        [PICL_MANY_WORDS] = PICL_FAULT_MORE_WORDS,
    };
    parser->line++;
    int64_t length = end - at, records = records_so_far(parser);
    if (length >= LONGEST) {
        report(parser, PICL_FAULT_LONG_LINE, LONGEST, records);
        return;
    }
    struct picl_record record = { .line = parser->line };
    enum picl_lexed lexed = picl_lex(&parser->clock, at, end, &record);
    if (!whole && record.untyped)
        lexed = PICL_BAD_WORDS; /* the missing word may be the last value, not the type */
    bool cut = !whole && lexed >= PICL_BAD_WORDS && lexed != PICL_MANY_WORDS;
    if (lexed >= PICL_BAD_WORDS)
        report(parser, cut ? PICL_FAULT_CUT : faults[lexed], length, records);
    bool taken = lexed == PICL_RECORD || lexed == PICL_MANY_WORDS;
    if (!whole && taken)
        report(parser, PICL_FAULT_UNFINISHED, length, records);
    if (record.rounded)
        report(parser, PICL_FAULT_ROUNDED, parser->clock.decimals, length);
    if (taken)
        add_record(parser, &record, at, end);
}

/*
 * Takes all whole lines up to END, and returns where the last one ends.  A newline is
 * written at END.
 */
static const char *parse_lines(struct picl_parser *parser, const char *at, char *end)
{
    *end = '\n';
    for (;;) {
        struct picl_record record;
        const char *newline = picl_lex_quick(&parser->clock, at, &record);
        if (newline && newline < end && newline - at < LONGEST) {
            record.line = ++parser->line;
            add_record(parser, &record, at, newline);
        } else {
            newline = memchr(at, '\n', (size_t)(end - at));
            if (!newline)
                return at;
            parse_line(parser, at, newline, true);
        }
        at = newline + 1;
    }
}

/*
 * Reads SIZE bytes, fewer only at the end, so that blocks, and with them batches, depend on
 * nothing but the text.  *MORE tells whether the end was not reached.  On an error ERR is
 * set and the bytes before it are returned.
 */
static size_t fill(struct weft_input *input, char *buffer, size_t size, bool *more,
                   struct weft_err *err)
{
    size_t n = 0;
    int64_t got = 1;
    while (n < size && got > 0) {
        got = weft_input_read(input, buffer + n, size - n, err);
        n += got > 0 ? (size_t)got : 0;
    }
    *more = got > 0;
    return n;
}

/*
 * Splits the input into lines; the rest behind the last newline of a block moves to the
 * front of the next block.  Damaged compression is a problem of the trace; any other error
 * ends reading.
 */
static bool read_lines(struct picl_parser *parser, struct weft_input *input,
                       struct weft_job *job, struct weft_err *err)
{
    char *buffer = weft_zalloc(BLOCK + BEYOND, 1);
    size_t kept = 0;
    bool ok = true;
    for (bool more = true; ok && more;) {
        if (kept > LONGEST)
            kept = LONGEST; /* the line is too long: drop its middle */
        struct weft_err damage = { 0 };
        size_t got = fill(input, buffer + kept, BLOCK - kept, &more, &damage);
        char *end = buffer + kept + got;
        if (damage.code != WEFT_OK && damage.code != WEFT_ERR_FORMAT) {
            ok = false;
            if (err)
                *err = damage;
        }
        const char *at = ok ? parse_lines(parser, buffer, end) : end;
        kept = (size_t)(end - at);
        if (damage.code == WEFT_ERR_FORMAT)
            report(parser, PICL_FAULT_DAMAGED, records_so_far(parser), (int64_t)kept);
        if (ok && !more && kept)
            parse_line(parser, at, end, false);
        picl_batch_end(&parser->picl); /* their texts are in the buffer */
        memmove(buffer, at, kept);
        ok = ok && weft_job_step(job, weft_input_taken(input), weft_input_size(input), err);
    }
    free(buffer);
    return ok;
}

/* ---- Sorting ---- */

/* Adds the kept lines in order of time, lines of equal times in the order of the file. */
static bool replay(struct picl_parser *parser, struct weft_job *job, struct weft_err *err)
{
    enum { STRIDE = 1 << 12 /* records between two looks at the job, a millisecond */ };
    bool ok = true;
    uint64_t size;
    const char *text = weft_spill_read(&parser->text, &size, err);
    if (!text)
        return false;
    char *line = weft_zalloc(LONGEST + BEYOND, 1);
    weft_sort(parser->items, parser->n_items);
    for (size_t i = 0; i < parser->n_items && ok; i++) {
        if (i % STRIDE == 0)
            ok = weft_job_step(job, i, parser->n_items, err);
        struct kept_line head;
        memcpy(&head, text + parser->items[i].payload, sizeof head);
        memcpy(line, text + parser->items[i].payload + sizeof head, head.length);
        line[head.length] = '\n';
        struct picl_record record = { .line = head.line };
        enum picl_lexed lexed = picl_lex(&parser->clock, line, line + head.length, &record);
        if (lexed == PICL_RECORD || lexed == PICL_MANY_WORDS)
            picl_add(&parser->picl, &record);
    }
    free(line);
    return ok;
}

/* ---- Readings ---- */

/* Makes the processors that the first bytes of the file name, in order of their numbers. */
static void make_first_processors(struct picl_parser *parser, struct weft_input *input)
{
    const unsigned char *head;
    size_t size = weft_input_peek(input, &head);
    char *copy = weft_zalloc(size + BEYOND, 1);
    if (size)
        memcpy(copy, head, size);
    struct paje_clock clock = parser->clock;
    const char *at = copy, *end = copy + size;
    int64_t first = INT64_MAX;
    struct weft_sort_item *nodes = NULL;
    size_t n = 0, capacity = 0;
    for (const char *newline; (newline = memchr(at, '\n', (size_t)(end - at)));
         at = newline + 1) {
        struct picl_record record;
        if (newline - at >= LONGEST || picl_lex(&clock, at, newline, &record) != PICL_RECORD
            || record.node < 0)
            continue;
        first = record.time < first ? record.time : first;
        if (n && nodes[n - 1].key == (uint64_t)record.node)
            continue;
        nodes = weft_grow(nodes, &capacity, n + 1, sizeof *nodes);
        nodes[n++] = (struct weft_sort_item){ (uint64_t)record.node, 0 };
    }
    parser->picl.begin = n ? first : 0;
    if (n)
        weft_sort(nodes, n);
    for (size_t i = 0; i < n; i++)
        picl_processor(&parser->picl, (int32_t)nodes[i].key, first);
    free(nodes);
    free(copy);
}

static bool finish(struct picl_parser *parser, struct weft_input *input,
                   struct weft_job *job, struct weft_err *err)
{
    struct weft_builder *builder = parser->picl.builder;
    if (parser->order == PICL_UNSORTED && !replay(parser, job, err)) {
        weft_builder_abandon(builder);
        return false;
    }
    picl_end(&parser->picl);
    if (!parser->picl.records)
        picl_report(&parser->picl, PICL_FAULT_EMPTY, 0, 0, (int64_t)parser->line);
    weft_input_tell(input, builder);
    return weft_builder_finish(builder, job, err);
}

/*
 * Reads the file once into a new store.  If *AGAIN, that failed, and CLOCK and ORDER are
 * better now.
 */
static bool attempt(struct weft_input *input, struct paje_clock *clock,
                    enum picl_order *order, const char *store_path, bool *again,
                    struct weft_job *job, struct weft_err *err)
{
    struct weft_builder *builder = weft_builder_new(store_path, "picl", err);
    if (!builder)
        return false;
    weft_builder_resolution(builder, weft_decimal_ticks(clock->decimals), 1);
    struct picl_parser parser = { .clock = *clock, .order = *order };
    picl_begin(&parser.picl, builder);
    parser.picl.job = job;
    picl_survey_begin(&parser.survey);
    parser.survey.one_trace = *order == PICL_UNSORTED;
    weft_spill_init(&parser.text);
    make_first_processors(&parser, input);
    bool ok = read_lines(&parser, input, job, err);
    *again = ok && parser.surveys;
    if (*again) {
        enum picl_order found = picl_survey_end(&parser.survey);
        *order = found > *order ? found : *order;
        *clock = parser.clock;
    }
    if (ok && !*again)
        ok = finish(&parser, input, job, err);
    else
        weft_builder_abandon(builder);
    weft_spill_free(&parser.text);
    free(parser.items);
    picl_survey_free(&parser.survey);
    picl_free(&parser.picl);
    return ok;
}

static bool read_picl(struct weft_input *input, const struct weft_read_options *options,
                      const char *store_path, struct weft_job *job, struct weft_err *err)
{
    enum {
        READINGS = 4 /* digits, order, each once more; then the file counts as unsorted */
    };
    int unit = weft_time_unit_decimals(options, 0, err);
    if (unit < 0)
        return false;
    struct paje_clock clock = { DIGITS, unit, MAX_DIGITS, DIGITS };
    enum picl_order order = PICL_IN_ORDER;
    bool again = true, ok = true;
    for (int n = 0; ok && again; n++) {
        ok = attempt(input, &clock, &order, store_path, &again, job, err);
        if (ok && again) {
            int fit = clock.wanted < clock.most ? clock.wanted : clock.most;
            clock.decimals = clock.wanted = fit;
            order = n >= READINGS ? PICL_UNSORTED : order;
            ok = weft_input_rewind(input, err);
        }
    }
    return ok;
}

/* ---- What such a file looks like ---- */

/*
 * At least half of the lines must be records.  A negative record type, which only PICL
 * traces have, gives a high score.
 */
static int probe(const unsigned char *head, size_t size)
{
    enum { LOOKED_AT = 50 /* lines */ };
    char line[512 + BEYOND] = { 0 };
    struct paje_clock clock = { DIGITS, 0, MAX_DIGITS, DIGITS };
    const char *at = (const char *)head, *end = at + size;
    int records = 0, others = 0;
    bool new_kind = false;
    for (int i = 0; i < LOOKED_AT && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && i)
            break; /* the probed bytes may end within it */
        size_t length = (size_t)((newline ? newline : end) - at);
        if (memchr(at, 0, length))
            return 0;
        length = length < sizeof line - BEYOND ? length : sizeof line - BEYOND;
        memcpy(line, at, length);
        memset(line + length, 0, BEYOND);
        struct picl_record record = { 0 };
        enum picl_lexed lexed = picl_lex(&clock, line, line + length, &record);
        bool good = lexed == PICL_RECORD || lexed == PICL_IGNORED;
        records += good;
        others += !good && lexed != PICL_BLANK;
        new_kind |= good && line[strspn(line, " \t")] == '-';
        at = newline ? newline + 1 : end;
    }
    if (!records || others > records)
        return 0;
    return new_kind ? 85 : others ? 0 : 45;
}

const struct weft_reader weft_reader_picl = {
    .name = "picl",
    .description = "PICL or MPICL trace",
    .probe = probe,
    .read = read_picl,
};
