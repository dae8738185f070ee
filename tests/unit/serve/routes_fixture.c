/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "routes_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/small_store.h"
#include "view/prepare.h"

/* fontconfig keeps its configuration for the life of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libpango\n";
}

char routes_folder[] = "/tmp/weft-routes-test-XXXXXX";
char trace_path[64], marks_path[80];
char *source_roots[2];
struct service service;
struct weft_arena arena;
struct request request;
struct answer answer;

void build_trace(const char *path)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
    weft_builder_resolution(b, 1, 1);
    uint32_t process = add_type(b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_NONE);
    uint32_t type = add_type(b, WEFT_STATE, process, "State", WEFT_ROLE_NONE);
    uint32_t p = weft_builder_container(b, process, 0, "p", NULL, 0);
    uint32_t track = weft_builder_track(b, p, type);
    weft_builder_site(b, &(struct weft_site){ .file = "inside.c", .line = 3 });
    weft_builder_site(b, &(struct weft_site){ .file = "../outside.c", .line = 1 });
    char far[3 * 2000 + 16] = ""; /* longer than any path that the system opens */
    for (size_t i = 0; i < 2000; i++)
        memcpy(far + 3 * i, "no/", 3);
    strcpy(far + sizeof far - 16, "inside.c");
    weft_builder_site(b, &(struct weft_site){ .file = far, .line = 3 });
    weft_builder_push(b, track, 0, weft_builder_value(b, type, "run", NULL, 0), NULL, 0,
                      NULL);
    weft_builder_pop(b, track, 10, NULL);
    weft_builder_push(b, track, 10, weft_builder_value(b, type, "wait", NULL, 0), NULL, 0,
                      NULL);
    weft_builder_pop(b, track, 30, NULL);
    assert_true(weft_builder_finish(b, NULL, &err));
}

void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

int routes_set_up(void **state)
{
    (void)state;
    struct weft_err err;
    assert_non_null(mkdtemp(routes_folder));
    snprintf(trace_path, sizeof trace_path, "%s/trace.weft", routes_folder);
    snprintf(marks_path, sizeof marks_path, "%s.marks", trace_path);
    build_trace(trace_path);
    char path[64];
    snprintf(path, sizeof path, "%s/outside.c", routes_folder);
    write_text(path, "the secret\n");
    snprintf(path, sizeof path, "%s/src", routes_folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/src/inside.c", routes_folder);
    write_text(path, "one\ntwo \"2\"\r\nthree\nfour\nfive");
    source_roots[0] = weft_asprintf("%s/src", routes_folder);
    const char *paths[] = { trace_path };
    service = (struct service){
        .traces = traces_find(paths, 1, &(struct weft_read_options){ 0 }, &err),
        .shelf = weft_shelf_new(),
        .searches = searches_new(),
        .source_roots = source_roots,
        .texts = text_cache_new(NULL),
    };
    service.filters = filter_chains_new(service.shelf, service.searches);
    assert_non_null(service.traces);
    return 0;
}

int routes_tear_down(void **state)
{
    (void)state;
    free(answer.content);
    searches_free(service.searches);
    weft_shelf_free(service.shelf);
    filter_chains_free(service.filters);
    traces_close(service.traces);
    text_cache_free(service.texts);
    weft_arena_free(&arena);
    free(source_roots[0]);
    static const char *const made[] = { "trace.weft", "trace.weft.marks", "outside.c",
                                        "src/inside.c" };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", routes_folder, made[i]);
        unlink(path);
    }
    char path[64];
    snprintf(path, sizeof path, "%s/src", routes_folder);
    rmdir(path);
    return rmdir(routes_folder);
}

unsigned ask(const char *path, const char *query, const char *body)
{
    enum { MAX_PARAMETERS = 16 };
    static struct parameter parameters[MAX_PARAMETERS];
    static char text[2048], *rest;
    free(answer.content);
    weft_arena_reset(&arena);
    size_t n = 0;
    snprintf(text, sizeof text, "%s", query);
    for (char *at = strtok_r(text, "&", &rest); at; at = strtok_r(NULL, "&", &rest)) {
        char *equals = strchr(at, '=');
        *equals = '\0';
        assert_true(n < MAX_PARAMETERS);
        parameters[n++] = (struct parameter){ at, equals + 1 };
    }
    request = (struct request){
        .service = &service,
        .path = path,
        .post = body != NULL,
        .parameters = parameters,
        .n_parameters = n,
        .body = body ? body : "",
        .arena = &arena,
    };
    answer = (struct answer){ 0 };
    routes_answer(&request, &answer);
    assert_true(answer.status && answer.type);
    if (answer.status >= 400) { /* one sentence, as JSON */
        assert_string_equal(answer.type, "application/json");
        assert_int_equal(strncmp(answer.content, "{\"error\":\"", 10), 0);
    }
    return answer.status;
}

void answered(const char *part)
{
    if (!memmem(answer.content, answer.size, part, strlen(part)))
        fail_msg("no %s in %.*s", part, (int)answer.size, answer.content);
}

void wait_until_open(void)
{
    do
        assert_int_equal(ask("/trace", "trace=0", NULL), 200);
    while (strstr(answer.content, "\"loading\""));
}
