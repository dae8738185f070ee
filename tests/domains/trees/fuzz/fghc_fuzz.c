/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an FGHC program, and those after a NUL as a goal for it: read, and run on two
 * PEs with little memory and time.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/machine.h"
#include "domains/trees/fghc/recording_convert.h"

enum {
    MAX_MEMORY = 16 << 20, /* bytes: the least that the machine runs with */
    MAX_LOOKS = 5,         /* of the machine at its job, 10 ms apart */
};

/* A job that is cancelled when it has been looked at some times. */
static void count_down(struct weft_job *job, void *looks)
{
    if (++*(int *)looks >= MAX_LOOKS)
        atomic_store(&job->cancelled, true);
}

/* What was recorded is read, and written as both formats. */
static void write_recording(const char *path)
{
    struct weft_err err = { 0 };
    struct fghc_recording *recording = fghc_recording_open(path, &err);
    FILE *sink = fopen("/dev/null", "w");
    if (!recording)
        abort(); /* what a recorder writes opens */
    char *store = fuzz_path("run.weft");
    if (!sink || !fghc_write_vista(recording, sink, NULL, &err)
        || !fghc_write_store(recording, store, NULL, &err))
        abort();
    free(store);
    fghc_recording_close(recording);
    if (sink)
        fclose(sink);
}

static void run(struct program *program, const struct query *query)
{
    int looks = 0;
    struct weft_err err = { 0 };
    struct weft_job job = { .progress = count_down, .user = &looks };
    struct fghc_result result;
    FILE *sink = fopen("/dev/null", "w");
    char *path = query->n_calls == 1 ? fuzz_path("recording") : NULL;
    struct fghc_options options = {
        .pes = 2, .record_to = path, .most_bytes = MAX_MEMORY, .out = sink, .job = &job
    };
    if (!fghc_run(program, query, &options, &result, &err) && !err.message[0])
        abort(); /* a run that fails says why */
    if (path && result.answers)
        write_recording(path);
    fghc_result_free(&result, query);
    free(path);
    if (sink)
        fclose(sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    struct program program;
    struct query query = { 0 };
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t length = nul ? (size_t)(nul - data) : size;
    const char *path = fuzz_file("fghc", data, length);
    if (!program_read(&program, &path, 1, &err)) {
        if (!err.message[0])
            abort(); /* a refusal says why */
        program_free(&program);
        return 0;
    }
    char *goal =
        nul ? weft_strndup((const char *)nul + 1, size - length - 1) : weft_strdup("main");
    if (program_read_goal(&program, goal, &query, &err))
        run(&program, &query);
    free(goal);
    program_free(&program);
    return 0;
}
