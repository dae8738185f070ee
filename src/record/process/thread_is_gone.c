/* SPDX-License-Identifier: Apache-2.0 */
/* Robust mutexes, by the C library's own functions: hooks would record others. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <gnu/lib-names.h>

#include "record/process/seccomp_filters.h"
#include "record/process/thread_is_gone.h"

static struct {
    __typeof__(&pthread_mutex_init) init;
    __typeof__(&pthread_mutex_lock) lock;
    __typeof__(&pthread_mutex_trylock) trylock;
    __typeof__(&pthread_mutex_unlock) unlock;
} library; /* all set, or lock is NULL */

/* Resolved in the constructor: the loader's lock must not be taken when a thread ends. */
__attribute__((constructor(101))) static void resolve(void)
{
    void *handle = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

    if (!handle)
        return;
    library.init = (__typeof__(library.init))dlsym(handle, "pthread_mutex_init");
    library.lock = (__typeof__(library.lock))dlsym(handle, "pthread_mutex_lock");
    library.trylock = (__typeof__(library.trylock))dlsym(handle, "pthread_mutex_trylock");
    library.unlock = (__typeof__(library.unlock))dlsym(handle, "pthread_mutex_unlock");
    if (!library.init || !library.trylock || !library.unlock)
        library.lock = NULL;
}

bool weft_owner_begin(pthread_mutex_t *owner)
{
    pthread_mutexattr_t attributes;
    bool done;

    /* If a filter refused this call, the kernel knows no thread's robust mutexes. */
    if (!library.lock || !weft_sandbox_allows(WEFT_NEED_ROBUST_LIST)
        || pthread_mutexattr_init(&attributes) != 0)
        return false;
    done = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0
           && library.init(owner, &attributes) == 0 && library.lock(owner) == 0;
    pthread_mutexattr_destroy(&attributes);
    return done;
}

bool weft_owner_is_gone(pthread_mutex_t *owner)
{
    if (library.trylock(owner) != EOWNERDEAD)
        return false;
    pthread_mutex_consistent(owner);
    library.unlock(owner);
    return true;
}
