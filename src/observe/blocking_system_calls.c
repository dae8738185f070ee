/* SPDX-License-Identifier: Apache-2.0 */
#include "observe/blocking_system_calls.h"

#include <stddef.h>
#include <sys/syscall.h>

#define CALL(name, wait, descriptor)                                                       \
 {                                                                                         \
  SYS_##name, #name, wait, descriptor                                                      \
 }

static const struct system_call calls[] = {
    CALL(nanosleep, CALL_SLEEPS, -1),
    CALL(clock_nanosleep, CALL_SLEEPS, -1),
    CALL(futex, CALL_FUTEX, -1),
    CALL(read, CALL_READS, 0),
    CALL(readv, CALL_READS, 0),
    CALL(pread64, CALL_READS, 0),
    CALL(preadv, CALL_READS, 0),
    CALL(preadv2, CALL_READS, 0),
    CALL(recvfrom, CALL_READS, 0),
    CALL(recvmsg, CALL_READS, 0),
    CALL(recvmmsg, CALL_READS, 0),
    CALL(mq_timedreceive, CALL_READS, 0),
    CALL(msgrcv, CALL_READS, -1),
    CALL(getdents64, CALL_READS, 0),
    CALL(readahead, CALL_READS, 0),
    CALL(splice, CALL_READS, 0),
    CALL(tee, CALL_READS, 0),
    CALL(sendfile, CALL_WRITES, 0),
    CALL(copy_file_range, CALL_WRITES, 2),
    CALL(vmsplice, CALL_WRITES, 0),
    CALL(write, CALL_WRITES, 0),
    CALL(writev, CALL_WRITES, 0),
    CALL(pwrite64, CALL_WRITES, 0),
    CALL(pwritev, CALL_WRITES, 0),
    CALL(pwritev2, CALL_WRITES, 0),
    CALL(sendto, CALL_WRITES, 0),
    CALL(sendmsg, CALL_WRITES, 0),
    CALL(sendmmsg, CALL_WRITES, 0),
    CALL(mq_timedsend, CALL_WRITES, 0),
    CALL(msgsnd, CALL_WRITES, -1),
    CALL(fallocate, CALL_WRITES, 0),
    CALL(ftruncate, CALL_WRITES, 0),
    CALL(fsync, CALL_SYNCS, 0),
    CALL(fdatasync, CALL_SYNCS, 0),
    CALL(sync, CALL_SYNCS, -1),
    CALL(syncfs, CALL_SYNCS, 0),
    CALL(sync_file_range, CALL_SYNCS, 0),
    CALL(msync, CALL_SYNCS, -1),
    CALL(pselect6, CALL_POLLS, -1),
    CALL(ppoll, CALL_POLLS, -1),
    CALL(epoll_pwait, CALL_POLLS, 0),
#ifdef SYS_epoll_pwait2
    CALL(epoll_pwait2, CALL_POLLS, 0),
#endif
    CALL(accept, CALL_POLLS, 0),
    CALL(accept4, CALL_POLLS, 0),
    CALL(io_getevents, CALL_POLLS, -1),
#ifdef SYS_io_uring_enter
    CALL(io_uring_enter, CALL_POLLS, 0),
#endif
    CALL(openat, CALL_OPENS, -1),
    CALL(connect, CALL_CONNECTS, 0),
    CALL(flock, CALL_LOCKS_FILE, 0),
    CALL(fcntl, CALL_LOCKS_FILE, 0),
    CALL(semop, CALL_SEMAPHORE, -1),
    CALL(semtimedop, CALL_SEMAPHORE, -1),
    CALL(wait4, CALL_WAITS_FOR_CHILD, -1),
    CALL(waitid, CALL_WAITS_FOR_CHILD, -1),
    CALL(rt_sigsuspend, CALL_WAITS_FOR_SIGNAL, -1),
    CALL(rt_sigtimedwait, CALL_WAITS_FOR_SIGNAL, -1),
    CALL(mmap, CALL_MEMORY, -1),
    CALL(munmap, CALL_MEMORY, -1),
    CALL(mprotect, CALL_MEMORY, -1),
    CALL(mremap, CALL_MEMORY, -1),
    CALL(madvise, CALL_MEMORY, -1),
    CALL(brk, CALL_MEMORY, -1),
    CALL(unlinkat, CALL_OTHER, -1),
    CALL(execve, CALL_OTHER, -1),
    CALL(exit_group, CALL_OTHER, -1),
    CALL(ioctl, CALL_OTHER, 0),
    CALL(close, CALL_OTHER, 0),
#ifdef __x86_64__ /* newer architectures have only the calls that replace these */
    CALL(select, CALL_POLLS, -1),
    CALL(poll, CALL_POLLS, -1),
    CALL(epoll_wait, CALL_POLLS, 0),
    CALL(open, CALL_OPENS, -1),
    CALL(pause, CALL_WAITS_FOR_SIGNAL, -1),
    /* A parent waits until its child has executed a program or ended. */
    CALL(vfork, CALL_WAITS_FOR_CHILD, -1),
    CALL(unlink, CALL_OTHER, -1),
    CALL(rename, CALL_OTHER, -1),
    CALL(mkdir, CALL_OTHER, -1),
#endif
    CALL(clone, CALL_WAITS_FOR_CHILD, -1), /* with CLONE_VFORK */
#ifdef SYS_clone3
    CALL(clone3, CALL_WAITS_FOR_CHILD, -1),
#endif
};

const struct system_call *system_call(int64_t number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}
