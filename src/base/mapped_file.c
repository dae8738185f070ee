/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped files that may be truncated while they are read.  The kernel answers an access to
 * a page beyond the file's new end, or that the disk cannot deliver, with SIGBUS.  The
 * handler maps zeros there and records it; the reader goes on, and calls
 * weft_mapping_damaged() before it relies on the bytes.
 *
 * A signal handler gets no argument of ours, so the list of mappings is global.  Its nodes
 * are reused and never freed, so the handler walks it without a lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

struct weft_mapped {
    /*
     * The addresses. `end` is 0 while the node is free; it is written last and cleared
     * first.
     */
    _Atomic uintptr_t begin, end;
    _Atomic bool damaged;
    struct weft_mapped *next;      /* in the list of all; does not change */
    struct weft_mapped *next_free; /* with the lock held */
};

static struct weft_mapped *_Atomic all;
static struct weft_mapped *unused;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool watching;           /* with the lock held, like all but the list */
static struct sigaction before; /* the handler of SIGBUS when the first file was mapped */
static uintptr_t page;          /* bytes of one */

/* Returns the mapping of an address, and its end; NULL if it is none of ours. */
static struct weft_mapped *mapped_at(uintptr_t address, uintptr_t *end)
{
    for (struct weft_mapped *m = atomic_load(&all); m; m = m->next) {
        *end = atomic_load(&m->end);
        if (address < *end && address >= atomic_load(&m->begin)
            && atomic_load(&m->end) == *end)
            return m;
    }
    return NULL;
}

/*
 * Maps zeros from the address to the mapping's end: a truncated file has nothing after it,
 * and one page for each fault could exceed the limit of mappings of a process.
 */
static bool put_zeros(uintptr_t address)
{
    uintptr_t end, from = address & ~(page - 1);
    struct weft_mapped *m = mapped_at(address, &end);
    if (!m)
        return false;
    atomic_store(&m->damaged, true);
    return mmap((void *)from, end - from, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0)
           != MAP_FAILED;
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    int kept = errno;
    bool done = info->si_code > 0 && put_zeros((uintptr_t)info->si_addr);
    errno = kept;
    if (done)
        return;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(signal_number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(signal_number);
    else
        signal(signal_number, SIG_DFL); /* the instruction faults again, and ends the
                                           process */
}

/*
 * With the lock held: installs the handler.  For each mapping, since a library may have
 * replaced it.
 */
static void watch(void)
{
    struct sigaction now,
        action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigaction(SIGBUS, NULL, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_bus_error)
        return;
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (!watching)
        before = now;
    watching = true;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

static struct weft_mapped *enlist(const void *data, size_t size)
{
    pthread_mutex_lock(&lock);
    watch();
    struct weft_mapped *m = unused;
    if (m) {
        unused = m->next_free;
    } else {
        m = weft_zalloc(1, sizeof *m);
        m->next = atomic_load(&all);
        atomic_store(&all, m);
    }
    pthread_mutex_unlock(&lock);
    atomic_store(&m->damaged, false);
    atomic_store(&m->begin, (uintptr_t)data);
    atomic_store(&m->end, ((uintptr_t)data + size + page - 1) & ~(page - 1));
    return m;
}

static void strike_out(struct weft_mapped *m)
{
    pthread_mutex_lock(&lock); /* a holder relies on listed addresses being mapped */
    atomic_store(&m->end, 0);
    m->next_free = unused;
    unused = m;
    pthread_mutex_unlock(&lock);
}

/*
 * Maps holes of the file from nowhere. tmpfs allocates a page for each hole that a mapping
 * touches, and a full one answers with SIGBUS although the bytes are there: zeros.
 */
static void map_holes(int fd, unsigned char *data, off_t size)
{
    enum { MAX_HOLES = 4096 }; /* of the 65,530 mappings that a process may have */
    struct statfs system;
    off_t begin, end = 0;

    if (fstatfs(fd, &system) != 0 || system.f_type != TMPFS_MAGIC)
        return;
    for (int i = 0;
         i < MAX_HOLES && (begin = lseek(fd, end, SEEK_HOLE)) >= 0 && begin < size; i++) {
        end = lseek(fd, begin, SEEK_DATA);
        if (end < 0 || end > size)
            end = size; /* the rest is a hole */
        if (begin % (off_t)page == 0)
            (void)mmap(data + begin, (size_t)(end - begin), PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        if (end == size)
            return;
    }
}

static bool map_open_file(struct weft_mapping *map, int fd, const char *path,
                          struct weft_err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot read %s", path);
    if (!S_ISREG(st.st_mode))
        return weft_fail(err, WEFT_ERR_READ, "%s is not a regular file", path);
    map->data = (const unsigned char *)"";
    if (st.st_size == 0)
        return true;
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot map %s", path);
    *map =
        (struct weft_mapping){ data, (size_t)st.st_size, enlist(data, (size_t)st.st_size) };
    map_holes(fd, data, st.st_size);
    return true;
}

bool weft_map_file(struct weft_mapping *map, const char *path, struct weft_err *err)
{
    *map = (struct weft_mapping){ 0 };
    /* O_NONBLOCK: opening a pipe would wait for a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot open %s", path);
    bool ok = map_open_file(map, fd, path, err);
    close(fd);
    return ok;
}

void weft_unmap(struct weft_mapping *map)
{
    if (map->mapped) {
        strike_out(map->mapped);
        munmap((void *)map->data, map->size);
    }
    *map = (struct weft_mapping){ 0 };
}

void weft_mapping_pass(const struct weft_mapping *map, size_t end)
{
    end = (end < map->size ? end : map->size) & ~((size_t)sysconf(_SC_PAGESIZE) - 1);
    if (end && map->mapped && !atomic_load(&map->mapped->damaged))
        (void)madvise((void *)map->data, end, MADV_DONTNEED);
}

/* Returns the resident bytes of mapped files; without stdio, as walks call this often. */
static size_t resident(void)
{
    char text[128];
    unsigned long shared = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%*u %*u %lu", &shared) != 1)
        shared = 0;
    return shared * (size_t)sysconf(_SC_PAGESIZE);
}

void weft_mappings_rest(size_t most)
{
    if (resident() <= most)
        return;
    pthread_mutex_lock(&lock); /* so that nothing is unmapped meanwhile */
    for (struct weft_mapped *m = atomic_load(&all); m; m = m->next) {
        uintptr_t end = atomic_load(&m->end), begin = atomic_load(&m->begin);
        if (end && !atomic_load(&m->damaged))
            (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    pthread_mutex_unlock(&lock);
}

bool weft_mapping_damaged(const struct weft_mapping *map)
{
    return map->mapped && atomic_load(&map->mapped->damaged);
}
