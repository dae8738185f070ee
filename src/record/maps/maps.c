/* SPDX-License-Identifier: Apache-2.0 */
/* Copies /proc/self/maps, also in signal handlers: by system calls, without malloc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>

#include "record/core/system.h"
#include "record/log/log.h"
#include "record/log/recording_overhead.h"
#include "record/maps/maps.h"
#include "record/process/process.h"

/* Executable mappings remembered: as many as a process may have (vm.max_map_count). */
enum { RANGES = 65536, COPY = WEFT_PIECE_ALIGN - sizeof(struct weft_piece) };

struct range {
    uint64_t begin, end;
};

static struct {
    int lock;
    uint32_t version; /* odd while the ranges change */
    uint32_t n;
    uint64_t bytes;       /* of the copies so far */
    uint32_t fruitless;   /* copies made for code that is in no file */
    uint32_t passed_over; /* pages since then for which no copy was made */
    bool incomplete;      /* pages were passed over since the last copy */
    struct range *ranges; /* ranges of the last copy, sorted; NULL if none yet */
} seen;

/* Returns true if ADDRESS is in a range.  Only the owner of the lock changes ranges. */
static bool is_known(uint64_t address)
{
    uint32_t n = __atomic_load_n(&seen.n, __ATOMIC_RELAXED), low = 0, high = n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (__atomic_load_n(&seen.ranges[middle].end, __ATOMIC_RELAXED) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && __atomic_load_n(&seen.ranges[low].begin, __ATOMIC_ACQUIRE) <= address
           && address < __atomic_load_n(&seen.ranges[low].end, __ATOMIC_ACQUIRE);
}

/*
 * The same while another thread may change them: true only if certain.  The loads above
 * acquire, so that the version is read after them.
 */
static bool is_known_already(uint64_t address)
{
    uint32_t version = __atomic_load_n(&seen.version, __ATOMIC_ACQUIRE);
    bool known = (version & 1) == 0 && is_known(address);

    return known && __atomic_load_n(&seen.version, __ATOMIC_RELAXED) == version;
}

static void set_range(uint32_t index, uint64_t begin, uint64_t end)
{
    __atomic_store_n(&seen.ranges[index].begin, begin, __ATOMIC_RELAXED);
    __atomic_store_n(&seen.ranges[index].end, end, __ATOMIC_RELAXED);
}

/* Insert a range; the kernel's list is sorted, so mostly at the end. */
static void remember(uint64_t begin, uint64_t end)
{
    uint32_t at = seen.n;

    if (seen.n == RANGES || !seen.ranges)
        return;
    for (; at > 0 && seen.ranges[at - 1].begin > begin; at--)
        set_range(at, seen.ranges[at - 1].begin, seen.ranges[at - 1].end);
    set_range(at, begin, end);
    __atomic_store_n(&seen.n, seen.n + 1, __ATOMIC_RELAXED);
}

/* Add the range BEGIN-END of a line of the maps if it is executable. */
static void see_line(const char *line)
{
    uint64_t bounds[2] = { 0, 0 };

    for (int i = 0; i < 2; i++, line++)
        for (;; line++) {
            unsigned c = (unsigned char)*line;
            unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                             : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                    : 16;
            if (digit == 16)
                break;
            bounds[i] = bounds[i] << 4 | digit;
        }
    if (line[0] && line[1] && line[2] == 'x')
        remember(bounds[0], bounds[1]);
}

/* The beginning of a line, which may be cut by the end of a read. */
struct lines {
    char line[64];
    uint32_t length;
};

static void see_text(struct lines *lines, const char *text, long n)
{
    for (long i = 0; i < n; i++) {
        if (text[i] == '\n') {
            lines->line[lines->length] = 0;
            see_line(lines->line);
            lines->length = 0;
        } else if (lines->length < sizeof lines->line - 1) {
            lines->line[lines->length++] = text[i];
        }
    }
}

/* Write a piece with N bytes of the text. */
static bool write_piece(struct weft_piece *piece, long n)
{
    long result;

    *piece = (struct weft_piece){ .magic = WEFT_PIECE_MAGIC,
                                  .kind = WEFT_PIECE_MAPS,
                                  .size = WEFT_PIECE_ALIGN,
                                  .bytes = (uint64_t)n,
                                  .of = weft_process.headers.offset,
                                  .base = seen.bytes };
    seen.bytes += (uint64_t)n;
    result = weft_file_append(&weft_process.file, piece, sizeof *piece + (uint64_t)n);
    weft_process_refused((int)-result);
    return result == 0;
}

/* Call with the lock held.  The buffer is static: signal stacks are small. */
static void copy(void)
{
    static struct {
        struct weft_piece piece;
        char text[COPY];
    } part;
    struct lines lines = { .length = 0 };
    long from = weft_sys_open("/proc/self/maps", O_RDONLY), n;

    if (from < 0)
        return; /* the ranges seen before are still the best known */
    seen.incomplete = false;
    if (!seen.ranges)
        seen.ranges = weft_sys_memory(RANGES * sizeof *seen.ranges);
    __atomic_fetch_add(&seen.version, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&seen.n, 0, __ATOMIC_RELAXED);
    while ((n = weft_sys_read(from, part.text, sizeof part.text)) > 0
           && write_piece(&part.piece, n))
        see_text(&lines, part.text, n);
    __atomic_fetch_add(&seen.version, 1, __ATOMIC_RELEASE);
    weft_sys_close(from);
}

/* Returns false if another thread has the lock: it will copy the current maps. */
static bool lock(void)
{
    return __atomic_exchange_n(&seen.lock, 1, __ATOMIC_ACQUIRE) == 0;
}

static void unlock(void)
{
    __atomic_store_n(&seen.lock, 0, __ATOMIC_RELEASE);
}

void weft_maps_copy(void)
{
    if (!lock())
        return;
    copy();
    unlock();
}

/* Code in no copy (generated, or the maps cannot be read): make one attempt per page. */
static void remember_page(uint64_t address)
{
    __atomic_fetch_add(&seen.version, 1, __ATOMIC_ACQ_REL);
    remember(address & ~UINT64_C(4095), (address | 4095) + 1);
    __atomic_fetch_add(&seen.version, 1, __ATOMIC_RELEASE);
}

/* _dl_find_object of the loader, which takes no lock; NULL before glibc 2.35. */
static int (*find_object)(void *address, void *result);

/* Runs before the program makes threads: dlsym takes the loader's lock. */
__attribute__((constructor(101))) static void resolve(void)
{
    find_object = (__typeof__(find_object))dlsym(RTLD_DEFAULT, "_dl_find_object");
    (void)dlerror();
}

/* Returns true if the loader has mapped the code; such mappings are few, and have names. */
static bool is_of_the_loader(uint64_t address)
{
    uint64_t result[32]; /* larger than struct dl_find_object */

    return find_object && find_object((void *)(uintptr_t)address, result) == 0;
}

/*
 * Generated code may be in as many mappings as there are pages, each first seen at some
 * time.  Each copy contains all of them, so the number of pages passed over doubles from
 * one copy to the next.  A last copy at the end of the process has the rest.
 */
static bool is_worth_a_copy(void)
{
    enum { DOUBLINGS = 30 };

    if (seen.passed_over < (UINT32_C(1) << seen.fruitless) - 1) {
        seen.passed_over++;
        return false;
    }
    seen.passed_over = 0;
    if (seen.fruitless < DOUBLINGS)
        seen.fruitless++;
    return true;
}

static void see_new(uint64_t address)
{
    struct weft_spending spending = weft_spending_begins(weft_thread_ns());

    if (is_of_the_loader(address) || is_worth_a_copy())
        copy();
    else
        seen.incomplete = true;
    if (!is_known(address))
        remember_page(address);
    weft_spending_ends(&spending);
}

void weft_maps_end(void)
{
    if (seen.incomplete && !weft_process.full)
        weft_maps_copy();
}

/* Signals are blocked: no handler may jump out with the lock held. */
void weft_maps_see(uint64_t address)
{
    uint64_t before;

    if (is_known_already(address) || weft_process.full)
        return;
    before = weft_sys_block_signals();
    if (lock()) {
        if (!is_known(address))
            see_new(address);
        unlock();
    }
    weft_sys_restore_signals(before);
}

void weft_maps_forked(void)
{
    /* Another thread may have held the lock when the process forked. */
    if (seen.lock)
        seen.n = 0;
    seen.lock = 0;
    seen.version &= ~UINT32_C(1);
    seen.bytes = 0;
    seen.fruitless = seen.passed_over = 0;
    seen.incomplete = false;
}
