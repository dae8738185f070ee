/* SPDX-License-Identifier: Apache-2.0 */
/* All faults of Paje traces, and their messages. */
#include "read/paje/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LONGEST_TEXT = 200 /* bytes of a faulty text: a message is one readable line */ };

/* clang-format off */
/* Each sentence has one %.*s, the faulty text. */
static const struct weft_fault_kind fault_kinds[PAJE_FAULTS] = {
    [PAJE_FAULT_EVENT_NAME] = { "unknown-event-name", WEFT_ERROR,
        "\"%.*s\" is no event of Paje: the lines of this definition are skipped" },
    [PAJE_FAULT_EVENT_ID] = { "unknown-event-id", WEFT_ERROR,
        "no %%EventDef above defines the event \"%.*s\"; the line is skipped" },
    [PAJE_FAULT_DUPLICATE_ID] = { "duplicate-event-id", WEFT_ERROR,
        "event id \"%.*s\" is defined again; the first definition stays" },
    [PAJE_FAULT_FIELD_TYPE] = { "unknown-field-type", WEFT_ERROR,
        "\"%.*s\" is no type of field (string, int, double, float, hex, date, color); "
        "taken as string" },
    [PAJE_FAULT_DUPLICATE_FIELD] = { "duplicate-field", WEFT_ERROR,
        "field \"%.*s\" is twice in one definition; the second is taken as a field of the "
        "user's" },
    [PAJE_FAULT_MISSING_FIELD] = { "missing-field", WEFT_ERROR,
        "the definition of %.*s lacks a field that it needs; its lines are skipped" },
    [PAJE_FAULT_MANY_FIELDS] = { "too-many-fields", WEFT_ERROR,
        "a definition has more than 256 fields; \"%.*s\" and those after it are dropped" },
    [PAJE_FAULT_BAD_DEFINITION] = { "bad-definition", WEFT_ERROR,
        "a definition line makes no sense here: %% %.*s" },
    [PAJE_FAULT_NO_END] = { "missing-end-of-definition", WEFT_WARNING,
        "%%EndEventDef is missing after the definition of event \"%.*s\"" },
    [PAJE_FAULT_FEW_VALUES] = { "too-few-values", WEFT_ERROR,
        "fewer values than the definition has fields; the line is skipped: %.*s" },
    [PAJE_FAULT_MANY_VALUES] = { "too-many-values", WEFT_WARNING,
        "more values than the definition has fields; the rest is ignored: %.*s" },
    [PAJE_FAULT_TRUNCATED] = { "truncated-line", WEFT_ERROR,
        "the text ends in the middle of a line: %.*s" },
    [PAJE_FAULT_UNFINISHED] = { "unfinished-line", WEFT_WARNING,
        "the last line has no end: the text may be cut in what it says last: %.*s" },
    [PAJE_FAULT_QUOTE] = { "unterminated-string", WEFT_ERROR,
        "a \" is not closed before the end of the line: %.*s" },
    [PAJE_FAULT_GARBAGE] = { "binary-garbage", WEFT_ERROR,
        "the line holds bytes that are no text; it is skipped%.*s" },
    [PAJE_FAULT_LONG_LINE] = { "line-too-long", WEFT_ERROR,
        "the line is longer than 16 MiB; it is skipped%.*s" },
    [PAJE_FAULT_TIME] = { "bad-time", WEFT_ERROR,
        "\"%.*s\" is no time; the line is skipped" },
    [PAJE_FAULT_TIME_FINE] = { "time-too-fine", WEFT_WARNING,
        "the time %.*s has more digits than can be kept; it is rounded" },
    [PAJE_FAULT_TIME_RANGE] = { "time-out-of-range", WEFT_ERROR,
        "the time %.*s is too large for its unit (--time-unit ns, us or ms reads whole numbers "
        "of these); the line is skipped" },
    [PAJE_FAULT_NUMBER] = { "bad-number", WEFT_ERROR,
        "\"%.*s\" is no finite number; the line is skipped" },
    [PAJE_FAULT_COLOR] = { "bad-color", WEFT_WARNING,
        "\"%.*s\" is no colour (three or four numbers from 0 to 1, or six hex digits)" },
    [PAJE_FAULT_TYPE] = { "unknown-type", WEFT_ERROR,
        "no type \"%.*s\" is defined above; the line is skipped" },
    [PAJE_FAULT_DUPLICATE_TYPE] = { "duplicate-type", WEFT_ERROR,
        "type \"%.*s\" is defined again; the first definition stays" },
    [PAJE_FAULT_KIND] = { "wrong-kind-of-type", WEFT_ERROR,
        "type \"%.*s\" is of another kind than the event needs; the line is skipped" },
    [PAJE_FAULT_CONTAINER] = { "unknown-container", WEFT_ERROR,
        "no container \"%.*s\" was created above; the line is skipped" },
    [PAJE_FAULT_DUPLICATE_CONTAINER] = { "duplicate-container", WEFT_ERROR,
        "container \"%.*s\" is created again while it lives; the line is skipped" },
    [PAJE_FAULT_WRONG_TYPE] = { "wrong-container-type", WEFT_WARNING,
        "type \"%.*s\" does not belong to the type of this container" },
    [PAJE_FAULT_DUPLICATE_VALUE] = { "duplicate-value", WEFT_WARNING,
        "value \"%.*s\" is defined again; the first definition stays" },
    [PAJE_FAULT_DESTROYED] = { "use-after-destroy", WEFT_ERROR,
        "container \"%.*s\" was destroyed above" },
    [PAJE_FAULT_DESTROYED_TWICE] = { "destroyed-twice", WEFT_ERROR,
        "container \"%.*s\" was already destroyed" },
    [PAJE_FAULT_ORDER] = { "out-of-order", WEFT_WARNING,
        "the time is before an earlier line's on container \"%.*s\"; the events are read in "
        "order of time" },
    [PAJE_FAULT_BEFORE_CREATION] = { "before-creation", WEFT_WARNING,
        "the time is before that of the creation of container \"%.*s\"" },
    [PAJE_FAULT_EMPTY_STACK] = { "pop-of-empty-stack", WEFT_ERROR,
        "container \"%.*s\" has no open state to pop" },
    [PAJE_FAULT_DEEP] = { "too-many-open-states", WEFT_ERROR,
        "container \"%.*s\" has 65,534 states open already; the line is skipped" },
    [PAJE_FAULT_SUM] = { "sum-out-of-range", WEFT_ERROR,
        "a sum is beyond all numbers on container \"%.*s\"; the line is skipped" },
    [PAJE_FAULT_UNSET] = { "variable-not-set", WEFT_ERROR,
        "a variable of container \"%.*s\" is changed before it was set; taken as 0 before" },
    [PAJE_FAULT_HALF_LINK] = { "half-link", WEFT_ERROR,
        "the link with key \"%.*s\" has only one end" },
    [PAJE_FAULT_LINK_VALUES] = { "link-values-differ", WEFT_WARNING,
        "the two ends of the link with key \"%.*s\" have different values; the start's is "
        "taken" },
    [PAJE_FAULT_LINK_REUSED] = { "reused-link-key", WEFT_WARNING,
        "key \"%.*s\" was used before for a link of this type" },
    [PAJE_FAULT_LINK_BACKWARD] = { "link-ends-before-start", WEFT_WARNING,
        "the link with key \"%.*s\" ends before it starts" },
    [PAJE_FAULT_DAMAGED] = { "damaged-input", WEFT_ERROR, "%.*s" },
    [PAJE_FAULT_NO_EVENT] = { "no-event", WEFT_WARNING,
        "the text ends with the definitions: not one event follows them%.*s" },
};
/* clang-format on */

