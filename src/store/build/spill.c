/* SPDX-License-Identifier: Apache-2.0 */
#include "store/build/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"

enum { IN_MEMORY = 16 << 20 }; /* bytes before a list goes to its file */

void weft_spill_init(struct weft_spill *spill)
{
    *spill = (struct weft_spill){ .fd = -1, .in_memory = IN_MEMORY };
}

static void overflow(struct weft_spill *spill, const char *folder)
{
    if (spill->fd < 0 && !spill->error) {
        spill->fd = weft_nameless_file(folder);
        if (spill->fd < 0)
            spill->error = errno;
    }
    size_t done = 0;
    while (done < spill->used && !spill->error) {
        ssize_t n = write(spill->fd, spill->buffer + done, spill->used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            spill->error = n < 0 ? errno : ENOSPC;
        else
            done += (size_t)n;
    }
    spill->written += spill->used;
    spill->used = 0;
}

void weft_spill_append(struct weft_spill *spill, const char *folder, const void *bytes,
                       size_t size)
{
    if (spill->used + size > spill->in_memory)
        overflow(spill, folder);
    spill->buffer = weft_grow(spill->buffer, &spill->capacity, spill->used + size, 1);
    memcpy(spill->buffer + spill->used, bytes, size);
    spill->used += size;
}

static bool fail(const struct weft_spill *spill, struct weft_err *err)
{
    errno = spill->error;
    return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot keep a list in a temporary file");
}

void *weft_spill_read(struct weft_spill *spill, uint64_t *size, struct weft_err *err)
{
    *size = spill->written + spill->used;
    if (spill->fd < 0 && !spill->error) {
        spill->buffer = weft_grow(spill->buffer, &spill->capacity, 1, 1);
        return spill->buffer;
    }
    if (spill->used)
        overflow(spill, "");
    if (!spill->error) {
        spill->map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, spill->fd, 0);
        if (spill->map != MAP_FAILED)
            return spill->map;
        spill->map = NULL;
        spill->error = errno;
    }
    fail(spill, err);
    return NULL;
}

bool weft_spill_map(struct weft_spill *spill, const char *folder, struct weft_mapping *map,
                    struct weft_err *err)
{
    char path[WEFT_NAMELESS_PATH];
    *map = (struct weft_mapping){ .data = spill->buffer, .size = spill->used };
    if (spill->fd < 0 && !spill->error)
        return true;
    overflow(spill, folder);
    if (spill->error)
        return fail(spill, err);
    free(spill->buffer);
    spill->buffer = NULL;
    spill->capacity = 0;
    weft_nameless_path(spill->fd, path);
    return weft_map_file(map, path, err);
}

void weft_spill_free(struct weft_spill *spill)
{
    if (spill->map)
        munmap(spill->map, spill->written);
    if (spill->fd >= 0)
        close(spill->fd);
    free(spill->buffer);
    weft_spill_init(spill);
}
