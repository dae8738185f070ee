/* SPDX-License-Identifier: Apache-2.0 */
/* Signals may come: nothing here but system calls and memory of our own. */
#include <fcntl.h>

#include "record/core/maps.h"
#include "record/core/process.h"
#include "record/core/system.h"

enum { RANGES = 512 }; /* executable mappings that are remembered: 8 KiB of them */

static struct {
    int lock;
    uint32_t n;
    uint64_t file_bytes;
    struct {
        uint64_t begin, end;
    } ranges[RANGES]; /* executable ones of the maps that were copied already */
} seen;

static void remember(uint64_t begin, uint64_t end)
{
    if (seen.n < RANGES) {
        seen.ranges[seen.n].begin = begin;
        seen.ranges[seen.n++].end = end;
    }
}

/* Take BEGIN-END of an executable line of the maps into what was seen. */
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

void weft_maps_copy(void)
{
    char path[WEFT_PATH_MOST + 64], buffer[4096], line[64];
    uint32_t length = 0;
    long from = weft_sys_open("/proc/self/maps", O_RDONLY), to;

    weft_text_copy(weft_process_path(path), ".maps");
    to = weft_sys_open(path, O_WRONLY | O_CREAT);
    seen.n = 0;
    while (from >= 0 && to >= 0) {
        long n = weft_sys_read(from, buffer, sizeof buffer);
        if (n <= 0
            || weft_sys_write_all(to, buffer, (uint64_t)n, (int64_t)seen.file_bytes) < 0)
            break;
        seen.file_bytes += (uint64_t)n;
        for (long i = 0; i < n; i++) {
            if (buffer[i] == '\n') {
                line[length] = 0;
                see_line(line);
                length = 0;
            } else if (length < sizeof line - 1) {
                line[length++] = buffer[i];
            }
        }
    }
    if (from >= 0)
        weft_sys_close(from);
    if (to >= 0)
        weft_sys_close(to);
}

static bool is_known(uint64_t address)
{
    for (uint32_t i = 0; i < seen.n; i++)
        if (address >= seen.ranges[i].begin && address < seen.ranges[i].end)
            return true;
    return false;
}

void weft_maps_see(uint64_t address)
{
    /* Whoever is at it just now will copy what is there. */
    if (weft_process.full || __atomic_exchange_n(&seen.lock, 1, __ATOMIC_ACQUIRE) != 0)
        return;
    if (!is_known(address)) {
        weft_maps_copy();
        /* Code that no file maps (made at run time) shall not make us copy for ever. */
        if (!is_known(address))
            remember(address & ~UINT64_C(4095), (address | 4095) + 1);
    }
    __atomic_store_n(&seen.lock, 0, __ATOMIC_RELEASE);
}

void weft_maps_forked(void)
{
    seen.lock = 0; /* another thread may have had it when the process forked */
    seen.file_bytes = 0;
}
