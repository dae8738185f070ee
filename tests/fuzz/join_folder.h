/* SPDX-License-Identifier: Apache-2.0 */
/* A recording's folder in memory, so that it can be damaged, written, joined, and be whole again. */
#ifndef WEFT_FUZZ_JOIN_FOLDER_H
#define WEFT_FUZZ_JOIN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum { JOIN_FILES_MAX = 256, JOIN_NAME_MAX = 256 };

struct join_file {
    char name[JOIN_NAME_MAX]; /* within the folder: "0/h-alpha-a/p7-0" */
    unsigned char *bytes;
    size_t size;
    bool here;    /* else it is not written */
    bool changed; /* since it was last written as it was loaded */
};

struct join_folder {
    struct join_file files[JOIN_FILES_MAX];
    size_t n;
    unsigned n_parts; /* folders "0", "1", ... that are joined as one */
};

/* All files below PATH, which are put into part PART. */
void join_folder_load(struct join_folder *folder, const char *path, unsigned part);
/* The one whose parts are the folders "0", "1", ... below PATH. */
void join_folder_load_parts(struct join_folder *folder, const char *path);
void join_folder_free(struct join_folder *folder);

/* The same files; nothing of it has been written. */
void join_folder_copy(struct join_folder *to, const struct join_folder *from);
/* Write what is changed, or ALL, below PATH, and remove what is not here. */
void join_folder_write(const struct join_folder *folder, const char *path, bool all);
/* Remove everything below PATH, and PATH. */
void join_folder_remove(const char *path);

#endif
