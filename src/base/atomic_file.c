/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    RANDOM = 6,     /* characters after the mark: as many as mkstemp takes */
    ATTEMPTS = 100, /* attempts to find a free name */
    MAX_LINKS = 40, /* symbolic links in a row: as many as the kernel follows */
    /* Bytes of NAME in a hidden name, so that it does not exceed NAME_MAX. */
    MAX_NAME = NAME_MAX - RANDOM - 8,
};
static const char mark[] = ".weft-"; /* part of all hidden names before the random part */

const char *weft_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

/* Returns the length of a path before its last name: "", "/" or "FOLDER/". */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

static const char by_descriptor[] = "/proc/self/fd/";

static bool is_nameless(const char *path)
{
    return strncmp(path, by_descriptor, strlen(by_descriptor)) == 0;
}

void weft_nameless_path(int fd, char out[WEFT_NAMELESS_PATH])
{
    snprintf(out, WEFT_NAMELESS_PATH, "%s%d", by_descriptor, fd);
}

char *weft_atomic_file_folder(const char *path)
{
    int length = folder_length(path);
    if (is_nameless(path))
        return weft_strdup(weft_temporary_folder());
    return length ? weft_strndup(path, (size_t)length) : weft_strdup(".");
}

/* Returns the prefix of hidden names for PATH, without the folder. */
static char *hidden_stem(const char *path)
{
    return weft_asprintf(".%.*s%s", MAX_NAME, path + folder_length(path), mark);
}

size_t weft_atomic_file_hidden_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t length = strlen(name), suffix = strlen(mark) + RANDOM;
    if (name[0] != '.' || length <= 1 + suffix)
        return 0;
    const char *end = name + length - suffix;
    bool hidden = strncmp(end, mark, strlen(mark)) == 0
                  && strspn(end + strlen(mark), letters) == RANDOM;
    return hidden ? length - 1 - suffix : 0;
}

static bool is_hidden_name(const char *name, const char *stem)
{
    size_t length = strlen(stem);
    return strncmp(name, stem, length) == 0 && strlen(name) == length + RANDOM
           && weft_atomic_file_hidden_name(name);
}

void weft_atomic_file_remove_dead(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

/* Removes hidden files for PATH that dead processes left. */
static void remove_dead(const char *path)
{
    char *folder = weft_atomic_file_folder(path), *stem = hidden_stem(path);
    DIR *dir = opendir(folder);
    for (struct dirent *at; dir && (at = readdir(dir));)
        if (is_hidden_name(at->d_name, stem))
            weft_atomic_file_remove_dead(dirfd(dir), at->d_name);
    if (dir)
        closedir(dir);
    free(stem);
    free(folder);
}

/* Returns a hidden name for PATH that is probably free. */
static char *hidden_name(const char *path)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ01";
    unsigned char bytes[RANDOM];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        memset(bytes, 0, sizeof bytes); /* then there is one name only */
    char end[RANDOM + 1] = "";
    for (int i = 0; i < RANDOM; i++)
        end[i] = letters[bytes[i] % 64];
    char *stem = hidden_stem(path);
    char *name = weft_asprintf("%.*s%s%s", folder_length(path), path, stem, end);
    free(stem);
    return name;
}

/*
 * Locks the file to show that its process lives; has no effect on file systems without
 * locks.
 */
static void hold(int fd)
{
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
}

