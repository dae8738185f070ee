/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes what the process may do, then goes on: 8 threads take a lock of their own 20,000
 * times each, so that all their buffers are written out several times.
 *
 *     user    another user and root, as servers do (needs to be root)
 *     closed  all descriptors but the first three are closed
 *     filter  a filter kills for any system call but those that such threads need
 *     handler as filter, while signal handlers take locks inside of the hooks of locks
 *     refuse  a filter refuses to open files, and to map or write them
 *     fork    the user and root are changed, then the threads run in a forked child
 *     clone   a child that was forked past the C library makes the threads
 *     _Fork   one that was forked without the handlers of fork; 77 where there is no _Fork
 *     exec    another user, with the capabilities of root until it executes itself, which does
 *             the work
 *     spawn   the same by posix_spawn, system, and a child of vfork that changes its user
 *     unmade  as exec, with a filter that kills for making folders instead of another user
 *     unsized as exec, with one that kills for making room in files
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 20000, NOBODY = 65534 };

pthread_mutex_t own[THREADS];

static void *run(void *mutex)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
    return NULL;
}

static int work(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, &own[i]) != 0)
            return 3;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static int become_nobody(void)
{
    return setgid(NOBODY) != 0 || setuid(NOBODY) != 0;
}

static int change_user(void)
{
    return chroot("/proc/self/fdinfo") != 0 || chdir("/") != 0 || become_nobody();
}

#define NUMBER offsetof(struct seccomp_data, nr)
#define ALLOW(call)                                                                        \
 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),                                          \
     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL(call)                                                                         \
 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),                                          \
     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define REFUSE(call)                                                                       \
 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),                                          \
     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static int install(struct sock_filter *filter, size_t n, int by_prctl)
{
    struct sock_fprog program = { (unsigned short)n, filter };

    /* Without a filter this only asks whether there can be one. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0
        || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == 0)
        return 1;
    return by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0
                    : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0;
}

static int install_strict(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        ALLOW(SYS_mmap),
        ALLOW(SYS_mprotect),
        ALLOW(SYS_munmap),
        ALLOW(SYS_brk),
        ALLOW(SYS_futex),
        ALLOW(SYS_clone),
        ALLOW(SYS_clone3),
        ALLOW(SYS_set_robust_list),
        ALLOW(SYS_rseq),
        ALLOW(SYS_rt_sigprocmask),
        ALLOW(SYS_rt_sigaction),
        ALLOW(SYS_rt_sigreturn),
        ALLOW(SYS_getrandom),
        ALLOW(SYS_sched_yield),
        ALLOW(SYS_exit),
        ALLOW(SYS_exit_group),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_DONTNEED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };

    return install(filter, sizeof filter / sizeof *filter, 0);
}

static int install_refusing(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        REFUSE(SYS_openat),
        REFUSE(SYS_open),
        REFUSE(SYS_fallocate),
        REFUSE(SYS_pwrite64),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    return install(filter, sizeof filter / sizeof *filter, 1);
}

static int install_killing(int first, int second, int third)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        KILL((unsigned)first),
        KILL((unsigned)second),
        KILL((unsigned)third),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    return install(filter, sizeof filter / sizeof *filter, 0);
}

static pthread_mutex_t handled = PTHREAD_MUTEX_INITIALIZER;

static void take_another(int number)
{
    (void)number;
    if (pthread_mutex_trylock(&handled) == 0)
        pthread_mutex_unlock(&handled);
}

static int interrupt_work(void)
{
    struct sigaction action = { .sa_handler = take_another, .sa_flags = SA_RESTART };
    struct itimerval often = { { 0, 100 }, { 0, 100 } };

    return sigaction(SIGPROF, &action, NULL) != 0
           || setitimer(ITIMER_PROF, &often, NULL) != 0;
}

static int work_in_child(pid_t child)
{
    int status;

    if (child == 0)
        _exit(work());
    return waitpid(child, &status, 0) != child || status != 0;
}

enum { UNREADABLE = 77 }; /* this program is in a folder that others may not enter */

extern char **environ;

static int wait_for(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                    : 3;
}

static int execute(char *self)
{
    char *arguments[] = { self, (char *)"work", NULL };

    execv(self, arguments);
    return errno == EACCES ? UNREADABLE : 3;
}

static int spawn(char *self)
{
    char *arguments[] = { self, (char *)"work", NULL }, command[1024];
    pid_t child = vfork();
    int status;

    if (child == 0)
        _exit(become_nobody() ? 3 : execute(self));
    status = wait_for(child);
    snprintf(command, sizeof command, "exec '%s' work", self);
    if (status != 0 || become_nobody())
        return status ? status : 2;
    if (posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0
        || wait_for(child) != 0)
        return 3;
    status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

int main(int n_arguments, char **arguments)
{
    const char *how = n_arguments > 1 ? arguments[1] : "";

    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&own[i], NULL);
    if (strcmp(how, "user") == 0)
        return change_user() ? 2 : work();
    if (strcmp(how, "closed") == 0)
        return syscall(SYS_close_range, 3U, ~0U, 0) != 0 ? 2 : work();
    if (strcmp(how, "handler") == 0) {
        if (interrupt_work() || install_strict())
            return 2;
        for (int i = 0; i < 6; i++)
            if (work())
                return 3;
        return 0;
    }
    if (strcmp(how, "filter") == 0)
        return install_strict() ? 2 : work();
    if (strcmp(how, "refuse") == 0)
        return install_refusing() ? 2 : work();
    if (strcmp(how, "fork") == 0)
        return change_user() ? 2 : work_in_child(fork());
    if (strcmp(how, "work") == 0)
        return work();
    if (strcmp(how, "exec") == 0)
        return prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) || become_nobody()
                   ? 2
                   : execute(arguments[0]);
    if (strcmp(how, "spawn") == 0)
        return spawn(arguments[0]);
    if (strcmp(how, "unmade") == 0)
        return install_killing(SYS_mkdir, SYS_mkdirat, SYS_unlinkat)
                   ? 2
                   : execute(arguments[0]);
    if (strcmp(how, "unsized") == 0)
        return install_killing(SYS_fallocate, SYS_pwrite64, SYS_faccessat2)
                   ? 2
                   : execute(arguments[0]);
    if (strcmp(how, "clone") == 0)
        return work_in_child((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    if (strcmp(how, "_Fork") == 0) {
        pid_t (*plain_fork)(void) = (pid_t(*)(void))dlsym(RTLD_DEFAULT, "_Fork");
        return plain_fork ? work_in_child(plain_fork()) : 77;
    }
    return 1;
}
