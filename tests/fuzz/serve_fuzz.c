/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a request to the workbench's server, as http.c gives it to its routes: the first
 * line is the path ("+" before it makes a POST), the second the query, the rest the body.  Every
 * request must have an answer with a status and a type, and what it took must be given back.
 * The same bytes go through the checks of who may ask.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "serve/access.h"
#include "serve/request_limits.h"
#include "serve/routes.h"
#include "store/build/builder.h"
#include "tests/domains/arrays/simulated_arrays.h"
#include "tests/domains/tasks/simulated_dag.h"
#include "tests/sweep/traces.h"
#include "view/prepare.h"

static struct service service;
static struct weft_arena arena;

/* Two threads with states, one waiting for the other, events, a curve and a link. */
static void build(const char *path)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "fuzz", &err);
    WEFT_REQUIRE(b, "cannot write %s", path);
    uint32_t thread = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_CONTAINER, .name = "Thread" });
    uint32_t state = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_STATE, .parent = thread, .name = "State" });
    uint32_t mark = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_EVENT, .parent = thread, .name = "Mark" });
    uint32_t load = weft_builder_type(
        b, &(struct weft_type){ .kind = WEFT_VARIABLE, .parent = thread, .name = "Load" });
    uint32_t values[] = { weft_builder_value(b, state, "run", NULL, 0),
                          weft_builder_value(b, state, "wait", NULL, 0) };
    weft_builder_site(b, &(struct weft_site){ .file = "../../etc/passwd", .line = 1 });
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t row = weft_builder_container(b, thread, 0, i ? "b" : "a", NULL, 0);
        uint32_t states = weft_builder_track(b, row, state);
        uint32_t marks = weft_builder_track(b, row, mark);
        uint32_t curve = weft_builder_track(b, row, load);
        for (int64_t at = 0; at < 100; at++) {
            weft_builder_push(b, states, at * 10, values[at & 1], NULL, 0, NULL);
            weft_builder_pop(b, states, at * 10 + 7, NULL);
            (void)!weft_builder_event(b, marks, at * 9, WEFT_NONE, NULL, 0, NULL);
            (void)!weft_builder_sample(b, curve, at * 9, (double)at);
        }
    }
    WEFT_REQUIRE(weft_builder_finish(b, NULL, &err), "cannot write %s", path);
}

/* What the views show: threads with trees, messages, arrays and tasks, each a small trace. */
enum { TRACES = 5 };
static const char *const names[TRACES] = { "/trace.weft", "/tree.weft", "/messages.weft",
                                           "/arrays.weft", "/tasks.weft" };

static void build_all(char *paths[TRACES])
{
    const struct simulated_dag tasks = { SIMULATED_FIB, 7, 3, 2 };
    build(paths[0]);
    make_trace(paths[1], 4, true);
    make_messages(paths[2], 5);
    WEFT_REQUIRE(simulated_arrays_write(paths[3], "gauss", 6, 0), "cannot write %s",
                 paths[3]);
    (void)simulated_dag_write(paths[4], &tasks);
}

static void remove_folder(void)
{
    static const char *const endings[] = { "", ".marks" };
    char *folder = fuzz_path("serve");
    for (size_t i = 0; i < 2 * TRACES; i++) {
        char *path = weft_asprintf("%s%s%s", folder, names[i / 2], endings[i % 2]);
        remove(path);
        free(path);
    }
    remove(folder);
    free(folder);
}

/* What works beside the requests ends with the run, as it does when a server ends. */
static void stop(void)
{
    searches_free(service.searches);
    weft_shelf_free(service.shelf);
    traces_close(service.traces);
    text_cache_free(service.texts);
    remove_folder();
}

static void start(void)
{
    static char *roots[] = { NULL };
    struct weft_err err;
    char *folder = fuzz_path("serve");
    mkdir(folder, 0700); /* marks are kept beside the trace */
    atexit(stop);
    char *paths[TRACES];
    for (size_t i = 0; i < TRACES; i++)
        paths[i] = weft_asprintf("%s%s", folder, names[i]);
    build_all(paths);
    service = (struct service){
        .traces = traces_find((const char *const *)paths, TRACES,
                              &(struct weft_read_options){ 0 }, &err),
        .shelf = weft_shelf_new(),
        .searches = searches_new(),
        .source_roots = roots,
        .texts = text_cache_new(NULL),
    };
    WEFT_REQUIRE(service.traces, "cannot open %s", paths[0]);
    for (size_t i = 0; i < TRACES; i++)
        free(paths[i]);
    free(folder);
}

static void try_access(const char *text)
{
    static const char *const hosts[] = { "hub.example.org", NULL };
    const struct access_rules rules = { .token = "0123",
                                        .address = "10.0.0.7",
                                        .prefix = "/prefix",
                                        .hosts = hosts,
                                        .port = 8080 };
    const struct access_claim claims[] = {
        { text, NULL, "Bearer 0123", NULL },
        { "localhost:8080", text, NULL, "0123" },
        { "localhost:8080", NULL, text, NULL },
        { "localhost:8080", NULL, NULL, text },
    };
    unsigned status;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (access_refusal(&rules, &claims[i], &status) && status != 401 && status != 403)
            abort();
    if (access_path(&rules, text)[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct parameter parameters[LIMIT_PARAMETERS];
    if (!service.traces)
        start();
    if (memchr(data, 0, size)) /* http.c refuses these */
        return 0;
    char *text = weft_strndup((const char *)data, size), *rest = text;
    char *path = strsep(&rest, "\n"), *query = rest ? strsep(&rest, "\n") : NULL;
    struct weft_job job = { 0 };
    try_access(path);
    bool post = path[0] == '+';
    struct request request = { .service = &service,
                               .path = path + post,
                               .post = post,
                               .parameters = parameters,
                               .body = rest ? rest : "",
                               .job = &job,
                               .arena = &arena };
    struct answer answer = { 0 };
    struct weft_err err;
    if (query) /* of one that is refused, what comes before that is asked */
        (void)!request_split(&arena, query, parameters, LIMIT_PARAMETERS,
                             &request.n_parameters, &err);
    routes_answer(&request, &answer);
    if (!answer.status || !answer.type || atomic_load(&service.pixels) != 0)
        abort();
    free(answer.content);
    free(text);
    weft_arena_reset(&arena);
    return 0;
}
