/* SPDX-License-Identifier: Apache-2.0 */
#include "view/tree/tree_prepared.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_LAYOUTS = 4, MOST_TREES = 2 };

struct kept {
    struct tree_layout layout; /* first: a layout is turned back into its slot */
    size_t source;
    uint32_t root, most;
    unsigned users;
    uint64_t used; /* when last */
    struct kept *next;
};

struct tree_prepared {
    const struct weft_source *sources[MOST_TREES];
    struct weft_tree *trees[MOST_TREES];
    size_t n_trees;
    /* Below: found out when it is asked for. */
    pthread_mutex_t mutex;
    struct kept *layouts;
    size_t n_layouts;
    uint64_t clock;
    struct weft_tree_edge *edges;
    size_t n_edges;
    uint32_t *match;
};

static void free_prepared(void *user)
{
    struct tree_prepared *prepared = user;
    for (struct kept *next; prepared->layouts; prepared->layouts = next) {
        struct kept *kept = prepared->layouts;
        next = kept->next;
        weft_tree_layout_free(kept->layout.layout);
        free(kept->layout.of_pe);
        free(kept);
    }
    for (size_t i = 0; i < prepared->n_trees; i++)
        weft_tree_free(prepared->trees[i]);
    free(prepared->edges);
    free(prepared->match);
    pthread_mutex_destroy(&prepared->mutex);
    free(prepared);
}

static bool make_prepared(const struct weft_set *set, struct weft_job *job, void **out,
                          struct weft_err *err)
{
    struct tree_prepared *prepared = weft_zalloc(1, sizeof *prepared);
    pthread_mutex_init(&prepared->mutex, NULL);
    for (size_t i = 0; i < set->n_sources && i < MOST_TREES; i++) {
        if (!weft_tree_fills(set->sources[i]))
            continue;
        prepared->sources[prepared->n_trees] = set->sources[i];
        prepared->trees[prepared->n_trees] = weft_tree_read(set->sources[i], job, err);
        if (!prepared->trees[prepared->n_trees]) {
            free_prepared(prepared);
            return false;
        }
        prepared->n_trees++;
    }
    *out = prepared;
    return true;
}

const struct weft_preparation weft_tree_preparation = { "tree", make_prepared,
                                                        free_prepared };

bool tree_view_begin(struct tree_view *view, const struct weft_request *request,
                     struct weft_err *err)
{
    *view = (struct tree_view){ .prepared = request->prepared };
    if (view->prepared)
        return true;
    if (!make_prepared(request->set, request->job, &view->own, err))
        return false;
    view->prepared = view->own;
    return true;
}

void tree_view_end(struct tree_view *view)
{
    if (view->own)
        free_prepared(view->own);
}

const struct weft_tree *tree_prepared_tree(const struct tree_prepared *prepared,
                                           size_t source)
{
    return source < prepared->n_trees ? prepared->trees[source] : NULL;
}

/* How the nodes of a layout's subtree are spread over PEs and labels. */
static void count_nodes(struct tree_layout *of)
{
    const struct weft_tree_layout *layout = of->layout;
    const struct weft_tree *tree = layout->tree;
    of->of_pe = weft_zalloc(tree->n_pes + tree->n_labels + 1, sizeof *of->of_pe);
    of->of_label = of->of_pe + tree->n_pes;
    struct weft_tree_run run = { layout->root, layout->root + 1 };
    for (; run.begin < run.end; run = weft_tree_below(tree, run)) {
        for (uint32_t i = run.begin; i < run.end; i++) {
            if (tree->ordinal[i] == WEFT_NONE)
                continue;
            of->of_pe[tree->pe[i]]++;
            of->of_label[tree->label[i]]++;
        }
    }
}

/* Drop the layout that was not used for longest, when there are too many. */
static void make_room(struct tree_prepared *prepared)
{
    if (prepared->n_layouts <= KEPT_LAYOUTS)
        return;
    struct kept **oldest = NULL;
    for (struct kept **at = &prepared->layouts; *at; at = &(*at)->next)
        if (!(*at)->users && (!oldest || (*at)->used < (*oldest)->used))
            oldest = at;
    if (!oldest)
        return;
    struct kept *kept = *oldest;
    *oldest = kept->next;
    prepared->n_layouts--;
    weft_tree_layout_free(kept->layout.layout);
    free(kept->layout.of_pe);
    free(kept);
}

