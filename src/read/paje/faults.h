/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of a Paje trace, and lists in which threads collect faults until these can be
 * reported to the builder in the order of lines.
 */
#ifndef WEFT_READ_PAJE_FAULTS_H
#define WEFT_READ_PAJE_FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include "store/build/builder.h"

/* faults.c has their names and sentences. */
enum paje_fault {
    PAJE_FAULT_EVENT_NAME,
    PAJE_FAULT_EVENT_ID,
    PAJE_FAULT_DUPLICATE_ID,
    PAJE_FAULT_FIELD_TYPE,
    PAJE_FAULT_DUPLICATE_FIELD,
    PAJE_FAULT_MISSING_FIELD,
    PAJE_FAULT_MANY_FIELDS,
    PAJE_FAULT_BAD_DEFINITION,
    PAJE_FAULT_NO_END,
    PAJE_FAULT_FEW_VALUES,
    PAJE_FAULT_MANY_VALUES,
    PAJE_FAULT_TRUNCATED,
    PAJE_FAULT_UNFINISHED,
    PAJE_FAULT_QUOTE,
    PAJE_FAULT_GARBAGE,
    PAJE_FAULT_LONG_LINE,
    PAJE_FAULT_TIME,
    PAJE_FAULT_TIME_FINE,
    PAJE_FAULT_TIME_RANGE,
    PAJE_FAULT_NUMBER,
    PAJE_FAULT_COLOR,
    PAJE_FAULT_TYPE,
    PAJE_FAULT_DUPLICATE_TYPE,
    PAJE_FAULT_KIND,
    PAJE_FAULT_CONTAINER,
    PAJE_FAULT_DUPLICATE_CONTAINER,
    PAJE_FAULT_WRONG_TYPE,
    PAJE_FAULT_DUPLICATE_VALUE,
    PAJE_FAULT_DESTROYED,
    PAJE_FAULT_DESTROYED_TWICE,
    PAJE_FAULT_ORDER,
    PAJE_FAULT_BEFORE_CREATION,
    PAJE_FAULT_EMPTY_STACK,
    PAJE_FAULT_DEEP,
    PAJE_FAULT_UNSET,
    PAJE_FAULT_SUM,
    PAJE_FAULT_HALF_LINK,
    PAJE_FAULT_LINK_VALUES,
    PAJE_FAULT_LINK_REUSED,
    PAJE_FAULT_LINK_BACKWARD,
    PAJE_FAULT_DAMAGED,
    PAJE_FAULT_NO_EVENT,
    PAJE_FAULTS,
};

struct paje_finding {
    uint64_t line;
    size_t text; /* offset in the list's texts */
    uint32_t length;
    enum paje_fault fault;
};

/*
 * Faults in the order in which they were noted, by one thread at a time.  The list, like
 * the builder, keeps the first WEFT_PROBLEMS_KEPT of each kind and counts the others, so
 * its size is bounded.  A zeroed list is empty.
 */
struct paje_findings {
    struct paje_finding *list;
    size_t n, capacity;
    char *texts;
    size_t size, text_capacity;
    uint64_t counts[PAJE_FAULTS];
};

/* Note a fault.  TEXT, which is copied and cut if long, is the faulty text. */
void paje_note(struct paje_findings *findings, uint64_t line, enum paje_fault fault,
               const char *text, size_t length);
/* Like paje_note(), but cuts TEXT to 84 bytes: it is often a whole line. */
static inline void paje_note_line(struct paje_findings *findings, uint64_t line,
                                  enum paje_fault fault, const char *text, size_t length)
{
    enum { SHOWN = 84 /* bytes: a line of a usual trace */ };
    paje_note(findings, line, fault, text, length < SHOWN ? length : SHOWN);
}
/* Append the faults of FROM to TO, adding FIRST_LINE to their lines, and empty FROM. */
void paje_findings_move(struct paje_findings *to, struct paje_findings *from,
                        uint64_t first_line);
/*
 * Append N lists, each of them in order of lines, to TO, merged by line, and for one line
 * in the order of FROM; empty them.
 */
void paje_findings_merge(struct paje_findings *to, struct paje_findings *const *from,
                         size_t n);
/* Report all faults as problems to the builder. */
void paje_findings_tell(const struct paje_findings *findings, struct weft_builder *builder);
void paje_findings_free(struct paje_findings *findings);

#endif
