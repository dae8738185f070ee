/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel once for each page, before the page is read. */
#include "record/maps/readable_memory.h"
#include "record/process/seccomp_filters.h"

enum { PAGE = 4096 }; /* the smallest page size: no larger page begins inside */

static bool is_readable(uintptr_t at)
{
#if defined(__x86_64__)
    return !weft_sandbox_allows(WEFT_NEED_SIGNALS)
           || weft_readable_word(at / sizeof(uint64_t) * sizeof(uint64_t));
#else
    (void)at;
    return true;
#endif
}

/* KNOWN: the last page found readable; 0: none yet. */
static bool is_known(uintptr_t at, uintptr_t *known)
{
    uintptr_t page = at / PAGE * PAGE;

    if (*known != 0 && page == *known)
        return true;
    *known = page;
    return is_readable(at);
}

static bool is_text(const char *text, uintptr_t *known)
{
    for (;; text++) {
        if (!is_known((uintptr_t)text, known))
            return false;
        if (*text == 0)
            return true;
    }
}

bool weft_readable_text(const char *text)
{
    uintptr_t known = 0;

    return is_text(text, &known);
}

bool weft_readable_texts(char *const *list)
{
    uintptr_t of_list = 0, of_texts = 0;

    for (; list; list++) {
        uintptr_t at = (uintptr_t)list;
        if (!is_known(at, &of_list) || !is_known(at + sizeof *list - 1, &of_list))
            return false;
        if (!*list)
            break;
        if (!is_text(*list, &of_texts))
            return false;
    }
    return true;
}
