/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, forking and ending a recorded process image. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
# include <asm/hwcap2.h>
# include <asm/prctl.h>
#endif

#include "record/core/clocks.h"
#include "record/core/system.h"
#include "record/log/log_slow_paths.h"
#include "record/log/pool.h"
#include "record/log/recording_overhead.h"
#include "record/maps/annotation_names.h"
#include "record/maps/maps.h"
#include "record/process/child_environment.h"
#include "record/process/handover.h"
#include "record/process/process.h"
#include "record/process/seccomp_filters.h"
#include "record/process/thread_lives.h"
#include "record/process/thread_usage.h"

struct weft_process weft_process;

static uint64_t lost_before; /* events of threads before there was a header */

enum {
    BOOT_IN_PATH = 8,  /* characters of the boot id: enough to tell two apart */
    NAME_IN_PATH = 64, /* the rest of a log's path */
};

/* Returns 0 if a filter forbids getpid. */
static uint32_t system_pid(void)
{
    return weft_sandbox_allows(WEFT_NEED_PROCESS_ID) ? (uint32_t)syscall(SYS_getpid) : 0;
}

uint32_t weft_process_caller(void)
{
    return weft_sandbox_allows(WEFT_NEED_PROCESS_ID) ? (uint32_t)syscall(SYS_getpid)
                                                     : weft_process.pid;
}

#if defined(__x86_64__)
# if !defined(HWCAP2_FSGSBASE) /* headers of before Linux 5.9 */
#  define HWCAP2_FSGSBASE 2
# endif
/* Noted at the start: later callers may have no errno. */
static bool has_instruction;

/* Returns the base of the thread's TLS; 0 if a filter forbids to ask. */
static uintptr_t storage_base(void)
{
    uintptr_t base = 0;

    if (__atomic_load_n(&has_instruction, __ATOMIC_RELAXED))
        __asm__ volatile("rdfsbase %0" : "=r"(base));
    else if (weft_sandbox_allows(WEFT_NEED_STORAGE))
        (void)syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
    return base;
}
#endif

/* Returns true if the C library made the thread's TLS, which begins with its address. */
static bool is_of_the_library(void)
{
#if defined(__x86_64__)
    uintptr_t base = storage_base();

    return base != 0 && *(const uintptr_t *)base == base;
#else
    return false;
#endif
}

bool weft_process_has_storage(uint32_t caller)
{
    return caller == weft_process.pid || is_of_the_library();
}

bool weft_process_can_note(uint32_t caller)
{
    return weft_process.state == WEFT_RECORDED
           && (caller == weft_process.pid
               || (is_of_the_library() && weft_record_self != NULL));
}

uint32_t weft_process_next_thread(void)
{
    static uint32_t without_header;
    struct weft_process_header *header;

    weft_process_forked(); /* the fork may have bypassed the C library's handlers */
    header = weft_process.header;
    return __atomic_fetch_add(header ? &header->threads : &without_header, 1,
                              __ATOMIC_RELAXED);
}

/* Read the names of this machine. */
static void read_host(char *host, char *boot)
{
    weft_sys_host_name(host, WEFT_HOST_TEXT);
    weft_sys_read_file("/proc/sys/kernel/random/boot_id", boot, WEFT_BOOT_TEXT);
    boot[strcspn(boot, "\n")] = 0;
}

/* Make this machine's folder in the recording's FOLDER; false if the path is invalid. */
static bool choose_folder(char *path, const char *folder)
{
    char host[WEFT_HOST_TEXT], boot[WEFT_BOOT_TEXT], *to, *name;

    _Static_assert(WEFT_FOLDER_TEXT - 1 + WEFT_HOST_TEXT + BOOT_IN_PATH + NAME_IN_PATH
                       <= WEFT_PATH_MAX,
                   "the path of a log has room");
    if (!folder || folder[0] != '/' || strlen(folder) >= WEFT_FOLDER_TEXT)
        return false;
    read_host(host, boot);
    boot[BOOT_IN_PATH] = 0;
    to = weft_text_copy(path, folder);
    name = weft_text_copy(to, "/h-");
    to = weft_text_copy(name, host);
    to = weft_text_copy(to, "-");
    weft_text_copy(to, boot);
    for (; *name; name++)
        if (*name == '/')
            *name = '_';
    weft_sys_make_folder(path);
    return true;
}

