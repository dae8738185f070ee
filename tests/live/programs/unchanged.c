/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recorder could change: the argument says what is done, the output says how it went.  It
 * is the same without a recorder (unchanged.sh).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAY(call) printf("%s: %s\n", #call, strerrordesc_np(call))

static void *shared_memory(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* One of each that processes may share, in memory of its own: four pages. */
static void use_shared(char *memory, bool strict)
{
    enum { PAGE = 4096 };
    pthread_mutexattr_t of_mutex;
    pthread_rwlockattr_t of_rwlock;
    pthread_barrierattr_t of_barrier;
    pthread_mutex_t *mutex = (pthread_mutex_t *)(void *)memory;
    pthread_rwlock_t *rwlock = (pthread_rwlock_t *)(void *)(memory + PAGE);
    pthread_barrier_t *barrier = (pthread_barrier_t *)(void *)(memory + 2 * PAGE);
    sem_t *semaphore = (sem_t *)(void *)(memory + 3 * PAGE);

    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(mutex, &of_mutex);
    pthread_rwlockattr_init(&of_rwlock);
    pthread_rwlockattr_setpshared(&of_rwlock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(rwlock, &of_rwlock);
    pthread_barrierattr_init(&of_barrier);
    pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier, &of_barrier, 1);
    sem_init(semaphore, 1, 1);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    pthread_rwlock_rdlock(rwlock);
    pthread_rwlock_unlock(rwlock);
    if (!strict) /* a system call, though nobody else waits */
        pthread_barrier_wait(barrier);
    sem_wait(semaphore);
    sem_post(semaphore);
}

/* Files are opened no more; who tries is killed. */
static int under_a_filter(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof steps / sizeof *steps, steps };
    char *memory = shared_memory(16384);

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 1;
    use_shared(memory, false);
    puts("it goes on");
    return 0;
}

/* Filters that the kernel does not take; then enough events to fill a buffer. */
static int refused(void)
{
    struct sock_filter step = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog none = { 0, &step }, nowhere = { 1, (struct sock_filter *)8 };
    struct sock_fprog *const filters[] = { &none, &nowhere, (struct sock_fprog *)8 };
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (int i = 0; i < 3; i++) {
        SAY(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filters[i]) ? errno : 0);
        SAY(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filters[i]) ? errno : 0);
    }
    SAY(prctl(PR_SET_SECCOMP, 3, &none) ? errno : 0);
    SAY(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) ? errno : 0);
    for (int i = 0; i < 1000000; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

/* Nothing but read, write and exit. */
static int strictly(void)
{
    char *memory = shared_memory(16384);

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        return 1;
    use_shared(memory, true);
    if (write(1, "it goes on\n", 11) != 11)
        return 1;
    syscall(SYS_exit, 0);
    return 1;
}

static pthread_mutex_t robust;

static void *take_and_end(void *unused)
{
    (void)unused;
    SAY(pthread_mutex_lock(&robust));
    return NULL;
}

/* A mutex whose owner ended, and which the next one gives back as it is. */
static int lost(void)
{
    struct timespec past = { 1, 0 };
    pthread_mutexattr_t attributes;
    pthread_t thread;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_create(&thread, NULL, take_and_end, NULL);
    pthread_join(thread, NULL);
    SAY(pthread_mutex_lock(&robust));
    SAY(pthread_mutex_unlock(&robust));
    SAY(pthread_mutex_lock(&robust));
    SAY(pthread_mutex_timedlock(&robust, &past));
    SAY(pthread_mutex_clocklock(&robust, CLOCK_MONOTONIC, &past));
    SAY(pthread_mutex_lock(&robust));
    return 0;
}

/* A mutex whose ceiling is not that of usual threads. */
static int protected(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attributes, 10);
    SAY(pthread_mutex_init(&mutex, &attributes));
    SAY(pthread_mutex_lock(&mutex));
    SAY(pthread_mutex_lock(&mutex));
    SAY(pthread_mutex_trylock(&mutex));
    return 0;
}

static sem_t *of_handler;

static void post(int number)
{
    char text[1024]; /* as it is written into by who says what happened */

    memset(text, number, sizeof text);
    sem_post(of_handler);
    (void)!write(-1, text, sizeof text);
}

