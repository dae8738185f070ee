/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "domains/tasks/cli/record_tasks.h"
#include "domains/tasks/format/records.h"
#include "domains/tasks/join/runtimes.h"
#include "read/recording/recorder_registry.h"

extern const struct join_family join_omp;
extern const struct weft_recorder weft_recorder_omp;

static const char *const environment[] = { "OMP_", "GOMP_", "KMP_", NULL };

static const struct weft_option options[] = {
    { "contract", 0, "HOW", false,
      "on (as it is otherwise): of tasks, what ran on one worker with all that it created and "
      "waited for becomes one node; off: all nodes are kept; least=TIME: what took less becomes "
      "one node on however many workers it ran; most=TIME: what took as long or longer stays as "
      "it is (both with a comma; 10us, 1ms); leaves=N: instead, what has fewer than N parts" },
};

const struct weft_recorder weft_recorder_omp = {
    .number = WEFT_FAMILY_OMP,
    .name = "omp",
    .library = "libweft-record-omp.so",
    .records =
        "OpenMP's regions, tasks, loops, barriers and locks, and tasks of weft_task.h",
    .join = &join_omp,
    .environment = environment,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .hooks = &record_tasks_hooks,
    .report = omp_report_runtimes,
    .misses = omp_has_runtime,
    .hint = "the program runs on OpenMP: --with threads,omp also shows its tasks and loops",
};
