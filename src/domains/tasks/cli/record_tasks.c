/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/cli/record_tasks.h"

#include <stdio.h>
#include <stdlib.h>

#include "domains/tasks/cli/find_openmp_runtime.h"
#include "domains/tasks/format/records.h"
#include "domains/tasks/join/contraction_rules.h"

static int check(const struct record_request *request)
{
    const struct weft_arguments *arguments = request->arguments;
    const char *contraction = weft_option_value(arguments, "contract");
    struct weft_dag_contraction rule;

    if (contraction && !record_requests(request, WEFT_FAMILY_OMP))
        return weft_usage(arguments->command,
                          "--contract is about tasks, which are recorded by --with omp");
    if (!weft_recording_contraction(contraction, &rule))
        return weft_usage(
            arguments->command,
            "--contract %s: it is on, off, or least=TIME and most=TIME (such as "
            "least=10us,most=1ms), or leaves=N",
            contraction);
    return 0;
}

/* Says what differs if a program of GCC runs on LLVM's runtime.  Returns false if it cannot
   run on it. */
static bool can_run_on_llvm(const struct record_openmp *use)
{
    if (use->cannot) {
        fprintf(
            stderr,
            "weft: the program uses %s, which LLVM's OpenMP runtime cannot do for "
            "programs of GCC, and GCC's tells nobody what it does: no task or region is "
            "recorded, only its threads (compile it with clang to record them)\n",
            use->cannot);
        return false;
    }
    if (use->differs)
        fprintf(
            stderr,
            "weft: the program has ordered loops with schedule(static); on LLVM's OpenMP "
            "runtime, on which it is recorded, they may ignore the size of chunks\n");
    return true;
}

static bool prepare(const struct record_request *request, const char *file, char **library,
                    struct weft_err *err)
{
    struct record_openmp use;
    char *runtime;

    if (!file || !record_requests(request, WEFT_FAMILY_OMP)
        || !record_openmp_use(file, NULL).used)
        return true;
    runtime = record_openmp_runtime(err);
    if (!runtime)
        return false;
    use = record_openmp_use(file, runtime);
    if (can_run_on_llvm(&use))
        *library = runtime;
    else
        free(runtime);
    free(use.cannot);
    return true;
}

static void facts(const struct record_request *request, FILE *out)
{
    const char *contraction = weft_option_value(request->arguments, "contract");

    if (contraction)
        fprintf(out, WEFT_RECORDING_CONTRACTION "=%s\n", contraction);
}

const struct weft_record_hooks record_tasks_hooks = {
    .check = check,
    .prepare = prepare,
    .facts = facts,
};
