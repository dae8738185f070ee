/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of calls that start programs: the recorder's variables are put into the
 * environment, and the log says which process became which program.
 *
 * They are also called in children of vfork, which run in their parent's memory and use its
 * log, and in children of clone without TLS: until that is known, nothing here touches
 * errno or the log.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/core/clocks.h"
#include "record/core/real_functions.h"
#include "record/core/system.h"
#include "record/log/log_slow_paths.h"
#include "record/maps/maps.h"
#include "record/maps/readable_memory.h"
#include "record/process/child_environment.h"
#include "record/process/exec_target.h"
#include "record/process/process.h"
#include "record/process/seccomp_filters.h"

/* Bytes of an environment kept on the caller's stack: threads' stacks may be small. */
enum { NEAR_MAX = 8192, PATH_KEPT = 240 };

extern char **environ;

struct execution {
    struct weft_target target;
    char *const *arguments, *const *environment;
    uint64_t site;
};

static struct weft_target by_path(const char *path)
{
    return (struct weft_target){ .how = WEFT_TARGET_PATH, .path = path };
}

static struct weft_target by_name(const char *name)
{
    return (struct weft_target){ .how = WEFT_TARGET_NAME, .path = name };
}

/* Record that process PID (0: unknown) becomes the program at PATH, if readable. */
static void note_program(uint64_t ticks, uint32_t pid, uint64_t site, const char *path)
{
    uint64_t words[2] = { pid, site };
    char whole[PATH_KEPT + 1];
    uint32_t n = 0;

    if (path && !weft_readable_text(path))
        path = NULL;
    if (path && path[0] != '/' && strchr(path, '/'))
        n = weft_sys_folder(whole, sizeof whole);
    if (n > 0 && n + 1 + strlen(path) <= PATH_KEPT) {
        whole[n] = '/';
        weft_text_copy(whole + n + 1, path);
        path = whole;
    }
    weft_log_text(ticks, WEFT_RECORD_PROGRAM, words, 2, path ? path : "");
    weft_maps_see(site);
}

/* Record that the last program was not started. */
static void note_no_program(uint64_t process)
{
    weft_log_put_word(weft_log_get(), weft_ticks(), WEFT_RECORD_NO_PROGRAM, 0, process);
}

/* Returns true if the program would fail, or complain, with the recorder's libraries. */
static bool is_refused(const struct weft_target *target, char *const *environment,
                       uint32_t process)
{
    return weft_readable_texts(environment)
           && (weft_programs_sanitize(environment)
               || (weft_process_has_storage(process)
                   && (!weft_programs_can_load() || weft_target_refuses(target))));
}

/* Returns the bytes to complete the environment GIVEN; 0 if it is passed on as it is. */
static uint64_t lacking_bytes(char *const *given, bool may_ask, bool refused,
                              struct weft_lacking *lacking)
{
    if (refused ? !weft_programs_withhold(given, lacking)
                : !weft_programs_lacks(given, may_ask, lacking))
        return 0;
    return (lacking->entries + WEFT_PROGRAMS_MORE) * sizeof(char *) + lacking->preload_size
           + sizeof lacking->handover.entry;
}

/* Returns the environment to pass on, made in MEMORY; GIVEN if MEMORY is NULL. */
static char *const *complete(char *const *given, const struct weft_lacking *lacking,
                             char **memory)
{
    if (!memory)
        return given;
    weft_programs_complete(given, lacking, memory,
                           (char *)(memory + lacking->entries + WEFT_PROGRAMS_MORE));
    return memory;
}

/* Returns memory that no signal handler and no child of vfork can disturb; or NULL. */
static char **map(uint64_t size)
{
    int saved = errno;
    void *memory = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    errno = saved;
    return memory == MAP_FAILED ? NULL : memory;
}

static int call_real(const struct execution *execution, char *const *environment)
{
    const struct weft_target *target = &execution->target;
    char *const *arguments = execution->arguments;

    switch (target->how) {
    case WEFT_TARGET_PATH: return WEFT_REAL(execve)(target->path, arguments, environment);
    case WEFT_TARGET_NAME: return WEFT_REAL(execvpe)(target->path, arguments, environment);
    case WEFT_TARGET_DESCRIPTOR:
        return WEFT_REAL(fexecve)(target->file, arguments, environment);
    default:
        return WEFT_REAL(execveat)(target->file, target->path, arguments, environment,
                                   target->flags);
    }
}

