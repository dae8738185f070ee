/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves the functions that the hooks call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "record/core/real_functions.h"

/* Bounds of the section, made by the linker. */
extern WEFT_HIDDEN struct weft_real __start_weft_real[], __stop_weft_real[];

static void *find(const struct weft_real *real)
{
    int saved = errno;
    void *found = real->version ? dlvsym(RTLD_NEXT, real->name, real->version) : NULL;

    if (!found)
        found = dlsym(RTLD_NEXT, real->name);
    errno = saved;
    return found;
}

void *weft_real_find(struct weft_real *real)
{
    void *found = find(real);

    if (!found)
        abort(); /* the program calls a function that its C library lacks */
    __atomic_store_n(&real->function, found, __ATOMIC_RELAXED);
    return found;
}

void *weft_real_find_for(struct weft_real *real, const void *caller)
{
    int saved = errno;
    void *found = find(real), *library;
    Dl_info info;

    if (found) {
        __atomic_store_n(&real->function, found, __ATOMIC_RELAXED);
        return found;
    }
    if (dladdr(caller, &info)) {
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        found = library ? dlsym(library, real->name) : NULL;
        if (library)
            (void)dlclose(library); /* its caller keeps it */
    }
    (void)dlerror();
    if (!found)
        abort();
    errno = saved;
    return found;
}

/* Runs before other constructors of this library, and before the program makes threads. */
__attribute__((constructor(101))) static void resolve_all(void)
{
    for (struct weft_real *real = __start_weft_real; real < __stop_weft_real; real++)
        if (!__atomic_load_n(&real->function, __ATOMIC_RELAXED))
            __atomic_store_n(&real->function, find(real), __ATOMIC_RELAXED);
    (void)dlerror(); /* clear the errors, which the program must not see */
}
