/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder asks of the kernel, and text without stdio.  The calls are neither
 * interposed nor points of cancellation; they keep errno and return negative error numbers.
 * What a filter of system calls forbids is not called, and fails with -EPERM.
 */
#ifndef WEFT_RECORD_SYSTEM_H
#define WEFT_RECORD_SYSTEM_H

#include "record/core/core.h"

WEFT_HIDDEN long weft_sys_open(const char *path, int flags);
WEFT_HIDDEN long weft_sys_open_at(int folder, const char *path, int flags);
WEFT_HIDDEN long weft_sys_read(long fd, void *bytes, uint64_t size);
WEFT_HIDDEN long weft_sys_read_at(long fd, void *bytes, uint64_t size, uint64_t offset);
/* Is it a regular file, or a link to one? */
WEFT_HIDDEN bool weft_sys_is_file(int folder, const char *path);
WEFT_HIDDEN long weft_sys_write_all(long fd, const void *bytes, uint64_t size,
                                    int64_t offset);
WEFT_HIDDEN void weft_sys_close(long fd);
WEFT_HIDDEN void weft_sys_make_folder(const char *path); /* one that is there is fine */
/* The beginning of a file, at most SIZE - 1 bytes and a NUL; returns how many. */
WEFT_HIDDEN uint32_t weft_sys_read_file(const char *path, char *to, uint32_t size);
/* Where a symbolic link leads, cut to SIZE - 1 bytes; returns how many, 0 when it is none. */
WEFT_HIDDEN uint32_t weft_sys_read_link(const char *path, char *to, uint32_t size);
/* The folder that the process is in; returns the bytes of its path, 0 when SIZE is too small. */
WEFT_HIDDEN uint32_t weft_sys_folder(char *to, uint32_t size);
/* Inode number of a file, or 0. */
WEFT_HIDDEN uint64_t weft_sys_inode(const char *path);
WEFT_HIDDEN void weft_sys_host_name(char *to, uint32_t size);
WEFT_HIDDEN void weft_sys_remove(const char *path);
/* Another descriptor of the same file, at least LEAST, which exec closes. */
WEFT_HIDDEN long weft_sys_duplicate(long fd, int least);
/* Whether exec leaves the descriptor open. */
WEFT_HIDDEN void weft_sys_keep_open(long fd, bool kept);
/* The user that the process acts as. */
WEFT_HIDDEN uint32_t weft_sys_user(void);
/* May the process, as it is now, make files in the folder? */
WEFT_HIDDEN bool weft_sys_may_write(const char *folder);
/* May it read the file, also when exec has taken the capabilities that another user kept? */
WEFT_HIDDEN bool weft_sys_may_read(const char *path);
/* Which file a descriptor is of, and how many names that has; false: none. */
WEFT_HIDDEN bool weft_sys_identity(long fd, uint64_t *device, uint64_t *inode,
                                   uint64_t *names);
/*
 * SIZE bytes of a file from OFFSET on, given room on the disk, since a store into a mapping
 * without that would kill the program; mapped shared.  NULL with *error.
 */
WEFT_HIDDEN void *weft_sys_map_file(long fd, uint64_t offset, uint64_t size, int *error);
/* The same of a part that has its room already. */
WEFT_HIDDEN void *weft_sys_map_again(long fd, uint64_t offset, uint64_t size, int *error);
/* Memory of the process's own, clear; NULL: none. */
WEFT_HIDDEN void *weft_sys_memory(uint64_t size);

/* Give it back, and advise the kernel of it: 0 or the negative error number. */
WEFT_HIDDEN void weft_sys_unmap(void *memory, uint64_t size);
WEFT_HIDDEN long weft_sys_advise(void *memory, uint64_t size, int advice);
/* Block all signals; the mask that was before. */
WEFT_HIDDEN uint64_t weft_sys_block_signals(void);
WEFT_HIDDEN void weft_sys_restore_signals(uint64_t before);
/* Of the calling thread; 0: not known. */
WEFT_HIDDEN uint32_t weft_sys_thread_id(void);

/* Append to text; return its new end. */
WEFT_HIDDEN char *weft_text_copy(char *to, const char *from);
/* Of the environment, or NULL; a program may have a getenv of its own, with locks. */
WEFT_HIDDEN const char *weft_variable(const char *name);
WEFT_HIDDEN char *weft_text_number(char *to, uint64_t number);
/* Read a number in decimal and the one character behind it; NULL: there is none. */
WEFT_HIDDEN const char *weft_text_read(const char *from, uint64_t *number);

#endif
