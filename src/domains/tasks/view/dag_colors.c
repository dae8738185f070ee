/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of the colours of a DAG's nodes, and the titles of nodes. */
#include <string.h>

#include "domains/tasks/view/dag_picture_priv.h"
#include "store/time.h"

static struct weft_swatch nothing(const struct dag_picture *p)
{
    const struct weft_theme *theme = p->request->theme;
    bool mono = theme->name == WEFT_THEME_MONO;
    return (struct weft_swatch){ .fill = mono ? theme->panel : theme->quiet,
                                 .tone = theme->quiet,
                                 .ink = weft_ink(theme->quiet) };
}

static struct weft_swatch by_number(const struct dag_picture *p, const char *what,
                                    int32_t number, const char **label)
{
    if (number < 0) {
        *label = weft_arena_printf(p->arena, "several %ss", what);
        return nothing(p);
    }
    *label = p->color == DAG_BY_WORKER
                 ? weft_dag_worker_name(p->dag, p->schema, number, p->arena)
                 : weft_arena_printf(p->arena, "%s %d", what, number);
    return weft_number_swatch(p->request->theme, (uint32_t)number);
}

static struct weft_swatch by_place(const struct dag_picture *p,
                                   const struct weft_dag_node *node, const char **label)
{
    const struct weft_theme *theme = p->request->theme;
    *label = dag_place_label(p->schema, node, p->color, p->arena);
    if (!*label) {
        *label = p->color == DAG_BY_BOTH ? "places not known" : "place not known";
        return nothing(p);
    }
    uint32_t number = p->numbers ? dag_place_number(p->numbers, *label) : WEFT_NONE;
    return number == WEFT_NONE ? weft_name_swatch(theme, *label)
                               : weft_number_swatch(theme, number);
}

static struct weft_swatch find_swatch(const struct dag_picture *p,
                                      const struct weft_dag_node *node, const char **label)
{
    switch (p->color) {
    case DAG_BY_WORKER: return by_number(p, "worker", node->worker, label);
    case DAG_BY_CPU: return by_number(p, "CPU", node->cpu, label);
    case DAG_BY_KIND:
        *label = weft_dag_kind_text(node->kind);
        return weft_number_swatch(p->request->theme, node->kind);
    case DAG_BY_BEGIN:
    case DAG_BY_END:
    case DAG_BY_BOTH: break;
    }
    return by_place(p, node, label);
}

/* The key on which a node's colour depends; labels are made once for each. */
static uint64_t class_of(const struct dag_picture *p, const struct weft_dag_node *node)
{
    switch (p->color) {
    case DAG_BY_WORKER: return (uint32_t)node->worker;
    case DAG_BY_CPU: return (uint32_t)node->cpu;
    case DAG_BY_KIND: return node->kind;
    case DAG_BY_BEGIN: return node->begin_site;
    case DAG_BY_END: return node->end_site;
    case DAG_BY_BOTH: break;
    }
    return (uint64_t)node->begin_site << 32 | node->end_site;
}

uint32_t dag_legend_number(const struct dag_picture *p, const struct weft_dag_node *node)
{
    switch (p->color) {
    case DAG_BY_WORKER: return (uint32_t)(node->worker + 1);
    case DAG_BY_CPU: return (uint32_t)(node->cpu + 1);
    case DAG_BY_KIND: return (uint32_t)node->kind + 1;
    case DAG_BY_BEGIN:
    case DAG_BY_END:
    case DAG_BY_BOTH: break;
    }
    return 0;
}

enum { MEMO = 64 }; /* slots of each kind; a new entry replaces the old one */

struct dag_memo {
    struct {
        uint32_t site;
        bool known;
        const char *text;
    } sites[MEMO];
    struct {
        uint64_t class;
        bool known;
        struct weft_swatch swatch;
        const char *label;
    } classes[MEMO];
};

struct dag_memo *dag_memo_new(struct weft_arena *arena)
{
    return weft_arena_zalloc(arena, 1, sizeof(struct dag_memo));
}

