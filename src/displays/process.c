/* SPDX-License-Identifier: Apache-2.0 */
#include "displays/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/installed_file.h"
#include "base/memory.h"

extern char **environ;

enum { PATIENCE = 10 }; /* seconds without an answer; weft/view.h says so */

void display_process_end(struct display_process *process)
{
    if (process->pid) {
        kill(process->pid, SIGKILL);
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        close(process->socket);
    }
    free(process->answer);
    *process = (struct display_process){ .path = process->path };
}

/* The error for a process that has ended by itself. */
static bool has_ended(struct display_process *process, const char *doing,
                      struct weft_err *err)
{
    int status = 0;
    pid_t waited = 0;
    for (int i = 0; i < PATIENCE * 100 && waited == 0; i++) {
        waited = waitpid(process->pid, &status, WNOHANG);
        if (waited == 0)
            nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    if (waited == process->pid) { /* it is collected: there is nothing to kill */
        close(process->socket);
        process->pid = 0;
    }
    if (waited > 0 && WIFSIGNALED(status))
        return weft_fail_at(err, WEFT_ERR_READ, process->path, 0,
                            "the display ended by signal %d (%s) while it %s",
                            WTERMSIG(status), strsignal(WTERMSIG(status)), doing);
    return weft_fail_at(err, WEFT_ERR_READ, process->path, 0,
                        "the display ended with status %d while it %s", WEXITSTATUS(status),
                        doing);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * Waits until the socket is ready for EVENTS.  SINCE: when something last came or went,
 * milliseconds.
 */
static bool wait_ready(struct display_process *process, short events, int64_t since,
                       const char *doing, struct weft_err *err)
{
    int64_t left = since + PATIENCE * 1000 - now_ms();
    struct pollfd ready = { .fd = process->socket, .events = events };
    if (left > 0 && poll(&ready, 1, (int)left) != 0) /* ready, or a signal came */
        return true;
    return weft_fail_at(err, WEFT_ERR_READ, process->path, 0,
                        "the display gave no answer for %d s while it %s", PATIENCE, doing);
}

/* Sends or receives SIZE bytes. */
static bool move(struct display_process *process, bool sends, void *bytes, size_t size,
                 const char *doing, struct weft_err *err)
{
    int64_t since = now_ms();
    for (size_t done = 0; done < size;) {
        char *at = (char *)bytes + done;
        ssize_t n = sends ? send(process->socket, at, size - done, MSG_NOSIGNAL)
                          : recv(process->socket, at, size - done, 0);
        if (n > 0) {
            done += (size_t)n;
            since = now_ms();
        } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (!wait_ready(process, sends ? POLLOUT : POLLIN, since, doing, err))
                return false;
        } else {
            return has_ended(process, doing, err);
        }
    }
    return true;
}

bool display_process_send(struct display_process *process, struct message *message,
                          const char *doing, struct weft_err *err)
{
    bool fits = message->size - MESSAGE_HEAD <= MESSAGE_LARGEST;
    if (!fits)
        weft_fail(err, WEFT_ERR_LIMIT,
                  "the names of this trace are too many for a display of your own (%d MiB)",
                  MESSAGE_LARGEST >> 20);
    if (fits
        && move(process, true, (void *)(uintptr_t)message_end(message), message->size,
                doing, err))
        return true;
    display_process_end(process);
    return false;
}

bool display_process_receive(struct display_process *process, enum message_kind *kind,
                             struct message_reader *reader, const char *doing,
                             struct weft_err *err)
{
    uint32_t head[2];
    bool ok = move(process, false, head, sizeof head, doing, err);
    if (ok && head[0] > MESSAGE_LARGEST)
        ok = weft_fail_at(err, WEFT_ERR_READ, process->path, 0,
                          "the display answered with nonsense while it %s", doing);
    if (ok) {
        process->answer =
            weft_grow(process->answer, &process->capacity, (size_t)head[0] + 1, 1);
        ok = move(process, false, process->answer, head[0], doing, err);
    }
    if (!ok) {
        display_process_end(process);
        return false;
    }
    *kind = (enum message_kind)head[1];
    *reader = (struct message_reader){ process->answer, process->answer + head[0], false };
    return true;
}

/* Starts HOST with one end of a pair of sockets. */
static bool spawn(struct display_process *process, char *host, int index, int theirs,
                  struct weft_err *err)
{
    char number[16];
    snprintf(number, sizeof number, "%d", index);
    char *arguments[] = { host, (char *)(uintptr_t)process->path, index < 0 ? NULL : number,
                          NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, MESSAGE_SOCKET);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    /* A group of its own: the terminal's Ctrl-C is for weft. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int error = posix_spawn(&process->pid, host, &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (!error)
        return true;
    process->pid = 0;
    errno = error;
    return weft_fail_errno(err, WEFT_ERR_READ, "cannot start %s", host);
}

/* Makes the sockets and starts the process. */
static bool start(struct display_process *process, const char *path, int index,
                  struct weft_err *err)
{
    static const char *const folders[] = { "../displays", "../libexec/weft" };
    char *host =
        weft_find_installed(folders, sizeof folders / sizeof *folders, "weft-display-host");
    int pair[2];
    *process = (struct display_process){ .path = path };
    if (!host)
        return weft_fail(err, WEFT_ERR_READ,
                         "weft-display-host, which loads displays, is not there");
    bool ok = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0
              || weft_fail_errno(err, WEFT_ERR_READ, "cannot make a pair of sockets");
    if (ok) {
        /* dup2() onto itself would leave the flag CLOEXEC. */
        if (pair[1] == MESSAGE_SOCKET)
            fcntl(pair[1], F_SETFD, 0);
        ok = spawn(process, host, index, pair[1], err);
        close(pair[1]);
        process->socket = pair[0];
        if (ok)
            fcntl(pair[0], F_SETFL, O_NONBLOCK);
        else
            close(pair[0]);
    }
    free(host);
    return ok;
}

bool display_process_start(struct display_process *process, const char *path, int index,
                           struct message_reader *reader, struct weft_err *err)
{
    enum message_kind kind;
    if (!start(process, path, index, err)
        || !display_process_receive(process, &kind, reader, "was loaded", err))
        return false;
    if (kind == MESSAGE_DISPLAYS)
        return true;
    weft_fail_at(err, WEFT_ERR_READ, path, 0, "this holds no displays: %s",
                 kind == MESSAGE_FAILED ? message_text(reader)
                                        : "it answers with nonsense");
    display_process_end(process);
    return false;
}
