/* SPDX-License-Identifier: Apache-2.0 */
/* Opens any trace: recognizes its format, uses its cached index, or builds it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "read/cache.h"
#include "read/reader.h"
#include "read/roles/user_maps.h"
#include "read/unknown_format.h"

static const struct weft_reader *find_reader(struct weft_input *input)
{
    const unsigned char *head;
    size_t size = weft_input_peek(input, &head);
    const struct weft_reader *best = NULL;
    int most = 0;
    for (size_t i = 0; weft_reader_at(i); i++) {
        int sure = weft_reader_at(i)->probe(head, size);
        if (sure > most) {
            most = sure;
            best = weft_reader_at(i);
        }
    }
    return best;
}

/* Put the name of the trace into an error about it. */
static bool name_file(struct weft_err *err, const char *path)
{
    if (err && !err->file[0] && weft_err_exit_status(err->code) == 3) {
        strncpy(err->file, path, sizeof err->file - 1);
        err->file[sizeof err->file - 1] = '\0';
    }
    return false;
}

/* Fail for an unknown format, and tell what the file may be. */
static bool fail_unknown(struct weft_input *input, struct weft_err *err)
{
    const struct weft_err *trouble = weft_input_trouble(input);
    const unsigned char *head;
    size_t size = weft_input_peek(input, &head);
    if (!trouble)
        return weft_fail_unknown(err, weft_input_path(input), head, size);
    if (err)
        *err = *trouble;
    return false;
}

bool weft_import(const char *path, const struct weft_read_options *options,
                 const char *store_path, struct weft_job *job, struct weft_err *err)
{
    struct weft_input *input = weft_input_open(path, job, err);
    if (!input)
        return false;
    const struct weft_reader *reader = find_reader(input);
    bool ok = reader ? reader->read(input, options, store_path, job, err)
                     : fail_unknown(input, err);
    weft_input_close(input);
    return ok || name_file(err, path);
}

/* Returns true if PATH is a store. */
static bool is_store(const char *path)
{
    unsigned char head[64];
    struct stat status;
    /* Do not open a pipe here: its writer would see a reader that leaves at once. */
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    size_t size = 0;
    ssize_t got;
    while (size < sizeof head
           && ((got = pread(fd, head + size, sizeof head - size, (off_t)size)) > 0
               || (got < 0 && errno == EINTR)))
        size += got > 0 ? (size_t)got : 0;
    close(fd);
    return weft_trace_probe(head, size);
}

static void hand_out(char **index_path, const char *path)
{
    if (index_path)
        *index_path = weft_strdup(path);
}

/* Build an index that is not cached.  It never has a name, so nothing is left behind. */
static struct weft_trace *open_temporary(const char *path,
                                         const struct weft_read_options *options,
                                         struct weft_job *job, struct weft_err *err)
{
    const char *folder = weft_temporary_folder();
    int fd = weft_nameless_file(folder);
    if (fd < 0) {
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot make a temporary file in %s", folder);
        return NULL;
    }
    char store[WEFT_NAMELESS_PATH];
    weft_nameless_path(fd, store);
    struct weft_trace *trace = NULL;
    if (weft_import(path, options, store, job, err))
        trace = weft_trace_open(store, err);
    close(fd);
    return trace;
}

/*
 * Open the index at ENTRY.  A damaged index is removed, and built again: now if the damage
 * is found while opening, else when the trace is next opened.
 */
static struct weft_trace *open_entry(const char *entry, struct weft_err *err)
{
    struct weft_trace *trace = weft_trace_open(entry, err);
    if (trace)
        weft_trace_expendable(trace, entry);
    return trace;
}

/* The same for an index that existed before; NULL if it is unusable. */
static struct weft_trace *open_old_entry(const char *entry)
{
    struct weft_trace *trace = weft_cache_has(entry) ? open_entry(entry, NULL) : NULL;
    if (!trace)
        return NULL;
    const struct weft_source *source = weft_trace_source(trace);
    if (source->ops->damage(source, 0, NULL, 0) == 0)
        return trace;
    weft_trace_close(trace);
    return NULL;
}

/*
 * Open the index at ENTRY, built if needed.  If the file was replaced or has grown
 * meanwhile, the entry is useless: it is removed, and ENTRY is freed and set to NULL.
 */
static struct weft_trace *open_cached(const char *path,
                                      const struct weft_read_options *options, char **entry,
                                      struct weft_job *job, struct weft_err *err)
{
    struct weft_trace *trace = open_old_entry(*entry);
    if (!trace && weft_import(path, options, *entry, job, err)) {
        trace = open_entry(*entry, err);
        char *now = weft_cache_entry(path, options);
        if (!now || strcmp(now, *entry) != 0) {
            unlink(*entry);
            free(*entry);
            *entry = NULL;
        }
        free(now);
    }
    if (trace && *entry)
        weft_cache_used(*entry);
    return trace;
}

static struct weft_trace *open_as_it_is(const char *path,
                                        const struct weft_read_options *options,
                                        struct weft_job *job, char **index_path,
                                        struct weft_err *err)
{
    if (index_path)
        *index_path = NULL;
    bool standard_input = strcmp(path, "-") == 0;
    if (!standard_input && is_store(path)) {
        hand_out(index_path, path);
        return weft_trace_open(path, err);
    }
    char *entry = standard_input ? NULL : weft_cache_entry(path, options);
    if (!entry)
        return open_temporary(path, options, job, err);
    struct weft_err trouble = { 0 };
    struct weft_trace *trace = open_cached(path, options, &entry, job, &trouble);
    if (trace && entry)
        hand_out(index_path, entry);
    else if (!trace && trouble.code == WEFT_ERR_WRITE)
        trace = open_temporary(path, options, job, err); /* the cache's disk may be full */
    else if (!trace && err)
        *err = trouble;
    free(entry);
    return trace;
}

/* Apply the user's rules of roles.  If they are wrong, close the trace and return NULL. */
static struct weft_trace *with_map(struct weft_trace *trace,
                                   const struct weft_read_options *options,
                                   struct weft_job *job, struct weft_err *err)
{
    if (!trace || weft_maps_apply(trace, options ? options->map : NULL, NULL, job, err))
        return trace;
    weft_trace_close(trace);
    return NULL;
}

struct weft_trace *weft_open(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path, struct weft_err *err)
{
    struct weft_trace *trace = open_as_it_is(path, options, job, index_path, err);
    trace = with_map(trace, options, job, err);
    if (!trace && index_path) {
        free(*index_path);
        *index_path = NULL;
    }
    return trace;
}

const char *weft_identify(const char *path)
{
    struct stat status;
    if (is_store(path))
        return "weft";
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL; /* a pipe would block, and lose bytes */
    struct weft_input *input = weft_input_open(path, NULL, NULL);
    if (!input)
        return NULL;
    const struct weft_reader *reader = find_reader(input);
    weft_input_close(input);
    return reader ? reader->name : NULL;
}

bool weft_fail_unreadable(struct weft_err *err, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode))
        return weft_fail_at(err, WEFT_ERR_READ, path, 0, "the file is a pipe");
    struct weft_input *input = weft_input_open(path, NULL, err);
    if (input)
        fail_unknown(input, err);
    weft_input_close(input);
    return false;
}

struct weft_trace *weft_open_indexed(const char *path,
                                     const struct weft_read_options *options)
{
    if (is_store(path))
        return with_map(weft_trace_open(path, NULL), options, NULL, NULL);
    char *entry = weft_cache_entry(path, options);
    struct weft_trace *trace = entry ? open_old_entry(entry) : NULL;
    free(entry);
    return with_map(trace, options, NULL, NULL);
}
