/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers turn a format into a store.  One folder a format, two lines in
 * read/registry.c; the format is found by content, never by name.  A reader knows nothing of
 * views.  Bad content becomes problems in the builder (store/builder.h), not errors; an error
 * means that nothing can be read at all.
 */
#ifndef WEFT_READ_READER_H
#define WEFT_READ_READER_H

#include "base/err.h"
#include "base/file.h"
#include "base/job.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"

/*
 * A stream of bytes.  What is compressed (gzip, zstd, xz, found by the first bytes) is
 * decompressed on the way, and a mark of UTF-8 at the begin is left out.  It is read from front
 * to back; weft_input_rewind starts again.  PATH is a regular file, a pipe, or "-"; JOB, which
 * may be NULL, cancels waiting and reading.
 */
struct weft_input;
struct weft_input *weft_input_open(const char *path, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;
void weft_input_close(struct weft_input *input);
/*
 * Up to SIZE bytes; 0 at the end; -1 with *err when no more can be had.  With WEFT_ERR_FORMAT the
 * compression is damaged or cut: that is the trace's fault, and what came before is good.  With
 * any other code the file could not be read, or changed meanwhile: reading must fail, because
 * what came before is not all that there is.
 */
int64_t weft_input_read(struct weft_input *input, void *buffer, size_t size,
                        struct weft_err *err) WEFT_MUST_CHECK;
bool weft_input_rewind(struct weft_input *input, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * For formats whose files are larger than should be read whole: the bytes of a regular file
 * that is not compressed, mapped (base/file.h), which weft_input_is_plain() says beforehand.
 * When all was read, weft_input_is_unchanged() says whether it counts.  Errors: WEFT_ERR_READ.
 */
bool weft_input_is_plain(const struct weft_input *input);
bool weft_input_map(const struct weft_input *input, struct weft_mapping *map,
                    struct weft_err *err) WEFT_MUST_CHECK;
bool weft_input_is_unchanged(struct weft_input *input, const struct weft_mapping *map,
                             struct weft_err *err) WEFT_MUST_CHECK;
const char *weft_input_path(const struct weft_input *input);
/* Progress: bytes of the file taken so far and in all (0: not known), before decompression. */
uint64_t weft_input_taken(const struct weft_input *input);
uint64_t weft_input_size(const struct weft_input *input);
/* What is wrong with the first bytes, so that they are fewer than they should be; or NULL. */
const struct weft_err *weft_input_trouble(const struct weft_input *input);
/* For readers, at the end: report to BUILDER what is to be known of how the file was read. */
void weft_input_tell(const struct weft_input *input, struct weft_builder *builder);
/* The first bytes of the decompressed stream, without consuming them. */
size_t weft_input_peek(struct weft_input *input, const unsigned char **head);

struct weft_read_options {
    const char *time_unit; /* s, ms, us, ns; NULL: the format's own */
    const char *source;    /* the program that made a VISTA trace; NULL: not known */
    /*
     * Rules of roles (read/roles/maps.h).  NULL: those that are kept for such traces; "":
     * none.
     */
    const char *map;
    const char *ticks_per_second; /* of DAG Recorder's clock; NULL: 10^9 */
};

struct weft_reader {
    const char *name;        /* "paje", as info's format says */
    const char *description; /* "Paje trace": where Weft says what it can read */
    /* How sure, 0 to 100, from the first bytes (at least 4 KiB when the file has them). */
    int (*probe)(const unsigned char *head, size_t size);
    /*
     * Read all of INPUT into a new store at STORE_PATH.  The reader makes the builder
     * itself, since it may have to start again with another one (finer resolution, unsorted
     * tracks).
     */
    bool (*read)(struct weft_input *input, const struct weft_read_options *options,
                 const char *store_path, struct weft_job *job, struct weft_err *err);
};

/* The INDEXth reader of all that were built in; NULL behind the last. */
const struct weft_reader *weft_reader_at(size_t index);

/* The error for a file that weft_identify() does not know: what it is instead.  False. */
bool weft_fail_unreadable(struct weft_err *err, const char *path);

/*
 * Open any trace: a .weft directly, anything else through its cached index, which is built
 * (with progress in JOB) when there is none, or it is stale or damaged.  INDEX_PATH, when not
 * NULL, receives the path of the store (free it).  "-" is standard input, not cached.  The
 * roles that the user's map gives are added to the trace in memory; the store does not
 * change.
 */
struct weft_trace *weft_open(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path,
                             struct weft_err *err) WEFT_MUST_CHECK;

/*
 * The format of a file by its content: a reader's name, or "weft"; NULL when it is no trace
 * that Weft can read, or cannot be read at all.
 */
const char *weft_identify(const char *path);
/*
 * Open a trace that need not be read first (a .weft, or one whose index is cached); else
 * NULL.
 */
struct weft_trace *weft_open_indexed(const char *path,
                                     const struct weft_read_options *options);

/* Build the store of a foreign trace at STORE_PATH, whatever the cache holds; without maps. */
bool weft_import(const char *path, const struct weft_read_options *options,
                 const char *store_path, struct weft_job *job,
                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
