/* SPDX-License-Identifier: Apache-2.0 */
#include "view/timeline/flame_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash_map.h"
#include "store/time.h"

struct maker {
    struct flame_tree *tree;
    struct weft_text_map names; /* name: its number */
    struct weft_id_map edges;   /* parent and number of the name: the child */
};

static uint32_t add_node(struct flame_tree *tree, uint32_t parent, const char *name,
                         size_t size)
{
    uint32_t depth = parent == WEFT_NONE ? 0 : tree->nodes[parent].depth + 1;

    tree->nodes = weft_grow(tree->nodes, &tree->capacity, tree->n + 1, sizeof *tree->nodes);
    tree->nodes[tree->n] = (struct flame_node){ .name = name,
                                                .size = size,
                                                .parent = parent,
                                                .child = WEFT_NONE,
                                                .next = WEFT_NONE,
                                                .depth = depth };
    if (depth > tree->levels)
        tree->levels = depth;
    return (uint32_t)tree->n++;
}

static uint32_t find_child(struct maker *maker, uint32_t parent, const char *name,
                           size_t size)
{
    uint32_t number = weft_text_map_get(&maker->names, name, size), child;
    uint64_t key;

    if (number == WEFT_MAP_NONE) {
        number = (uint32_t)maker->names.count;
        weft_text_map_put(&maker->names, name, size, number);
    }
    key = (uint64_t)parent << 32 | number;
    child = weft_id_map_get(&maker->edges, key);
    if (child == WEFT_MAP_NONE) {
        child = add_node(maker->tree, parent, name, size);
        weft_id_map_put(&maker->edges, key, child);
    }
    return child;
}

/* Returns the stack from the function FOCUS on; NULL if it is not in it. */
static const char *from_focus(const char *text, const char *focus)
{
    size_t length = strlen(focus), size;
    const char *name, *at = text;

    if (length == 0)
        return text;
    while ((name = weft_profile_name(&at, &size)))
        if (size == length && memcmp(name, focus, size) == 0)
            return name;
    return NULL;
}

static uint32_t add_call(struct maker *maker, uint32_t parent, const char *name,
                         size_t size, int64_t ticks)
{
    uint32_t node = find_child(maker, parent, name, size);
    int64_t *total = &maker->tree->nodes[node].total;

    *total = weft_ticks_add(*total, ticks);
    return node;
}

/* CALLED: a function that the innermost one of the stack called; NULL: none. */
static void add_stack(struct maker *maker, const char *text, const char *called,
                      int64_t ticks)
{
    struct flame_tree *tree = maker->tree;
    uint32_t node = 0;
    const char *name;
    size_t size;

    tree->nodes[0].total = weft_ticks_add(tree->nodes[0].total, ticks);
    while ((name = weft_profile_name(&text, &size)))
        node = add_call(maker, node, name, size, ticks);
    if (called)
        node = add_call(maker, node, called, strlen(called), ticks);
    tree->nodes[node].self = weft_ticks_add(tree->nodes[node].self, ticks);
}

/* Returns the function of the place of a wait, of which no more is known; or NULL. */
static const char *function_of(const struct weft_schema *schema,
                               const struct weft_profile_stack *stack)
{
    if (stack->text != WEFT_NONE || stack->site == WEFT_NONE
        || !schema->sites[stack->site].function[0])
        return NULL;
    return schema->sites[stack->site].function;
}

static int compare_nodes(const struct flame_node *x, const struct flame_node *y)
{
    size_t size = x->size < y->size ? x->size : y->size;

    return WEFT_COMPARE(x->parent, y->parent) ?: WEFT_COMPARE(y->total, x->total)
           ?: memcmp(x->name, y->name, size) ?: WEFT_COMPARE(x->size, y->size);
}

static int compare_places(const void *a, const void *b)
{
    return compare_nodes(*(const struct flame_node *const *)a,
                         *(const struct flame_node *const *)b);
}

/* Links each node's children, the greatest first. */
static void link_children(struct flame_tree *tree)
{
    struct flame_node **sorted = weft_alloc(tree->n * sizeof *sorted);

    for (size_t i = 0; i < tree->n; i++)
        sorted[i] = &tree->nodes[i];
    qsort(sorted, tree->n, sizeof *sorted, compare_places);
    for (size_t i = tree->n; i-- > 0;) { /* the last becomes the first */
        struct flame_node *node = sorted[i];
        if (node->parent == WEFT_NONE)
            continue;
        node->next = tree->nodes[node->parent].child;
        tree->nodes[node->parent].child = (uint32_t)(node - tree->nodes);
    }
    free(sorted);
}

void flame_tree_make(struct flame_tree *tree, const struct weft_schema *schema,
                     const struct weft_profile *profile, const char *focus)
{
    struct maker maker = { .tree = tree };

    *tree = (struct flame_tree){ 0 };
    (void)add_node(tree, WEFT_NONE, "all", 3);
    for (size_t i = 0; i < profile->n_stacks; i++) {
        const struct weft_profile_stack *stack = &profile->stacks[i];
        const char *text =
            stack->text == WEFT_NONE ? "[unknown]" : schema->strings[stack->text];
        const char *function = function_of(schema, stack);
        if (function && from_focus(function, focus) && !from_focus(text, focus))
            add_stack(&maker, function, NULL, stack->ticks);
        else if ((text = from_focus(text, focus)))
            add_stack(&maker, text, function, stack->ticks);
    }
    link_children(tree);
    weft_text_map_free(&maker.names);
    weft_id_map_free(&maker.edges);
}

void flame_tree_free(struct flame_tree *tree)
{
    free(tree->nodes);
    *tree = (struct flame_tree){ 0 };
}

uint32_t flame_tree_skip(const struct flame_tree *tree, uint32_t node)
{
    while (node != WEFT_NONE && tree->nodes[node].next == WEFT_NONE)
        node = tree->nodes[node].parent;
    return node == WEFT_NONE ? WEFT_NONE : tree->nodes[node].next;
}

uint32_t flame_tree_next(const struct flame_tree *tree, uint32_t node)
{
    return tree->nodes[node].child != WEFT_NONE ? tree->nodes[node].child
                                                : flame_tree_skip(tree, node);
}
