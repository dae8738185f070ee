/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of Paje traces.  Three stages run concurrently on different rounds of text,
 * and between them one thread joins:
 *
 *   a round of text is read and cut into parts                   (text_rounds.h)
 *   the parts of the round before are turned into records        (lex.h)
 *   the records of the round before that go into the builder     (apply_records.h, links.h)
 *
 * Joining (parallel_lanes.c) takes the parts of a round in order, numbers new names
 * (symbols.h), and does all that depends on the order of lines of different containers.
 * The store is the same for any number of threads.
 */
#ifndef WEFT_READ_PAJE_PAJE_H
#define WEFT_READ_PAJE_PAJE_H

#include "read/paje/text_rounds.h"

/*
 * Reads the Paje trace INPUT, from its first byte, into a new store at STORE_PATH.  SIZES
 * are those of parts and rounds: the usual ones, except in tests.  OPTIONS and JOB may be
 * NULL.  Reads INPUT again, from its start, if times are finer than nanoseconds or a
 * track's are not in order.  Returns false with *ERR, and writes no store, if an option is
 * wrong, INPUT cannot be read, the store cannot be written, or JOB is cancelled.
 */
bool paje_read(struct weft_input *input, const struct weft_read_options *options,
               const struct paje_sizes *sizes, const char *store_path, struct weft_job *job,
               struct weft_err *err) WEFT_MUST_CHECK;

/* The reader "paje"; times are seconds unless the option time_unit says otherwise. */
extern const struct weft_reader weft_reader_paje;

#endif
