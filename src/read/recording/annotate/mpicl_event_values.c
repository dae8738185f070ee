/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events with values, in programs that call MPICL (weft/mpicl/binding.h): marks with
 * parameters, labels, notes and data.  The values become a text as in PICL's records:
 * count, type, values.  Recordings of other programs get no such types.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/annotate/annotate_join.h"
#include "weft/weft.h"

_Static_assert(ANNOTATED_SAID == WEFT_SAID_DATA + 1, "one type for each");

static const struct {
    const char *type, *noun;
    enum weft_role role;
} kinds[] = {
    [WEFT_SAID_MARK] = { "Mark", "mark", WEFT_ROLE_MARK },
    [WEFT_SAID_LABEL] = { "Label", "label", WEFT_ROLE_LABEL },
    [WEFT_SAID_NOTE] = { "Note", "note", WEFT_ROLE_NOTE },
    [WEFT_SAID_DATA] = { "Data", "data", WEFT_ROLE_DATA },
};

static void define(struct join *join, struct annotated_values *values, uint32_t said)
{
    values->type =
        join_type(join, WEFT_EVENT, join->thread_type, kinds[said].type, kinds[said].role);
    values->number =
        join_field(join, values->type, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_NUMBER);
    values->parameters =
        join_field(join, values->type, "parameters", WEFT_FIELD_TEXT, WEFT_ROLE_PARAMETERS);
}

enum { MAX_TEXT = 16 << 20 /* bytes of the values of one event */ };

/* Append to the text; returns false if it would become too long. */
static bool add_text(struct annotated_text *to, const char *text, size_t length)
{
    to->cut |= length > MAX_TEXT - to->length;
    if (to->cut)
        return false;
    to->text = weft_grow(to->text, &to->capacity, to->length + length + 1, 1);
    memcpy(to->text + to->length, text, length);
    to->length += length;
    return true;
}

/* Characters that would end a record or its text are replaced by spaces. */
static void add_characters(struct annotated_text *to, const struct record *record, size_t n)
{
    size_t room = (record->n_words - 2) * sizeof *record->words;

    n = n < room ? n : room;
    if (n == 0 || !add_text(to, (const char *)&record->words[2], n))
        return;
    for (char *at = to->text ? to->text + to->length - n : NULL; n > 0; n--, at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = ' ';
}

/* Write as few digits as identify the number, with a point. */
static void real_text(char *text, size_t size, uint64_t word, bool is_float)
{
    double value, again = 0;
    int digits = is_float ? 6 : 15; /* that every decimal number keeps */
    int most = is_float ? 9 : 17;   /* that identify every number */

    memcpy(&value, &word, sizeof value);
    do {
        snprintf(text, size, "%.*g", digits++, value);
        again = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
    } while (again != value && digits <= most); /* unequal for NaN and damage */
    size_t length = strlen(text);
    if (isfinite(value) && strpbrk(text, ".e") == NULL && length + sizeof ".0" <= size)
        memcpy(text + length, ".0", sizeof ".0");
}

static void add_numbers(struct annotated_text *to, const struct record *record, size_t n,
                        uint32_t item)
{
    for (size_t i = 0; i < n && i + 2 < record->n_words; i++) {
        uint64_t word = record->words[2 + i];
        char text[64] = " ";
        if (item == WEFT_ITEM_INTEGER || item == WEFT_ITEM_LONG)
            snprintf(text, sizeof text, " %" PRId64, (int64_t)word);
        else
            real_text(text + 1, sizeof text - 1, word,
                      item == WEFT_ITEM_FLOAT || item == WEFT_ITEM_REAL);
        if (add_text(to, text, strlen(text)))
            to->n++;
    }
}

/*
 * "2 2 8 9", "5 1 solve"; for data, the first value is its number, and the type is MPICL's
 * word: "4 \"double\" 7 1.5 2.0 3.5".  Characters of data are written as codes.
 */
static uint32_t parameters(struct join *join, const struct record *record,
                           const struct annotated_text *values)
{
    static const char *const words[] = { "character", "integer", "long",
                                         "float",     "real",    "double" };
    uint32_t said = weft_values_said(record->words[0]);
    uint32_t item = weft_values_item(record->words[0]);
    const char *text;

    if (said == WEFT_SAID_DATA)
        text = weft_arena_printf(&join->arena, "%" PRIu64 " \"%s\" %" PRId32 "%.*s",
                                 values->n + 1, words[item], (int32_t)record->words[1],
                                 (int)values->length, values->text ? values->text : "");
    else if (item == WEFT_ITEM_CHARACTER)
        text = weft_arena_printf(&join->arena, "%zu 1 %.*s", values->length,
                                 (int)values->length, values->text ? values->text : "");
    else
        text = weft_arena_printf(&join->arena, "%" PRIu64 " 2%.*s", values->n,
                                 (int)values->length, values->text ? values->text : "");
    return weft_builder_string(join->builder, text, strlen(text));
}

static void show(struct annotate_join *annotate, const struct join_thread *thread,
                 const struct record *record, const struct annotated_text *values,
                 int64_t time)
{
    struct join *join = annotate->join;
    uint32_t said = weft_values_said(record->words[0]);
    uint32_t number = (uint32_t)(record->words[1] >> 32);
    struct annotated_values *types = &annotate->values[said];
    struct weft_field_value fields[2];
    char name[32];

    if (types->type == 0)
        define(join, types, said);
    snprintf(name, sizeof name, "%s %" PRIu32, kinds[said].noun, number);
    fields[0] = (struct weft_field_value){ types->number, { .integer = number } };
    fields[1] = (struct weft_field_value){ types->parameters,
                                           { .index = parameters(join, record, values) } };
    (void)weft_builder_event(
        join->builder, weft_builder_track(join->builder, thread->container, types->type),
        time, join_value(join, types->type, name), fields, 2, NULL);
}

/* Append the codes of characters of data. */
static void add_codes(struct annotated_text *to, const struct record *record, size_t n)
{
    const unsigned char *from = (const unsigned char *)&record->words[2];
    size_t room = (record->n_words - 2) * sizeof *record->words;

    for (size_t i = 0; i < n && i < room; i++) {
        char text[8];
        if (add_text(to, text, (size_t)snprintf(text, sizeof text, " %u", from[i])))
            to->n++;
    }
}

void annotate_values(struct annotate_join *annotate, const struct join_thread *thread,
                     const struct record *record, int64_t time)
{
    struct annotated_text *values = &annotate->threads[thread->index].values;
    uint32_t said = weft_values_said(record->words[0]);
    uint32_t item = weft_values_item(record->words[0]);
    uint32_t n = weft_values_count(record->words[0]);

    if (said >= ANNOTATED_SAID || item >= WEFT_ITEMS)
        return; /* damage */
    if (item != WEFT_ITEM_CHARACTER)
        add_numbers(values, record, n, item);
    else if (said == WEFT_SAID_DATA)
        add_codes(values, record, n);
    else
        add_characters(values, record, n);
    if (weft_values_more(record->words[0]))
        return;
    show(annotate, thread, record, values, time);
    if (values->cut)
        weft_builder_problem(annotate->join->builder, WEFT_WARNING, "long-values", 0,
                             "the values of an event are more than %d MiB: the others are "
                             "left out",
                             MAX_TEXT >> 20);
    values->length = 0;
    values->n = 0;
    values->cut = false;
}
