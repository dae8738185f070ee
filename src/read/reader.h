/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers convert a format into a store.  Each format has an entry in read/registry.c or in
 * its domain's domain.c; formats are recognized by content, never by name.  A reader knows
 * nothing of views.  Bad content becomes problems in the builder (store/build/builder.h),
 * not errors; an error means that nothing can be read.
 *
 * JOB may be NULL in all functions here: no progress, and no cancelling.
 */
#ifndef WEFT_READ_READER_H
#define WEFT_READ_READER_H

#include "base/err.h"
#include "base/file.h"
#include "base/progress_and_cancel.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"

/*
 * The bytes of a file, read from front to back; weft_input_rewind() starts again.
 * Compressed files (gzip, zstd, xz, recognized by their first bytes) are decompressed, and
 * a UTF-8 byte order mark at the beginning is skipped.
 */
struct weft_input;
/*
 * Opens PATH: a regular file, a pipe, or "-" for standard input.  It reads the first bytes,
 * so it waits for a pipe's writer.  JOB cancels waiting and all later reading, and must
 * live as long as the input.  Returns NULL with *ERR: WEFT_ERR_READ, WEFT_ERR_CANCELLED,
 * WEFT_ERR_LIMIT if decompressing takes too much memory, or WEFT_ERR_WRITE if a pipe's
 * bytes cannot be copied to a temporary file.  Damaged compressed data are no failure yet.
 * weft_input_close() frees the result.
 */
