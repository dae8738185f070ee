/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people type, and addresses hold: a range, a moment, a container, a text to search for, a
 * set of entities, and settings of a view.  Each line of the input is one of these, its first
 * byte says which; then the view is drawn with what was understood.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "store/entity_set.h"
#include "store/time.h"
#include "tests/sweep/scene_check.h"
#include "tests/sweep/traces.h"
#include "view/prepare.h"
#include "view/search.h"
#include "view/view.h"

enum {
    ROWS = 24,
    MAX_LINES = 24,
    MAX_PARAMETERS = 32,
};

static const struct weft_source *open_source(void)
{
    static struct weft_trace *trace;
    struct weft_err err;
    if (!trace) {
        char *path = fuzz_path("words");
        make_trace(path, ROWS, true);
        trace = weft_trace_open(path, &err);
        remove(path);
        free(path);
    }
    return weft_trace_source(trace);
}

struct words {
    const struct weft_schema *schema;
    const struct weft_source *source;
    const struct weft_view *view;
    const char *settings[MAX_PARAMETERS];
    struct weft_request request;
};

static void moment(struct words *words, const char *text)
{
    struct weft_err err = { 0 };
    int64_t at;
    if (!weft_parse_time(words->schema, text, strlen(text), &at, &err)) {
        if (!err.message[0])
            abort();
        return;
    }
    const struct weft_span span = words->schema->span;
    words->request.at = at < span.begin ? span.begin : at > span.end ? span.end : at;
    words->request.has_at = words->view->moment != WEFT_MOMENT_NONE;
}

static void range(struct words *words, const char *text)
{
    struct weft_err err = { 0 };
    struct weft_span window;
    if (!weft_parse_range(words->schema, text, &window, &err)) {
        if (!err.message[0])
            abort();
        return;
    }
    if (window.begin >= window.end)
        abort(); /* the function promises it */
    words->request.window = window;
}

static void entities(const char *text)
{
    struct weft_err err = { 0 };
    struct weft_entity_set set, again;
    if (!weft_entity_set_parse(&set, text, &err))
        return;
    char *written = weft_entity_set_text(&set);
    if (!weft_entity_set_parse(&again, written, &err)
        || weft_entity_set_count(&again) != weft_entity_set_count(&set))
        abort(); /* what a set writes is the set */
    weft_entity_set_free(&again);
    weft_entity_set_free(&set);
    free(written);
}

static void find(const struct words *words, const char *text)
{
    struct weft_err err;
    struct weft_search *search = weft_search_new(words->source, text);
    struct weft_hit hit;
    if (!weft_search_run(search, NULL, &err))
        abort(); /* nobody cancels it */
    (void)weft_search_next(search, words->schema->span.begin, 0, false, NULL, &hit);
    weft_search_free(search);
}

static void understand(struct words *words, const char *line)
{
    struct weft_err err = { 0 };
    bool ambiguous;
    const char *text = line + 1;
    switch (line[0]) {
    case 'r': range(words, text); break;
    case 't': moment(words, text); break;
    case 's': entities(text); break;
    case 'f': find(words, text); break;
    case 'c': {
        uint32_t under = weft_find_container(words->schema, text, &ambiguous);
        words->request.under = under == WEFT_NONE ? 0 : under;
        break;
    }
    default:
        if (!weft_setting_parse(words->view, line, words->settings, &err)
            && !err.message[0])
            abort(); /* a refusal says why */
    }
}

static void draw(struct words *words)
{
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err = { 0 };
    char what[600];
    struct weft_shelf *shelf = weft_shelf_new();
    words->request.shelf = shelf;
    if (!weft_view_scene(words->view, &words->request, &arena, &scene, &err)) {
        if (!err.message[0])
            abort();
    } else if (scene_fault(&scene, what, sizeof what)) {
        fprintf(stderr, "%s: %s\n", words->view->name, what);
        abort();
    }
    weft_arena_free(&arena);
    FILE *sink = fopen("/dev/null", "w");
    struct weft_table *table = sink ? weft_table_csv(sink) : NULL;
    if (table) {
        (void)!weft_view_table(words->view, &words->request, table, &err);
        weft_table_free(table);
        fclose(sink);
    }
    weft_shelf_free(shelf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct words words = { .source = open_source() };
    const struct weft_source *both[2] = { words.source, words.source };
    if (size < 3)
        return 0;
    words.schema = words.source->schema;
    words.view = weft_view_at(data[0] % weft_view_count());
    struct weft_set set = { both, words.view->compares ? 2 : 1 };
    if (!words.view->fills(&set) || words.view->n_parameters > MAX_PARAMETERS)
        return 0;
    words.request = (struct weft_request){ .set = &set,
                                           .window = words.schema->span,
                                           .width = 1 + data[1] * 4,
                                           .height = 1 + data[2] * 3,
                                           .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                           .settings = words.settings };
    char *text = weft_strndup((const char *)data + 3, size - 3), *rest = text;
    for (int i = 0; i < MAX_LINES && rest; i++) {
        char *line = strsep(&rest, "\n");
        if (*line)
            understand(&words, line);
    }
    draw(&words);
    free(text);
    return 0;
}
