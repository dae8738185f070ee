/* SPDX-License-Identifier: Apache-2.0 */
#include "tree_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/small_store.h"
#include "tests/table_text.h"

char runs_path[] = "/tmp/weft-tree-views-test.XXXXXX";
static struct weft_trace *traces[2];
const struct weft_source *runs_sources[2];
struct weft_set runs_set;

uint32_t runs_define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                     const char *name, uint32_t end)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = end,
                                                     .end_type = end });
}

enum { INDEX, PARENT_PE, PARENT_INDEX, CLAUSE, SUSPENDED, WOKEN, SUSPENSIONS };

struct reduction {
    int64_t time;
    uint32_t pe, procedure;
    int64_t parent_pe, parent_index;
};

/*
 * go makes two work and a print; the second work migrates; print waits for it from 10 to 40.
 * As the system that runs the programs writes it: no records, a link for who woke whom.
 */
static const struct reduction run_a[] = {
    { 0, 0, 0, 0, 0 },  { 10, 0, 1, 0, 1 }, { 20, 0, 1, 0, 2 },
    { 20, 1, 1, 0, 1 }, { 30, 1, 1, 1, 1 }, { 50, 0, 2, 0, 1 },
};
/* The same on one PE: 4 and 5 run later. */
static const struct reduction run_b[] = {
    { 0, 0, 0, 0, 0 },  { 10, 0, 1, 0, 1 }, { 20, 0, 1, 0, 2 },
    { 30, 0, 1, 0, 1 }, { 40, 0, 1, 0, 4 }, { 60, 0, 2, 0, 1 },
};

static void add_fields(struct weft_builder *b, uint32_t type, uint32_t *fields)
{
    /* Nothing goes by names: a and b are those of another tool. */
    static const struct {
        const char *name;
        enum weft_role role;
    } of[] = {
        { "number", WEFT_ROLE_NUMBER },      { "a", WEFT_ROLE_PARENT_ROW },
        { "b", WEFT_ROLE_PARENT_NUMBER },    { "clause", WEFT_ROLE_CLAUSE },
        { "asleep since", WEFT_ROLE_SINCE }, { "awake", WEFT_ROLE_WOKEN },
        { "how often", WEFT_ROLE_WAITS },
    };
    weft_builder_type_role(b, type, WEFT_ROLE_REDUCTION);
    for (int i = 0; i < 7; i++) {
        fields[i] = add_field(b, type, of[i].name, WEFT_FIELD_INTEGER, of[i].role);
    }
}

static struct weft_trace *reductions(const struct reduction *list, size_t n)
{
    static const char *const procedures[] = { "go", "work", "print" };
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(runs_path, "test", &err);
    uint32_t pe_type = runs_define(b, WEFT_CONTAINER, 0, "PE", WEFT_NONE);
    uint32_t type = runs_define(b, WEFT_STATE, pe_type, "reduction", WEFT_NONE);
    uint32_t wakes = runs_define(b, WEFT_LINK, 0, "wakes", pe_type);
    uint32_t fields[7], pes[2], tracks[2], values[3], done[2] = { 0 };
    uint64_t ids[16];
    add_fields(b, type, fields);
    for (int i = 0; i < 3; i++)
        values[i] = weft_builder_value(b, type, procedures[i], NULL, 0);
    for (int i = 0; i < 2; i++) {
        pes[i] = weft_builder_container(b, pe_type, 0, i ? "PE 1" : "PE 0", NULL, 0);
        tracks[i] = weft_builder_track(b, pes[i], type);
    }
    for (size_t i = 0; i < n; i++) {
        const struct reduction *r = &list[i];
        struct weft_field_value of[7];
        size_t m = 0;
        of[m++] = (struct weft_field_value){ fields[INDEX], { ++done[r->pe] } };
        of[m++] = (struct weft_field_value){ fields[CLAUSE], { r->procedure + 1 } };
        if (r->parent_index) {
            of[m++] = (struct weft_field_value){ fields[PARENT_PE], { r->parent_pe } };
            of[m++] =
                (struct weft_field_value){ fields[PARENT_INDEX], { r->parent_index } };
        }
        if (r->procedure == 2) {
            of[m++] = (struct weft_field_value){ fields[SUSPENDED], { 10 } };
            of[m++] = (struct weft_field_value){ fields[WOKEN], { 40 } };
            of[m++] = (struct weft_field_value){ fields[SUSPENSIONS], { 2 } };
        }
        while (weft_builder_open_states(b, tracks[r->pe]))
            (void)!weft_builder_pop(b, tracks[r->pe], r->time, NULL);
        assert_int_equal(weft_builder_push(b, tracks[r->pe], r->time, values[r->procedure],
                                           of, m, &ids[i]),
                         WEFT_BUILD_OK);
    }
    for (int i = 0; i < 2; i++)
        (void)!weft_builder_reset(b, tracks[i], 60);
    weft_builder_link(b,
                      &(struct weft_link){ wakes, 0, WEFT_NONE, WEFT_NONE, pes[0], pes[0],
                                           30, 50, ids[4], ids[5], 0, 0 },
                      NULL, 0);
    return small_store_open(b, runs_path);
}

