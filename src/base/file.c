/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

bool weft_output_open(struct weft_output *out, const char *path, struct weft_err *err)
{
    *out = (struct weft_output){ .path = weft_strdup(path) };
    if (strcmp(path, "-") == 0) {
        out->stream = stdout;
        return true;
    }
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    out->temporary = weft_asprintf("%.*s.%s.XXXXXX", folder, path, path + folder);
    int fd = mkostemp(out->temporary, O_CLOEXEC);
    if (fd >= 0) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(fd, 0666 & ~mask);
        out->stream = fdopen(fd, "w+b");
    }
    if (fd < 0 || !out->stream) {
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", path);
        if (fd >= 0) {
            close(fd);
            unlink(out->temporary);
        }
        free(out->temporary);
        free(out->path);
        *out = (struct weft_output){ 0 };
        return false;
    }
    return true;
}

static void output_free(struct weft_output *out)
{
    free(out->temporary);
    free(out->path);
    *out = (struct weft_output){ 0 };
}

bool weft_output_commit(struct weft_output *out, struct weft_err *err)
{
    bool ok = fflush(out->stream) == 0 && !ferror(out->stream);
    if (out->temporary) {
        ok = (fclose(out->stream) == 0) && ok;
        ok = ok && rename(out->temporary, out->path) == 0;
        if (!ok) {
            weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write %s", out->path);
            unlink(out->temporary);
        }
    } else if (!ok) {
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write to standard output");
    }
    output_free(out);
    return ok;
}

void weft_output_abandon(struct weft_output *out)
{
    if (out->temporary) {
        fclose(out->stream);
        unlink(out->temporary);
    }
    output_free(out);
}