/* Returns false if another process removed the file before it was locked. */
static bool has_name(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

/* Opens a file with a hidden name; -1 with errno. */
static int open_hidden(struct weft_atomic_file *file)
{
    remove_dead(file->path);
    for (int i = 0; i < ATTEMPTS; i++) {
        char *name = hidden_name(file->path);
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            hold(fd);
        if (fd >= 0 && has_name(fd)) {
            file->hidden = name;
            file->meanwhile = weft_strdup(name);
            return fd;
        }
        int saved = errno;
        if (fd >= 0) {
            close(fd);
            saved = EEXIST;
        }
        free(name);
        errno = saved;
        if (saved != EEXIST)
            return -1;
    }
    return -1;
}

/*
 * Opens a nameless file; -1 if that is unsupported here, or if there is no /proc, by which
 * it later gets its name.
 */
static int open_nameless(const char *folder)
{
    int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    char path[WEFT_NAMELESS_PATH];
    weft_nameless_path(fd, path);
    if (fd >= 0 && access(path, F_OK) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int weft_nameless_file(const char *folder)
{
    WEFT_REQUIRE(folder[0], "a nameless file in no folder"); /* it would lie in the root */
    int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char *name = weft_asprintf("%s/.weft-XXXXXX", folder);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    free(name);
    return fd;
}

/* Returns N if PATH names descriptor N of this process, else -1. */
static int descriptor_of(const char *path)
{
    const char *name = path + folder_length(path);
    size_t digits = strspn(name, "0123456789");
    if (!digits || digits > 9 || name[digits])
        return -1;
    char *folder = weft_strndup(path, (size_t)folder_length(path));
    char *real = realpath(folder, NULL);
    char *ours = realpath("/proc/self/fd", NULL);
    bool is_ours = real && ours && strcmp(real, ours) == 0;
    free(folder);
    free(real);
    free(ours);
    return is_ours ? atoi(name) : -1;
}

/*
 * Returns the target of the symbolic link PATH, relative to the working directory; NULL
 * with errno if it is none.
 */
static char *target_of(const char *path)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target);
    if (length < 0)
        return NULL;
    int folder = length && target[0] == '/' ? 0 : folder_length(path);
    return weft_asprintf("%.*s%.*s", folder, path, (int)length, target);
}

char *weft_atomic_file_place(const char *path, int *descriptor)
{
    char *place = weft_strdup(path);
    for (int i = 0; i < MAX_LINKS; i++) {
        char *target = NULL;
        *descriptor = descriptor_of(place);
        if (*descriptor < 0)
            target = target_of(place);
        if (!target)
            return place;
        free(place);
        place = target;
    }
    free(place);
    errno = ELOOP;
    return NULL;
}

/* Resolves PATH, and fails if no file may be put there. */
static bool resolve(struct weft_atomic_file *file, const char *path, struct weft_err *err)
{
    struct stat status;
    int descriptor;
    file->path = weft_atomic_file_place(path, &descriptor);
    if (!file->path)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
    if (descriptor >= 0)
        return weft_fail(err, WEFT_ERR_WRITE,
                         "cannot write %s: it is no file of its own, but one that is open",
                         path);
    if (stat(file->path, &status) != 0 || S_ISREG(status.st_mode))
        return true;
    errno = EISDIR;
    if (S_ISDIR(status.st_mode))
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
    return weft_fail(err, WEFT_ERR_WRITE, "cannot write %s: it is no regular file", path);
}

/* Opens a nameless file of the caller, and truncates it. */
static bool open_as_it_is(struct weft_atomic_file *file, const char *path,
                          struct weft_err *err)
{
    file->fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
    if (file->fd < 0)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
    file->path = weft_asprintf("a temporary file in %s", weft_temporary_folder());
    file->meanwhile = weft_strdup(path);
    file->stays = true;
    return true;
}

/*
 * Gives a file that replaces another the same mode, and the same group if allowed.  Its
 * owner stays the user of this process, as other users may have to trust it (read/cache.h).
 * Until it is WHOLE, its owner can always read and write it.
 */
static void keep_mode(const struct weft_atomic_file *file, bool whole)
{
    struct stat old, own;
    if (stat(file->path, &old) != 0 || !S_ISREG(old.st_mode) || fstat(file->fd, &own) != 0)
        return;
    mode_t mode = old.st_mode & 0777;
    if (old.st_gid != own.st_gid && fchown(file->fd, (uid_t)-1, old.st_gid) != 0)
        mode &= ~(mode_t)070; /* they would go to another group */
    (void)!fchmod(file->fd, whole ? mode : (mode & own.st_mode) | 0600);
}

bool weft_atomic_file_open(struct weft_atomic_file *file, const char *path,
                           struct weft_err *err)
{
    *file = (struct weft_atomic_file){ .fd = -1 };
    if (is_nameless(path))
        return open_as_it_is(file, path, err);
    if (!resolve(file, path, err)) {
        weft_atomic_file_abandon(file);
        return false;
    }
    char *folder = weft_atomic_file_folder(file->path);
    file->fd = open_nameless(folder);
    free(folder);
    if (file->fd >= 0) {
        file->meanwhile = weft_alloc(WEFT_NAMELESS_PATH);
        weft_nameless_path(file->fd, file->meanwhile);
        keep_mode(file, false);
        return true;
    }
    file->fd = open_hidden(file);
    if (file->fd >= 0) {
        keep_mode(file, false);
        return true;
    }
    weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
    weft_atomic_file_abandon(file);
    return false;
}

static bool link_as(const struct weft_atomic_file *file, const char *name)
{
    return linkat(AT_FDCWD, file->meanwhile, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/*
 * Gives the nameless file a hidden name, so that rename() can replace the file at its
 * place.
 */
static bool name_it(struct weft_atomic_file *file)
{
    remove_dead(file->path);
    hold(file->fd);
    for (int i = 0; i < ATTEMPTS && !file->hidden; i++) {
        char *name = hidden_name(file->path);
        if (link_as(file, name)) {
            file->hidden = name;
        } else {
            int saved = errno;
            free(name);
            errno = saved;
            if (saved != EEXIST)
                return false;
        }
    }
    return file->hidden;
}

/*
 * Syncs the folder, whose entry must be on the disk, too.  Some file systems cannot do
 * that.
 */
static bool sync_folder(const char *path)
{
    char *folder = weft_atomic_file_folder(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd < 0 || fsync(fd) == 0 || errno == EINVAL;
    int saved = errno;
    if (fd >= 0)
        close(fd);
    free(folder);
    errno = saved;
    return ok;
}

static bool put(struct weft_atomic_file *file)
{
    if (!file->hidden) {
        if (link_as(file, file->path))
            return true;
        if (errno != EEXIST || !name_it(file))
            return false;
    }
    if (rename(file->hidden, file->path) != 0)
        return false;
    free(file->hidden);
    file->hidden = NULL;
    return true;
}

bool weft_atomic_file_commit(struct weft_atomic_file *file, struct weft_err *err)
{
    if (!file->stays)
        keep_mode(file, true);
    bool ok = file->stays || (fsync(file->fd) == 0 && put(file) && sync_folder(file->path));
    if (!ok)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", file->path);
    weft_atomic_file_abandon(file);
    return ok;
}

void weft_atomic_file_abandon(struct weft_atomic_file *file)
{
    if (file->hidden)
        unlink(file->hidden);
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file->hidden);
    free(file->meanwhile);
    *file = (struct weft_atomic_file){ .fd = -1 };
}
