/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls of the recorder, and text without stdio.  The calls are neither interposed
 * nor cancellation points; they keep errno and return negative error numbers.  Some make
 * no call that a filter of system calls (seccomp) forbids, and fail instead; before the
 * others the caller must ask weft_sandbox_allows() (seccomp_filters.h), as each comment
 * says.
 */
#ifndef WEFT_RECORD_SYSTEM_H
#define WEFT_RECORD_SYSTEM_H

#include "record/core/core.h"

/*
 * Opens PATH with open()'s FLAGS and O_CLOEXEC; a new file gets the mode 0600.  Returns the
 * descriptor or a negative error number, -EPERM if seccomp forbids it.
 */
WEFT_HIDDEN long weft_sys_open(const char *path, int flags);
/*
 * Opens PATH, relative to the descriptor FOLDER or AT_FDCWD, with open()'s FLAGS and
 * O_CLOEXEC.  Returns the descriptor or a negative error number.  No test of seccomp
 * filters: the caller asks weft_sandbox_allows(WEFT_NEED_PROGRAMS) first.
 */
WEFT_HIDDEN long weft_sys_open_at(int folder, const char *path, int flags);
/*
 * Like read(), but keeps errno and returns a negative error number.  No test of seccomp
 * filters: the caller asks weft_sandbox_allows(WEFT_NEED_OPEN) first.
 */
WEFT_HIDDEN long weft_sys_read(long fd, void *bytes, uint64_t size);
/*
 * Like pread(), but keeps errno and returns a negative error number.  No test of seccomp
 * filters: the caller asks weft_sandbox_allows(WEFT_NEED_PROGRAMS) first.
 */
WEFT_HIDDEN long weft_sys_read_at(long fd, void *bytes, uint64_t size, uint64_t offset);
/*
 * Returns true if PATH, relative to the descriptor FOLDER or AT_FDCWD, is a regular file,
 * or a link to one.  No test of seccomp filters: the caller asks
 * weft_sandbox_allows(WEFT_NEED_PROGRAMS) first.
 */
WEFT_HIDDEN bool weft_sys_is_file(int folder, const char *path);
/*
 * Writes all SIZE bytes at OFFSET of FD; returns 0 or the negative error number.  A write
 * beyond the limit of file sizes fails without its SIGXFSZ.  No test of seccomp filters:
 * the caller asks weft_sandbox_allows(WEFT_NEED_WRITE) first.
 */
WEFT_HIDDEN long weft_sys_write_all(long fd, const void *bytes, uint64_t size,
                                    int64_t offset);
/*
 * Closes FD; errors are ignored.  No test of seccomp filters: it was asked for opening FD.
 */
WEFT_HIDDEN void weft_sys_close(long fd);
/*
 * Makes the folder PATH with the mode 0700.  It may exist already; all failures are
 * ignored.  No effect if seccomp forbids it.
 */
WEFT_HIDDEN void weft_sys_make_folder(const char *path);
/*
 * Reads up to SIZE - 1 bytes from the begin of the file at PATH into TO and adds a NUL;
 * returns the number of bytes read, 0 also if it cannot be opened or seccomp forbids it.
 */
WEFT_HIDDEN uint32_t weft_sys_read_file(const char *path, char *to, uint32_t size);
/*
 * Reads the symbolic link at PATH into TO, cut to SIZE - 1 bytes, and adds a NUL; returns
 * the number of bytes without it, 0 if PATH is no link or seccomp forbids it.
 */
WEFT_HIDDEN uint32_t weft_sys_read_link(const char *path, char *to, uint32_t size);
/*
 * Puts the path of the working directory and a NUL into TO, of SIZE bytes; returns its
 * length.  Returns 0, and TO has no meaning, if SIZE is too small, it has no path, or
 * seccomp forbids it.
 */
WEFT_HIDDEN uint32_t weft_sys_folder(char *to, uint32_t size);
/*
 * Returns the inode number of the file at PATH; 0 if there is none or seccomp forbids it.
 */
WEFT_HIDDEN uint64_t weft_sys_inode(const char *path);
/*
 * Puts the machine's name into TO, cut to SIZE - 1 bytes, with a NUL; "" if seccomp forbids
 * to ask.
 */
WEFT_HIDDEN void weft_sys_host_name(char *to, uint32_t size);
/* Removes the file at PATH, unless seccomp forbids it; failures are ignored. */
WEFT_HIDDEN void weft_sys_remove(const char *path);
/*
 * Duplicates FD as a close-on-exec descriptor that is at least LEAST; returns it, or a
 * negative error number.  No test of seccomp filters: the caller asks
 * weft_sandbox_allows(WEFT_NEED_OPEN) first.
 */
