/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/access_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Makes a folder and its parents, with access only for the user. */
static bool make_folder(char *path)
{
    for (char *at = path + 1;; at++)
        if (*at == '/' || !*at) {
            char end = *at;
            *at = '\0';
            bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
            *at = end;
            if (!ok || !end)
                return ok;
        }
}

char *state_folder(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = state && state[0] == '/' ? weft_asprintf("%s/weft", state)
                 : home && home[0] == '/' ? weft_asprintf("%s/.local/state/weft", home)
                                          : NULL;
    if (path && !make_folder(path)) {
        free(path);
        path = NULL;
    }
    return path;
}

static bool make_token(char token[TOKEN_SIZE], struct weft_err *err)
{
    unsigned char bytes[TOKEN_SIZE / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return weft_fail_errno(err, WEFT_ERR_READ, "no random numbers");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* Reads exactly SIZE bytes, however few a read() gives; false if the file is shorter. */
static bool read_all(int fd, char *bytes, size_t size)
{
    ssize_t got = 1;
    for (size_t n = 0; n < size; n += (size_t)got) {
        got = read(fd, bytes + n, size - n);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            return false;
    }
    return true;
}

/* Reads a token; false with errno ENOENT if there is none, else with *ERR. */
static bool read_token(char token[TOKEN_SIZE], const char *path, struct weft_err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        int why = errno;
        weft_fail_errno(err, WEFT_ERR_READ, "cannot read %s", path);
        errno = why;
        return false;
    }
    bool own = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()
               && !(st.st_mode & (S_IRWXG | S_IRWXO));
    bool whole = own && read_all(fd, token, TOKEN_SIZE) && token[TOKEN_SIZE - 1] == '\n';
    close(fd);
    token[TOKEN_SIZE - 1] = '\0';
    errno = 0;
    if (!own)
        return weft_fail_at(err, WEFT_ERR_READ, path, 0,
                            "others can read this token, or have made it (weft view "
                            "--new-token makes another)");
    return (whole && strspn(token, "0123456789abcdef") == TOKEN_SIZE - 1)
           || weft_fail_at(err, WEFT_ERR_READ, path, 0,
                           "this is no token (weft view --new-token makes another)");
}

/*
 * Writes a token to a temporary file and puts it in place: over an old one if FRESH, else
 * only if no other server was faster.  So a reader sees it whole.
 */
static bool write_token(const char *token, const char *path, bool fresh)
{
    char *beside = weft_asprintf("%s.%ld", path, (long)getpid());
    unlink(beside); /* of a process that had this number and was killed */
    int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && dprintf(fd, "%s\n", token) == TOKEN_SIZE && fsync(fd) == 0;
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && (fresh ? rename(beside, path) : link(beside, path)) == 0;
    int why = errno;
    unlink(beside);
    free(beside);
    errno = ok ? 0 : why;
    return ok;
}

/* Makes a token and keeps it, or takes that of another server that was faster. */
static bool keep_token(char token[TOKEN_SIZE], const char *path, bool fresh, bool *kept,
                       struct weft_err *err)
{
    struct stat old;
    if (!make_token(token, err))
        return false;
    *kept = write_token(token, path, fresh);
    int why = errno;
    if (*kept || lstat(path, &old) != 0)
        return true;
    errno = why;
    if (fresh) /* at the next start the old token would be valid again */
        return weft_fail_errno(err, WEFT_ERR_WRITE, "the old secret stays: cannot write %s",
                               path);
    *kept = true;
    return read_token(token, path, err);
}

bool state_token(char token[TOKEN_SIZE], const char *folder, bool fresh, bool *kept,
                 struct weft_err *err)
{
    *kept = false;
    if (!folder)
        return make_token(token, err);
    char *path = weft_asprintf("%s/token", folder);
    *kept = !fresh && read_token(token, path, err);
    bool ok =
        *kept || ((fresh || errno == ENOENT) && keep_token(token, path, fresh, kept, err));
    free(path);
    return ok;
}
