/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the stack at calls that a library makes: the bindings of Fortran and others call
 * MPI for the program, and the reader leaves them.
 */
#define _GNU_SOURCE
#include <link.h>
#include <sys/auxv.h>

#include "domains/messages/record/mpi_hook_macros.h"
#include "record/log/stack_words.h"

enum { PAGE = 4096, MAIN_STACK = 8 << 20 }; /* bytes; other mappings lie farther below */

/* Returns true if an address is in the code of the program's own file. */
static bool is_in_program(uint64_t address)
{
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    unsigned long n = headers ? getauxval(AT_PHNUM) : 0;
    uint64_t base = 0;

    for (unsigned long i = 0; i < n; i++)
        if (headers[i].p_type == PT_PHDR)
            base = (uint64_t)(uintptr_t)headers - headers[i].p_vaddr;
    for (unsigned long i = 0; i < n; i++)
        if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_X)
            && address - base - headers[i].p_vaddr < headers[i].p_memsz)
            return true;
    return false;
}

/* Returns the end of the readable stack: of its page, if FRAME is not the main thread's. */
static uintptr_t readable_end(uintptr_t frame)
{
    extern void *__libc_stack_end; /* of the C library */
    uintptr_t end = (uintptr_t)__libc_stack_end;

    return frame < end && end - frame < MAIN_STACK ? end : (frame | (PAGE - 1)) + 1;
}

static uint64_t sum_of(const uint64_t *words, uint32_t n)
{
    uint64_t sum = n;

    for (uint32_t i = 0; i < n; i++) {
        sum = (sum ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

bool weft_mpi_see_new(uint64_t site, const void *frame)
{
    /* The last record's; the words themselves would need too much of the static TLS. */
    static __thread uint64_t noted __attribute__((tls_model("initial-exec")));
    uint64_t words[WEFT_STACK_MAX], sum;
    uint32_t n;

    CORE.see(site);
    if (!WEFT_CAN_UNWIND || is_in_program(site))
        return true;
    n = weft_stack_read(words, WEFT_STACK_RAW_MAX, site, frame,
                        readable_end((uintptr_t)frame + 2 * sizeof *words));
    sum = sum_of(words, n);
    if (sum != noted
        && weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_MPI_STACK, 0, words,
                              n))
        noted = sum;
    return false;
}
