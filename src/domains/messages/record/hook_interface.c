/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI_X and PMPI_X of all recorded calls: jumps through a table.  PMPI_X is there since
 * Fortran's bindings call it.  The first call fills the table: with hooks, if there are
 * some for the implementation that is loaded, else with MPI's functions.
 *
 * Another tool, or the program itself, may define MPI_X and call PMPI_X from it.  Then the
 * program's calls go there first, and are recorded when they come back as PMPI_X.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "domains/messages/format/records.h"
#include "domains/messages/record/hook_interface.h"
#include "record/log/log.h"

enum {
    PATH_BYTES = 4096,
    VERSION_MAX = 8192 /* bytes; MPICH's is long, the standard has a limit */
};

WEFT_EXPORT __thread uintptr_t weft_mpi_inside __attribute__((tls_model("initial-exec")));
WEFT_EXPORT __thread uint32_t weft_mpi_passed __attribute__((tls_model("initial-exec")));

void weft_mpi_left(uint32_t passed)
{
    weft_mpi_inside = 0;
    weft_log_put(weft_log_get(), weft_ticks(), WEFT_RECORD_MPI_LEFT,
                 passed < WEFT_ARGUMENT_MAX ? passed : WEFT_ARGUMENT_MAX);
}

WEFT_EXPORT void (*weft_mpi_synchronize)(void);

void weft_mpi_synchronize_v1(void)
{
    if (weft_mpi_synchronize)
        weft_mpi_synchronize();
}

/* The targets of MPI_X (outer) and PMPI_X (inner). */
struct slot {
    void *outer, *inner;
};

/* The jumps leave all arguments in place, in registers and on the stack. */
#define ENTRY(name, role, begins)                                                          \
 ".globl MPI_" #name "\n"                                                                  \
 ".type MPI_" #name ", @function\n"                                                        \
 "MPI_" #name ": jmp *.Lslot_" #name "(%rip)\n"                                            \
 ".size MPI_" #name ", . - MPI_" #name "\n"                                                \
 ".globl PMPI_" #name "\n"                                                                 \
 ".type PMPI_" #name ", @function\n"                                                       \
 "PMPI_" #name ": jmp *.Lslot_" #name "+8(%rip)\n"                                         \
 ".size PMPI_" #name ", . - PMPI_" #name "\n"                                              \
 ".Lfirst_" #name ": lea .Lslot_" #name "(%rip), %r11\n"                                   \
 "jmp weft_mpi_first\n"                                                                    \
 ".Lfirst_p_" #name ": lea .Lslot_" #name "+8(%rip), %r11\n"                               \
 "jmp weft_mpi_first\n"
#define SLOT(name, role, begins)                                                           \
 ".Lslot_" #name ": .quad .Lfirst_" #name ", .Lfirst_p_" #name "\n"

__asm__(".text\n"
        /* Fill the table, keep the arguments, and jump to the target in the slot at r11. */
        ".type weft_mpi_first, @function\n"
        "weft_mpi_first:\n"
        "push %rbp\n mov %rsp, %rbp\n"
        "push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n"
        "push %r11\n push %r11\n"
        "call weft_mpi_bind\n"
        "pop %r11\n pop %r11\n"
        "pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n"
        "pop %rbp\n"
        "jmp *(%r11)\n"
        ".size weft_mpi_first, . - weft_mpi_first\n" WEFT_MPI_CALLS(
            ENTRY) ".data\n .balign 16\n"
                   ".hidden weft_mpi_slots\n .globl weft_mpi_slots\n"
                   "weft_mpi_slots:\n" WEFT_MPI_CALLS(SLOT) ".text\n");

extern WEFT_HIDDEN struct slot weft_mpi_slots[WEFT_MPI_N_CALLS];

#define NAME(name, role, begins) "PMPI_" #name,
static const char *const names[] = { WEFT_MPI_CALLS(NAME) };

/* Finds an MPI library that RTLD_NEXT does not: its users were loaded by dlopen. */
static int find_object(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    void **found = user;
    void *library;

    (void)size;
    if (strncmp(name, "libmpi", strlen("libmpi")) != 0)
        return 0;
    library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (library && dlsym(library, "PMPI_Init"))
        *found = library;
    return *found != NULL;
}