void paje_note(struct paje_findings *findings, uint64_t line, enum paje_fault fault,
               const char *text, size_t length)
{
    if (findings->counts[fault]++ >= WEFT_PROBLEMS_KEPT)
        return;
    length = length < LONGEST_TEXT ? length : LONGEST_TEXT;
    findings->list = weft_grow(findings->list, &findings->capacity, findings->n + 1,
                               sizeof *findings->list);
    findings->texts = weft_grow(findings->texts, &findings->text_capacity,
                                findings->size + length + 1, 1);
    memcpy(findings->texts + findings->size, text, length);
    findings->list[findings->n++] =
        (struct paje_finding){ line, findings->size, (uint32_t)length, fault };
    findings->size += length;
}

/* Add the faults that were counted without being kept; then empty the list. */
static void count_rest(struct paje_findings *to, struct paje_findings *from)
{
    for (size_t i = 0; i < from->n; i++)
        from->counts[from->list[i].fault]--;
    for (int fault = 0; fault < PAJE_FAULTS; fault++) {
        to->counts[fault] += from->counts[fault];
        from->counts[fault] = 0;
    }
    from->n = from->size = 0;
}

void paje_findings_move(struct paje_findings *to, struct paje_findings *from,
                        uint64_t first_line)
{
    if (!from->n)
        return;
    for (size_t i = 0; i < from->n; i++) {
        const struct paje_finding *at = &from->list[i];
        paje_note(to, first_line + at->line, at->fault, from->texts + at->text, at->length);
    }
    count_rest(to, from);
}

void paje_findings_merge(struct paje_findings *to, struct paje_findings *const *from,
                         size_t n)
{
    size_t *next = weft_zalloc(n, sizeof *next);
    for (;;) {
        size_t first = n;
        for (size_t i = 0; i < n; i++)
            if (next[i] < from[i]->n
                && (first == n
                    || from[i]->list[next[i]].line < from[first]->list[next[first]].line))
                first = i;
        if (first == n)
            break;
        const struct paje_finding *at = &from[first]->list[next[first]++];
        paje_note(to, at->line, at->fault, from[first]->texts + at->text, at->length);
    }
    for (size_t i = 0; i < n; i++)
        count_rest(to, from[i]);
    free(next);
}

static void tell(struct weft_builder *builder, enum paje_fault fault, uint64_t line,
                 const char *text, size_t length)
{
    weft_builder_fault(builder, &fault_kinds[fault], line, (int)length, text);
}

void paje_findings_tell(const struct paje_findings *findings, struct weft_builder *builder)
{
    uint64_t told[PAJE_FAULTS] = { 0 };
    for (size_t i = 0; i < findings->n; i++) {
        const struct paje_finding *at = &findings->list[i];
        tell(builder, at->fault, at->line, findings->texts + at->text, at->length);
        told[at->fault]++;
    }
    for (int fault = 0; fault < PAJE_FAULTS; fault++)
        for (uint64_t i = told[fault]; i < findings->counts[fault]; i++)
            tell(builder, (enum paje_fault)fault, 0, "", 0);
}

void paje_findings_free(struct paje_findings *findings)
{
    free(findings->list);
    free(findings->texts);
    *findings = (struct paje_findings){ 0 };
}
