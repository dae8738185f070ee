/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cmd/view_panels.h"
#include "cli/cmd/view_screenshot.h"
#include "cli/displays_option.h"
#include "cli/open_traces.h"
#include "filter/filter_chain.h"
#include "serve/server.h"

enum { LARGEST_LAYOUT = 1 << 20 }; /* bytes; the page saves layouts of a few thousand */

/* Opens URL in a browser, if there are a display and a program that opens addresses. */
static void open_browser(const char *url)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return;
    pid_t child = fork();
    if (child == 0) {
        /* The browser is a grandchild: init collects its status, so weft need not wait for
           it. */
        if (fork() != 0)
            _exit(0);
        view_leave_weft();
        setsid();
        execlp("xdg-open", "xdg-open", url, (char *)NULL);
        _exit(127);
    }
    if (child > 0)
        (void)!waitpid(child, NULL, 0);
}

/* Prints the server's address; without it nobody would find the server. */
static bool say_where(const struct weft_server *server, bool remote, struct weft_err *err)
{
    unsigned port = weft_server_port(server);
    char host[256] = "HOST";
    printf("%s\n", weft_server_url(server));
    if (remote) {
        if (gethostname(host, sizeof host - 1) != 0)
            strcpy(host, "HOST");
        printf("From another machine: ssh -L %u:127.0.0.1:%u %s\n"
               "and open that address there.  Ctrl-C ends.\n",
               port, port, host);
    }
    return fflush(stdout) == 0 && !ferror(stdout)
               ? true
               : weft_fail_errno(err, WEFT_ERR_WRITE, "cannot print the address");
}

static bool read_layout(const char *path, char **layout, struct weft_err *err)
{
    struct weft_mapping map;
    *layout = NULL;
    if (!path)
        return true;
    if (!weft_map_file(&map, path, err))
        return false;
    bool ok = map.size <= LARGEST_LAYOUT && !memchr(map.data, 0, map.size);
    if (ok)
        *layout = weft_strndup((const char *)map.data, map.size);
    weft_unmap(&map);
    return ok || weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "this is no layout file");
}

/* Sets *FILTERS to the text of the file at PATH, whose lines are looked at; or to NULL. */
static bool read_filters(const char *path, char **filters, struct weft_err *err)
{
    struct weft_filter_chain chain;
    struct weft_arena arena = { 0 };
    struct weft_mapping map;
    *filters = NULL;
    if (!path)
        return true;
    if (!weft_map_file(&map, path, err))
        return false;
    *filters = weft_strndup(map.size ? (const char *)map.data : "", map.size);
    weft_unmap(&map);
    bool ok = weft_filter_chain_parse(&chain, *filters, &arena, err);
    weft_arena_free(&arena);
    if (!ok)
        free(*filters);
    return ok;
}

static bool options_of(const struct weft_arguments *arguments,
                       struct weft_server_options *options, struct weft_err *err)
{
    const char *port = weft_option_value(arguments, "port");
    const char *prefix = weft_option_value(arguments, "prefix");
    char *end = NULL;
    unsigned long number = port ? strtoul(port, &end, 10) : 0;
    if (port && (!*port || *end || number > 65535))
        return weft_fail(err, WEFT_ERR_USAGE, "bad port '%s' (right: 0 to 65535)", port);
    if (prefix && prefix[0] != '/')
        return weft_fail(err, WEFT_ERR_USAGE, "bad prefix '%s' (right: /PATH)", prefix);
    struct weft_read_options reading;
    if (!ask_reading(arguments, false, &reading, err))
        return false;
    *options = (struct weft_server_options){
        .paths = arguments->positional,
        .n_paths = arguments->n_positional,
        .address = weft_option_value(arguments, "host"),
        .port = (unsigned)number,
        .usual_port = !port && !weft_option_given(arguments, "shot"),
        .new_token = weft_option_given(arguments, "new-token"),
        .prefix = prefix,
        .hosts = weft_option_values(arguments, "allow-host"),
        .source_roots = weft_option_values(arguments, "source-root"),
        .reading = reading,
    };
    return true;
}

