/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "join_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static void give_up(const char *what, const char *path)
{
    fprintf(stderr, "join_folder: %s %s: %s\n", what, path, strerror(errno));
    exit(99);
}

static void load_file(struct join_file *file, const char *path)
{
    struct stat status;
    int in = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0;

    if (in < 0 || fstat(in, &status) != 0)
        give_up("cannot read", path);
    file->bytes = weft_alloc((size_t)status.st_size + 1);
    while (size < (size_t)status.st_size) {
        ssize_t n = read(in, file->bytes + size, (size_t)status.st_size - size);
        if (n <= 0)
            give_up("cannot read", path);
        size += (size_t)n;
    }
    file->size = size;
    file->here = true;
    close(in);
}

/* NAME: of PATH within the folder. */
static void load(struct join_folder *folder, const char *path, const char *name)
{
    DIR *directory = opendir(path);
    struct dirent *entry;

    if (!directory)
        give_up("cannot open", path);
    while ((entry = readdir(directory))) {
        char *inner = weft_asprintf("%s/%s", path, entry->d_name);
        char *inner_name = weft_asprintf("%s/%s", name, entry->d_name);
        struct stat status;
        if (entry->d_name[0] != '.' && stat(inner, &status) == 0) {
            if (S_ISDIR(status.st_mode)) {
                load(folder, inner, inner_name);
            } else if (folder->n < JOIN_FILES_MAX && strlen(inner_name) < JOIN_NAME_MAX) {
                struct join_file *file = &folder->files[folder->n++];
                strcpy(file->name, inner_name);
                load_file(file, inner);
            }
        }
        free(inner);
        free(inner_name);
    }
    closedir(directory);
}

/* readdir's order is the file system's: a run shall be the same everywhere. */
static int compare(const void *a, const void *b)
{
    return strcmp(((const struct join_file *)a)->name, ((const struct join_file *)b)->name);
}

void join_folder_load(struct join_folder *folder, const char *path, unsigned part)
{
    char name[16];

    snprintf(name, sizeof name, "%u", part);
    load(folder, path, name);
    qsort(folder->files, folder->n, sizeof *folder->files, compare);
    if (folder->n_parts <= part)
        folder->n_parts = part + 1;
}

void join_folder_load_parts(struct join_folder *folder, const char *path)
{
    struct stat status;

    for (unsigned part = 0;; part++) {
        char *inner = weft_asprintf("%s/%u", path, part);
        bool there = stat(inner, &status) == 0;
        if (there)
            join_folder_load(folder, inner, part);
        free(inner);
        if (!there)
            return;
    }
}

void join_folder_free(struct join_folder *folder)
{
    for (size_t i = 0; i < folder->n; i++)
        free(folder->files[i].bytes);
    folder->n = 0;
}

void join_folder_copy(struct join_folder *to, const struct join_folder *from)
{
    *to = *from;
    for (size_t i = 0; i < to->n; i++) {
        to->files[i].bytes = weft_alloc(from->files[i].size + 1);
        memcpy(to->files[i].bytes, from->files[i].bytes, from->files[i].size);
        to->files[i].changed = false;
    }
}

static void make_folders(const char *path)
{
    char *copy = weft_strdup(path);

    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(copy, 0700) != 0 && errno != EEXIST)
            give_up("cannot make", copy);
        *slash = '/';
    }
    free(copy);
}

static void write_file(const struct join_file *file, const char *path)
{
    int out;
    size_t done = 0;

    make_folders(path);
    out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (out >= 0 && done < file->size) {
        ssize_t n = write(out, file->bytes + done, file->size - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (out < 0 || done < file->size || close(out) != 0)
        give_up("cannot write", path);
}

void join_folder_write(const struct join_folder *folder, const char *path, bool all)
{
    for (size_t i = 0; i < folder->n; i++) {
        const struct join_file *file = &folder->files[i];
        char *inner;
        if (!all && !file->changed)
            continue;
        inner = weft_asprintf("%s/%s", path, file->name);
        if (file->here)
            write_file(file, inner);
        else
            unlink(inner);
        free(inner);
    }
}

static int remove_one(const char *path, const struct stat *status, int kind,
                      struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void join_folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