/* Returns only if it failed. */
static int execute(const struct execution *execution)
{
    uint64_t process = weft_process_caller();
    bool noted = weft_process_can_note((uint32_t)process);
    struct weft_lacking lacking;
    bool refused =
        is_refused(&execution->target, execution->environment, (uint32_t)process);
    uint64_t size = lacking_bytes(execution->environment, noted, refused, &lacking);
    bool near = size <= NEAR_MAX;
    char **memory = size == 0 ? NULL : near ? alloca(size) : map(size);
    int result;

    if (noted) {
        note_program(weft_ticks(), (uint32_t)process, execution->site,
                     execution->target.path);
        if (process == weft_process.pid)
            weft_clocks_note();
    }
    if (lacking.handover.log)
        weft_file_hand_over(&weft_process.file, true);
    result = call_real(execution, complete(execution->environment, &lacking, memory));
    if (result < 0 && errno == E2BIG && memory) /* our entries made it too long */
        result = call_real(execution, execution->environment);
    if (lacking.handover.log)
        weft_file_hand_over(&weft_process.file, false);
    if (noted)
        note_no_program(process);
    if (memory && !near)
        syscall(SYS_munmap, memory, size);
    return result;
}

WEFT_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    return execute(&(struct execution){ by_path(path), arguments, environment, WEFT_SITE });
}

WEFT_EXPORT int execv(const char *path, char *const arguments[])
{
    return execute(&(struct execution){ by_path(path), arguments, environ, WEFT_SITE });
}

WEFT_EXPORT int execvp(const char *name, char *const arguments[])
{
    return execute(&(struct execution){ by_name(name), arguments, environ, WEFT_SITE });
}

WEFT_EXPORT int execvpe(const char *name, char *const arguments[],
                        char *const environment[])
{
    return execute(&(struct execution){ by_name(name), arguments, environment, WEFT_SITE });
}

WEFT_EXPORT int fexecve(int file, char *const arguments[], char *const environment[])
{
    /* fexecve refuses NULL, which is no empty environment here. */
    if (!environment)
        return WEFT_REAL(fexecve)(file, arguments, NULL);
    return execute(&(struct execution){
        { WEFT_TARGET_DESCRIPTOR, file, 0, NULL }, arguments, environment, WEFT_SITE });
}

WEFT_EXPORT int execveat(int folder, const char *path, char *const arguments[],
                         char *const environment[], int flags)
{
    return execute(&(struct execution){
        { WEFT_TARGET_PLACE, folder, flags, path }, arguments, environment, WEFT_SITE });
}

/* Count the arguments from FIRST on, with the NULL at the end. */
static size_t count_arguments(const char *first, va_list list)
{
    size_t n = 1;

    for (; first; n++)
        first = va_arg(list, const char *);
    return n;
}

/* The environment follows the arguments' NULL if OWN. */
static int execute_list(struct weft_target target, const char *first, va_list list,
                        bool own, uint64_t site)
{
    struct execution execution = { target, NULL, environ, site };
    va_list counted;
    size_t n;
    char **arguments;

    va_copy(counted, list);
    n = count_arguments(first, counted);
    va_end(counted);
    arguments = alloca(n * sizeof *arguments);
    arguments[0] = (char *)first;
    for (size_t i = 1; i < n; i++)
        arguments[i] = va_arg(list, char *);
    if (own)
        execution.environment = va_arg(list, char *const *);
    execution.arguments = arguments;
    return execute(&execution);
}

WEFT_EXPORT int execl(const char *path, const char *first, ...)
{
    va_list list;
    int result;

    va_start(list, first);
    result = execute_list(by_path(path), first, list, false, WEFT_SITE);
    va_end(list);
    return result;
}

WEFT_EXPORT int execlp(const char *name, const char *first, ...)
{
    va_list list;
    int result;

    va_start(list, first);
    result = execute_list(by_name(name), first, list, false, WEFT_SITE);
    va_end(list);
    return result;
}

WEFT_EXPORT int execle(const char *path, const char *first, ...)
{
    va_list list;
    int result;

    va_start(list, first);
    result = execute_list(by_path(path), first, list, true, WEFT_SITE);
    va_end(list);
    return result;
}

struct spawn_call {
    __typeof__(&posix_spawn) real;
    struct weft_target target;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
    char *const *arguments, *const *environment;
    uint64_t site;
};

static int spawn(pid_t *pid, const struct spawn_call *call)
{
    uint32_t process = weft_process_caller();
    bool noted = weft_process_can_note(process);
    bool refused = is_refused(&call->target, call->environment, process);
    struct weft_lacking lacking;
    uint64_t size = lacking_bytes(call->environment, noted, refused, &lacking);
    bool near = size <= NEAR_MAX;
    char **memory = size == 0 ? NULL : near ? alloca(size) : map(size);
    uint64_t ticks = weft_ticks();
    /* The program's own variable: a SIGCHLD handler may read it before the return. */
    pid_t child = 0, *place = pid ? pid : &child;
    int result;

    if (lacking.handover.log)
        weft_file_hand_over(&weft_process.file, true);
    result = call->real(place, call->target.path, call->actions, call->attributes,
                        call->arguments, complete(call->environment, &lacking, memory));
    if (result == E2BIG && memory) /* our entries made it too long */
        result = call->real(place, call->target.path, call->actions, call->attributes,
                            call->arguments, call->environment);
    if (lacking.handover.log)
        weft_file_hand_over(&weft_process.file, false);
    if (result == 0 && noted)
        note_program(ticks, (uint32_t)*place, call->site, call->target.path);
    if (memory && !near)
        syscall(SYS_munmap, memory, size);
    return result;
}

