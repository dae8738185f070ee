/* SPDX-License-Identifier: Apache-2.0 */
/* The table of runtimes' start functions, and how to read their arguments. */
#include "read/recording/join/thread_functions.h"

#include <string.h>

enum layout {
    FUNCTION_FIRST, /* the argument points to a pointer to the function */
    CXX_STATE,      /* a libstdc++ object whose class names the callable */
};

/*
 * Recognized by the start function of a thread, or by the function that creates it: in a
 * library without symbols only the latter has a name.  If neither has, by the library's
 * file.
 */
static const struct runtime {
    const char *start, *maker;
    const char *library; /* beginning of its file name; or NULL */
    enum layout layout;
    const char *name; /* of threads whose function is unknown; or NULL */
} runtimes[] = {
    { "execute_native_thread_routine", "std::thread::_M_start_thread", NULL, CXX_STATE,
      NULL },
    { "uv__thread_start", "uv_thread_create_ex", NULL, FUNCTION_FIRST, NULL },
    { "uv__thread_start", "uv_thread_create", NULL, FUNCTION_FIRST, NULL },
    { "g_thread_proxy", "g_system_thread_new", "libglib-2.0.so", FUNCTION_FIRST,
      "GLib thread" },
    /* Before version 3.14, Python does not pass on the names of its threads. */
    { "pythread_wrapper", "PyThread_start_new_thread", NULL, FUNCTION_FIRST,
      "Python thread" },
};

static bool is(const char *function, const char *name)
{
    return function && strcmp(function, name) == 0;
}

static const struct runtime *runtime_of(struct sites *sites, uint32_t image,
                                        const struct birth *birth, const char *start)
{
    const char *maker = birth->site ? sites_function(sites, image, birth->site - 1) : NULL;

    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (is(start, runtimes[i].start) || is(maker, runtimes[i].maker)
            || (!start && runtimes[i].library
                && sites_is_in(sites, image, birth->start, runtimes[i].library)))
            return &runtimes[i];
    return NULL;
}

/* Returns the first argument of std::tuple in a type, which is the callable; or NULL. */
static const char *callable(struct weft_arena *arena, const char *type)
{
    static const char tuple[] = "std::tuple<";
    const char *begin = strstr(type, tuple), *end;
    int depth = 0;

    if (!begin)
        return NULL;
    begin += strlen(tuple);
    for (end = begin; *end && !(depth == 0 && (*end == ',' || *end == '>')); end++)
        depth += (*end == '<' || *end == '(' || *end == '{')
                 - (*end == '>' || *end == ')' || *end == '}');
    return *end && end > begin ? weft_arena_printf(arena, "%.*s", (int)(end - begin), begin)
                               : NULL;
}

/* Returns what to call the function that begins exactly at ADDRESS; or NULL. */
static const char *label_at(struct sites *sites, uint32_t image, uint64_t address)
{
    bool calls;

    return sites_function_at(sites, image, address)
               ? sites_label(sites, image, address, &calls)
               : NULL;
}

/* Returns the function at the first word behind the argument's first; or NULL. */
static const char *function_inside(struct sites *sites, uint32_t image,
                                   const struct birth *birth)
{
    const char *found = NULL;

    for (uint32_t i = 1; i < birth->n_argument && !found; i++)
        found = label_at(sites, image, birth->argument[i]);
    return found;
}

static const char *called_by_state(struct sites *sites, uint32_t image,
                                   const struct birth *birth, struct weft_arena *arena)
{
    uint64_t within;
    const char *type =
        birth->n_argument > 0
            ? sites_variable_in_full(sites, image, birth->argument[0], &within)
            : NULL;
    const char *called = type ? callable(arena, type) : NULL;
    const char *function =
        called ? sites_thread_lambda(sites, image, birth->argument[0]) : NULL;

    /* A pointer to a function or member function stands behind the arguments. */
    if (!function && (!called || strstr(called, "*)(")))
        function = function_inside(sites, image, birth);
    return function ? function : called;
}

const char *starts_function(struct sites *sites, uint32_t image, const struct birth *birth,
                            struct weft_arena *arena)
{
    const char *start = sites_function(sites, image, birth->start);
    const struct runtime *runtime = runtime_of(sites, image, birth, start);
    const char *inside = NULL;

    if (runtime && runtime->layout == CXX_STATE)
        inside = called_by_state(sites, image, birth, arena);
    else if (runtime && birth->n_argument > 0)
        inside = label_at(sites, image, birth->argument[0]);
    if (!runtime && start)
        inside = label_at(sites, image, birth->start);
    return inside ? inside : runtime && runtime->name ? runtime->name : start;
}