/* Serves until a signal ends it. */
static void wait_for_the_end(const sigset_t *signals)
{
    int number;
    do
        number = sigwaitinfo(signals, NULL);
    while (number < 0 && errno == EINTR);
}

static volatile sig_atomic_t status_of_end; /* for the handler */

static void end_now(int signal_number)
{
    (void)signal_number;
    _exit(status_of_end);
}

/*
 * Stops the server, but ends the process after 30 ms: work that has not noticed its
 * cancellation by then has nothing to finish, since files appear whole or not at all.
 */
static void stop(struct weft_server *server, int status)
{
    const struct itimerval soon = { .it_value = { .tv_usec = 30000 } }, never = { 0 };
    status_of_end = status;
    signal(SIGALRM, end_now);
    setitimer(ITIMER_REAL, &soon, NULL);
    weft_server_stop(server);
    setitimer(ITIMER_REAL, &never, NULL);
}

/* Fails if a trace does not open: the page would only show that error in the shot. */
static bool all_open(const struct weft_server_options *options, struct weft_err *err)
{
    for (size_t i = 0; i < options->n_paths; i++) {
        struct stat st;
        if (stat(options->paths[i], &st) == 0 && S_ISDIR(st.st_mode))
            continue;
        struct weft_trace *trace =
            ask_trace(options->paths[i], &options->reading, NULL, NULL, err);
        if (!trace)
            return false;
        weft_trace_close(trace);
    }
    return true;
}

/* Opens the file for the shot, so that a failure is told before a browser starts. */
static bool open_shot(const struct weft_arguments *arguments,
                      const struct weft_server_options *options, struct weft_output *out,
                      struct weft_err *err)
{
    const char *shot = weft_option_value(arguments, "shot"), *dot = strrchr(shot, '.');
    if (!dot || strcasecmp(dot, ".png") != 0)
        return weft_fail(
            err, WEFT_ERR_USAGE, "--shot %s: a shot is a PNG (right: %.*s.png)", shot,
            (int)(dot && !strchr(dot, '/') ? dot - shot : (ptrdiff_t)strlen(shot)), shot);
    if (!all_open(options, err))
        return false;
    for (size_t i = 0; i < options->n_paths; i++)
        if (!ask_keeps_trace(options->paths[i], shot, err))
            return false;
    return ask_keeps_beside(arguments, shot, err)
           && ask_keeps_file(weft_option_value(arguments, "layout"), shot, err)
           && weft_output_open(out, shot, err);
}

/* Takes a picture of what the server shows and puts it in place. */
static bool save_shot(const struct weft_server *server, struct weft_output *out,
                      const char *size, int *signal_number, struct weft_err *err)
{
    if (view_shot(weft_server_url(server), out, size ? size : "1440x990", signal_number,
                  err))
        return weft_output_commit(out, err);
    weft_output_abandon(out);
    return false;
}

