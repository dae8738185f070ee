/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a recording that was not joined yet, like any trace. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/recording/recording_to_store.h"

static int probe(const unsigned char *head, size_t size)
{
    size_t length = strlen(WEFT_RECORDING_MAGIC);

    return size > length && memcmp(head, WEFT_RECORDING_MAGIC, length) == 0 ? 100 : 0;
}

/* The file "recording" stands for its folder. */
static bool read_folder(struct weft_input *input, const struct weft_read_options *options,
                        const char *store_path, struct weft_job *job, struct weft_err *err)
{
    const char *path = weft_input_path(input);
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? weft_strndup(path, (size_t)(slash - path) + 1) : weft_strdup(".");
    const char *folders[] = { folder };
    bool done = weft_recording_join(folders, 1, store_path, NULL, job, err);

    (void)options;
    free(folder);
    return done;
}

const struct weft_reader weft_reader_recording = {
    .name = "recording",
    .description = "recording that is not joined yet",
    .probe = probe,
    .read = read_folder,
};
