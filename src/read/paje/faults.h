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

/*
 * Kinds of faults; faults.c has their names, sentences and severities.  Where no
 * consequence is named, the line is taken as it is.
 */
enum paje_fault {
    PAJE_FAULT_EVENT_NAME,      /* a definition names no event of Paje; skipped */
    PAJE_FAULT_EVENT_ID,        /* no definition above has this id; the line is skipped */
    PAJE_FAULT_DUPLICATE_ID,    /* defined again; the first definition stays */
    PAJE_FAULT_FIELD_TYPE,      /* unknown type of a field; taken as string */
    PAJE_FAULT_DUPLICATE_FIELD, /* twice in a definition; the second is taken as a user's */
    PAJE_FAULT_MISSING_FIELD, /* a definition lacks a needed field; its lines are skipped */
    PAJE_FAULT_MANY_FIELDS,   /* more than PAJE_MAX_FIELDS; the rest is dropped */
    PAJE_FAULT_BAD_DEFINITION, /* a % line outside of a definition; skipped */
    PAJE_FAULT_NO_END,         /* %EndEventDef is missing; the definition ends there */
    PAJE_FAULT_FEW_VALUES,     /* fewer values than fields; the line is skipped */
    PAJE_FAULT_MANY_VALUES,    /* more values than fields; the rest is ignored */
    PAJE_FAULT_TRUNCATED,      /* the last line has no newline, and too few values */
    PAJE_FAULT_UNFINISHED,     /* the last line has no newline; it is taken */
    PAJE_FAULT_QUOTE,          /* a " is not closed; the line is skipped */
    PAJE_FAULT_GARBAGE,        /* control characters; the line is skipped */
    PAJE_FAULT_LONG_LINE,      /* more than 16 MiB; the line is skipped */
    PAJE_FAULT_TIME,           /* no time; the line is skipped */
    PAJE_FAULT_TIME_FINE,      /* too many digits; the time is rounded */
    PAJE_FAULT_TIME_RANGE,     /* too large; the line is skipped */
    PAJE_FAULT_NUMBER,         /* no finite number; the line is skipped */
    PAJE_FAULT_COLOR,          /* no colour; taken as none */
    PAJE_FAULT_TYPE,           /* unknown type; the line is skipped */
    PAJE_FAULT_DUPLICATE_TYPE, /* defined again; the first definition stays */
    PAJE_FAULT_KIND,           /* a type of another kind than needed; the line is skipped */
    PAJE_FAULT_CONTAINER,      /* unknown container; the line is skipped */
    PAJE_FAULT_DUPLICATE_CONTAINER, /* created while it lives; the line is skipped */
    PAJE_FAULT_WRONG_TYPE,          /* the type does not belong to the container's type */
    PAJE_FAULT_DUPLICATE_VALUE,     /* defined again; the first definition stays */
    /* the container was destroyed above; its states, events and samples from that time on
       are skipped; ends of links and containers in it are taken */
    PAJE_FAULT_DESTROYED,
    PAJE_FAULT_DESTROYED_TWICE, /* the line is skipped */
    PAJE_FAULT_ORDER,           /* a time before that of an earlier line of the container */
    PAJE_FAULT_BEFORE_CREATION, /* a time before the container's creation */
    PAJE_FAULT_EMPTY_STACK,     /* a pop without an open state; skipped */
    PAJE_FAULT_DEEP,            /* too many open states; the line is skipped */
    PAJE_FAULT_UNSET,           /* a variable is changed before it is set; taken as 0 */
    PAJE_FAULT_SUM,             /* a variable becomes infinite; the line is skipped */
    PAJE_FAULT_HALF_LINK,       /* a start or end without a partner; a link with one end */
    PAJE_FAULT_LINK_VALUES,     /* start and end differ in value; the start's is taken */
    PAJE_FAULT_LINK_REUSED,     /* the key was used before for a link of this type */
    PAJE_FAULT_LINK_BACKWARD,   /* a link ends before it starts */
    PAJE_FAULT_DAMAGED,  /* the input is damaged, as its compression; the text ends */
    PAJE_FAULT_NO_EVENT, /* no event line follows the definitions */
    PAJE_FAULTS,         /* number of kinds */
};

/* A fault of one line. */
struct paje_finding {
    /* number of the line: from 1 in the whole trace; in the list of a piece of the text
       (struct paje_part, struct paje_round), from 0 for the first line of that piece */
    uint64_t line;
    size_t text;     /* offset of the faulty text in paje_findings.texts; no NUL ends it */
    uint32_t length; /* of that text, in bytes */
    enum paje_fault fault;
};

/*
 * Faults in the order in which they were noted, by one thread at a time.  The list, like
 * the builder, keeps the first WEFT_PROBLEMS_KEPT of each kind and counts the others, so
 * its size is bounded.  A zeroed list is empty.
 */
struct paje_findings {
    struct paje_finding *list; /* [n] */
    size_t n, capacity;
    char *texts; /* [size] */
    size_t size, text_capacity;
    uint64_t counts[PAJE_FAULTS]; /* all faults of a kind, kept or not */
};

/*
 * Notes FAULT at LINE (see struct paje_finding): counts it, and appends it to the list
 * unless that has WEFT_PROBLEMS_KEPT of the kind.  TEXT, the LENGTH bytes at fault, is
 * copied and cut to 200 bytes.
 */
void paje_note(struct paje_findings *findings, uint64_t line, enum paje_fault fault,
               const char *text, size_t length);
/*
 * Notes FAULT at LINE, like paje_note(), but cuts the copy of TEXT, LENGTH bytes, to 84
 * bytes: it is often a whole line.
 */
static inline void paje_note_line(struct paje_findings *findings, uint64_t line,
                                  enum paje_fault fault, const char *text, size_t length)
{
    enum { SHOWN = 84 /* bytes: a line of a usual trace */ };
    paje_note(findings, line, fault, text, length < SHOWN ? length : SHOWN);
}
/*
 * Appends the faults of FROM to TO, and empties FROM, whose memory is kept.  Their line
 * numbers grow by FIRST_LINE, the number in TO of the line that FROM counts as 0.
 */
void paje_findings_move(struct paje_findings *to, struct paje_findings *from,
                        uint64_t first_line);
/*
 * Appends the faults of the N lists FROM, each in order of lines, to TO in order of lines;
 * faults of one line stay in the order of the lists.  Empties the lists, whose memory is
 * kept.
 */
void paje_findings_merge(struct paje_findings *to, struct paje_findings *const *from,
                         size_t n);
/*
 * Reports all FINDINGS, which stay, as problems to BUILDER: first the list, then, without a
 * line, those that were only counted.
 */
void paje_findings_tell(const struct paje_findings *findings, struct weft_builder *builder);
/* Frees the memory of FINDINGS, which is empty then. */
void paje_findings_free(struct paje_findings *findings);

#endif
