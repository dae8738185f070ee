/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft-display-host FILE.so [INDEX]: the process in which a person's own display runs.  It
 * loads the file and tells weft of the displays in it, over the socket MESSAGE_SOCKET; with
 * INDEX it then feeds that display with the events that come, and answers with what it
 * draws.  It ends with weft.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "displays/host/host.h"

bool host_send(struct message *message)
{
    const unsigned char *bytes = message_end(message);
    for (size_t sent = 0; sent < message->size;) {
        ssize_t n = write(MESSAGE_SOCKET, bytes + sent, message->size - sent);
        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

static bool read_all(void *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(MESSAGE_SOCKET, (char *)out + done, size - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* Tells weft why there is no display, and ends. */
static _Noreturn void fail(const char *why)
{
    struct message message = { 0 };
    message_begin(&message, MESSAGE_FAILED);
    message_put_text(&message, why);
    host_send(&message);
    exit(1);
}

static void describe_settings(struct message *m, const struct weft_display *display)
{
    message_put_u32(m, display->n_settings);
    for (uint32_t i = 0; i < display->n_settings; i++) {
        const struct weft_display_setting *setting = &display->settings[i];
        message_put_text(m, setting->name);
        message_put_text(m, setting->choices);
        message_put_real(m, setting->minimum);
        message_put_real(m, setting->maximum);
        message_put_text(m, setting->fallback);
        message_put_text(m, setting->help);
    }
    message_put_u32(m, display->n_keys);
    for (uint32_t i = 0; i < display->n_keys; i++) {
        const struct weft_display_key *key = &display->keys[i];
        message_put_u32(m, (unsigned char)key->key);
        message_put_text(m, key->setting);
        message_put_real(m, key->step);
        message_put_text(m, key->help);
    }
}

/* Sends what weft must know of all displays of the file. */
static void describe(const struct weft_display *const *displays, uint32_t n)
{
    struct message m = { 0 };
    message_begin(&m, MESSAGE_DISPLAYS);
    message_put_u32(&m, n);
    for (uint32_t d = 0; d < n; d++) {
        const struct weft_display *display = displays[d];
        message_put_text(&m, display->name);
        message_put_text(&m, display->title);
        message_put_text(&m, display->explanation);
        message_put_u32(&m, display->takes);
        describe_settings(&m, display);
        message_put_u32(&m, display->n_columns);
        for (uint32_t i = 0; i < display->n_columns; i++)
            message_put_text(&m, display->columns[i]);
    }
    if (!host_send(&m))
        exit(1);
    message_free(&m);
}

/* Loads the file; returns its displays and sets *N. */
static const struct weft_display *const *load(const char *path, uint32_t *n)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(dlerror());
    const struct weft_display *const *displays = dlsym(library, "weft_displays_v1");
    if (!displays || !displays[0])
        fail("it names no displays (WEFT_DISPLAYS(&display), weft/view.h)");
    for (*n = 0; displays[*n]; ++*n) {
        const struct weft_display *display = displays[*n];
        if (display->version != WEFT_DISPLAY_VERSION)
            fail("it was compiled with another version of weft/view.h: compile it again");
        if (!display->draw || !display->table || !display->n_columns || !display->columns)
            fail("a display needs draw, table and columns (weft/view.h)");
    }
    return displays;
}

/* Handles messages until weft ends. */
static void serve(const struct weft_display *display)
{
    struct host host = { .display = display };
    unsigned char *content = NULL;
    size_t capacity = 0;
    uint32_t head[2];
    while (read_all(head, sizeof head) && head[0] <= MESSAGE_LARGEST) {
        content = weft_grow(content, &capacity, (size_t)head[0] + 1, 1);
        if (!read_all(content, head[0]))
            break;
        struct message_reader reader = { content, content + head[0], false };
        if (!host_handle(&host, (enum message_kind)head[1], &reader))
            break;
    }
    free(content);
}

/*
 * Leaves weft's terminal and files alone: output of the display goes to standard error, and
 * the process ends when weft does.
 */
static void settle(void)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    if (nowhere >= 0)
        dup2(nowhere, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    fcntl(MESSAGE_SOCKET, F_SETFD, FD_CLOEXEC);
}

int main(int argc, char **argv)
{
    if (argc < 2 || fcntl(MESSAGE_SOCKET, F_GETFD) < 0) {
        fputs("weft-display-host: weft starts this program for --display FILE.so\n",
              stderr);
        return 2;
    }
    settle();
    uint32_t n;
    const struct weft_display *const *displays = load(argv[1], &n);
    describe(displays, n);
    unsigned long index = argc > 2 ? strtoul(argv[2], NULL, 10) : n;
    if (index < n)
        serve(displays[index]);
    return 0;
}
