/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/cli/fghc_recording_to_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/recover_hooks.h"
#include "domains/trees/fghc/recording.h"
#include "domains/trees/fghc/recording_convert.h"

extern const struct weft_recovery weft_recovery_fghc;

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

bool fghc_is_output_name(const char *path)
{
    return ends_with(path, ".weft") || ends_with(path, ".vista");
}

char *fghc_recording_name(const char *output, struct weft_err *err)
{
    char *path = weft_asprintf("%s.recording-XXXXXX", output);
    int fd = mkstemp(path);
    if (fd < 0) {
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot record into %s", path);
        free(path);
        return NULL;
    }
    close(fd);
    return path;
}

static bool write_vista(struct fghc_recording *recording, const char *output,
                        struct weft_job *job, struct weft_err *err)
{
    struct weft_output out;
    if (!weft_output_open(&out, output, err))
        return false;
    if (weft_output_explain(&out, fghc_write_vista(recording, out.stream, job, err), err))
        return weft_output_commit(&out, err);
    weft_output_abandon(&out);
    return false;
}

bool fghc_write_output(const char *path, const char *output, struct weft_err *err)
{
    char text[300];
    enum fghc_loss loss = FGHC_WHOLE;
    /*
     * Begun before the recording is opened, so that a signal at any time leads to the
     * message below.
     */
    struct weft_job *job = weft_progress_begin("writing the recording");
    struct fghc_recording *recording = fghc_recording_open(path, err);
    bool ok = recording != NULL;
    if (ok) {
        ok = ends_with(output, ".weft") ? fghc_write_store(recording, output, job, err)
                                        : write_vista(recording, output, job, err);
        loss = fghc_recording_loss(recording, text, sizeof text);
    }
    weft_progress_end(job);
    fghc_recording_close(recording);
    if (!ok) {
        fprintf(stderr, "weft: what was recorded is in %s: weft recover makes %s of it\n",
                path, output);
    } else if (loss == FGHC_DAMAGED) {
        fprintf(stderr,
                "weft: %s stays, for not all of it could be read; %s has the rest\n", path,
                output);
        return weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "%s", text);
    } else {
        unlink(path);
    }
    if (ok && loss == FGHC_UNFINISHED)
        fprintf(stderr, "weft: %s: %s\n", output, text);
    return ok;
}

const struct weft_recovery weft_recovery_fghc = {
    .help = "The file that weft fghc leaves when it is killed is made a trace likewise.",
    .recovers = fghc_is_recording,
    .is_output = fghc_is_output_name,
    .outputs = ".vista or .weft",
    .recover = fghc_write_output,
};
