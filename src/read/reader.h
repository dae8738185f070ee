/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers convert a format into a store.  Each format has its folder and an entry in
 * read/registry.c; formats are recognized by content, never by name.  A reader knows
 * nothing of views.  Bad content becomes problems in the builder (store/build/builder.h),
 * not errors; an error means that nothing can be read.
 */
#ifndef WEFT_READ_READER_H
#define WEFT_READ_READER_H

#include "base/err.h"
#include "base/file.h"
#include "base/job.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"

/*
 * A stream of bytes.  Compressed files (gzip, zstd, xz, recognized by their first bytes)
 * are decompressed, and a UTF-8 byte order mark is skipped.  It is read from front to back;
 * weft_input_rewind starts again.
 */
struct weft_input;
/*
 * Open PATH: a regular file, a pipe, or "-" for standard input.  It reads the first bytes,
 * so it waits for a pipe; JOB (may be NULL) cancels waiting and reading.  NULL with *ERR:
 * WEFT_ERR_READ, WEFT_ERR_CANCELLED, WEFT_ERR_LIMIT, or WEFT_ERR_WRITE if a pipe's bytes
 * cannot be copied to a temporary file.  Damaged compressed data are no failure yet.
 */
struct weft_input *weft_input_open(const char *path, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;
/* Close and free INPUT; NULL: no effect. */
void weft_input_close(struct weft_input *input);
/*
 * Read up to SIZE bytes; returns their number, 0 at the end, -1 with *ERR.
 * WEFT_ERR_FORMAT: the compressed data are damaged or cut; the bytes before are good.  Any
 * other code: the file could not be read, or has changed; then the reader must fail,
 * because the bytes before are not the whole file.
 */
int64_t weft_input_read(struct weft_input *input, void *buffer, size_t size,
                        struct weft_err *err) WEFT_MUST_CHECK;
/* Read from the first byte again, for a pipe after its rest; fails like weft_input_open. */
bool weft_input_rewind(struct weft_input *input, struct weft_err *err) WEFT_MUST_CHECK;
/* Returns true if it is a regular file, neither empty nor compressed: it can be mapped. */
bool weft_input_is_plain(const struct weft_input *input);
/*
 * Map the whole file into MAP instead of reading it; only if weft_input_is_plain().  The
 * caller unmaps it with weft_unmap().  Fails with WEFT_ERR_READ.
 */
bool weft_input_map(const struct weft_input *input, struct weft_mapping *map,
                    struct weft_err *err) WEFT_MUST_CHECK;
/*
 * After all of MAP was used: true if its bytes were valid, also if the file has grown;
 * false with WEFT_ERR_READ if the file was changed or a page could not be read.
 */
bool weft_input_is_unchanged(struct weft_input *input, const struct weft_mapping *map,
                             struct weft_err *err) WEFT_MUST_CHECK;
const char *weft_input_path(const struct weft_input *input);
/* Returns the bytes read so far of the file as it is stored, compressed or not. */
uint64_t weft_input_taken(const struct weft_input *input);
/* Returns the size of the file as it is stored, when it was opened; 0: unknown. */
uint64_t weft_input_size(const struct weft_input *input);
/* Returns the read error that cut off the first bytes (weft_input_peek); NULL: none. */
const struct weft_err *weft_input_trouble(const struct weft_input *input);
/* At the end of reading: report a problem to BUILDER if a regular file grew meanwhile. */
void weft_input_tell(const struct weft_input *input, struct weft_builder *builder);
/* Sets *HEAD to the first bytes of the decompressed stream, unread; returns their number.
 */
size_t weft_input_peek(struct weft_input *input, const unsigned char **head);

/*
 * An option that only one reader has.  No other reader, and no command, has one of the same
 * name.
 */
struct weft_reader_option {
    const char *name;     /* "source" */
    const char *argument; /* "FILE" */
    const char *help;     /* a few words, behind NAME=ARGUMENT for a setting */
    bool is_setting;      /* given by --set NAME=VALUE; else by --NAME VALUE */
    bool is_file;         /* VALUE is the path of a file that the reader reads */
    /* Returns false for a wrong VALUE (WEFT_ERR_USAGE); NULL: any value is accepted. */
    bool (*check)(const char *value, struct weft_err *err);
};

struct weft_reader_value {
    const char *name, *value;
};

struct weft_read_options {
    const char *time_unit; /* s, ms, us, ns; NULL: the format's own */
    /* Rules of roles (read/roles/maps.h).  NULL: the map kept for such traces; "": none. */
    const char *map;
    /* Values of readers' options, up to one without a name; NULL: none. */
    const struct weft_reader_value *values;
};
/* Returns the value of the reader's option NAME; NULL: not given.  OPTIONS may be NULL. */
const char *weft_read_option(const struct weft_read_options *options, const char *name);

/*
 * Returns the decimals of the time unit of OPTIONS (may be NULL), 0 for s to 9 for ns;
 * USUAL if none is named; -1 with *err if it is unknown.
 */
int weft_time_unit_decimals(const struct weft_read_options *options, int usual,
                            struct weft_err *err) WEFT_MUST_CHECK;
/* Returns the ticks per second of times with so many decimals: a power of ten. */
uint64_t weft_decimal_ticks(int decimals);

struct weft_reader {
    const char *name;        /* "paje", as info's format says */
    const char *description; /* "Paje trace": for lists of formats */
    /* Returns how likely, 0 to 100, the format is, by the first bytes (4 KiB if there). */
    int (*probe)(const unsigned char *head, size_t size);
    /*
     * Read all of INPUT into a new store at STORE_PATH; false with *ERR.  The reader makes
     * the builder itself, since it may have to start again with another one (finer
     * resolution, unsorted tracks).
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

/* Sets *ERR for a file that weft_identify() does not know, guessing what it is; false. */
bool weft_fail_unreadable(struct weft_err *err, const char *path);

/*
 * Open any trace: a .weft directly, others through their cached index, which is built (with
 * progress in JOB) if it is missing, stale or damaged.  INDEX_PATH (may be NULL) receives
 * the path of the store; the caller frees it.  "-" is standard input, which is not cached.
 * Roles by the user's map are added to the trace in memory, not to the store.
 */
struct weft_trace *weft_open(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path,
                             struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns the format of a file by its content: a reader's name, or "weft"; NULL if Weft
 * cannot read it.
 */
const char *weft_identify(const char *path);
/*
 * Like weft_open(), but returns NULL if the trace is no .weft and has no cached index: it
 * is not read.
 */
struct weft_trace *weft_open_indexed(const char *path,
                                     const struct weft_read_options *options);

/* Write the store of a foreign trace to STORE_PATH, without the cache and users' roles. */
bool weft_import(const char *path, const struct weft_read_options *options,
                 const char *store_path, struct weft_job *job,
                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
