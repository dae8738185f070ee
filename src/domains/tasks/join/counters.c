/* SPDX-License-Identifier: Apache-2.0 */
/* The counters and the tasking runtime of a recording. */
#include <errno.h>
#include <string.h>

#include "domains/tasks/join/omp_join.h"
#include "format/performance_counters.h"

static_assert((int)WEFT_COUNTERS_MAX == (int)WEFT_DAG_COUNTERS, "nodes have room for all");

void omp_begin_counting(struct omp_join *omp)
{
    struct join *join = omp->join;

    omp->counted =
        recording_fact(&join->arena, join->recording->facts, WEFT_RECORDING_COUNTERS);
    omp->runtimes = weft_zalloc(join->recording->n_images + 1, sizeof *omp->runtimes);
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++)
        omp->errors[k] = OMP_COUNTED;
}

static void set_counters(struct omp_join *omp, const struct join_thread *thread,
                         const struct record *record)
{
    int64_t *counters = omp->threads[thread->index].counters;

    for (uint32_t k = 0; k < record->n_words && k < WEFT_DAG_COUNTERS; k++)
        counters[k] = record->words[k] <= INT64_MAX ? (int64_t)record->words[k] : INT64_MAX;
}

bool omp_join_count(struct omp_join *omp, const struct join_thread *thread,
                    const struct record *record)
{
    char text[RECORD_TEXT];

    switch (record->kind) {
    case WEFT_RECORD_OMP_RUNTIME:
        /* OpenMP's own record comes first and is more precise than that of weft_task.h. */
        if (!omp->runtimes[thread->image])
            omp->runtimes[thread->image] =
                weft_arena_strdup(&omp->join->arena, record_text(record, 0, text));
        return true;
    case WEFT_RECORD_OMP_COUNTERS: set_counters(omp, thread, record); return true;
    case WEFT_RECORD_OMP_UNCOUNTED:
        if (record->argument < WEFT_DAG_COUNTERS)
            omp->errors[record->argument] = (int)(record->words[0] & 0xffff);
        return true;
    default: return false;
    }
}

/* The reason why the kernel does not count a name. */
static const char *reason(int error)
{
    switch (error) {
    case 0: return "not all of the time: this processor cannot count so much at once";
    case EPERM:
    case EACCES:
        return "the system does not allow it (/proc/sys/kernel/perf_event_paranoid above 2, or "
               "a container's filter of system calls)";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine has no such counter (virtual machines often have none)";
    case EMFILE:
    case ENFILE: return "the process may not open so many files";
    case ENOSYS: return "this kernel has no performance events";
    default: return strerror(error);
    }
}

/* Notes "cycles,,cache-misses" if of three counters the second failed, with a problem for
   that one. */
static void note_counters(struct omp_join *omp)
{
    struct weft_builder *builder = omp->join->builder;
    const char *names = omp->counted, *noted = "";
    struct weft_arena *arena = &omp->join->arena;

    for (int k = 0; k < WEFT_DAG_COUNTERS && *names; k++) {
        int length = (int)strcspn(names, ","), error = omp->errors[k];
        if (error != OMP_COUNTED)
            weft_builder_problem(builder, WEFT_WARNING, "not-counted", 0,
                                 "%.*s: not counted: %s", length, names, reason(error));
        noted = weft_arena_printf(arena, "%s%s%.*s", noted, k ? "," : "",
                                  error == OMP_COUNTED ? length : 0, names);
        names += length + (names[length] == ',');
    }
    weft_builder_note(builder, WEFT_DAG_NOTE_COUNTED, noted);
}

/* LLVM's runtime reports "LLVM OMP version: 5.0.20140926", whatever its version is. */
static const char *name_of(struct weft_arena *arena, const char *runtime)
{
    const char *version = strstr(runtime, " version");

    return version ? weft_arena_printf(arena, "%.*s", (int)(version - runtime), runtime)
                   : runtime;
}

void omp_note_counted(struct omp_join *omp)
{
    const char *runtime = omp->runtimes[omp->image];

    if (omp->counted)
        note_counters(omp);
    if (runtime)
        weft_builder_note(omp->join->builder, WEFT_DAG_NOTE_RUNTIME,
                          name_of(&omp->join->arena, runtime));
}
