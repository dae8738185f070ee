/* SPDX-License-Identifier: Apache-2.0 */
/* The exported table weft_task_rt_v1, which weft_task.h looks up. */
#include "weft/weft_task.h"
#include "domains/tasks/record/task_records.h"

static uint64_t start(void)
{
    uint64_t words[2] = { weft_new_number(), WEFT_SITE };

    weft_omp_put(WEFT_RECORD_TASK_START, 0, words, 2);
    return words[0];
}

static void stop(uint64_t task)
{
    uint64_t words[2] = { task, WEFT_SITE };

    weft_omp_put(WEFT_RECORD_TASK_STOP, 0, words, 2);
}

static uint64_t creates(uint64_t task, uint64_t site)
{
    uint64_t words[3] = { task, site ? site : WEFT_SITE, weft_new_number() };

    weft_omp_put(WEFT_RECORD_TASK_CREATES, 0, words, 3);
    return words[2];
}

static void point(uint64_t task, uint32_t what, uint64_t site)
{
    uint64_t words[2] = { task, site ? site : WEFT_SITE };

    weft_omp_put(WEFT_RECORD_TASK_POINT, what, words, 2);
}

static void runs_on(const char *name)
{
    weft_record_core_v1.log_text(weft_ticks(), WEFT_RECORD_OMP_RUNTIME, NULL, 0, name);
}

WEFT_EXPORT extern const struct weft_task_runtime weft_task_rt_v1;
const struct weft_task_runtime weft_task_rt_v1 = {
    .version = 2,
    .start = start,
    .stop = stop,
    .creates = creates,
    .point = point,
    .runs_on = runs_on,
};
