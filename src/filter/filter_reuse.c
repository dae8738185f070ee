/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that are used again: containers that live one after the other share the rows of the
 * first, so that as many rows are enough as containers lived at once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "filter/filtered_source_priv.h"

/* A container that may share rows with others of its parent and type. */
struct sharer {
    uint32_t parent, type, container;
    int64_t begin, end;
};

static int by_begin(const void *a, const void *b)
{
    const struct sharer *x = a, *y = b;
    return WEFT_COMPARE(x->parent, y->parent) ?: WEFT_COMPARE(x->type, y->type)
           ?: WEFT_COMPARE(x->begin, y->begin) ?: WEFT_COMPARE(x->end, y->end)
           ?: WEFT_COMPARE(x->container, y->container);
}

/* A row, by its number, and when its last container ends; the earliest is on top. */
struct lane {
    int64_t end;
    uint32_t number;
};

static bool is_earlier(const struct lane *a, const struct lane *b)
{
    return a->end != b->end ? a->end < b->end : a->number < b->number;
}

static void sink(struct lane *heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && is_earlier(&heap[child + 1], &heap[child]);
        if (!is_earlier(&heap[child], &heap[i]))
            return;
        struct lane swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

static void rise(struct lane *heap, size_t i)
{
    for (; i && is_earlier(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) {
        struct lane swap = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = swap;
    }
}

/*
 * Gives each of N sharers, in order of begin, the row that has been free for longest, else
 * a new one.
 */
static void share_rows(const struct sharer *list, size_t n, uint32_t *lane_of,
                       uint32_t *lane_next)
{
    struct lane *heap = weft_alloc((n + 1) * sizeof *heap);
    uint32_t *last = weft_alloc((n + 1) * sizeof *last); /* by row: its latest container */
    size_t n_rows = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = list[i].container;
        /* A container without length would let the next one begin with it. */
        int64_t end = list[i].end > list[i].begin ? list[i].end : list[i].begin + 1;
        if (n_rows && heap[0].end <= list[i].begin) {
            lane_of[c] = lane_of[last[heap[0].number]];
            lane_next[last[heap[0].number]] = c;
            last[heap[0].number] = c;
            heap[0].end = end;
            sink(heap, n_rows, 0);
            continue;
        }
        heap[n_rows] = (struct lane){ end, (uint32_t)n_rows };
        last[n_rows] = c;
        rise(heap, n_rows++);
    }
    free(last);
    free(heap);
}

void filter_reuse_rows(struct filtered *f)
{
    const struct weft_schema *schema = &f->schema;
    uint32_t n = schema->n_containers;
    uint32_t *lane_of = weft_arena_alloc(&f->arena, (n + 1) * sizeof *lane_of);
    uint32_t *lane_next = weft_arena_alloc(&f->arena, (n + 1) * sizeof *lane_next);
    struct sharer *list = weft_alloc((n + 1) * sizeof *list);
    size_t n_list = 0;
    for (uint32_t c = 0; c < n; c++) {
        const struct weft_container *of = &f->containers[c];
        lane_of[c] = c;
        lane_next[c] = WEFT_NONE;
        if (c && !f->gone[c] && of->first_child == WEFT_NONE)
            list[n_list++] = (struct sharer){ of->parent, of->type, c, of->begin, of->end };
    }
    qsort(list, n_list, sizeof *list, by_begin);
    for (size_t i = 0; i < n_list;) {
        size_t begin = i;
        while (i < n_list && list[i].parent == list[begin].parent
               && list[i].type == list[begin].type)
            i++;
        share_rows(list + begin, i - begin, lane_of, lane_next);
    }
    free(list);
    f->schema.lane_of = lane_of;
    f->schema.lane_next = lane_next;
}
