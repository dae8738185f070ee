/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory.  An object in it is identified for all processes by the file of the
 * mapping (device, inode) and the offset; the kernel gives anonymous shared memory a file,
 * too.  Signal handlers may run this: it makes system calls only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "domains/threads/record/hook_helpers.h"
#include "record/process/seccomp_filters.h"

enum {
    MAX_MAPPINGS = 8192, /* mappings remembered; beyond, the oldest is looked up again */
    MAX_PAGES = 4096,    /* pages that need no look-up; a power of 2 */
    MAX_LINE = 320,      /* bytes of a line of the maps; longer paths are cut */
    PAGE = 4096,         /* bytes; no page is smaller */
    MAX_SHARING_LOOKUPS = 1024, /* look-ups for objects of unknown sharing */
    MAX_READ_BYTES = 512,       /* bytes at a time: stacks of signal handlers are small */
};

struct mapping { /* a line of the maps */
    uint64_t begin, end, offset, device, inode;
    bool shared;
    const char *path;
};

/*
 * Mappings that were recorded or are private, and pages of them or of none that was found.
 * Any thread may write.
 */
static struct {
    uint64_t begin[MAX_MAPPINGS], end[MAX_MAPPINGS];
    uint32_t n;
    uint64_t pages[MAX_PAGES]; /* page numbers; 0: unused */
} known;

static uint64_t *slot_of(uint64_t page)
{
    return &known.pages[page % MAX_PAGES];
}

static bool is_in_mapping(uint64_t address)
{
    uint32_t n = __atomic_load_n(&known.n, __ATOMIC_RELAXED);

    for (uint32_t i = 0; i < n && i < MAX_MAPPINGS; i++)
        if (address >= __atomic_load_n(&known.begin[i], __ATOMIC_RELAXED)
            && address < __atomic_load_n(&known.end[i], __ATOMIC_RELAXED))
            return true;
    return false;
}

static bool is_known(uint64_t address)
{
    uint64_t page = address / PAGE, *slot = slot_of(page);

    if (__atomic_load_n(slot, __ATOMIC_RELAXED) == page)
        return true;
    if (!is_in_mapping(address))
        return false;
    __atomic_store_n(slot, page, __ATOMIC_RELAXED);
    return true;
}

/* Two threads at a time may mix up a range; then its addresses are looked up again. */
static void remember(const struct mapping *mapping)
{
    uint32_t n = __atomic_load_n(&known.n, __ATOMIC_RELAXED), i;

    for (i = 0; i < n && i < MAX_MAPPINGS; i++)
        if (__atomic_load_n(&known.begin[i], __ATOMIC_RELAXED) == mapping->begin
            && __atomic_load_n(&known.end[i], __ATOMIC_RELAXED) == mapping->end)
            return;
    i = __atomic_fetch_add(&known.n, 1, __ATOMIC_RELAXED) % MAX_MAPPINGS;
    __atomic_store_n(&known.end[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&known.begin[i], mapping->begin, __ATOMIC_RELAXED);
    __atomic_store_n(&known.end[i], mapping->end, __ATOMIC_RELAXED);
}

static uint64_t number(const char **at, unsigned base)
{
    uint64_t value = 0;

    for (;; ++*at) {
        unsigned c = (unsigned char)**at;
        unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                         : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                : 16;
        if (digit >= base)
            return value;
        value = value * base + digit;
    }
}

/* Parse a line of the maps: BEGIN-END PERMISSIONS OFFSET MAJOR:MINOR INODE PATH. */
static bool parse(struct mapping *mapping, const char *at)
{
    uint64_t major, minor;

    mapping->begin = number(&at, 16);
    if (*at++ != '-')
        return false;
    mapping->end = number(&at, 16);
    for (int i = 0; i < 5; i++, at++)
        if (*at == 0)
            return false;
    mapping->shared = at[-1] == 's';
    if (*at++ != ' ')
        return false;
    mapping->offset = number(&at, 16);
    if (*at++ != ' ')
        return false;
    major = number(&at, 16);
    if (*at++ != ':')
        return false;
    minor = number(&at, 16);
    mapping->device = makedev(major, minor);
    if (*at++ != ' ')
        return false;
    mapping->inode = number(&at, 10);
    while (*at == ' ')
        at++;
    mapping->path = at;
    return true;
}

static void record(const struct mapping *mapping)
{
    uint64_t words[5] = { mapping->begin, mapping->end, mapping->offset, mapping->device,
                          mapping->inode };

    if (mapping->shared)
        CORE.log_text(weft_ticks(), WEFT_RECORD_SHARED, words, 5, mapping->path);
    remember(mapping);
}

/* If ADDRESS is in the line's mapping, record it and return true. */
static bool record_mapping(const char *line, uint64_t address, const char *name)
{
    struct mapping mapping;

    if (!parse(&mapping, line) || address < mapping.begin || address >= mapping.end)
        return false;
    if (name)
        mapping.path = name;
    record(&mapping);
    return true;
}

static void look_up(uint64_t address, const char *name)
{
    char bytes[MAX_READ_BYTES], line[MAX_LINE];
    uint64_t page = address / PAGE;
    uint32_t length = 0;
    bool found = false;
    long file;

    /* Mark the page first: one look-up each, even if it fails. */
    __atomic_store_n(slot_of(page), page, __ATOMIC_RELAXED);
    if (!weft_sandbox_allows(WEFT_NEED_OPEN))
        return;
    file = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && !found) {
        long n = syscall(SYS_read, file, bytes, sizeof bytes);
        if (n <= 0)
            break;
        for (long i = 0; i < n && !found; i++) {
            if (bytes[i] != '\n' && length < sizeof line - 1) {
                line[length++] = bytes[i];
            } else if (bytes[i] == '\n') {
                line[length] = 0;
                length = 0;
                found = record_mapping(line, address, name);
            }
        }
    }
    if (file >= 0)
        syscall(SYS_close, file);
}

void weft_shared_see(const void *address)
{
    if (!is_known((uint64_t)(uintptr_t)address))
        weft_shared_see_new(address, NULL);
}

void weft_shared_ask(const void *address)
{
    static uint32_t asked;

    if (__atomic_load_n(&asked, __ATOMIC_RELAXED) >= MAX_SHARING_LOOKUPS
        || is_known((uint64_t)(uintptr_t)address))
        return;
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
    weft_shared_see_new(address, NULL);
}

void weft_shared_see_new(const void *address, const char *name)
{
    int saved = errno;

    look_up((uint64_t)(uintptr_t)address, name);
    errno = saved;
}
