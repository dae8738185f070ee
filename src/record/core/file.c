/* SPDX-License-Identifier: Apache-2.0 */
/* The log's file: made, taken in pieces, written, found again. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/core/file.h"
#include "record/core/system.h"

/*
 * Out of the way of programs that number their descriptors themselves, and below the usual
 * limit of 1,024; lower where the limit is.
 */
static long move_up(long descriptor)
{
    static const int places[] = { 900, 200, 50 };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        long moved = weft_sys_duplicate(descriptor, places[i]);
        if (moved >= 0) {
            weft_sys_close(descriptor);
            return moved;
        }
    }
    return descriptor;
}

static bool is_ours(const struct weft_file *file, long descriptor)
{
    uint64_t device, inode;

    return descriptor >= 0 && weft_sys_identity(descriptor, &device, &inode)
           && device == file->device && inode == file->inode;
}

/* The descriptor of the log, or a negative error number. */
static long descriptor_of(struct weft_file *file)
{
    int known = __atomic_load_n(&file->descriptor, __ATOMIC_ACQUIRE);
    long opened;

    if (is_ours(file, known))
        return known;
    opened = weft_sys_open(file->path, O_RDWR | O_NOFOLLOW);
    if (opened < 0)
        return opened;
    if (!is_ours(file, opened)) { /* in another root, for instance */
        weft_sys_close(opened);
        return -ENOENT;
    }
    opened = move_up(opened);
    if (!__atomic_compare_exchange_n(&file->descriptor, &known, (int)opened, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        /* Another thread was quicker. */
        weft_sys_close(opened);
        return is_ours(file, known) ? known : -EBADF;
    }
    return opened;
}

/* A file that says why there is no log: its name is all that a full disk has room for. */
static void leave_word(const char *folder, uint32_t pid, int error)
{
    char path[WEFT_PATH_MOST + 64];
    char *to = weft_text_copy(path, folder);
    long descriptor;

    to = weft_text_number(weft_text_copy(to, "/x"), pid);
    weft_text_number(weft_text_copy(to, "-"), (uint64_t)error);
    descriptor = weft_sys_open(path, O_WRONLY | O_CREAT);
    if (descriptor >= 0)
        weft_sys_close(descriptor);
}

/* The first name that is free: numbers of processes come again. */
static long create(struct weft_file *file, const char *folder, uint32_t pid)
{
    long descriptor = -EEXIST;

    for (uint64_t n = 0; descriptor == -EEXIST; n++) {
        char *to = weft_text_copy(file->path, folder);
        to = weft_text_number(weft_text_copy(to, "/l"), pid);
        weft_text_number(weft_text_copy(to, "-"), n);
        descriptor = weft_sys_open(file->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    }
    return descriptor;
}

static struct weft_log_head *map_head(long descriptor, int *error)
{
    struct weft_log_head *head = weft_sys_map_file(descriptor, 0, WEFT_PIECE_ALIGN, error);

    if (head) {
        head->end = WEFT_PIECE_ALIGN;
        __atomic_store_n(&head->magic, WEFT_LOG_MAGIC, __ATOMIC_RELEASE);
    }
    return head;
}

int weft_file_create(struct weft_file *file, const char *folder, uint32_t pid)
{
    long descriptor = create(file, folder, pid);
    int error = descriptor < 0 ? (int)-descriptor : 0;

    file->head = NULL;
    file->descriptor = -1;
    if (descriptor >= 0) {
        if (weft_sys_identity(descriptor, &file->device, &file->inode))
            file->head = map_head(descriptor, &error);
        else
            error = EBADF;
        if (file->head) {
            file->descriptor = (int)move_up(descriptor);
        } else {
            weft_sys_close(descriptor);
            weft_sys_remove(file->path);
        }
    }
    if (error)
        leave_word(folder, pid, error);
    return error;
}

uint64_t weft_file_take(struct weft_file *file, uint64_t size)
{
    uint64_t align = WEFT_PIECE_ALIGN;

    return __atomic_fetch_add(&file->head->end, (size + align - 1) / align * align,
                              __ATOMIC_RELAXED);
}

void *weft_file_map(struct weft_file *file, uint64_t size, uint64_t *offset, int *error)
{
    long descriptor = descriptor_of(file);

    if (descriptor < 0) {
        *error = (int)-descriptor;
        return NULL;
    }
    *offset = weft_file_take(file, size);
    return weft_sys_map_file(descriptor, *offset, size, error);
}

long weft_file_write(struct weft_file *file, const void *bytes, uint64_t size,
                     uint64_t offset)
{
    long descriptor = descriptor_of(file);

    return descriptor < 0 ? descriptor
                          : weft_sys_write_all(descriptor, bytes, size, (int64_t)offset);
}
