/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls of the recorder, and text without stdio.  The calls are neither interposed
 * nor cancellation points; they keep errno and return negative error numbers.  Some make
 * no call that a filter of system calls (seccomp) forbids, and fail instead; before the
 * others the caller must ask weft_sandbox_allows() (sandbox.h), as each comment says.
 */
#ifndef WEFT_RECORD_SYSTEM_H
#define WEFT_RECORD_SYSTEM_H

#include "record/core/core.h"

/* Open PATH with open()'s FLAGS: the descriptor, or -EPERM if a filter forbids it. */
WEFT_HIDDEN long weft_sys_open(const char *path, int flags);
WEFT_HIDDEN long weft_sys_open_at(int folder, const char *path, int flags);
/* Like read(); no test of filters: the caller asks for WEFT_NEED_OPEN first. */
WEFT_HIDDEN long weft_sys_read(long fd, void *bytes, uint64_t size);
/* Like pread(); no test of filters: the caller asks for WEFT_NEED_PROGRAMS first. */
WEFT_HIDDEN long weft_sys_read_at(long fd, void *bytes, uint64_t size, uint64_t offset);
/*
 * Returns true if PATH, relative to the descriptor FOLDER or AT_FDCWD, is a regular file,
 * or a link to one.  No test of filters: the caller asks for WEFT_NEED_PROGRAMS first.
 */
WEFT_HIDDEN bool weft_sys_is_file(int folder, const char *path);
/*
 * Write all bytes at OFFSET; returns 0 or the negative error number.  A write beyond the
 * limit of file sizes fails without its SIGXFSZ.  No test of filters: the caller asks for
 * WEFT_NEED_WRITE first.
 */
WEFT_HIDDEN long weft_sys_write_all(long fd, const void *bytes, uint64_t size,
                                    int64_t offset);
WEFT_HIDDEN void weft_sys_close(long fd);
WEFT_HIDDEN void weft_sys_make_folder(const char *path); /* may exist already */
/*
 * Read up to SIZE - 1 bytes from the begin of a file into TO and add a NUL; returns the
 * bytes read, 0 also if it cannot be opened.
 */
WEFT_HIDDEN uint32_t weft_sys_read_file(const char *path, char *to, uint32_t size);
/*
 * Read a symbolic link into TO, cut to SIZE - 1 bytes, and add a NUL; returns the bytes, 0
 * if it is no link or a filter forbids it.
 */
WEFT_HIDDEN uint32_t weft_sys_read_link(const char *path, char *to, uint32_t size);
/*
 * Put the path of the working directory and a NUL into TO; returns its length; 0 if SIZE is
 * too small, it has no path, or a filter forbids it.
 */
WEFT_HIDDEN uint32_t weft_sys_folder(char *to, uint32_t size);
/* Returns the inode number of a file, or 0. */
WEFT_HIDDEN uint64_t weft_sys_inode(const char *path);
WEFT_HIDDEN void weft_sys_host_name(char *to, uint32_t size);
WEFT_HIDDEN void weft_sys_remove(const char *path);
/* Duplicate FD as a close-on-exec descriptor that is at least LEAST. */
WEFT_HIDDEN long weft_sys_duplicate(long fd, int least);
/* Clear (KEPT) or set FD's close-on-exec flag. */
WEFT_HIDDEN void weft_sys_keep_open(long fd, bool kept);
/* Returns the effective user id; 0 if a filter forbids to ask. */
WEFT_HIDDEN uint32_t weft_sys_user(void);
/*
 * Returns true if the process, as it is now, may make files in the folder.  No test of
 * filters: the caller asks for WEFT_NEED_HANDOVER first.
 */
WEFT_HIDDEN bool weft_sys_may_write(const char *folder);
/*
 * Returns true if both the effective and the real user may read the file.  No test of
 * filters: the caller asks for WEFT_NEED_HANDOVER first.
 */
WEFT_HIDDEN bool weft_sys_may_read(const char *path);
/* Set device, inode and number of links of the file of FD; false if FD is not open. */
WEFT_HIDDEN bool weft_sys_identity(long fd, uint64_t *device, uint64_t *inode,
                                   uint64_t *names);
/*
 * Map SIZE bytes of a file from OFFSET on, shared, and allocate them on the disk first: a
 * store into a mapping without disk space would kill the program.  NULL with errno *ERROR,
 * else *ERROR is 0.  No test of filters: the caller does that first.
 */
WEFT_HIDDEN void *weft_sys_map_file(long fd, uint64_t offset, uint64_t size, int *error);
/* Like weft_sys_map_file(), for a part of the file that is allocated on the disk already.
 */
WEFT_HIDDEN void *weft_sys_map_again(long fd, uint64_t offset, uint64_t size, int *error);
/* Returns SIZE bytes of zeroed private memory; NULL if there is none or it is forbidden. */
WEFT_HIDDEN void *weft_sys_memory(uint64_t size);

WEFT_HIDDEN void weft_sys_unmap(void *memory, uint64_t size);
WEFT_HIDDEN long weft_sys_advise(void *memory, uint64_t size, int advice);
/* Block all signals, unless a filter forbids it; returns the mask before, or 0. */
WEFT_HIDDEN uint64_t weft_sys_block_signals(void);
WEFT_HIDDEN void weft_sys_restore_signals(uint64_t before);
/* Returns the calling thread's id; 0 if it is unknown. */
WEFT_HIDDEN uint32_t weft_sys_thread_id(void);

/* Copy FROM to TO, the end of a text in a large enough array; returns the new end. */
WEFT_HIDDEN char *weft_text_copy(char *to, const char *from);
/* Returns an environment variable, or NULL, without getenv(), which may take locks. */
WEFT_HIDDEN const char *weft_variable(const char *name);
/* Write NUMBER in decimal at TO, the end of a text; returns the new end. */
WEFT_HIDDEN char *weft_text_number(char *to, uint64_t number);
/*
 * Set *NUMBER to the decimal number at FROM, modulo 2^64; returns the text after it and the
 * one character that follows it, if any; NULL with *NUMBER 0 if FROM begins with no digit.
 */
WEFT_HIDDEN const char *weft_text_read(const char *from, uint64_t *number);

#endif