/* Fill the part of a new header that any image needs. */
static void fill_header(struct weft_process_header *header)
{
    header->pid = weft_process.pid;
    if (weft_process.pid)
        header->parent_pid = (uint32_t)syscall(SYS_getppid);
    header->pid_namespace = weft_sys_inode("/proc/self/ns/pid");
    header->families = weft_process.families;
    header->clock = weft_record_core_v1.clock_is_tsc || weft_record_core_v1.tsc_of_others
                        ? WEFT_CLOCK_TSC
                        : WEFT_CLOCK_MONOTONIC_NS;
    header->first = header->last = weft_clocks_sample();
    header->image = header->first.ticks;
}

/* Make headers and a pool for this image; the header is valid once it is sealed. */
static int make_headers(void)
{
    int error;

    weft_process.pid = system_pid();
    error = weft_headers_make(&weft_process.headers, &weft_process.file);
    weft_process.header = weft_process.headers.process;
    if (error == 0) {
        fill_header(weft_process.header);
        error = weft_pool_start();
    }
    return error;
}

static void set_state(enum weft_process_state state)
{
    __atomic_store_n(&weft_process.state, state, __ATOMIC_RELEASE);
}

/* Make a log, else use the one HANDED over, else leave a word; false without a log. */
static bool make_file(const struct weft_handed *handed)
{
    char folder[WEFT_PATH_MAX];
    int error;

    if (!choose_folder(folder, weft_variable(WEFT_RECORD_DIR_VARIABLE)))
        return false;
    error = weft_file_create(&weft_process.file, folder, system_pid());
    if (error && handed->descriptor > 0
        && weft_file_inherit(&weft_process.file, folder, (long)handed->descriptor,
                             handed->device, handed->inode)
               == 0)
        return true;
    if (error)
        weft_file_leave_word(&weft_process.file, system_pid(), error);
    return error == 0;
}

/* Make log and headers of an executed program; false if it cannot be recorded. */
static bool make_log(const struct weft_handed *handed)
{
    struct weft_process_header *header;
    int error;

    if (!make_file(handed))
        return false;
    error = make_headers();
    header = weft_process.header;
    if (header) {
        read_host(header->host, header->boot);
        header->command_bytes = weft_sys_read_file("/proc/self/cmdline", header->command,
                                                   sizeof header->command);
        weft_programs_name(header->program, sizeof header->program);
        weft_headers_seal(&weft_process.headers);
    }
    if (error)
        weft_process_full(error);
    return error == 0;
}

/* Runs in one thread, with signals blocked. */
static bool start_recording(void)
{
    struct weft_spending spending;
    struct weft_handed handed = weft_handover_read();
    bool enough = weft_sandbox_inherit((uint32_t)handed.forbidden);

#if defined(__x86_64__)
    /* The kernel tells whether rdfsbase may be used. */
    has_instruction = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
#endif
    weft_clocks_choose();
    weft_programs_start();
    spending = weft_spending_begins(weft_thread_ns());
    pthread_atfork(NULL, NULL, weft_process_forked);
    if (!enough || !make_log(&handed)) {
        set_state(WEFT_NOT_RECORDED);
        /* counts the thread, which gets a dead log */
        (void)weft_log_open(weft_process_next_thread());
        return false;
    }
    weft_process.header->event_cost = weft_log_event_cost();
    weft_process.header->lost += __atomic_exchange_n(&lost_before, 0, __ATOMIC_RELAXED);
    set_state(WEFT_RECORDED);
    weft_lifecycle_start();
    weft_log_open(weft_process_next_thread());
    weft_lifecycle_watch(); /* it may end before the process does */
    weft_maps_copy();       /* after the thread has got its room in the log */
    weft_spending_ends(&spending);
    return true;
}

