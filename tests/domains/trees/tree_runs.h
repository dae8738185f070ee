/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the views of trees: a small run of reductions on two PEs, and the same on one. */
#ifndef WEFT_TESTS_TREE_RUNS_H
#define WEFT_TESTS_TREE_RUNS_H

#include "store/build/builder.h"
#include "tests/test.h"
#include "view/view.h"

extern char runs_path[]; /* a file for the traces of a test */
extern const struct weft_source *runs_sources[2];
extern struct weft_set runs_set; /* of the first; with n_sources 2, of both */
int runs_set_up(void **state);
int runs_tear_down(void **state);

/* A type; END: of a link's ends, or WEFT_NONE. */
uint32_t runs_define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                     const char *name, uint32_t end);

/* A picture of 600 x 500 pixels of the runs. */
struct weft_request runs_ask(const char *const *settings);
/* Settings from a text of them, NAME=VALUE with spaces between; and give them back. */
void runs_parse(const struct weft_view *view, const char *text, const char **settings);
void runs_forget(const struct weft_view *view, const char **settings);

/* The table of a view as CSV, to be freed. */
char *runs_table(const char *name, const char *text, double width);
/* TEXT has PART; frees it. */
void assert_has(char *text, const char *part);

void runs_draw_request(const struct weft_view *view, const struct weft_request *request,
                       void (*check)(const struct weft_scene *scene));
void runs_draw(const char *name, const char *text, double width, double height,
               enum weft_theme_name theme, void (*check)(const struct weft_scene *scene));
/* A check that counts the nodes that were drawn, and the lines between them. */
void runs_count_nodes(const struct weft_scene *scene);
extern size_t runs_n_nodes, runs_n_lines;

#endif
