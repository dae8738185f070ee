/* SPDX-License-Identifier: Apache-2.0 */
#include "read/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/memory.h"
#include "read/version.h"

/* Bytes of all entries: room for the indexes of some large traces, on any common disk. */
#define LIMIT (UINT64_C(20) * 1000 * 1000 * 1000)

static bool make_folders(const char *path)
{
    char *copy = weft_strdup(path);
    bool ok = true;
    for (char *at = copy + 1; ok && *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        ok = mkdir(copy, 0700) == 0 || errno == EEXIST;
        *at = '/';
    }
    ok = ok && (mkdir(copy, 0700) == 0 || errno == EEXIST);
    free(copy);
    return ok;
}

/* A writable folder of the effective user: even root does not use other users' folders. */
static bool is_ours(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid()
           && access(path, W_OK | X_OK) == 0;
}

static char *folder(void)
{
    const char *own = getenv("WEFT_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *path = NULL;
    if (own && *own)
        path = weft_strdup(own);
    else if (xdg && *xdg == '/')
        path = weft_asprintf("%s/weft", xdg);
    else if (home && *home == '/')
        path = weft_asprintf("%s/.cache/weft", home);
    if (path && !(make_folders(path) && is_ours(path))) {
        free(path);
        path = NULL;
    }
    return path;
}

/*
 * The file's state, which changes with its content.  The ctime shows a write even if the
 * mtime was set back, as by copying with the original times.
 */
static char *state_key(const struct stat *of)
{
    return weft_asprintf("%lld %lld.%09ld %lld.%09ld", (long long)of->st_size,
                         (long long)of->st_mtim.tv_sec, of->st_mtim.tv_nsec,
                         (long long)of->st_ctim.tv_sec, of->st_ctim.tv_nsec);
}

/*
 * A write through a mapping changes a file's times only when it first touches a clean page.
 * So pages just written are flushed before the times are read: later writes then show.  Not
 * for large files, where this may take long.
 */
static void settle_times(const char *path, const struct stat *of)
{
    enum { JUST_NOW = 60 /* seconds: by then the kernel has flushed them */ };
    const off_t most = 64 << 20; /* bytes */
    if (of->st_size > most || time(NULL) - of->st_ctim.tv_sec > JUST_NOW)
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return;
    (void)!fdatasync(fd); /* if it fails, the times are no worse than before */
    close(fd);
}

/* Read the state of a regular file. */
static bool get_state(const char *path, struct stat *of)
{
    if (stat(path, of) != 0 || !S_ISREG(of->st_mode))
        return false;
    settle_times(path, of);
    return stat(path, of) == 0 && S_ISREG(of->st_mode);
}

/* Returns the part of the key for a file that is read beside the trace, and its state. */
static char *file_key(const char *path)
{
    struct stat stat_of;
    if (stat(path, &stat_of) != 0)
        return weft_strdup("missing"); /* the reader reports it */
    char *absolute = realpath(path, NULL), *state = state_key(&stat_of);
    char *key = weft_asprintf("%s\n%s", absolute ? absolute : "", state);
    free(state);
    free(absolute);
    return key;
}

/* Returns the part of the key for the options. */
static char *options_key(const struct weft_read_options *options)
{
    const struct weft_reader_option *option;
    char *key = weft_strdup(options && options->time_unit ? options->time_unit : "");
    for (size_t i = 0; (option = weft_reader_option_at(i)); i++) {
        const char *value = weft_read_option(options, option->name);
        if (!value)
            continue;
        char *part = option->is_file ? file_key(value) : weft_strdup(value);
        char *longer = weft_asprintf("%s\n%s=%s", key, option->name, part);
        free(part);
        free(key);
        key = longer;
    }
    return key;
}

char *weft_cache_entry(const char *path, const struct weft_read_options *options)
{
    char *absolute = realpath(path, NULL);
    struct stat stat_of;
    char *in = NULL;
    if (absolute && get_state(absolute, &stat_of))
        in = folder();
    char *entry = NULL;
    if (in) {
        char *asked = options_key(options), *state = state_key(&stat_of);
        char *key =
            weft_asprintf("%s\n%s\n%llu.%llu\n%s\n%s", absolute, state,
                          (unsigned long long)stat_of.st_dev,
                          (unsigned long long)stat_of.st_ino, WEFT_READ_VERSION, asked);
        free(state);
        free(asked);
        size_t length = strlen(key);
        /* 128 bits, so that no two keys collide: hashes of the key and of "second KEY". */
        char *other = weft_asprintf("second %s", key);
        const char *slash = strrchr(absolute, '/');
        entry = weft_asprintf("%s/%016llx%016llx-%.40s.weft", in,
                              (unsigned long long)weft_hash(key, length),
                              (unsigned long long)weft_hash(other, length + 7), slash + 1);
        free(other);
        free(key);
    }
    free(in);
    free(absolute);
    return entry;
}

struct entry {
    char *path;
    struct timespec used;
    uint64_t size;
};

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return WEFT_COMPARE(x->used.tv_sec, y->used.tv_sec)
               ?: WEFT_COMPARE(x->used.tv_nsec, y->used.tv_nsec);
}

/* The folder may hold other stores, which must not be removed. */
static bool is_entry_name(const char *name, size_t n)
{
    return n > 32 + 6 && strspn(name, "0123456789abcdef") == 32 && name[32] == '-'
           && strncmp(name + n - 5, ".weft", 5) == 0;
}

/*
 * A process that was killed while it made an entry may leave a hidden file; once the trace
 * has changed, no process makes that entry again.
 */
static void remove_dead(int folder, const char *name)
{
    size_t n = weft_atomic_file_hidden_name(name);
    if (n && is_entry_name(name + 1, n))
        weft_atomic_file_remove_dead(folder, name);
}

void weft_cache_limit(const char *entry, uint64_t limit)
{
    const char *slash = strrchr(entry, '/');
    char *in = weft_strndup(entry, slash ? (size_t)(slash - entry) : 0);
    DIR *dir = opendir(in);
    struct entry *entries = NULL;
    size_t n = 0, capacity = 0;
    uint64_t total = 0;
    for (struct dirent *at; dir && (at = readdir(dir));) {
        struct stat stat_of;
        remove_dead(dirfd(dir), at->d_name);
        if (!is_entry_name(at->d_name, strlen(at->d_name))
            || fstatat(dirfd(dir), at->d_name, &stat_of, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        total += (uint64_t)stat_of.st_size;
        entries = weft_grow(entries, &capacity, n + 1, sizeof *entries);
        entries[n++] = (struct entry){ weft_asprintf("%s/%s", in, at->d_name),
                                       stat_of.st_atim, (uint64_t)stat_of.st_size };
    }
    if (n)
        qsort(entries, n, sizeof *entries, by_use);
    for (size_t i = 0; i < n; i++) {
        if (total > limit && strcmp(entries[i].path, entry) != 0
            && unlink(entries[i].path) == 0)
            total -= entries[i].size;
        free(entries[i].path);
    }
    free(entries);
    if (dir)
        closedir(dir);
    free(in);
}

bool weft_cache_has(const char *entry)
{
    struct stat status;
    return lstat(entry, &status) == 0 && S_ISREG(status.st_mode)
           && status.st_uid == geteuid();
}

void weft_cache_used(const char *entry)
{
    /*
     * Only the access time: processes that have it open would take it for a changed file.
     */
    const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };
    utimensat(AT_FDCWD, entry, now, 0);
    weft_cache_limit(entry, LIMIT);
}