WEFT_EXPORT int posix_spawn(pid_t *pid, const char *path,
                            const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const arguments[],
                            char *const environment[])
{
    return spawn(pid,
                 &(struct spawn_call){ WEFT_REAL(posix_spawn), by_path(path), actions,
                                       attributes, arguments, environment, WEFT_SITE });
}

WEFT_EXPORT int posix_spawnp(pid_t *pid, const char *name,
                             const posix_spawn_file_actions_t *actions,
                             const posix_spawnattr_t *attributes, char *const arguments[],
                             char *const environment[])
{
    return spawn(pid,
                 &(struct spawn_call){ WEFT_REAL(posix_spawnp), by_name(name), actions,
                                       attributes, arguments, environment, WEFT_SITE });
}

/*
 * system and popen pass on the process's environment from inside the C library.  If the
 * program has removed our variables from it, environ points to a completed copy meanwhile.
 */
struct shell {
    char **before, **copy; /* copy is NULL if none is needed */
    uint64_t hash;         /* of the copy's entries, as made */
    bool open;             /* the log stays open for the shell */
};

static uint64_t hash_entries(char *const *entries)
{
    uint64_t hash = 0;

    for (; *entries; entries++)
        hash = (hash ^ (uintptr_t)*entries) * 0x9e3779b97f4a7c15;
    return hash;
}

/* One copy is kept for the next call and never freed: other threads may be reading it. */
static struct {
    char **memory;
    uint64_t size;
    bool taken;
} kept_copy;

static char **take_copy(uint64_t size)
{
    bool mine = !__atomic_test_and_set(&kept_copy.taken, __ATOMIC_ACQUIRE);
    char **memory = mine && size <= kept_copy.size ? kept_copy.memory : map(size);

    if (mine && memory && memory != kept_copy.memory) {
        kept_copy.memory = memory;
        kept_copy.size = size;
    }
    if (mine && !memory)
        __atomic_clear(&kept_copy.taken, __ATOMIC_RELEASE);
    return memory;
}

static struct shell shell_starts(bool noted)
{
    struct weft_lacking lacking;
    bool refused = weft_readable_texts(environ)
                   && (weft_programs_sanitize(environ) || !weft_programs_can_load());
    uint64_t size = lacking_bytes(environ, noted, refused, &lacking);
    struct shell shell = { environ, size > 0 ? take_copy(size) : NULL, 0,
                           lacking.handover.log };

    if (shell.copy) {
        environ = (char **)complete(environ, &lacking, shell.copy);
        shell.hash = hash_entries(environ);
    }
    if (shell.open)
        weft_file_hand_over(&weft_process.file, true);
    return shell;
}

static void shell_started(struct shell *shell)
{
    if (shell->open)
        weft_file_hand_over(&weft_process.file, false);
    if (!shell->copy)
        return;
    /* Unless another thread has changed a variable, in the copy or in a list of its own. */
    if (environ == shell->copy && hash_entries(environ) == shell->hash)
        environ = shell->before;
    if (shell->copy == kept_copy.memory && environ == shell->before)
        __atomic_clear(&kept_copy.taken, __ATOMIC_RELEASE);
}

/* Restores environ when its scope ends, also if the thread is cancelled in the call. */
#define SHELL __attribute__((cleanup(shell_started), unused)) struct shell

WEFT_EXPORT int system(const char *command)
{
    bool noted = weft_process_can_note(weft_process_caller());
    SHELL shell = command ? shell_starts(noted) : (struct shell){ 0 };
    int result, saved = errno;

    if (command && noted)
        note_program(weft_ticks(), 0, WEFT_SITE, "/bin/sh");
    errno = 0;
    result = WEFT_REAL(system)(command);
    /* A shell also exits with 127 if it does not find a program; then errno stays 0. */
    if (command && noted
        && (result == -1 || (result == 127 << 8 && errno != 0 && errno != EINTR)))
        note_no_program(0);
    if (errno == 0)
        errno = saved;
    return result;
}

WEFT_EXPORT FILE *popen(const char *command, const char *type)
{
    bool noted = weft_process_can_note(weft_process_caller());
    SHELL shell = shell_starts(noted);
    FILE *result;

    if (noted)
        note_program(weft_ticks(), 0, WEFT_SITE, "/bin/sh");
    result = WEFT_REAL(popen)(command, type);
    if (!result && noted)
        note_no_program(0);
    return result;
}
