/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a whole trace to a stream as text: as pj_dump prints it, or as a Paje trace. */
#ifndef WEFT_WRITE_DUMP_AND_PAJE_H
#define WEFT_WRITE_DUMP_AND_PAJE_H

#include <stdio.h>

#include "base/err.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

/*
 * Writes a trace as the tool pj_dump (PajeNG) prints it: one line each for containers,
 * states, variables, events and links, comma and space between fields, nothing quoted;
 * control characters in names become spaces.  Times are seconds of the trace's own clock
 * with every digit (weft_time_exact()).  Half links are left out, as pj_dump -z does (weft
 * check lists them).  STREAM is flushed and stays open; JOB may be NULL.  Returns false
 * with WEFT_ERR_WRITE or WEFT_ERR_CANCELLED.
 */
bool weft_write_dump(const struct weft_source *source, FILE *stream, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Writes a Paje trace that reads back as the same entities, with equal weft_write_dump(),
 * fields, roles, facts about containers and colours, and that pj_dump reads with its
 * default options.  Names are kept, except characters that Paje cannot quote: a " becomes
 * ', a control character a space.  Identifiers are made anew (c0, t0, v0 ...).  Numbers in
 * fields keep their digits; INT64_MIN reads back as text.  Links of one track that begin at
 * the same time may change their order.  A half link that begins and one that ends, with
 * the same key, read back as one link: Paje pairs them by their key.
 *
 * pj_dump cannot take all lines: some are comments to it, which Weft reads
 * (read/paje/weft_comments.h).  It does not see empty texts, fields of an entity beyond its
 * twentieth word, half links, and containers and entities where their types forbid them.
 * Instead of an empty name and of the key of another link it gets one that was made.
 *
 * *LOSSES, if LOSSES is not NULL, gets a text that counts the things in the trace that Paje
 * has no form for, as "12 hosts, 1 clock"; "" if nothing is lost, NULL after a cancelling.
 * The caller frees it, also after a failed write.  Such things are the task DAG, references
 * to arrays, samples without a finite value, facts about the root, hosts, clocks and notes;
 * functions and addresses of places with a | in a path; and fields that name an entity of a
 * damaged track, or in the line of a container another one that comes later.  Half links,
 * what types forbid, and texts of which characters were replaced are counted as well.
 *
 * Takes about 80 bytes for each link of the track that has most.  STREAM is flushed and
 * stays open; JOB may be NULL.  Returns false with WEFT_ERR_WRITE or WEFT_ERR_CANCELLED.
 */
bool weft_write_paje(const struct weft_source *source, FILE *stream, char **losses,
                     struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Writes VALUE in decimal to TEXT, which it returns, with the fewest digits from 6 to 17
 * that read back as VALUE; zeros at the end are left out ("0.5"), as by %g, which also
 * writes "inf" and "nan".
 */
const char *weft_real_text(double value, char text[32]);

#endif