/* A handler posts on a stack with room for its kilobyte, and for some calls. */
static int on_a_small_stack(void (*handler)(int))
{
    enum { GUARD = 4096, ROOM = 4096 };
    size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + ROOM;
    char *memory = mmap(NULL, GUARD + size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = { .ss_sp = memory + GUARD, .ss_size = size };
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

    mprotect(memory, GUARD, PROT_NONE);
    if (sigaltstack(&stack, NULL) != 0)
        return 1;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    puts("it goes on");
    return 0;
}

/* The handler's code was loaded last, and no map has it yet. */
static int in_new_code(const char *library)
{
    void *late = dlopen(library, RTLD_NOW);
    void (*handler)(int) = late ? (void (*)(int))dlsym(late, "late_handler") : NULL;

    if (!handler)
        puts(dlerror());
    return handler ? on_a_small_stack(handler) : 1;
}

/* The semaphore's memory was mapped last. */
static int in_new_memory(void)
{
    static sem_t made;

    sem_init(&made, 1, 0);
    of_handler = shared_memory(4096);
    memcpy(of_handler, &made, sizeof made);
    return on_a_small_stack(post);
}

/* Locks in a hundred mappings, apart from each other, in turn. */
static int in_many_mappings(void)
{
    enum { MAPPINGS = 100, ROUNDS = 100, PAGE = 4096 };
    pthread_mutex_t *mutexes[MAPPINGS];
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    for (int i = 0; i < MAPPINGS; i++) {
        mutexes[i] = shared_memory(PAGE);
        mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_mutex_init(mutexes[i], &attributes);
    }
    for (int i = 0; i < MAPPINGS * ROUNDS; i++) {
        pthread_mutex_lock(mutexes[i % MAPPINGS]);
        pthread_mutex_unlock(mutexes[i % MAPPINGS]);
    }
    return 0;
}

/* A process of its own session goes on with locks, a dot in the file for some, until that is gone. */
static int goes_on(const char *path)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    if (fork() != 0)
        return 0;
    setsid();
    for (FILE *file; (file = fopen(path, "r+")) != NULL;) {
        for (int i = 0; i < 100000; i++) {
            pthread_mutex_lock(&mutex);
            pthread_mutex_unlock(&mutex);
        }
        fseek(file, 0, SEEK_END);
        fputc('.', file);
        fclose(file);
    }
    return 0;
}

/* What it prints when it was started without some of its three descriptors. */
static int prints(void)
{
    int file = open("/dev/null", O_RDONLY);

    fprintf(stderr, "the next file is %d\n", file);
    for (int i = 0; i < 3; i++)
        fprintf(stderr, "%d is %s\n", i, fcntl(i, F_GETFD) < 0 ? "closed" : "open");
    return 0;
}

/* The longest argument list that a program without an environment can be started with. */
static int long_arguments(void)
{
    enum { EACH = 100000, MAX_ARGUMENTS = 30 };
    static char part[EACH + 1], last[EACH + 1];
    char *environment[] = { NULL };
    int fits = 0, too_long = MAX_ARGUMENTS * EACH;

    memset(part, 'a', EACH);
    while (fits + 1 < too_long) {
        int bytes = (fits + too_long) / 2, n = 1;
        char *arguments[MAX_ARGUMENTS + 3] = { (char *)"true" };
        pid_t child;
        while (n <= bytes / EACH)
            arguments[n++] = part;
        memset(last, 'b', EACH);
        last[bytes % EACH] = 0;
        arguments[n] = last;
        if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment) == 0) {
            waitpid(child, NULL, 0);
            fits = bytes;
        } else {
            too_long = bytes;
        }
    }
    printf("%d bytes\n", fits);
    return 0;
}

