/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* nftw, mkostemps */
#include "cli/cmd/view_screenshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

static const char *const browsers[] = { "chromium", "chromium-browser", "google-chrome",
                                        "chrome" };

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    (void)!remove(path);
    return 0;
}

void view_leave_weft(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

/* In the child: executes the first of the known browsers that is installed. */
static _Noreturn void become_browser(const char *url, const char *picture,
                                     const char *profile, const char *size)
{
    char *window = weft_asprintf("--window-size=%s", size);
    char *shot = weft_asprintf("--screenshot=%s", picture);
    char *data = weft_asprintf("--user-data-dir=%s", profile);
    char *const arguments[] = {
        (char *)"chromium", (char *)"--headless", (char *)"--disable-gpu",
        (char *)"--hide-scrollbars", (char *)"--no-first-run",
        (char *)"--disable-background-networking", (char *)"--disable-component-update",
        (char *)"--disable-sync", (char *)"--disable-extensions",
        /* Milliseconds of a clock that stops while a request is pending: the picture is
           taken when all panels have their answers. */
        (char *)"--virtual-time-budget=8000", window, shot, data,
        /* Root in a container cannot set up the browser's sandbox. */
        geteuid() == 0 ? (char *)"--no-sandbox" : (char *)"--disable-breakpad", (char *)url,
        NULL
    };
    view_leave_weft();
    for (size_t i = 0; i < sizeof browsers / sizeof *browsers; i++)
        execvp(browsers[i], arguments);
    _exit(127);
}

/*
 * Waits for the browser.  A signal that ends weft (blocked here) also ends the browser and
 * its children.
 */
static bool wait_for(pid_t child, int *status, int *signal_number, struct weft_err *err)
{
    const struct timespec look = { .tv_nsec = 20000000 }; /* 20 ms between two looks */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pid_t got;
    while ((got = waitpid(child, status, WNOHANG)) == 0) {
        *signal_number = sigtimedwait(&signals, NULL, &look);
        if (*signal_number > 0)
            break;
    }
    if (got < 0)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot wait for the browser");
    if (got == child)
        return true;
    kill(-child, SIGKILL);
    waitpid(child, status, 0);
    return weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
}

/*
 * Reports that the browser wrote no picture or part of one; looks for a full disk, since
 * the browser tells no reason.
 */
static bool fail_to_draw(const char *what, const char *picture, const char *profile,
                         struct weft_err *err)
{
    enum { MIN_FREE = 1 << 20 }; /* bytes that a browser and a picture need at least */
    const char *const paths[] = { picture, profile };
    bool room = true;
    struct statvfs disk;
    for (int i = 0; i < 2; i++)
        room &= statvfs(paths[i], &disk) != 0 || disk.f_bavail * disk.f_frsize >= MIN_FREE;
    return weft_fail(err, WEFT_ERR_WRITE, "the browser took %s%s", what,
                     room ? "" : ": no space is left on the disk");
}

static bool run_browser(const char *url, const char *picture, const char *profile,
                        const char *size, int *signal_number, struct weft_err *err)
{
    struct stat st;
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot start a browser");
    if (child == 0) {
        setpgid(0, 0);
        become_browser(url, picture, profile, size);
    }
    setpgid(child, child); /* in parent and child, whichever runs first */
    if (!wait_for(child, &status, signal_number, err))
        return false;
    if (!WIFEXITED(status))
        return weft_fail(err, WEFT_ERR_WRITE, "the browser ended by a signal");
    if (WEXITSTATUS(status) == 127)
        return weft_fail(err, WEFT_ERR_WRITE,
                         "no Chromium here to take a picture with (Debian: chromium)");
    if (stat(picture, &st) != 0 || st.st_size == 0)
        return fail_to_draw("no picture", picture, profile, err);
    return true;
}

/* The name of a new folder or picture is its beginning, six random letters and its end. */
static const char profile_begin[] = "weft-shot-", picture_begin[] = ".weft-shot-",
                  picture_end[] = ".png";
enum { NEW_LETTERS = 6 };

/*
 * Locks a new file or folder, so that another shot does not take it for one that a killed
 * weft left.
 */
static int hold(const char *path)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (file >= 0
        && (fstat(file, &st) != 0 || st.st_uid != geteuid()
            || flock(file, LOCK_EX | LOCK_NB) != 0)) {
        close(file);
        file = -1;
    }
    return file;
}