const struct tree_layout *tree_layout_get(const struct tree_prepared *shared, size_t source,
                                          uint32_t root, uint32_t most)
{
    struct tree_prepared *prepared =
        (struct tree_prepared *)shared; /* its own lock guards */
    pthread_mutex_lock(&prepared->mutex);
    struct kept *kept = prepared->layouts;
    while (kept && !(kept->source == source && kept->root == root && kept->most == most))
        kept = kept->next;
    if (!kept) {
        kept = weft_zalloc(1, sizeof *kept);
        kept->source = source;
        kept->root = root;
        kept->most = most;
        kept->layout.layout = weft_tree_lay_out(prepared->trees[source], root, most);
        count_nodes(&kept->layout);
        kept->next = prepared->layouts;
        prepared->layouts = kept;
        prepared->n_layouts++;
    }
    kept->users++;
    kept->used = ++prepared->clock;
    make_room(prepared);
    pthread_mutex_unlock(&prepared->mutex);
    return &kept->layout;
}

void tree_layout_release(const struct tree_prepared *shared,
                         const struct tree_layout *layout)
{
    struct tree_prepared *prepared = (struct tree_prepared *)shared;
    struct kept *kept = (struct kept *)layout;
    if (!layout)
        return;
    pthread_mutex_lock(&prepared->mutex);
    kept->users--;
    pthread_mutex_unlock(&prepared->mutex);
}

static int by_from(const void *a, const void *b)
{
    const struct weft_tree_edge *x = a, *y = b;
    return x->from != y->from ? x->from < y->from ? -1 : 1
                              : (x->to > y->to) - (x->to < y->to);
}

const struct weft_tree_edge *tree_prepared_edges(const struct tree_prepared *shared,
                                                 size_t *n)
{
    struct tree_prepared *prepared = (struct tree_prepared *)shared;
    pthread_mutex_lock(&prepared->mutex);
    if (!prepared->edges) {
        prepared->edges =
            weft_tree_edges(prepared->trees[0], prepared->sources[0], &prepared->n_edges);
        qsort(prepared->edges, prepared->n_edges, sizeof *prepared->edges, by_from);
    }
    pthread_mutex_unlock(&prepared->mutex);
    *n = prepared->n_edges;
    return prepared->edges;
}

const uint32_t *tree_prepared_match(const struct tree_prepared *shared)
{
    struct tree_prepared *prepared = (struct tree_prepared *)shared;
    pthread_mutex_lock(&prepared->mutex);
    if (!prepared->match && prepared->n_trees > 1)
        prepared->match = weft_tree_match(prepared->trees[0], prepared->trees[1]);
    pthread_mutex_unlock(&prepared->mutex);
    return prepared->match;
}

uint32_t tree_node_named(const struct weft_tree *tree, const char *parameter,
                         const char *text, struct weft_err *err)
{
    char *end, *second;
    uint32_t node = WEFT_NONE;
    if (!*text)
        return 0;
    if (strncmp(text, "record:", 7) == 0) {
        unsigned long long record = strtoull(text + 7, &end, 10);
        node = *end || !text[7] ? WEFT_NONE : weft_tree_find_record(tree, record);
    } else {
        unsigned long long number = strtoull(text, &end, 10);
        if (end > text && *end == ':' && number < tree->n_pes) {
            unsigned long long index = strtoull(end + 1, &second, 10);
            if (!*second && second > end + 1)
                node = weft_tree_find_index(tree, (uint32_t)number, index);
        } else if (end > text && !*end) {
            node = weft_tree_find(tree, number);
        }
    }
    if (node == WEFT_NONE)
        weft_fail(err, WEFT_ERR_USAGE,
                  "%s=%s: the tree has no such node (right: record:NUMBER, PE:INDEX, or "
                  "the id that a mark carries)",
                  parameter, text);
    return node;
}
