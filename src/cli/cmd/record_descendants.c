/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the descendants of the recorded program and waits for them. */
#define _GNU_SOURCE
#include "cli/cmd/record_descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/memory.h"

enum {
    NAMES_SHOWN = 6,  /* programs that a message names */
    PIDS_SHOWN = 4,   /* processes of each that it names */
    MOMENT = 200,     /* milliseconds: processes that end this soon are not mentioned */
    LOOK_AGAIN = 1000 /* milliseconds: in case a signal is missed */
};

struct descendant {
    pid_t pid, parent;
    char name[32]; /* the kernel keeps 15 bytes */
    bool zombie, ours;
};

struct running_list {
    struct descendant *items;
    size_t n, capacity;
};

/*
 * Reads the line of /proc/PID/stat: PID (NAME) STATE PARENT ...; NAME may hold any bytes.
 */
static bool read_process(const char *pid, struct descendant *process)
{
    char *path = weft_asprintf("/proc/%s/stat", pid), line[512], state = 0;
    FILE *in = fopen(path, "re");
    const char *open, *close;
    int parent = 0;
    size_t length = in ? fread(line, 1, sizeof line - 1, in) : 0;

    if (in)
        fclose(in);
    free(path);
    line[length] = '\0';
    open = strchr(line, '(');
    close = strrchr(line, ')');
    if (!open || !close || close < open
        || sscanf(close + 1, " %c %d", &state, &parent) != 2)
        return false;
    *process = (struct descendant){ .pid = (pid_t)atol(pid),
                                    .parent = parent,
                                    .zombie = state == 'Z' || state == 'X' };
    snprintf(process->name, sizeof process->name, "%.*s", (int)(close - open - 1),
             open + 1);
    for (char *c = process->name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?'; /* no control sequences to the terminal */
    return true;
}

static struct running_list list_processes(void)
{
    struct running_list list = { 0 };
    DIR *directory = opendir("/proc");
    struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        struct descendant process;
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9'
            || !read_process(entry->d_name, &process))
            continue;
        list.items = weft_grow(list.items, &list.capacity, list.n + 1, sizeof process);
        list.items[list.n++] = process;
    }
    if (directory)
        closedir(directory);
    return list;
}

static bool is_stranger(const struct record_following *following, pid_t pid)
{
    for (size_t i = 0; i < following->n_strangers; i++)
        if (following->strangers[i] == pid)
            return true;
    return false;
}

/* Marks the descendants of this process; each round goes one generation down. */
static void mark_ours(struct running_list *list, const struct record_following *following)
{
    bool more = true;

    for (size_t i = 0; i < list->n; i++)
        list->items[i].ours = list->items[i].parent == getpid()
                              && !is_stranger(following, list->items[i].pid);
    while (more) {
        more = false;
        for (size_t i = 0; i < list->n; i++)
            for (size_t k = 0; k < list->n && !list->items[i].ours; k++)
                if (list->items[k].ours && list->items[k].pid == list->items[i].parent)
                    more = list->items[i].ours = true;
    }
}

