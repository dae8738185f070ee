/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and removes the folders of recordings. */
#include "cli/cmd/record_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/schedule_layout.h"
#include "read/recording/recorder_registry.h"
#include "read/recording/recording_to_store.h"
#include "view/text.h"
#include "write/export.h"

bool record_is_store_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (!*name)
        return false;
    return !dot || dot == name || strcmp(dot, ".weft") == 0;
}

bool record_folder_fits(const char *folder, struct weft_err *err)
{
    return strlen(folder) < WEFT_FOLDER_TEXT
           || weft_fail(
               err, WEFT_ERR_WRITE,
               "cannot record into %s: a path of %zu bytes is too long, %d are the most",
               folder, strlen(folder), WEFT_FOLDER_TEXT - 1);
}

char *record_make_folder(const char *output, struct weft_err *err)
{
    char *template = NULL, *folder = NULL;
    struct stat status;

    if (stat(output, &status) == 0 && !S_ISREG(status.st_mode)) {
        weft_fail(err, WEFT_ERR_WRITE, "cannot write %s: it is no regular file", output);
        return NULL;
    }
    template = weft_asprintf("%s.recording-XXXXXX", output);
    if (mkdtemp(template))
        folder = realpath(template, NULL);
    if (!folder)
        weft_fail_errno(err, WEFT_ERR_WRITE, "cannot make a folder \"%s\" to record into",
                        template);
    if (folder && !record_folder_fits(folder, err)) {
        rmdir(folder);
        free(folder);
        folder = NULL;
    }
    free(template);
    return folder;
}

/*
 * Returns true if only recordings have a file of this name, in the recording's folder
 * (DEPTH 1) or in the folder of a machine in it (0).
 */
static bool is_recorded(const char *name, int depth)
{
    return depth > 0
               ? strcmp(name, "recording") == 0
                     || strncmp(name, WEFT_SCHEDULE_PREFIX, strlen(WEFT_SCHEDULE_PREFIX))
                            == 0
               : weft_recording_file_of(name) != WEFT_RECORDING_OTHER;
}

/*
 * Opens the given folder (DEPTH 1), which may be a link, or that of a machine in it (0),
 * where links are not followed.
 */
static DIR *open_folder(int in, const char *name, int depth)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth > 0 ? 0 : O_NOFOLLOW);
    int file = openat(in, name, flags);
    DIR *directory = file >= 0 ? fdopendir(file) : NULL;

    if (!directory && file >= 0)
        close(file);
    return directory;
}

/*
 * Removes only files of a recording, in the folder and DEPTH levels of machines' folders
 * below, since the folder may have been given by mistake.  IS_OWN: it has no other files,
 * and empty folders are removed, too.
 */
static void remove_files(int in, const char *name, int depth, bool is_own)
{
    DIR *directory = open_folder(in, name, depth);
    struct dirent *entry;
    bool removed = false;

    if (!directory)
        return;
    while ((entry = readdir(directory))) {
        if (depth > 0 && strncmp(entry->d_name, "h-", 2) == 0)
            remove_files(dirfd(directory), entry->d_name, depth - 1, is_own);
        else if (is_recorded(entry->d_name, depth)
                 && unlinkat(dirfd(directory), entry->d_name, 0) == 0)
            removed = true;
    }
    closedir(directory);
    if (is_own || removed)
        unlinkat(in, name, AT_REMOVEDIR);
}

/* Returns true if the folder holds a file of another kind than a recording's. */
static bool has_others(int in, const char *name, int depth)
{
    DIR *directory = open_folder(in, name, depth);
    struct dirent *entry;
    bool found = false;

    if (!directory)
        return true;
    while (!found && (entry = readdir(directory))) {
        if (depth > 0 && strncmp(entry->d_name, "h-", 2) == 0)
            found = has_others(dirfd(directory), entry->d_name, depth - 1);
        else
            found = !is_recorded(entry->d_name, depth) && strcmp(entry->d_name, ".") != 0
                    && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return found;
}

/* Renames the folder to GONE, first removing what a killed removal left there. */
static bool set_aside(const char *folder, const char *gone)
{
    if (rename(folder, gone) == 0)
        return true;
    if ((errno != ENOTEMPTY && errno != EEXIST) || has_others(AT_FDCWD, gone, 1))
        return false;
    remove_files(AT_FDCWD, gone, 1, true);
    return rename(folder, gone) == 0;
}

/*
 * Rename the folder first: processes that are still recorded open their files by name, and
 * must not create new ones while it is being emptied.  A folder that also has other files,
 * as one given with --dir may, keeps its name.
 */
void record_remove_folder(const char *folder)
{
    char *gone = weft_asprintf("%s-joined", folder);
    bool is_own = !has_others(AT_FDCWD, folder, 1);

    remove_files(AT_FDCWD, is_own && set_aside(folder, gone) ? gone : folder, 1, is_own);
    free(gone);
}

/* Returns true if a recording lies here that weft recover would make this trace of. */
static bool has_recording(const char *output)
{
    DIR *directory = opendir(".");
    struct dirent *entry;
    size_t length = strlen(output);
    bool found = false;

    while (directory && !found && (entry = readdir(directory)))
        found =
            strncmp(entry->d_name, output, length) == 0
            && strncmp(entry->d_name + length, ".recording-", strlen(".recording-")) == 0;
    if (directory)
        closedir(directory);
    return found;
}

char *record_default_output(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash && slash[1] ? slash + 1 : program;

    for (unsigned n = 1;; n++) {
        char *path = weft_asprintf("%s-%u.weft", name, n);
        /* In this order: a recording's folder is removed when its trace is there. */
        if (!has_recording(path) && access(path, F_OK) != 0)
            return path;
        free(path);
    }
}