static void *find_library(void)
{
    void *function = dlsym(RTLD_NEXT, "PMPI_Init"), *library = NULL;
    Dl_info info;

    if (function && dladdr(function, &info) != 0)
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        dl_iterate_phdr(find_object, &library);
    return library;
}

/*
 * Get the hooks for the implementation, from a library in the same folder as this one;
 * record that its calls are unknown if there is none.
 */
static void find_hooks(void *library, const char *version, void **hooks)
{
    bool open = strncmp(version, "Open MPI", strlen("Open MPI")) == 0;
    weft_mpi_attach_function *attach = NULL;
    char path[PATH_BYTES];
    const char *slash;
    void *own;
    Dl_info info;

    if (dladdr(weft_mpi_slots, &info) == 0 || !(slash = strrchr(info.dli_fname, '/')))
        return;
    snprintf(path, sizeof path, "%.*s" WEFT_MPI_LIBRARY "%s.so",
             (int)(slash + 1 - info.dli_fname), info.dli_fname, open ? "openmpi" : "mpich");
    own = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (own)
        attach = (weft_mpi_attach_function *)dlsym(own, WEFT_MPI_ATTACH);
    if (!attach || !attach(library, version, hooks))
        weft_record_core_v1.log_text(weft_ticks(), WEFT_RECORD_MPI_UNKNOWN, NULL, 0,
                                     version);
}

static bool same_object(void *a, void *b)
{
    Dl_info of_a, of_b;

    return a == b
           || (dladdr(a, &of_a) != 0 && dladdr(b, &of_b) != 0
               && of_a.dli_fbase == of_b.dli_fbase);
}

/* The target of a function that the program's MPI does not have: it fails. */
static int missing(void)
{
    return 1;
}

static void fill(struct slot *slot, const char *name, void *library, void *hook)
{
    /* Without a handle dlsym would find this very entry. */
    void *real = library ? dlsym(library, name) : NULL;
    void *next = dlsym(RTLD_NEXT, name + 1);

    if (!real)
        real = (void *)missing;
    if (!next)
        next = real;
    slot->inner = hook ? hook : real;
    slot->outer = same_object(next, real) ? slot->inner : next;
}

static void bind_all(void)
{
    static void *hooks[WEFT_MPI_N_CALLS];
    static char version[VERSION_MAX];
    void *library = find_library();
    int (*get_version)(char *, int *) =
        library ? (int (*)(char *, int *))dlsym(library, "PMPI_Get_library_version") : NULL;
    int length = 0;

    if (get_version && get_version(version, &length) == 0)
        find_hooks(library, version, hooks);
    /*
     * A program may look up a name to find out whether there is MPI, and finds this
     * library's.
     */
    if (!library)
        weft_record_core_v1.log_text(weft_ticks(), WEFT_RECORD_MPI_UNKNOWN, NULL, 0, "");
    for (int i = 0; i < WEFT_MPI_N_CALLS; i++)
        fill(&weft_mpi_slots[i], names[i], library, hooks[i]);
    (void)dlerror(); /* clear the errors of names that are not there */
}

enum { UNBOUND, BINDING, BOUND };
static int bound; /* accessed atomically */

/* Fill the table, once.  Other threads wait for the first one. */
__attribute__((used, visibility("hidden"))) void weft_mpi_bind(void);
void weft_mpi_bind(void)
{
    int saved = errno, unbound = UNBOUND;

    if (__atomic_compare_exchange_n(&bound, &unbound, BINDING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        bind_all();
        __atomic_store_n(&bound, BOUND, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&bound, __ATOMIC_ACQUIRE) != BOUND)
        sched_yield();
    errno = saved;
}

/* At the end of a process that has made no call: says so if it used MPI all the same. */
static __attribute__((destructor)) void say_unseen(void)
{
    int (*initialized)(int *);
    void *library = NULL;
    int flag = 0;

    if (__atomic_load_n(&bound, __ATOMIC_ACQUIRE) != UNBOUND)
        return;
    dl_iterate_phdr(find_object, &library);
    initialized = library ? (int (*)(int *))dlsym(library, "PMPI_Initialized") : NULL;
    if (initialized && initialized(&flag) == 0 && flag)
        weft_record_core_v1.log_text(weft_ticks(), WEFT_RECORD_MPI_UNSEEN, NULL, 0, "");
}
