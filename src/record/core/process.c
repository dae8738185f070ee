/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, forking and ending a recorded process image. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/core/clocks.h"
#include "record/core/lives.h"
#include "record/core/log_core.h"
#include "record/core/maps.h"
#include "record/core/names.h"
#include "record/core/process.h"
#include "record/core/programs.h"
#include "record/core/system.h"

struct weft_process weft_process;

enum { BOOT_IN_PATH = 8 }; /* characters of the boot identifier: enough to tell two apart */

char *weft_process_path(char *path)
{
    path = weft_text_copy(path, weft_process.folder);
    path = weft_text_copy(path, "/p");
    path = weft_text_number(path, weft_process.pid);
    path = weft_text_copy(path, "-");
    return weft_text_number(path, weft_process.image);
}

static uint32_t system_pid(void)
{
    return (uint32_t)syscall(SYS_getpid);
}

uint32_t weft_process_next_thread(void)
{
    static uint32_t without_header;
    struct weft_process_header *header;

    /* The header is not mapped in a child, which may have been forked past the library. */
    weft_process_forked();
    header = weft_process.header;
    return __atomic_fetch_add(header ? &header->threads : &without_header, 1,
                              __ATOMIC_RELAXED);
}

/* Which machine this is. */
static void read_host(char *host, char *boot)
{
    weft_sys_host_name(host, WEFT_HOST_TEXT);
    weft_sys_read_file("/proc/sys/kernel/random/boot_id", boot, WEFT_BOOT_TEXT);
    boot[strcspn(boot, "\n")] = 0;
}

/* The folder of this machine in the recording's FOLDER; false: that is no good path. */
static bool choose_folder(const char *folder)
{
    char host[WEFT_HOST_TEXT], boot[WEFT_BOOT_TEXT], *to, *name;

    if (!folder || folder[0] != '/'
        || strlen(folder) + WEFT_HOST_TEXT + BOOT_IN_PATH + 8 > WEFT_PATH_MOST)
        return false;
    read_host(host, boot);
    boot[BOOT_IN_PATH] = 0;
    to = weft_text_copy(weft_process.folder, folder);
    name = weft_text_copy(to, "/h-");
    to = weft_text_copy(name, host);
    to = weft_text_copy(to, "-");
    weft_text_copy(to, boot);
    for (; *name; name++)
        if (*name == '/')
            *name = '_';
    weft_sys_make_folder(weft_process.folder);
    return true;
}

/* A header for this image under the first number that is free. */
static bool make_header(void)
{
    struct weft_process_header *header = NULL;
    char path[WEFT_PATH_MOST + 64];
    int error = EEXIST;

    weft_process.pid = system_pid();
    for (weft_process.image = 0; error == EEXIST; weft_process.image++) {
        weft_process_path(path);
        header = weft_sys_map_new(path, sizeof *header, &error);
        if (header)
            break;
    }
    weft_process.header = header;
    if (!header)
        return false;
    header->pid = weft_process.pid;
    header->image = weft_process.image;
    header->parent_pid = (uint32_t)syscall(SYS_getppid);
    header->pid_namespace = weft_sys_inode("/proc/self/ns/pid");
    header->families = weft_process.families;
    header->clock =
        weft_record_core_v1.clock_is_tsc ? WEFT_CLOCK_TSC : WEFT_CLOCK_MONOTONIC_NS;
    read_host(header->host, header->boot);
    header->command_bytes =
        weft_sys_read_file("/proc/self/cmdline", header->command, sizeof header->command);
    weft_programs_name(header->program, sizeof header->program);
    header->first = header->last = weft_clocks_sample();
    return true;
}

static void seal_header(void)
{
    __atomic_store_n(&weft_process.header->magic, WEFT_PROCESS_MAGIC, __ATOMIC_RELEASE);
}

static void set_state(enum weft_process_state state)
{
    __atomic_store_n(&weft_process.state, state, __ATOMIC_RELEASE);
}

bool weft_process_start(void)
{
    int expected = WEFT_NOT_STARTED;

    if (__atomic_load_n(&weft_process.state, __ATOMIC_ACQUIRE) >= WEFT_RECORDED)
        return weft_process.state == WEFT_RECORDED;
    if (!__atomic_compare_exchange_n(&weft_process.state, &expected, WEFT_STARTING, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        /* The thread that is starting it got a signal, or another thread was quicker. */
        return false;
    }
    weft_clocks_choose();
    weft_programs_start();
    if (!choose_folder(getenv(WEFT_RECORD_DIR_VARIABLE)) || !make_header()) {
        set_state(WEFT_NOT_RECORDED);
        return false;
    }
    seal_header();
    weft_maps_copy();
    set_state(WEFT_RECORDED);
    pthread_atfork(NULL, NULL, weft_process_forked);
    weft_lives_start();
    weft_log_open(weft_process_next_thread());
    return true;
}

void weft_process_forked(void)
{
    uint32_t pid = weft_process.pid, image = weft_process.image;
    struct weft_log *log = weft_record_self;

    if (weft_process.state != WEFT_RECORDED || system_pid() == pid)
        return;
    weft_process.header = NULL;
    weft_process.full = 0;
    weft_maps_forked();
    weft_clocks_forked();
    if (!make_header()) {
        weft_process.state = WEFT_NOT_RECORDED;
        return;
    }
    weft_process.header->forked_pid = pid;
    weft_process.header->forked_image = image;
    weft_process.header->forked_thread = weft_thread_ordinal;
    weft_thread_ordinal = 0;
    weft_process.header->names_inherited = weft_names_given();
    seal_header();
    weft_maps_copy();
    /* The wiped log takes the first number: the child's main thread. */
    if (log && !log->dead)
        weft_log_put_word(log, weft_ticks(), WEFT_RECORD_CPU, 0, 0);
}

__attribute__((constructor(101))) static void start(void)
{
    weft_process_start();
}

void weft_process_finish(void)
{
    if (weft_process.state == WEFT_RECORDED && weft_process.header
        && system_pid() == weft_process.pid) {
        weft_clocks_note();
        weft_process.header->exited = 1;
    }
}

__attribute__((destructor)) static void finish(void)
{
    weft_process_finish();
}