/* Removes what killed shots left in a folder: unlocked BEGIN, six letters and END. */
static void remove_left(const char *folder, const char *begin, const char *end)
{
    size_t n = strlen(begin), length = n + NEW_LETTERS + strlen(end);
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        const char *name = entry->d_name;
        if (strlen(name) != length || strncmp(name, begin, n) != 0
            || strcmp(name + n + NEW_LETTERS, end) != 0)
            continue;
        char *path = weft_asprintf("%s/%s", folder, name);
        int held = hold(path);
        if (held >= 0) {
            nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
            close(held);
        }
        free(path);
    }
    if (directory)
        closedir(directory);
}

/* Removes the pictures that killed shots left beside an output. */
static void remove_left_beside(const char *output)
{
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    char *folder = slash ? weft_strndup(output, (size_t)(name - output)) : weft_strdup(".");
    char *begin = weft_asprintf("%s%s", name, picture_begin);
    remove_left(folder, begin, picture_end);
    free(begin);
    free(folder);
}

/*
 * Makes a new file for the browser to write to: beside the output and not hidden, because
 * some browsers see no other temporary folder than their own and no hidden files; else in
 * the profile, and then *HELD is -1.
 */
static char *picture_name(const char *output, const char *profile, int *held)
{
    char *name = weft_asprintf("%s%sXXXXXX%s", output, picture_begin, picture_end);
    *held = mkostemps(name, sizeof picture_end - 1, O_CLOEXEC);
    if (*held >= 0) {
        (void)!flock(*held, LOCK_EX | LOCK_NB);
        return name;
    }
    free(name);
    return weft_asprintf("%s/shot%s", profile, picture_end);
}

/* Returns true if the file ends like a PNG: a browser may not report a partial write. */
static bool is_whole(const struct weft_mapping *map)
{
    static const char end[] = "IEND\xae\x42\x60\x82";
    const size_t length = sizeof end - 1;
    return map->size > length
           && memcmp((const char *)map->data + map->size - length, end, length) == 0;
}

static bool copy(const char *picture, const char *profile, const struct weft_output *out,
                 struct weft_err *err)
{
    struct weft_mapping map;
    if (!weft_map_file(&map, picture, err))
        return false;
    bool whole = is_whole(&map),
         ok = whole && fwrite(map.data, 1, map.size, out->stream) == map.size;
    weft_unmap(&map);
    if (!whole)
        return fail_to_draw("half a picture", picture, profile, err);
    return weft_output_explain(out, ok, err);
}

static bool draw_shot(const char *url, const struct weft_output *out, const char *profile,
                      const char *size, int *signal_number, struct weft_err *err)
{
    int held;
    remove_left_beside(out->path);
    char *picture = picture_name(out->path, profile, &held);
    bool ok = run_browser(url, picture, profile, size, signal_number, err)
              && copy(picture, profile, out, err);
    unlink(picture);
    if (held >= 0)
        close(held);
    free(picture);
    return ok;
}

bool view_shot(const char *url, const struct weft_output *out, const char *size,
               int *signal_number, struct weft_err *err)
{
    *signal_number = 0;
    unsigned width, height;
    char rest, comma[32];
    if (sscanf(size, "%ux%u%c", &width, &height, &rest) != 2 || width < 200 || height < 200
        || width > 16384 || height > 16384)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "bad size '%s' (right: WIDTHxHEIGHT in pixels, 200 to 16384)",
                         size);
    remove_left(weft_temporary_folder(), profile_begin, "");
    char *profile = weft_asprintf("%s/%sXXXXXX", weft_temporary_folder(), profile_begin);
    if (!mkdtemp(profile)) {
        free(profile);
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot make a temporary folder");
    }
    int held = hold(profile);
    snprintf(comma, sizeof comma, "%u,%u", width, height);
    char *address = weft_asprintf("%s&shot=%u", url, height);
    bool ok = draw_shot(address, out, profile, comma, signal_number, err);
    free(address);
    nftw(profile, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (held >= 0)
        close(held);
    free(profile);
    return ok;
}
