/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memrchr */
#include "read/paje/text_rounds.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_LINE = 16 << 20 /* bytes; no tracer writes more, and memory must be bounded */
};

void paje_part_free(struct paje_part *part)
{
    free(part->order.items);
    free(part->texts);
    free(part->links);
    for (int lane = 0; lane <= PAJE_LANES; lane++)
        free(part->records[lane].items);
    free(part->attend.items);
    free(part->own_choices.items);
    paje_names_free(&part->own);
    paje_findings_free(&part->findings);
    free(part->words);
    free(part->symbols);
    free(part->pairs);
    free(part->choices);
    free(part->runs);
    free(part->fields);
}

void paje_round_free(struct paje_round *round)
{
    free(round->text);
    for (size_t i = 0; i < round->n_parts_made; i++)
        paje_part_free(&round->parts[i]);
    free(round->parts);
    paje_findings_free(&round->findings);
}

void paje_cutter_free(struct paje_cutter *cutter)
{
    free(cutter->rest);
}

/* Make room for SIZE bytes, a missing last newline, and the lexer's look-ahead. */
static void room(struct paje_round *round, size_t size)
{
    if (round->capacity >= size)
        return;
    round->text = weft_realloc(round->text, size + 1 + PAJE_SPARE);
    round->capacity = size;
}

/* Read until the round has SIZE bytes; returns false at the end of the input. */
static bool fill(struct paje_cutter *cutter, struct paje_round *round, size_t size)
{
    room(round, size);
    while (round->size < size) {
        struct weft_err err = { 0 };
        int64_t got = weft_input_read(cutter->input, round->text + round->size,
                                      size - round->size, &err);
        if (got < 0)
            round->damage = err;
        if (got <= 0)
            return false;
        round->size += (size_t)got;
    }
    return true;
}

static void drop(struct paje_round *round, size_t size)
{
    memmove(round->text, round->text + size, round->size - size);
    round->size -= size;
}

/* Drop the rest of a line that is too long. */
static void go_on_skipping(struct paje_cutter *cutter, struct paje_round *round)
{
    const char *newline = memchr(round->text, '\n', round->size);
    cutter->skipping = !newline;
    round->n_dropped += newline != NULL;
    drop(round, newline ? (size_t)(newline - round->text) + 1 : round->size);
}

/* Only the first line can be too long: the others began in this round. */
static void skip_long_line(struct paje_cutter *cutter, struct paje_round *round)
{
    if (round->size <= LONGEST_LINE || memchr(round->text, '\n', LONGEST_LINE + 1))
        return;
    paje_note_line(&round->findings, round->n_dropped, PAJE_FAULT_LONG_LINE, "", 0);
    go_on_skipping(cutter, round);
}

/* Read whole lines into the round; the incomplete last line is kept for the next. */
static void read_lines(struct paje_cutter *cutter, struct paje_round *round)
{
    size_t wanted = cutter->begun ? cutter->sizes.round : cutter->sizes.part;
    cutter->begun = true;
    room(round, cutter->n_rest);
    if (cutter->n_rest)
        memcpy(round->text, cutter->rest, cutter->n_rest);
    round->size = cutter->n_rest;
    size_t searched = round->size; /* the rest has no newline */
    cutter->n_rest = 0;
    char *newline = NULL;
    for (;;) {
        round->last = !fill(cutter, round, round->size + wanted);
        if (cutter->skipping) {
            go_on_skipping(cutter, round);
            searched = 0;
        }
        newline = memrchr(round->text + searched, '\n', round->size - searched);
        if (newline || round->last || !round->size || round->size > LONGEST_LINE)
            break;
        searched = round->size;
        wanted = wanted < round->size ? round->size : wanted;
    }
    size_t whole = newline ? (size_t)(newline - round->text) + 1 : 0;
    if (!round->last && newline) {
        cutter->n_rest = round->size - whole;
        cutter->rest =
            weft_grow(cutter->rest, &cutter->rest_capacity, cutter->n_rest + 1, 1);
        memcpy(cutter->rest, round->text + whole, cutter->n_rest);
        round->size = whole;
    }
    skip_long_line(cutter, round);
}

static struct paje_part *new_part(struct paje_round *round)
{
    if (round->n_parts == round->n_parts_made) {
        round->parts = weft_grow(round->parts, &round->part_capacity, round->n_parts + 1,
                                 sizeof *round->parts);
        round->parts[round->n_parts_made++] = (struct paje_part){ 0 };
    }
    return &round->parts[round->n_parts++];
}

void paje_cut(struct paje_cutter *cutter, struct paje_round *round)
{
    round->size = round->n_parts = 0;
    round->n_dropped = 0;
    round->damage = (struct weft_err){ 0 };
    read_lines(cutter, round);
    round->taken = weft_input_taken(cutter->input);
    bool cut_short = round->size && round->text[round->size - 1] != '\n';
    if (cut_short)
        round->text[round->size++] = '\n';
    memset(round->text + round->size, 0, PAJE_SPARE);
    for (char *at = round->text, *end = at + round->size; at < end;) {
        struct paje_part *part = new_part(round);
        part->text = at;
        char *newline = (size_t)(end - at) > cutter->sizes.part
                            ? memchr(at + cutter->sizes.part, '\n',
                                     (size_t)(end - at) - cutter->sizes.part)
                            : NULL;
        at = newline ? newline + 1 : end;
        part->size = (size_t)(at - part->text);
        part->cut_short = cut_short && at == end;
    }
}