struct weft_swatch dag_swatch(const struct dag_picture *p, const struct weft_dag_node *node,
                              const char **label)
{
    if (weft_dag_is_lost(node)) {
        const struct weft_theme *theme = p->request->theme;
        *label = "damaged";
        return (struct weft_swatch){ .fill = theme->panel,
                                     .tone = theme->panel,
                                     .ink = theme->text,
                                     .hatch = WEFT_HATCH_CROSS };
    }
    if (!p->memo)
        return find_swatch(p, node, label);
    uint64_t class = class_of(p, node);
    size_t i = (class ^ class >> 32) % MEMO;
    if (!p->memo->classes[i].known || p->memo->classes[i].class != class) {
        p->memo->classes[i].swatch = find_swatch(p, node, &p->memo->classes[i].label);
        p->memo->classes[i].class = class;
        p->memo->classes[i].known = true;
    }
    *label = p->memo->classes[i].label;
    return p->memo->classes[i].swatch;
}

static const char *site_text(const struct dag_picture *p, uint32_t site)
{
    if (!p->memo)
        return weft_dag_site_text(p->schema, site, p->arena);
    size_t i = site % MEMO;
    if (!p->memo->sites[i].known || p->memo->sites[i].site != site) {
        p->memo->sites[i].text = weft_dag_site_text(p->schema, site, p->arena);
        p->memo->sites[i].site = site;
        p->memo->sites[i].known = true;
    }
    return p->memo->sites[i].text;
}

/* Removes entries that were merged into others. */
static size_t without_repeated(struct weft_legend_entry *list, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i].weight > 0)
            list[kept++] = list[i];
    return kept;
}

size_t dag_legend(struct dag_picture *p, struct weft_legend_entry **out)
{
    enum { MAX_CLASSES = 64 };
    uint64_t classes[MAX_CLASSES];
    size_t n = 0;
    *out = weft_arena_zalloc(p->arena, MAX_CLASSES, sizeof **out);
    for (size_t i = 0; i < p->n_places; i++) {
        struct weft_dag_node all;
        size_t k = 0;
        if (p->places[i].entered)
            continue;
        weft_dag_node(p->dag, p->places[i].child.node, &all);
        if (weft_dag_is_lost(&all)) /* the legend has an entry for damage */
            continue;
        uint64_t class = class_of(p, &all);
        while (k < n && classes[k] != class)
            k++;
        if (k == MAX_CLASSES)
            continue;
        if (k == n) {
            (*out)[n].swatch = dag_swatch(p, &all, &(*out)[n].label);
            (*out)[n].share = -1;
            (*out)[n].number = dag_legend_number(p, &all);
            classes[n++] = class;
        }
        /*
         * Several addresses may be the same place, which then has the entry of the first.
         */
        for (size_t first = 0; first < k; first++)
            if ((*out)[first].number == (*out)[k].number
                && strcmp((*out)[first].label, (*out)[k].label) == 0)
                k = first;
        (*out)[k].weight++;
    }
    return without_repeated(*out, n);
}

const char *dag_title(const struct dag_picture *p, uint32_t node,
                      const struct weft_dag_node *all)
{
    char work[WEFT_TIME_TEXT];
    if (weft_dag_is_lost(all))
        return weft_arena_printf(p->arena, "damaged: node %u cannot be read", node);
    const char *worker = weft_dag_worker_name(p->dag, p->schema, all->worker, p->arena);
    const char *from = site_text(p, all->begin_site);
    const char *to = site_text(p, all->end_site);
    return weft_arena_printf(
        p->arena, "%s %u%s%s · work %s%s%s%s%s", weft_dag_kind_text(all->kind), node,
        worker ? " · " : "", worker ? worker : "",
        weft_duration_text(p->schema, all->work, work), from ? " · " : "", from ? from : "",
        to ? " – " : "", to ? to : "");
}
