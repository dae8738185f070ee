/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays named on the command line: variables of the program's executable, by their
   addresses. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "domains/arrays/record/arrays.h"

/* Reads a number and skips to the next field; NULL if there is none. */
static const char *read_number(const char *at, uint64_t *number)
{
    char *end;

    if (!at)
        return NULL;
    *number = strtoull(at, &end, 10);
    return end == at || *end != ':' ? NULL : end + 1;
}

/* Gets the load address of the program, the first of all objects. */
static int note_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

/* Reads and declares one array; returns the text after it, or NULL. */
static const char *declare_array(const char *at, uintptr_t base)
{
    uint64_t address, bytes, by_columns, rank, extent;
    size_t shape[WEFT_RECORD_ARRAY_RANK], length;
    char name[128];
    int array;

    at = read_number(at, &address);
    at = read_number(at, &bytes);
    at = read_number(at, &by_columns);
    at = read_number(at, &rank);
    if (!at || rank < 1 || rank > WEFT_RECORD_ARRAY_RANK)
        return NULL;
    for (uint64_t i = 0; at && i < rank; i++) {
        at = read_number(at, &extent);
        shape[i] = (size_t)extent;
    }
    length = at ? strcspn(at, ";") : 0;
    if (length == 0 || length >= sizeof name)
        return NULL;
    memcpy(name, at, length);
    name[length] = '\0';
    array = array_declare(name, (unsigned)rank, shape);
    if (array >= 0)
        array_lies_at(array, (const void *)(base + address), (size_t)bytes,
                      by_columns != 0);
    return at[length] ? at + length + 1 : NULL;
}

/*
 * Declares the arrays only in the program that has them, not in its children or wrappers.
 */
__attribute__((constructor)) static void start(void)
{
    const char *at = getenv(WEFT_RECORD_ARRAYS_VARIABLE);
    uint64_t device, inode;
    uintptr_t base = 0;
    struct stat status;
    char *end;
    int saved = errno;

    if (at && (at = read_number(at, &device))) {
        inode = strtoull(at, &end, 10);
        if (*end == ';' && stat("/proc/self/exe", &status) == 0 && status.st_dev == device
            && status.st_ino == inode && dl_iterate_phdr(note_base, &base) != 0)
            for (at = end + 1; at;)
                at = declare_array(at, base);
    }
    errno = saved;
}
