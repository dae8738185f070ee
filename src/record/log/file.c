/* SPDX-License-Identifier: Apache-2.0 */
/* The log's file: made, extended by pieces, written, reopened. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "record/core/system.h"
#include "record/log/file.h"
#include "record/process/seccomp_filters.h"

/*
 * Move the descriptor out of the way of programs that use fixed numbers, and below the
 * usual limit of 1,024, or lower if the limit is.
 */
static long move_up(long descriptor)
{
    /* Never 0, 1 or 2, even if they are closed. */
    static const int places[] = { 900, 200, 50, 30, 20, 10, 3 };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        long moved = weft_sys_duplicate(descriptor, places[i]);
        if (moved >= 0) {
            weft_sys_close(descriptor);
            return moved;
        }
    }
    return descriptor;
}

/* *NAMES is 0 if the recording was joined and removed while this process was running. */
static bool is_log(const struct weft_file *file, long descriptor, uint64_t *names)
{
    uint64_t device, inode;

    return descriptor >= 0 && weft_sys_identity(descriptor, &device, &inode, names)
           && device == file->device && inode == file->inode;
}

static bool is_ours(const struct weft_file *file, long descriptor)
{
    uint64_t names;

    return is_log(file, descriptor, &names);
}

/* Returns the descriptor of the log, or a negative error number. */
static long descriptor_of(struct weft_file *file)
{
    int known = __atomic_load_n(&file->descriptor, __ATOMIC_ACQUIRE);
    uint64_t names;
    long opened;

    if (is_log(file, known, &names))
        return names > 0 ? known : -ESTALE;
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
        /* Another thread was faster. */
        weft_sys_close(opened);
        return is_ours(file, known) ? known : -EBADF;
    }
    return opened;
}

/* Put the log's folder into FOLDER, of WEFT_PATH_MAX bytes; returns its end. */
static char *folder_of(const struct weft_file *file, char *folder)
{
    char *end;

    weft_text_copy(folder, file->path);
    end = strrchr(folder, '/');
    *end = 0;
    return end;
}

/* An empty file: a full disk may have room for a name only. */
void weft_file_leave_word(const struct weft_file *file, uint32_t pid, int error)
{
    char path[WEFT_PATH_MAX + 64];
    char *to = folder_of(file, path);
    long descriptor;

    to = weft_text_number(weft_text_copy(to, "/x"), pid);
    weft_text_number(weft_text_copy(to, "-"), (uint64_t)error);
    descriptor = weft_sys_open(path, O_WRONLY | O_CREAT);
    if (descriptor >= 0)
        weft_sys_close(descriptor);
}

/* Use the first free name: process ids are reused. */
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
    file->reserve = NULL;
    file->user = weft_sys_user();
    file->inherited = false;
    if (descriptor >= 0) {
        uint64_t names;
        if (weft_sys_identity(descriptor, &file->device, &file->inode, &names))
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
    return error;
}

int weft_file_inherit(struct weft_file *file, const char *folder, long descriptor,
                      uint64_t device, uint64_t inode)
{
    struct weft_log_head *head = NULL;
    int error = EBADF;

    file->device = device;
    file->inode = inode;
    file->reserve = NULL;
    if (is_ours(file, descriptor))
        head = weft_sys_map_again(descriptor, 0, WEFT_PIECE_ALIGN, &error);
    if (!head)
        return error;
    if (head->magic != WEFT_LOG_MAGIC) {
        weft_sys_unmap(head, WEFT_PIECE_ALIGN);
        return EBADF;
    }
    weft_sys_keep_open(descriptor, false);
    /* The path serves to find the folder; descriptor_of checks that it is the log. */
    weft_text_copy(weft_text_copy(file->path, folder), "/-");
    file->descriptor = (int)descriptor;
    file->head = head;
    file->inherited = true;
    return 0;
}

uint32_t weft_file_to_hand_over(const struct weft_file *file)
{
    int descriptor = __atomic_load_n(&file->descriptor, __ATOMIC_ACQUIRE);
    char folder[WEFT_PATH_MAX];

    if (!file->head || descriptor <= 0 || !weft_sandbox_allows(WEFT_NEED_HANDOVER)
        || !weft_sandbox_allows(WEFT_NEED_FSTAT))
        return 0;
    (void)folder_of(file, folder);
    /*
     * In another root that folder does not exist.  If the user has changed, write
     * permission may come from a capability that exec takes away.
     */
    if (!file->inherited && weft_sys_user() == file->user
        && weft_sandbox_allows(WEFT_NEED_OPEN) && weft_sys_may_write(folder))
        return 0;
    return is_ours(file, descriptor) ? (uint32_t)descriptor : 0;
}

void weft_file_hand_over(const struct weft_file *file, bool open)
{
    weft_sys_keep_open(__atomic_load_n(&file->descriptor, __ATOMIC_ACQUIRE), open);
}

static uint64_t whole_pages(uint64_t size)
{
    return (size + WEFT_PIECE_ALIGN - 1) / WEFT_PIECE_ALIGN * WEFT_PIECE_ALIGN;
}

/* Returns the offset of SIZE new bytes in the file. */
static uint64_t append_space(struct weft_file *file, uint64_t size)
{
    return __atomic_fetch_add(&file->head->end, whole_pages(size), __ATOMIC_RELAXED);
}

/* Returns room in the reserve, which forked children share; NULL if there is none left. */
static char *take_reserved(struct weft_file *file, uint64_t size, uint64_t *offset)
{
    uint64_t at;

    if (!file->reserve)
        return NULL;
    at = WEFT_PIECE_ALIGN
         + __atomic_fetch_add((uint64_t *)file->reserve, whole_pages(size),
                              __ATOMIC_RELAXED);
    if (at + size > file->reserve_size)
        return NULL;
    *offset = file->reserve_offset + at;
    return file->reserve + at;
}

bool weft_file_reserve(struct weft_file *file, uint64_t size)
{
    int error;
    uint64_t offset;
    char *reserve = weft_file_map(file, size, &offset, &error);

    if (reserve) {
        file->reserve_offset = offset;
        file->reserve_size = size;
        file->reserve = reserve;
    }
    return reserve != NULL;
}

void *weft_file_map(struct weft_file *file, uint64_t size, uint64_t *offset, int *error)
{
    long descriptor;

    if (!weft_sandbox_allows(WEFT_NEED_ROOM) || !weft_sandbox_allows(WEFT_NEED_MAP_FILE)
        || !weft_sandbox_allows(WEFT_NEED_FSTAT)) {
        *error = EPERM;
        return take_reserved(file, size, offset);
    }
    descriptor = descriptor_of(file);
    if (descriptor < 0) {
        *error = (int)-descriptor;
        return NULL;
    }
    *offset = append_space(file, size);
    return weft_sys_map_file(descriptor, *offset, size, error);
}

long weft_file_append(struct weft_file *file, const void *piece, uint64_t size)
{
    long descriptor;
    uint64_t offset;
    char *room;

    if (!weft_sandbox_allows(WEFT_NEED_WRITE) || !weft_sandbox_allows(WEFT_NEED_FSTAT)) {
        room = take_reserved(file, size, &offset);
        if (room)
            memcpy(room, piece, size);
        return room ? 0 : -EPERM;
    }
    descriptor = descriptor_of(file);
    if (descriptor < 0)
        return descriptor;
    return weft_sys_write_all(descriptor, piece, size, (int64_t)append_space(file, size));
}
