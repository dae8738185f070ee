/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs the nodes of two trees of one program. Two runs create the same children in
 * different orders, so the hash of a subtree is that of its procedure and clause plus the
 * mixed hashes of its children: a sum does not depend on their order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/radix_sort.h"
#include "domains/trees/model/tree.h"

struct tree_hashes {
    const struct weft_tree *tree;
    uint64_t *of_node;
    uint64_t *of_label;
};

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014): each bit depends on all. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Ends early when the job is cancelled; the caller checks. */
static void hash_tree(struct tree_hashes *h, const struct weft_tree *tree,
                      const struct weft_job *job)
{
    enum { STEP = 1 << 16 }; /* nodes between two looks at the job: about a millisecond */
    h->tree = tree;
    h->of_label = weft_alloc((tree->n_labels + 1) * sizeof *h->of_label);
    h->of_node = weft_alloc((tree->n + 1) * sizeof *h->of_node);
    for (uint32_t l = 0; l < tree->n_labels; l++)
        h->of_label[l] = mix(weft_hash(tree->labels[l].name, strlen(tree->labels[l].name))
                             + tree->labels[l].clause);
    for (uint32_t i = 0; i < tree->n; i++)
        h->of_node[i] = h->of_label[tree->label[i]];
    /*
     * Children have higher numbers than parents, so going backwards a node's hash is
     * complete when it is added to its parent's. The constant (2^64 divided by the golden
     * ratio) keeps a child's share apart from the hash of a label, which is mixed too.
     */
    for (uint32_t i = tree->n; i-- > 1 && (i % STEP || !weft_job_cancelled(job));)
        h->of_node[tree->parent[i]] += mix(h->of_node[i] ^ 0x9e3779b97f4a7c15u);
}

static void free_hashed(struct tree_hashes *h)
{
    free(h->of_node);
    free(h->of_label);
}

struct family {
    struct weft_sort_item *items; /* key: the hash; payload: the node */
    size_t capacity, n;
};

static void list_family(struct family *family, const struct tree_hashes *h, uint32_t parent,
                        const uint64_t *keys, bool by_label, const bool *taken)
{
    const struct weft_tree *tree = h->tree;
    uint32_t begin = tree->first_child[parent], end = tree->first_child[parent + 1];
    family->items =
        weft_grow(family->items, &family->capacity, end - begin + 1, sizeof *family->items);
    family->n = 0;
    for (uint32_t c = begin; c < end; c++)
        if (!taken || !taken[c - begin])
            family->items[family->n++] =
                (struct weft_sort_item){ by_label ? keys[tree->label[c]] : keys[c], c };
    if (family->n > 1)
        weft_sort(family->items, family->n);
}

struct child_matching {
    struct tree_hashes a, b;
    struct family from, to;
    bool *taken_a, *taken_b;
    size_t capacity_a, capacity_b;
    uint32_t *match;
};

static void pair_up(struct child_matching *m, uint32_t first_a, uint32_t first_b)
{
    for (size_t i = 0, j = 0; i < m->from.n && j < m->to.n;) {
        uint64_t x = m->from.items[i].key, y = m->to.items[j].key;
        if (x == y) {
            uint32_t a = (uint32_t)m->from.items[i++].payload;
            uint32_t b = (uint32_t)m->to.items[j++].payload;
            m->match[a] = b;
            m->taken_a[a - first_a] = m->taken_b[b - first_b] = true;
        } else if (x < y) {
            i++;
        } else {
            j++;
        }
    }
}

static bool *no_marks(bool *marks, size_t *capacity, size_t n)
{
    marks = weft_grow(marks, capacity, n + 1, sizeof *marks);
    memset(marks, 0, n * sizeof *marks);
    return marks;
}

static void match_children(struct child_matching *m, uint32_t a, uint32_t b)
{
    const struct weft_tree *x = m->a.tree, *y = m->b.tree;
    uint32_t first_a = x->first_child[a], n_a = x->first_child[a + 1] - first_a;
    uint32_t first_b = y->first_child[b], n_b = y->first_child[b + 1] - first_b;
    if (!n_a || !n_b)
        return;
    m->taken_a = no_marks(m->taken_a, &m->capacity_a, n_a);
    m->taken_b = no_marks(m->taken_b, &m->capacity_b, n_b);
    list_family(&m->from, &m->a, a, m->a.of_node, false, NULL);
    list_family(&m->to, &m->b, b, m->b.of_node, false, NULL);
    pair_up(m, first_a, first_b);
    /* A child whose subtree differs may still be the same goal: pair the rest by label. */
    list_family(&m->from, &m->a, a, m->a.of_label, true, m->taken_a);
    list_family(&m->to, &m->b, b, m->b.of_label, true, m->taken_b);
    pair_up(m, first_a, first_b);
}

uint32_t *weft_tree_match(const struct weft_tree *a, const struct weft_tree *b,
                          struct weft_job *job, struct weft_err *err)
{
    enum { STEP = 4096 }; /* nodes between two looks at the job: below a millisecond */
    struct child_matching m = { 0 };
    if (!weft_job_step(job, 0, a->n, err))
        return NULL;
    hash_tree(&m.a, a, job);
    hash_tree(&m.b, b, job);
    m.match = weft_alloc((a->n + 1) * sizeof *m.match);
    memset(m.match, 0xff, (a->n + 1) * sizeof *m.match);
    if (m.a.of_label[a->label[0]] == m.b.of_label[b->label[0]])
        m.match[0] = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < a->n; i++) {
        if (m.match[i] != WEFT_NONE)
            match_children(&m, i, m.match[i]);
        ok = i % STEP || weft_job_step(job, i, a->n, err);
    }
    free_hashed(&m.a);
    free_hashed(&m.b);
    free(m.from.items);
    free(m.to.items);
    free(m.taken_a);
    free(m.taken_b);
    if (!ok) {
        free(m.match);
        m.match = NULL;
    }
    return m.match;
}
