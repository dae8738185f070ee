/* SPDX-License-Identifier: Apache-2.0 */
/* Opening any trace: find its format by content, its index in the cache, or build that. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "read/cache.h"
#include "read/reader.h"
#include "read/roles/maps.h"

static const struct weft_reader *find_reader(struct weft_input *input)
{
    const unsigned char *head;
    size_t size = weft_input_peek(input, &head);
    const struct weft_reader *best = NULL;
    int most = 0;
    for (size_t i = 0; i < weft_n_readers; i++) {
        int sure = weft_readers[i]->probe(head, size);
        if (sure > most) {
            most = sure;
            best = weft_readers[i];
        }
    }
    return best;
}

static bool name_file(struct weft_err *err, const char *path)
{
    if (err && !err->file[0]) {
        strncpy(err->file, path, sizeof err->file - 1);
        err->file[sizeof err->file - 1] = '\0';
    }
    return false;
}

bool weft_import(const char *path, const struct weft_read_options *options,
                 const char *store_path, struct weft_job *job, struct weft_err *err)
{
    struct weft_input *input = weft_input_open(path, err);
    if (!input)
        return false;
    const struct weft_reader *reader = find_reader(input);
    bool ok = reader ? reader->read(input, options, store_path, job, err)
                     : weft_fail_unreadable(err, path);
    weft_input_close(input);
    return ok || name_file(err, path);
}

/* Is PATH a store already? */
static bool is_store(const char *path)
{
    unsigned char head[64];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t got = pread(fd, head, sizeof head, 0);
    close(fd);
    return got > 0 && weft_trace_probe(head, (size_t)got);
}

static void hand_out(char **index_path, const char *path)
{
    if (index_path)
        *index_path = weft_strdup(path);
}

static struct weft_trace *open_temporary(const char *path,
                                         const struct weft_read_options *options,
                                         struct weft_job *job, struct weft_err *err)
{
    const char *folder = getenv("TMPDIR");
    char *in = weft_asprintf("%s/weft-XXXXXX", folder && *folder ? folder : "/tmp");
    struct weft_trace *trace = NULL;
    if (!mkdtemp(in)) {
        weft_fail_errno(err, WEFT_ERR_READ, "cannot make a temporary folder \"%s\"", in);
    } else {
        char *store = weft_asprintf("%s/index.weft", in);
        if (weft_import(path, options, store, job, err))
            trace = weft_trace_open(store, err);
        unlink(store); /* the mapping stays */
        rmdir(in);
        free(store);
    }
    free(in);
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
    struct weft_trace *trace = NULL;
    /* A damaged entry does not open, so it is built again. */
    if (access(entry, R_OK) == 0)
        trace = weft_trace_open(entry, NULL);
    struct weft_err trouble = { 0 };
    if (!trace && weft_import(path, options, entry, job, &trouble))
        trace = weft_trace_open(entry, &trouble);
    if (trace) {
        weft_cache_used(entry);
        hand_out(index_path, entry);
    } else if (trouble.code == WEFT_ERR_WRITE) {
        /* The cache may be on a disk that is full. */
        trace = open_temporary(path, options, job, err);
    } else if (err) {
        *err = trouble;
    }
    free(entry);
    return trace;
}

/*
 * Apply the user's rules of roles.  When they are wrong, closes the trace and returns NULL.
 */
static struct weft_trace *with_map(struct weft_trace *trace,
                                   const struct weft_read_options *options,
                                   struct weft_err *err)
{
    if (!trace || weft_maps_apply(trace, options ? options->map : NULL, NULL, err))
        return trace;
    weft_trace_close(trace);
    return NULL;
}

struct weft_trace *weft_open(const char *path, const struct weft_read_options *options,
                             struct weft_job *job, char **index_path, struct weft_err *err)
{
    struct weft_trace *trace = open_as_it_is(path, options, job, index_path, err);
    bool opened = trace;
    trace = with_map(trace, options, err);
    if (opened && !trace && index_path) {
        free(*index_path);
        *index_path = NULL;
    }
    return trace;
}

const char *weft_identify(const char *path)
{
    if (is_store(path))
        return "weft";
    struct weft_input *input = weft_input_open(path, NULL);
    if (!input)
        return NULL;
    const struct weft_reader *reader = find_reader(input);
    weft_input_close(input);
    return reader ? reader->name : NULL;
}

struct weft_trace *weft_open_indexed(const char *path,
                                     const struct weft_read_options *options)
{
    if (is_store(path))
        return with_map(weft_trace_open(path, NULL), options, NULL);
    char *entry = weft_cache_entry(path, options);
    struct weft_trace *trace = NULL;
    if (entry && access(entry, R_OK) == 0)
        trace = weft_trace_open(entry, NULL);
    free(entry);
    return with_map(trace, options, NULL);
}