int runs_set_up(void **state)
{
    (void)state;
    close(mkstemp(runs_path));
    traces[0] = reductions(run_a, 6);
    traces[1] = reductions(run_b, 6);
    for (int i = 0; i < 2; i++)
        runs_sources[i] = weft_trace_source(traces[i]);
    runs_set = (struct weft_set){ runs_sources, 1 };
    return 0;
}

int runs_tear_down(void **state)
{
    (void)state;
    weft_trace_close(traces[0]);
    weft_trace_close(traces[1]);
    unlink(runs_path);
    return 0;
}

struct weft_request runs_ask(const char *const *settings)
{
    return (struct weft_request){ .set = &runs_set,
                                  .window = runs_sources[0]->schema->span,
                                  .width = 600,
                                  .height = 500,
                                  .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                  .settings = settings };
}

void runs_parse(const struct weft_view *view, const char *text, const char **settings)
{
    struct weft_err err = { 0 };
    char *copy = weft_strdup(text);
    for (char *rest = copy, *one; (one = strtok_r(rest, " ", &rest));)
        if (!weft_setting_parse(view, weft_strdup(one), settings, &err))
            fail_msg("%s", err.message);
    free(copy);
}

void runs_forget(const struct weft_view *view, const char **settings)
{
    for (size_t i = 0; i < view->n_parameters; i++)
        if (settings[i]) /* points behind NAME= of its own copy */
            free((char *)settings[i] - strlen(view->parameters[i].name) - 1);
}

char *runs_table(const char *name, const char *text, double width)
{
    const struct weft_view *view = weft_view_find(name);
    const char *settings[32] = { 0 };
    runs_parse(view, text, settings);
    struct weft_request request = runs_ask(settings);
    request.width = width;
    char *out = table_csv(view, &request);
    runs_forget(view, settings);
    return out;
}

void assert_has(char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
    free(text);
}

void runs_draw_request(const struct weft_view *view, const struct weft_request *request,
                       void (*check)(const struct weft_scene *scene))
{
    struct weft_err err = { 0 };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    if (!weft_view_scene(view, request, &arena, &scene, &err))
        fail_msg("%s", err.message);
    check(&scene);
    weft_arena_free(&arena);
}

void runs_draw(const char *name, const char *text, double width, double height,
               enum weft_theme_name theme, void (*check)(const struct weft_scene *scene))
{
    const struct weft_view *view = weft_view_find(name);
    const char *settings[32] = { 0 };
    runs_parse(view, text, settings);
    struct weft_request request = runs_ask(settings);
    request.width = width;
    request.height = height;
    request.theme = weft_theme_get(theme);
    runs_draw_request(view, &request, check);
    runs_forget(view, settings);
}

size_t runs_n_nodes, runs_n_lines;

void runs_count_nodes(const struct weft_scene *scene)
{
    runs_n_nodes = runs_n_lines = 0;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t m = 0; m < scene->layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene->layers[l].marks[m];
            assert_false(isnan(mark->box.x));
            runs_n_nodes +=
                mark->id != WEFT_NO_ID && strcmp(scene->layers[l].name, "nodes") == 0;
            runs_n_lines += strcmp(scene->layers[l].name, "edges") == 0
                            && mark->kind == WEFT_MARK_POLYLINE;
        }
}