bool weft_process_start(void)
{
    int expected = WEFT_NOT_STARTED;
    uint64_t before;
    bool started;

    if (__atomic_load_n(&weft_process.state, __ATOMIC_ACQUIRE) != WEFT_NOT_STARTED)
        return weft_process.state == WEFT_RECORDED;
    /* Before the first call that an inherited filter may forbid. */
    (void)weft_sandbox_inherit((uint32_t)weft_handover_read().forbidden);
    before = weft_sys_block_signals();
    /* Another thread may be faster. */
    started = __atomic_compare_exchange_n(&weft_process.state, &expected, WEFT_STARTING,
                                          false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
              && start_recording();
    weft_sys_restore_signals(before);
    return started;
}

/* Copy the machine and the program from the parent's header. */
static void inherit(const struct weft_process_header *from)
{
    struct weft_process_header *header = weft_process.header;

    memcpy(header->host, from->host, sizeof header->host);
    memcpy(header->boot, from->boot, sizeof header->boot);
    memcpy(header->command, from->command, sizeof header->command);
    memcpy(header->program, from->program, sizeof header->program);
    header->command_bytes = from->command_bytes;
    header->event_cost = from->event_cost;
    header->forked_pid = from->pid;
    header->forked_image = from->image;
    header->forked_thread = weft_thread_ordinal;
    header->names_inherited = weft_names_given();
    weft_headers_seal(&weft_process.headers);
}

/* Signals are blocked: a handler with an event would make a second image of the child. */
static void become_child(void)
{
    const struct weft_process_header *parent = weft_process.header;
    struct weft_log *log = weft_record_self;
    struct weft_spending spending = weft_spending_begins(weft_thread_ns());
    int error;

    weft_process.full = 0;
    weft_maps_forked();
    weft_clocks_forked();
    error = make_headers();
    if (weft_process.header)
        inherit(parent);
    weft_thread_ordinal = 0;
    if (error) {
        if (weft_process.header)
            weft_process.header->threads = 1; /* the main thread, which has no log */
        weft_process_full(error);
        weft_process.state = WEFT_NOT_RECORDED;
        return;
    }
    /* The wiped log gets the first number: the child's main thread. */
    if (log && !log->dead)
        weft_log_put_word(log, weft_ticks(), WEFT_RECORD_CPU, 0, 0);
    weft_spending_ends(&spending);
}

/* The child of a process that ran out of room has none, either, and no header. */
static void become_unrecorded_child(void)
{
    uint32_t pid = weft_process.full ? system_pid() : 0;

    if (pid == 0 || pid == weft_process.pid)
        return;
    weft_process.pid = pid;
    weft_process.header = NULL;
    weft_process_full(weft_process.full);
}

void weft_process_forked(void)
{
    uint64_t before;

    if (weft_process.state == WEFT_NOT_RECORDED)
        become_unrecorded_child();
    if (weft_process.state != WEFT_RECORDED || !weft_pool_is_foreign())
        return;
    if (weft_record_stopped_at != 0) { /* the child has no clocks, either */
        weft_process.state = WEFT_NOT_RECORDED;
        return;
    }
    before = weft_sys_block_signals();
    if (weft_pool_is_foreign())
        become_child();
    weft_sys_restore_signals(before);
}

__attribute__((constructor(101))) static void start(void)
{
    weft_process_start();
}

void weft_process_full(int error)
{
    __atomic_store_n(&weft_process.full, error, __ATOMIC_RELAXED);
    if (weft_process.header)
        weft_process.header->full = (uint32_t)error;
    else if (weft_process.file.head)
        weft_file_leave_word(&weft_process.file, weft_process.pid, error);
}

void weft_process_refused(int error)
{
    /* The disk or a limit is full, a reserve is used up, or the log was removed. */
    if (error == ENOSPC || error == EFBIG || error == EDQUOT || error == EPERM
        || error == ESTALE)
        weft_process_full(error);
}

void weft_process_lose(uint64_t events)
{
    struct weft_process_header *header = weft_process.header;
    struct weft_log_head *head = weft_process.file.head;

    /* Until it detects the fork, a child counts losses in its parent's header. */
    if (header)
        __atomic_fetch_add(&header->lost, events, __ATOMIC_RELAXED);
    else if (head)
        __atomic_fetch_add(&head->lost, events, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&lost_before, events, __ATOMIC_RELAXED);
}

static void note_exit(void)
{
    weft_clocks_note();
    weft_process.header->exited = 1;
}

void weft_process_finish(void)
{
    /* Also if there was room for no more than a header. */
    if (weft_process.header && system_pid() == weft_process.pid)
        note_exit();
}

/*
 * Where a filter forbids getpid, the process is known by its memory: a fork would have lost
 * the pool, and children of vfork run no destructors.
 */
__attribute__((destructor)) static void finish(void)
{
    if (weft_process_caller() != weft_process.pid || weft_pool_is_foreign())
        return;
    /* The main thread, which mostly ends the program, runs no destructor of its own. */
    if (weft_process.state == WEFT_RECORDED) {
        weft_lifecycle_processor_time();
        weft_usage_of_all();
        weft_maps_end();
    }
    if (weft_process.header)
        note_exit();
}
