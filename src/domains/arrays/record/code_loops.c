/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that were looked at, and their sites. */
#define _GNU_SOURCE
#include "domains/arrays/record/code_loops.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "domains/arrays/record/code_blocks.h"
#include "domains/arrays/record/code_values.h"

enum { MAX_FUNCTIONS = 4096 };

/* Returns N bytes, all zero, or NULL. */
static void *map_memory(size_t n)
{
    int saved = errno;
    void *memory = mmap(NULL, n, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    errno = saved;
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t bytes_of(uint32_t n_sites, uint32_t n_loops)
{
    return sizeof(struct code_function) + n_sites * sizeof(struct code_site)
           + (n_loops + 1) * sizeof(uint16_t);
}

/* Copies what is needed of BLOCKS to memory of its own. */
static struct code_function *keep(const struct code_blocks *blocks, uint64_t begin,
                                  uint64_t end)
{
    uint32_t n_sites = blocks ? blocks->n_sites : 0;
    uint32_t n_loops = blocks ? blocks->n_loops : 0;
    struct code_function *function = map_memory(bytes_of(n_sites, n_loops));

    if (!function)
        return NULL;
    function->begin = begin;
    function->end = end;
    function->known = blocks != NULL;
    function->n_sites = n_sites;
    function->n_loops = n_loops;
    function->parents = (uint16_t *)(void *)&function->sites[n_sites];
    if (blocks) {
        memcpy(function->sites, blocks->sites, n_sites * sizeof *function->sites);
        memcpy(function->parents, blocks->parents,
               (n_loops + 1) * sizeof *function->parents);
    }
    return function;
}

static struct code_function *look_at(uint64_t begin, uint64_t end, code_hook_kind *kind)
{
    struct code_blocks *blocks = map_memory(sizeof *blocks);
    struct code_function *function;
    bool known = blocks && code_read(blocks, begin, end, kind);

    if (known) {
        (void)code_follow_values(blocks, kind);
        code_owners(blocks);
    }
    function = keep(known ? blocks : NULL, begin, end);
    if (blocks)
        (void)munmap(blocks, sizeof *blocks);
    return function;
}

static bool find_in(const struct code_function *function, uint64_t address, uint32_t *index)
{
    for (uint32_t i = 0; i < function->n_sites; i++)
        if (function->sites[i].address == address) {
            *index = i;
            return true;
        }
    return false;
}

bool code_find(struct code_functions *functions, uint64_t address, code_hook_kind *kind,
               struct code_function **found, uint32_t *index)
{
    struct code_function *function = functions->first;
    uint64_t begin, end;

    /* Parts that lie elsewhere are found only by their sites. */
    for (; function; function = function->next)
        if (find_in(function, address, index)) {
            *found = function;
            return true;
        }
    for (function = functions->first; function; function = function->next)
        if (address - 1 >= function->begin && address - 1 < function->end)
            return false;
    if (functions->n == MAX_FUNCTIONS || !code_range_of(address - 1, &begin, &end))
        return false;
    function = look_at(begin, end, kind);
    if (!function)
        return false;
    function->next = functions->first;
    functions->first = function;
    functions->n++;
    *found = function;
    return find_in(function, address, index);
}

bool code_is_unreadable(const struct code_functions *functions, uint64_t address)
{
    const struct code_function *function = functions->first;

    while (function && (address - 1 < function->begin || address - 1 >= function->end))
        function = function->next;
    return function && !function->known;
}

/* Sets the owners of all reads of a function anew, since what is known of its writes has
   changed. */
static void find_owners(struct code_function *function, code_hook_kind *kind)
{
    struct code_blocks *blocks = map_memory(sizeof *blocks);

    if (blocks && code_read(blocks, function->begin, function->end, kind)
        && blocks->n_sites == function->n_sites) {
        for (uint32_t i = 0; i < function->n_sites; i++) {
            blocks->sites[i].met = function->sites[i].met;
            blocks->sites[i].elsewhere = function->sites[i].elsewhere;
        }
        (void)code_follow_values(blocks, kind);
        code_owners(blocks);
        memcpy(function->sites, blocks->sites, function->n_sites * sizeof *blocks->sites);
    }
    if (blocks)
        (void)munmap(blocks, sizeof *blocks);
}

void code_met(struct code_function *function, uint32_t index, code_hook_kind *kind)
{
    struct code_site *site = &function->sites[index];

    site->met = true;
    if (!site->elsewhere)
        return;
    site->elsewhere = false;
    find_owners(function, kind);
}

void code_write_elsewhere(struct code_function *function, uint32_t index,
                          code_hook_kind *kind)
{
    function->sites[index].elsewhere = true;
    find_owners(function, kind);
}