struct weft_input *weft_input_open(const char *path, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;
/* Closes and frees INPUT; NULL: no effect. */
void weft_input_close(struct weft_input *input);
/*
 * Reads up to SIZE bytes into BUFFER; returns their number, which may be less than SIZE
 * before the end, 0 at the end (and after an error), and -1 with *ERR.  WEFT_ERR_FORMAT:
 * the compressed data are damaged or cut, or other bytes follow them; the bytes before are
 * good.  Any other code: the file could not be read, or has changed; then the reader must
 * fail, because the bytes before are not the whole file.
 */
int64_t weft_input_read(struct weft_input *input, void *buffer, size_t size,
                        struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Starts again at the first byte.  A pipe is read to its end first, so it waits; the bytes
 * then come from a temporary copy.  Returns false with *ERR like weft_input_open(); after
 * that INPUT can only be closed.
 */
bool weft_input_rewind(struct weft_input *input, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns true if INPUT is a regular file, neither empty nor compressed: weft_input_map()
 * may map it.
 */
bool weft_input_is_plain(const struct weft_input *input);
/*
 * Maps the whole file, a byte order mark included, into *MAP instead of reading it; only if
 * weft_input_is_plain().  The caller unmaps it by weft_unmap(); it may outlive INPUT.
 * Returns false with *ERR (WEFT_ERR_READ) if that fails.
 */
bool weft_input_map(const struct weft_input *input, struct weft_mapping *map,
                    struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Call it after all of MAP, from weft_input_map(), was used.  Returns true if its bytes
 * were valid, also if the file has grown since it was opened; false with *ERR
 * (WEFT_ERR_READ) if the file was changed or a page could not be read: then the reader must
 * fail.
 */
bool weft_input_is_unchanged(struct weft_input *input, const struct weft_mapping *map,
                             struct weft_err *err) WEFT_MUST_CHECK;
/* Returns the path that INPUT was opened with, "-" for standard input; INPUT owns it. */
const char *weft_input_path(const struct weft_input *input);
/*
 * Returns how many bytes of the file as it is stored, compressed or not, have been read
 * since the beginning or the rewind.  It runs ahead of weft_input_read() by a buffer.
 */
uint64_t weft_input_taken(const struct weft_input *input);
/*
 * Returns the size of the file as it is stored, when it was opened; 0: unknown (a pipe, or
 * a file of /proc), or empty.
 */
uint64_t weft_input_size(const struct weft_input *input);
/*
 * Returns the error that weft_input_read() will return when the bytes of weft_input_peek()
 * have been read; NULL: none.  It is INPUT's, and valid until the next read.
 */
const struct weft_err *weft_input_trouble(const struct weft_input *input);
/*
 * Adds a problem (a warning) to BUILDER if a regular file grew while it was read.  Call it
 * after weft_input_read() has returned 0, or after weft_input_is_unchanged().
 */
void weft_input_tell(const struct weft_input *input, struct weft_builder *builder);
/*
 * To be called before the first weft_input_read(): sets *HEAD to the first bytes of the
 * decompressed stream, which stay unread, and returns their number: 64 KiB (less a byte
 * order mark), or fewer if the stream is shorter or damaged.  They are INPUT's, and valid
 * until it is rewound or closed.
 */
size_t weft_input_peek(struct weft_input *input, const unsigned char **head);

/*
 * An option that only one reader has.  No other reader, and no command, has one of the same
 * name.  All texts are static.
 */
struct weft_reader_option {
    const char *name;     /* "source" */
    const char *argument; /* placeholder of the value in the help: "FILE" */
    const char *help;     /* a few words, behind NAME=ARGUMENT for a setting */
    bool is_setting;      /* given by --set NAME=VALUE; else by --NAME VALUE */
    bool is_file;         /* the value is the path of a file that the reader reads */
    /* Returns false with *ERR (WEFT_ERR_USAGE) for a wrong VALUE; NULL: any is right. */
    bool (*check)(const char *value, struct weft_err *err);
};

/* The value that the user gave for a reader's option. */
struct weft_reader_value {
    const char *name, *value;
};

/* How to read a trace, as the user asked; zeroed: nothing was asked for. */
struct weft_read_options {
    const char *time_unit; /* of the file's times: s, ms, us, ns; NULL: the format's own */
    /*
     * Path of a file of rules of roles (read/roles/user_maps.h).  NULL: the map kept for
     * such traces, if any; "": none.  Readers ignore it; weft_open() applies it.
     */
    const char *map;
    /* Values of readers' options, up to one whose name is NULL; NULL: none. */
    const struct weft_reader_value *values;
};
/*
 * Returns the value of the reader's option NAME in OPTIONS (may be NULL), which owns it;
 * NULL: not given.
 */
const char *weft_read_option(const struct weft_read_options *options, const char *name);

/*
 * Returns the decimals of a second that the time unit of OPTIONS (may be NULL) stands for:
 * 0 for s, 3 for ms, 6 for us, 9 for ns; USUAL if none is named; -1 with *ERR
 * (WEFT_ERR_USAGE) if it is unknown.
 */
int weft_time_unit_decimals(const struct weft_read_options *options, int usual,
                            struct weft_err *err) WEFT_MUST_CHECK;
/* Returns 10 to the power of DECIMALS (0 to 19): ticks per second of such times. */
uint64_t weft_decimal_ticks(int decimals);

/* A format that Weft reads; static. */
struct weft_reader {
    const char *name;        /* "paje", as info's format says */
    const char *description; /* "Paje trace": for lists of formats */
    /*
     * Returns how likely the file is of this format, from 0 (not) to 100, by the first SIZE
     * bytes of the decompressed stream (weft_input_peek).  The likeliest format is taken,
     * the first in the registry if several are equal.
     */
    int (*probe)(const unsigned char *head, size_t size);
    /*
     * Reads all of INPUT, from the first byte on, into a new store at STORE_PATH.  OPTIONS
     * may be NULL.  Returns false with *ERR, and writes no store: what was at STORE_PATH
     * stays.  The caller closes INPUT.
     * The reader makes the builder itself, since it may have to start again with another
     * one (finer resolution, unsorted tracks).
     */
    bool (*read)(struct weft_input *input, const struct weft_read_options *options,
                 const char *store_path, struct weft_job *job, struct weft_err *err);
    const struct weft_reader_option *options; /* that only this reader has: [n_options] */
    size_t n_options;
};

/* Returns the reader with INDEX, from 0; NULL behind the last. */
const struct weft_reader *weft_reader_at(size_t index);
/* Returns option INDEX, from 0, of the options of all readers; NULL behind the last. */
const struct weft_reader_option *weft_reader_option_at(size_t index);

/*
 * For the file at PATH that weft_identify() does not know: sets *ERR to WEFT_ERR_READ, with
 * the reason, if it is a pipe or cannot be read, to another code of weft_input_open() if
 * that fails with it, else to WEFT_ERR_FORMAT, with a guess at what the file is.  Returns
 * false always.
 */
bool weft_fail_unreadable(struct weft_err *err, const char *path);

/*
 * Opens any trace: a .weft directly, others through their cached index, which is built
 * (with progress in JOB) if it is missing, outdated or damaged; if it cannot be cached,
 * through a temporary one.  "-" is standard input, which is not cached.  OPTIONS may be
 * NULL.  Roles by the user's map are added to the trace in memory, not to the store.
 *
 * Returns NULL with *ERR if the trace, its store or the map cannot be read, the format is
 * unknown, or JOB is cancelled; weft_trace_close() frees the result.  *INDEX_PATH (unless
 * INDEX_PATH is NULL) is set to the path of the store, PATH itself for a .weft, which the
 * caller frees; to NULL if the store is temporary, and after a failure.
 */
struct weft_trace *weft_open(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path,
                             struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns the format of the file at PATH by its first bytes: a reader's name, or "weft",
 * static; NULL if Weft does not know it, it cannot be opened, or it is no regular file.
 */
const char *weft_identify(const char *path);
/*
 * Opens the trace at PATH, a .weft or a foreign trace by its cached index, with the roles
 * of the user's map, like weft_open(); weft_trace_close() frees the result.  OPTIONS may be
 * NULL.  Does not read a foreign trace: returns NULL if it has no cached, undamaged index,
 * and if the .weft or the user's map cannot be read.
 */
struct weft_trace *weft_open_indexed(const char *path,
                                     const struct weft_read_options *options);

/*
 * Reads a foreign trace (no .weft) from PATH, or "-", and writes its store to STORE_PATH,
 * without the cache and the user's map.  OPTIONS may be NULL.  Returns false with *ERR, and
 * writes no store (what was at STORE_PATH stays), if the format is unknown, PATH cannot be
 * read, the store cannot be written, an option is wrong, or JOB is cancelled.
 */
bool weft_import(const char *path, const struct weft_read_options *options,
                 const char *store_path, struct weft_job *job,
                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