WEFT_HIDDEN long weft_sys_duplicate(long fd, int least);
/*
 * Clears (KEPT: the descriptor stays open over exec) or sets FD's close-on-exec flag;
 * failures are ignored.  No test of seccomp filters: the caller asks
 * weft_sandbox_allows(WEFT_NEED_HANDOVER) first.
 */
WEFT_HIDDEN void weft_sys_keep_open(long fd, bool kept);
/* Returns the effective user id; 0, which is also root's, if seccomp forbids to ask. */
WEFT_HIDDEN uint32_t weft_sys_user(void);
/*
 * Returns true if the process, as it is now (effective user; before Linux 5.8 the real
 * user), may make files in FOLDER.  No test of seccomp filters: the caller asks
 * weft_sandbox_allows(WEFT_NEED_HANDOVER) first.
 */
WEFT_HIDDEN bool weft_sys_may_write(const char *folder);
/*
 * Returns true if both the effective and the real user (before Linux 5.8 only the real one
 * is tested) may read the file at PATH.  No test of seccomp filters: the caller asks
 * weft_sandbox_allows(WEFT_NEED_HANDOVER) first.
 */
WEFT_HIDDEN bool weft_sys_may_read(const char *path);
/*
 * Sets *DEVICE, *INODE and *NAMES, the number of links, of the file of FD; false, with
 * nothing set, if FD is not open.  No test of seccomp filters: the caller asks
 * weft_sandbox_allows(WEFT_NEED_FSTAT) first.
 */
WEFT_HIDDEN bool weft_sys_identity(long fd, uint64_t *device, uint64_t *inode,
                                   uint64_t *names);
/*
 * Maps SIZE bytes of the file of FD from OFFSET (a multiple of the page size) on, shared,
 * to read and write, and allocates them on the disk first: a store into a mapping without
 * disk space would kill the program.  NULL with an errno in *ERROR, else *ERROR is 0.  No
 * test of seccomp filters: the caller asks weft_sandbox_allows() for WEFT_NEED_ROOM and
 * WEFT_NEED_MAP_FILE first.
 */
WEFT_HIDDEN void *weft_sys_map_file(long fd, uint64_t offset, uint64_t size, int *error);
/*
 * Maps SIZE bytes of the file of FD from OFFSET (a multiple of the page size) on, shared,
 * to read and write; they must be allocated on the disk already.  NULL with an errno in
 * *ERROR, else *ERROR is 0.  No test of seccomp filters.
 */
WEFT_HIDDEN void *weft_sys_map_again(long fd, uint64_t offset, uint64_t size, int *error);
/*
 * Returns SIZE bytes of zeroed private memory, which weft_sys_unmap() frees; NULL if there
 * is none or seccomp forbids it.
 */
WEFT_HIDDEN void *weft_sys_memory(uint64_t size);

/* Unmaps SIZE bytes at MEMORY; if seccomp forbids it, they stay mapped. */
WEFT_HIDDEN void weft_sys_unmap(void *memory, uint64_t size);
/*
 * Like madvise(), but keeps errno and returns a negative error number; -EPERM if seccomp
 * forbids it.
 */
WEFT_HIDDEN long weft_sys_advise(void *memory, uint64_t size, int advice);
/*
 * Blocks all signals of the calling thread, unless seccomp forbids it; returns the mask
 * before, for weft_sys_restore_signals(), or 0.
 */
WEFT_HIDDEN uint64_t weft_sys_block_signals(void);
/*
 * Sets the calling thread's mask of signals to BEFORE, which weft_sys_block_signals() has
 * returned; no effect if seccomp forbids it.
 */
WEFT_HIDDEN void weft_sys_restore_signals(uint64_t before);
/* Returns the calling thread's id (gettid); 0 if seccomp forbids to ask. */
WEFT_HIDDEN uint32_t weft_sys_thread_id(void);

/*
 * Copies the text FROM and its NUL to TO, which must have room; returns where the NUL is,
 * so that the next text can follow there.
 */
WEFT_HIDDEN char *weft_text_copy(char *to, const char *from);
/*
 * Returns the value of the environment variable NAME, or NULL, without getenv(), which may
 * take locks.  It lies in the environment.
 */
WEFT_HIDDEN const char *weft_variable(const char *name);
/*
 * Writes NUMBER in decimal and a NUL to TO, which must have room (21 bytes at most);
 * returns where the NUL is, so that the next text can follow there.
 */
WEFT_HIDDEN char *weft_text_number(char *to, uint64_t number);
/*
 * Sets *NUMBER to the decimal number at FROM, modulo 2^64; returns the text after it and
 * the one character that follows it, if any; NULL with *NUMBER 0 if FROM begins with no
 * digit.
 */
WEFT_HIDDEN const char *weft_text_read(const char *from, uint64_t *number);

#endif