/* Programs that cannot be started, since what says how cannot be read: the kernel says so. */
static int bad_pointers(void)
{
    enum { PAGE = 4096 };
    char *pages = shared_memory(2 * PAGE), *nowhere = pages + PAGE;
    char **bad = (char **)(void *)nowhere;
    char *arguments[] = { (char *)"true", NULL }, *none[] = { NULL };
    char *half[] = { (char *)"A=1", nowhere, NULL };
    /* A text without its end, and a list without one, where the memory ends. */
    char *endless = nowhere - 3, **cut = (char **)(void *)(nowhere - sizeof *cut);
    char *volatile nothing = NULL;
    pid_t child = 0;
    int file = open("/bin/true", O_RDONLY), status;

    munmap(nowhere, PAGE);
    memcpy(endless, "A=1", 3);
    SAY((execve(nowhere, arguments, none), errno));
    SAY((execve((char *)8, arguments, none), errno));
    SAY((execve(nothing, arguments, none), errno));
    SAY((execve(endless, arguments, none), errno));
    SAY((execve("/bin/true", bad, none), errno));
    SAY((execve("/bin/true", arguments, bad), errno));
    SAY((execve("/bin/true", arguments, half), errno));
    SAY((execv(nowhere, arguments), errno));
    SAY((execl(nowhere, "true", (char *)NULL), errno));
    SAY((execle("/bin/true", "true", (char *)NULL, bad), errno));
    SAY((execvpe("true", arguments, bad), errno));
    SAY((fexecve(file, arguments, bad), errno));
    SAY((execveat(AT_FDCWD, nowhere, arguments, none, 0), errno));
    *cut = arguments[0];
    SAY((execve("/bin/true", arguments, cut), errno));
    SAY(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, bad));
    SAY(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, half));
    SAY(posix_spawn(&child, nowhere, NULL, NULL, arguments, none));
    SAY(posix_spawnp(&child, "true", NULL, NULL, arguments, bad));
    child = vfork();
    if (child == 0) {
        execve(nowhere, arguments, bad);
        _exit(errno == EFAULT ? 7 : 1);
    }
    waitpid(child, &status, 0);
    printf("a child ends with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}

/* Whoever reads the processor's clock is killed: this thread, those that it makes, and its
   child and those that that makes. */
static void *use_locks(void *unused)
{
    char *memory = shared_memory(16384);

    (void)unused;
    use_shared(memory, false);
    return NULL;
}

static int without_a_clock(void)
{
    pthread_t thread;
    int status = 0;
    pid_t child;

    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
        puts("there is no such clock");
    use_locks(NULL);
    pthread_create(&thread, NULL, use_locks, NULL);
    pthread_join(thread, NULL);
    child = fork();
    if (child == 0) {
        use_locks(NULL);
        pthread_create(&thread, NULL, use_locks, NULL);
        pthread_join(thread, NULL);
        exit(7);
    }
    SAY((waitpid(child, &status, 0), errno));
    printf("a child ends with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    puts("it goes on");
    return 0;
}

/* From now on the call ends the process; false: the system has no such filters. */
static bool forbid(unsigned call)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof steps / sizeof *steps, steps };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* A program that is executed where who changes his mask of signals is killed. */
static int executes_under_a_filter(const char *path)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (forbid(SYS_rt_sigprocmask))
            execl(path, "live_unchanged", "nothing", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    printf("a child ends with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}

#if defined(__x86_64__)
/* A child of vfork under a filter that kills who asks where his storage is. */
static int starts_under_a_filter(void)
{
    int status = 0;
    pid_t child;

    if (!forbid(SYS_arch_prctl))
        return 1;
    child = vfork();
    if (child == 0) {
        execl("/nowhere", "nowhere", (char *)NULL);
        _exit(7);
    }
    waitpid(child, &status, 0);
    printf("a child ends with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
#else
static int starts_under_a_filter(void)
{
    return 0;
}
#endif

static int faults; /* the descriptor of who brings pages */

static void *bring(void *page)
{
    struct uffdio_zeropage zero = { .range = { (uintptr_t)page, 4096 } };

    SAY(ioctl(faults, UFFDIO_ZEROPAGE, &zero) ? errno : 0);
    printf("%d is in it\n", *(int *)page);
    return NULL;
}

/* A new thread's argument is in a page that this thread is to bring. */
static int brings_its_page(void)
{
    struct uffdio_api api = { .api = UFFD_API };
    struct uffdio_register pages = { .mode = UFFDIO_REGISTER_MODE_MISSING };
    void *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;

    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    pages.range = (struct uffdio_range){ (uintptr_t)page, 4096 };
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0
        || ioctl(faults, UFFDIO_REGISTER, &pages) != 0) {
        puts("there are no such pages here");
        return 0;
    }
    pthread_create(&thread, NULL, bring, page);
    pthread_join(thread, NULL);
    return 0;
}

/* Shells that cannot be started: the call is wrong, or there may be no more processes. */
static int without_a_shell(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
    };
    struct sock_fprog filter = { sizeof steps / sizeof *steps, steps };

    errno = ENOTTY;
    printf("a program that is not there: %d\n", system("/nowhere/nothing 2>/dev/null"));
    SAY(errno);
    SAY(popen("true", "nonsense") ? 0 : errno);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 1;
    SAY(popen("true", "r") ? 0 : errno);
    printf("no process: %d\n", system("true"));
    SAY(errno);
    return 0;
}

int main(int n_arguments, char **arguments)
{
    const char *what = n_arguments > 1 ? arguments[1] : "";

    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(what, "filter") == 0)
        return under_a_filter();
    if (strcmp(what, "refused") == 0)
        return refused();
    if (strcmp(what, "strict") == 0)
        return strictly();
    if (strcmp(what, "lost") == 0)
        return lost();
    if (strcmp(what, "protected") == 0)
        return protected();
    if (strcmp(what, "many-mappings") == 0)
        return in_many_mappings();
    if (strcmp(what, "goes-on") == 0)
        return goes_on(arguments[2]);
    if (strcmp(what, "clock") == 0)
        return without_a_clock();
    if (strcmp(what, "starts") == 0)
        return starts_under_a_filter();
    if (strcmp(what, "executes") == 0)
        return executes_under_a_filter(arguments[0]);
    if (strcmp(what, "nothing") == 0)
        return 7;
    if (strcmp(what, "pages") == 0)
        return brings_its_page();
    if (strcmp(what, "no-shell") == 0)
        return without_a_shell();
    if (strcmp(what, "prints") == 0)
        return prints();
    if (strcmp(what, "long-arguments") == 0)
        return long_arguments();
    if (strcmp(what, "bad-pointers") == 0)
        return bad_pointers();
    if (strcmp(what, "new-code") == 0)
        return in_new_code(arguments[2]);
    if (strcmp(what, "new-memory") == 0)
        return in_new_memory();
    return 1;
}
