/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that people call instead of pthread's and the C library's. */
#include "domains/threads/join/threads_join.h"

static const struct sites_wrapper wrappers[] = {
    { "std::", true },      /* mutex::lock, condition_variable::wait, thread::join, ... */
    { "void std::", true }, /* its template functions */
    { "__pthread_once_slow", true }, /* calls what std::call_once is given */
    { "__gthread_", true },
    { "__gthrw_", true },
    { "boost::mutex::", true },
    { "boost::condition_variable::", true },
    { "boost::thread::", true },
    { "uv_mutex_", true },
    { "uv_rwlock_", true },
    { "uv_cond_", true },
    { "uv_sem_", true },
    { "uv__sem_", true },
    { "uv__custom_sem_", true },
    { "uv_barrier_", true },
    { "uv_thread_", true },
    { "g_mutex_lock", true },
    { "g_rec_mutex_lock", true },
    { "g_cond_wait", true },
    { "g_thread_join", true },
    { "g_thread_new", true },
    { "g_thread_try_new", false },
    { "g_system_thread_", true },
    { "apr_thread_mutex_", true },
    { "apr_thread_cond_", true },
    { "apr_thread_rwlock_", true },
    { "apr_thread_create", false },
    { "apr_thread_join", false },
    { "SDL_LockMutex", true },
    { "SDL_CondWait", true },
    { "SDL_SemWait", true },
    { "SDL_WaitThread", true },
    { "PyThread_acquire_lock", true },
    { "lock_PyThread_acquire_lock", true },
    { "acquire_timed", false },
    { "take_gil", false },
    { "drop_gil", false },
    { "PyCOND_", true },
    { "PyMUTEX_", true },
    { "PyThread_start_new_thread", false },
    { "ACE_OS::", true },
    { "QBasicMutex::lock", true },
    { "QMutex::lock", true },
    { "QWaitCondition::wait", true },
    { "tthread::", true },
    { "CRYPTO_THREAD_", true },
    { "thr_lock_mutex", true },
    /* Their functions have no symbols, but for those that programs call. */
    { "libglib-2.0.so", .library = true },
    { "libgthread-2.0.so", .library = true },
    { "libgobject-2.0.so", .library = true },
    { "libgio-2.0.so", .library = true },
    { "libuv.so", .library = true },
    { "libapr-1.so", .library = true },
};

void threads_know_wrappers(struct sites *sites)
{
    sites_know_wrappers(sites, wrappers, sizeof wrappers / sizeof *wrappers);
}