void record_follow_begin(struct record_following *following)
{
    struct running_list list = list_processes();

    following->n_strangers = 0;
    mark_ours(&list, following);
    following->strangers = weft_zalloc(list.n + 1, sizeof *following->strangers);
    for (size_t i = 0; i < list.n; i++)
        if (list.items[i].ours && list.items[i].parent == getpid())
            following->strangers[following->n_strangers++] = list.items[i].pid;
    free(list.items);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void record_follow_end(struct record_following *following)
{
    free(following->strangers);
}

static int compare_names(const void *a, const void *b)
{
    const struct descendant *x = a, *y = b;

    return strcmp(x->name, y->name) ?: WEFT_COMPARE(x->pid, y->pid);
}

/* Returns "nginx 12, 13; sh 14" for LIST, which is sorted by name; the caller frees it. */
static char *name_processes(const struct running_list *list)
{
    char *text = weft_strdup("");
    size_t names = 0;

    for (size_t i = 0, same; i < list->n; i += same) {
        char *longer;
        for (same = 1; i + same < list->n; same++)
            if (strcmp(list->items[i + same].name, list->items[i].name) != 0)
                break;
        if (++names > NAMES_SHOWN) {
            longer = weft_asprintf("%s; others", text);
            same = list->n - i;
        } else {
            longer = weft_asprintf("%s%s%s %d", text, *text ? "; " : "",
                                   list->items[i].name, (int)list->items[i].pid);
            for (size_t k = 1; k < same && k < PIDS_SHOWN; k++) {
                char *more = weft_asprintf("%s, %d", longer, (int)list->items[i + k].pid);
                free(longer);
                longer = more;
            }
            if (same > PIDS_SHOWN) {
                char *more = weft_asprintf("%s and %zu more", longer, same - PIDS_SHOWN);
                free(longer);
                longer = more;
            }
        }
        free(text);
        text = longer;
    }
    return text;
}

/*
 * Returns the running processes that the program has started, as "3 processes go on: nginx
 * 12, 13; sh 14", or NULL if there are none.  The caller frees it.
 */
static char *name_followed(const struct record_following *following)
{
    struct running_list list = list_processes();
    size_t kept = 0;
    char *names, *text = NULL;

    mark_ours(&list, following);
    for (size_t i = 0; i < list.n; i++)
        if (list.items[i].ours && !list.items[i].zombie)
            list.items[kept++] = list.items[i];
    list.n = kept;
    if (kept > 0) {
        qsort(list.items, kept, sizeof *list.items, compare_names);
        names = name_processes(&list);
        text = weft_asprintf("%zu process%s on: %s", kept, kept == 1 ? " goes" : "es go",
                             names);
        free(names);
    }
    free(list.items);
    return text;
}

/*
 * Reaps all children that have ended; returns true if descendants of the program are left.
 */
static bool some_left(const struct record_following *following)
{
    struct running_list list;
    bool left = false;
    pid_t child;

    do
        child = waitpid(-1, NULL, WNOHANG);
    while (child > 0 || (child < 0 && errno == EINTR));
    if (child < 0 || following->n_strangers == 0)
        return child == 0;
    list = list_processes();
    mark_ours(&list, following);
    for (size_t i = 0; i < list.n; i++)
        left |= list.items[i].ours && !list.items[i].zombie;
    free(list.items);
    return left;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * Chooses the signals that ask to end the recording, unless weft ignores them, and SIGCHLD.
 */
static void choose_signals(sigset_t *set)
{
    static const int asking[] = { SIGINT, SIGTERM, SIGHUP };

    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        struct sigaction action;
        if (sigaction(asking[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(set, asking[i]);
    }
}

/* Waits at most MILLISECONDS (-1: without end); returns true when no descendant is left. */
static bool wait_for_all(const struct record_following *following, int milliseconds,
                         bool *asked)
{
    int64_t until = now_ms() + milliseconds, left = LOOK_AGAIN;
    sigset_t set, before;
    bool some;

    *asked = false;
    choose_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    while ((some = some_left(following)) && !*asked && left > 0) {
        struct timespec most;
        int number;
        if (milliseconds >= 0)
            left = until - now_ms();
        left = left > LOOK_AGAIN ? LOOK_AGAIN : left < 0 ? 0 : left;
        most = (struct timespec){ left / 1000, left % 1000 * 1000000 };
        number = sigtimedwait(&set, NULL, &most);
        *asked = number > 0 && number != SIGCHLD;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !some;
}

/* Returns the path of the file for messages from the background; the caller frees it. */
static char *report_path(const struct record_following *following)
{
    return weft_asprintf("%s.report", following->output);
}

static void become_stream(int file, int stream)
{
    if (file >= 0 && file != stream) {
        dup2(file, stream);
        close(file);
    }
}

/*
 * Lets the weft in front end, and leaves its terminal, so that a reader of its output sees
 * the end.  Later messages go to the report file.
 */
static void go_to_background(struct record_following *following, int status)
{
    char *path = report_path(following);

    become_stream(open("/dev/null", O_RDONLY), 0);
    become_stream(open("/dev/null", O_WRONLY), 1);
    become_stream(open("/dev/null", O_WRONLY), 2); /* if the file cannot be made */
    become_stream(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666), 2);
    free(path);
    setsid();
    signal(SIGPIPE, SIG_IGN); /* the weft in front may be gone */
    if (write(following->front, &status, sizeof status) == sizeof status)
        close(following->front);
    following->front = -1;
}

static void say_who_goes_on(const struct record_following *following)
{
    char *who = name_followed(following);

    if (!who)
        return;
    if (following->front >= 0)
        fprintf(
            stderr,
            "weft: %s ended; %s; the recording goes on in the background until they end, "
            "or kill -INT %d, and becomes %s; %s.report then says what was recorded\n",
            following->program, who, (int)getpid(), following->output, following->output);
    else
        fprintf(stderr,
                "weft: %s ended; %s; Ctrl-C (or kill -TERM %d) ends the recording\n",
                following->program, who, (int)getpid());
    free(who);
}

void record_follow(struct record_following *following, int status)
{
    bool asked;
    char *who;

    /* Processes that end within a moment are not mentioned. */
    if (wait_for_all(following, MOMENT, &asked))
        return;
    if (!asked) {
        say_who_goes_on(following);
        if (following->front >= 0)
            go_to_background(following, status);
        if (wait_for_all(following, -1, &asked))
            return;
    }
    who = name_followed(following);
    if (who)
        fprintf(stderr, "weft: the recording ends, and %s\n", who);
    free(who);
}