static int serve(const struct weft_arguments *arguments,
                 const struct weft_server_options *options)
{
    struct weft_err err = { 0 };
    sigset_t signals;
    const char *shot = weft_option_value(arguments, "shot");
    struct weft_output out;
    if (shot && !open_shot(arguments, options, &out, &err))
        return weft_report(&err);
    /* Blocked before the first thread starts, so that only sigwait receives them. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    struct weft_server *server = weft_server_start(options, &err);
    if (!server) {
        if (shot)
            weft_output_abandon(&out);
        return weft_report(&err);
    }
    bool ok = true;
    int number = 0;
    const char *remark;
    for (size_t i = 0; !shot && (remark = weft_server_remark(server, i)); i++)
        fprintf(stderr, "weft: %s\n", remark);
    if (shot) {
        ok = save_shot(server, &out, weft_option_value(arguments, "size"), &number, &err);
    } else if ((ok = say_where(server, isatty(STDOUT_FILENO), &err))) {
        if (!weft_server_has_page())
            fputs("weft: built without its page; only pictures and tables are served\n",
                  stderr);
        else if (!weft_option_given(arguments, "no-browser"))
            open_browser(weft_server_url(server));
        wait_for_the_end(&signals);
    }
    int status = ok ? 0 : number > 0 ? 128 + number : weft_report(&err);
    if (number > 0)
        fputs("weft: cancelled\n", stderr);
    stop(server, status);
    return status;
}

const struct weft_command weft_command_view;

static int run(const struct weft_arguments *arguments)
{
    struct weft_err err = { 0 };
    struct weft_server_options options;
    char *layout;
    const char *const *panels = (const char *const *)weft_option_values(arguments, "panel");
    if (panels && weft_option_given(arguments, "layout"))
        return weft_usage(&weft_command_view, "--panel and --layout are two layouts");
    struct weft_own_displays displays = { 0 };
    char *filters = NULL;
    layout = NULL;
    int status = 0;
    if (!options_of(arguments, &options, &err)
        || !load_displays(arguments, true, &displays, &err)
        || !(panels ? view_panels_layout(panels, &displays.views, &layout, &err)
                    : read_layout(weft_option_value(arguments, "layout"), &layout, &err))
        || !read_filters(weft_option_value(arguments, "filters"), &filters, &err)) {
        status = weft_report(&err);
    } else {
        options.layout = layout;
        options.filters = filters;
        options.views = &displays.views;
        status = serve(arguments, &options);
        free(filters);
    }
    free(layout);
    weft_own_displays_free(&displays);
    return status;
}

static const struct weft_option options[] = {
    { "port", 0, "N", false, "listen at this port (the traces' usual one; 0: any)" },
    { "host", 0, "ADDRESS", false, "listen at this address (127.0.0.1)" },
    { "prefix", 0, "/PATH", false, "the path that a reverse proxy puts in front" },
    { "allow-host", 0, "NAME", true, "a name by which a proxy may call this server" },
    { "source-root", 0, "FOLDER", true,
      "a folder whose source files may be shown (the current one)" },
    { "filters", 0, "FILE", false,
      "show all traces as the lines of FILE group, hide, move and colour them" },
    { "layout", 0, "FILE", false, "begin with this layout (the page saves them)" },
    { "panel", 0, "VIEW", true,
      "begin with panels of these views (weft views names\nthem); with --shot, these are in it" },
    { "new-token", 0, NULL, false,
      "make another secret: old addresses open nothing any more" },
    { "no-browser", 0, NULL, false, "do not open a browser" },
    { "shot", 0, "OUT.png", false,
      "take a picture of the workbench (of the first trace), and end" },
    { "size", 0, "WxH", false, "of the shot in pixels (1440x990)" },
    DISPLAYS_OPTION,
    { .expand = ask_list_reading },
};

const struct weft_command weft_command_view = {
    .name = "view",
    .arguments = "TRACE...",
    .summary = "explore traces in the browser",
    .description =
        "Serves the workbench for these traces, or for all traces of a folder and of the folders "
        "in it (three deep, and 10000 traces: what is left out is said), at an address "
        "of this machine only, and opens it in the browser where there is one. The printed "
        "address holds a secret: who has it can see the traces. On a remote machine, forward "
        "the port with ssh -L and open the address at home.\n"
        "The same traces have the same port, when it is free, and a person has one secret\n"
        "(in XDG_STATE_HOME/weft), so an address works again when the server is started again.\n"
        "\n"
        "A request may have 128 parameters, a head of 64 KiB and a body of 4 MiB. Pictures have\n"
        "sides of up to 16384 pixels and at most 80 million of them, a sheet with its up to 64\n"
        "panels together, all that are made at a time 160 million. What is in one takes up to 768\n"
        "MiB of memory; its file, and that of a table, have up to 256 MiB; of a table that is\n"
        "sorted the first 200000 rows can be asked for. A trace has up to 10000 marks\n"
        "of 4096 bytes, and their file up to 64 MiB, a million lines and 64 KiB a line: one beyond\n"
        "that is neither shown nor changed. An answer takes at most 300 s, and ends when nobody\n"
        "waits for it; a change of marks waits 5 s for another program that locks their folder.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = SIZE_MAX,
    .run = run,
};
