/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/filter/chain_model.h"

#include <stdarg.h>

#include "tests/random.h"

/* ---- The trace ---- */

enum { HOST, THREAD, CALLS, PHASES, MARKS, LOAD, MESSAGES, N_TYPES };

struct making {
    struct weft_builder *b;
    uint32_t types[N_TYPES];
    uint32_t values[MODEL_VALUES]; /* 6 of calls, 24 of phases, 3 of marks, 2 of messages */
    uint32_t size;
    int threads[16];
    int n_threads;
};

static void add_calls(struct making *k, uint32_t c)
{
    uint32_t track = weft_builder_track(k->b, c, k->types[CALLS]);
    unsigned depth = 0;
    for (int64_t t = 0; t < MODEL_SPAN; t += (int64_t)roll(5)) {
        if (depth < 4 && roll(2)) {
            (void)weft_builder_push(k->b, track, t, k->values[roll(6)], NULL, 0, NULL);
            depth++;
        } else if (depth) {
            (void)weft_builder_pop(k->b, track, t, NULL);
            depth--;
        }
    }
}

static void add_row(struct making *k, uint32_t c)
{
    if (roll(5))
        add_calls(k, c);
    uint32_t track = weft_builder_track(k->b, c, k->types[PHASES]);
    for (int64_t t = (int64_t)roll(9); t < MODEL_SPAN; t += 1 + (int64_t)roll(9))
        if (roll(4))
            (void)weft_builder_set(k->b, track, t, k->values[6 + roll(roll(2) ? 4 : 24)],
                                   NULL, 0, NULL);
        else
            (void)weft_builder_reset(k->b, track, t);
    track = weft_builder_track(k->b, c, k->types[MARKS]);
    for (int64_t t = 0; t < MODEL_SPAN; t += 1 + (int64_t)roll(9))
        (void)weft_builder_event(
            k->b, track, t, roll(5) ? k->values[30 + roll(3)] : WEFT_NONE, NULL, 0, NULL);
    track = weft_builder_track(k->b, c, k->types[LOAD]);
    for (int64_t t = (int64_t)roll(20); t < MODEL_SPAN && roll(9);
         t += 1 + (int64_t)roll(20))
        (void)weft_builder_sample(k->b, track, t, (double)roll(20) - 5);
}

static void add_types(struct making *k)
{
    static const struct {
        enum weft_kind kind;
        const char *name;
        enum weft_role role;
        char letter;
        int n_values;
    } types[N_TYPES] = {
        { WEFT_CONTAINER, "Host", WEFT_ROLE_MACHINE, 0, 0 },
        { WEFT_CONTAINER, "Thread", WEFT_ROLE_THREAD, 0, 0 },
        { WEFT_STATE, "Calls", WEFT_ROLE_CALL, 'c', 6 },
        { WEFT_STATE, "Phases", WEFT_ROLE_ACTIVITY, 'p', 24 },
        { WEFT_EVENT, "Marks", WEFT_ROLE_NONE, 'm', 3 },
        { WEFT_VARIABLE, "load", WEFT_ROLE_NONE, 0, 0 },
        { WEFT_LINK, "Message", WEFT_ROLE_MESSAGE, 'w', 2 },
    };
    uint32_t n = 0;
    for (int t = 0; t < N_TYPES; t++) {
        uint32_t parent = t == HOST || t == MESSAGES ? 0
                          : t == THREAD              ? k->types[HOST]
                                                     : k->types[THREAD];
        k->types[t] =
            weft_builder_type(k->b, &(struct weft_type){ .kind = types[t].kind,
                                                         .parent = parent,
                                                         .name = types[t].name,
                                                         .role = types[t].role,
                                                         .start_type = k->types[THREAD],
                                                         .end_type = k->types[THREAD] });
        for (int v = 0; v < types[t].n_values; v++) {
            char name[16];
            snprintf(name, sizeof name, "%c%d", types[t].letter, v);
            k->values[n++] = add_value(
                k->b, k->types[t], name,
                types[t].letter == 'p' && v % 3 == 0 ? WEFT_ROLE_RUNNING : WEFT_ROLE_NONE);
        }
    }
    k->size =
        add_field(k->b, k->types[MESSAGES], "size", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
}

static void add_messages(struct making *k)
{
    for (int i = 0; i < 60; i++) {
        struct weft_field_value field = { k->size, { .integer = (int64_t)roll(80) } };
        struct weft_link link = { .type = k->types[MESSAGES],
                                  .value = k->values[33 + roll(2)],
                                  .key = WEFT_NONE,
                                  .from =
                                      (uint32_t)k->threads[roll((uint64_t)k->n_threads)],
                                  .to = (uint32_t)k->threads[roll((uint64_t)k->n_threads)],
                                  .begin = (int64_t)roll(MODEL_SPAN),
                                  .end = (int64_t)roll(MODEL_SPAN),
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = WEFT_NO_ID };
        weft_builder_link(k->b, &link, &field, 1);
    }
}

/* ---- Its entities, as the store tells them ---- */

static struct entity *add(struct model *m, uint64_t id, enum weft_kind kind, uint32_t value)
{
    const struct weft_schema *schema = m->below->schema;
    assert_true(m->n < MODEL_ENTITIES);
    struct entity *e = &m->list[m->n++];
    *e = (struct entity){ .id = id,
                          .kind = kind,
                          .track = weft_entity_track(id),
                          .from = -1,
                          .to = -1,
                          .value = value == WEFT_NONE ? -1 : (int)value };
    e->node = (int)schema->tracks[e->track].container;
    return e;
}

static bool see_state(void *user, const struct weft_state *state)
{
    struct entity *e = add(user, state->id, WEFT_STATE, state->value);
    e->begin = state->begin;
    e->end = state->end;
    e->depth = state->depth;
    return true;
}

static bool see_event(void *user, const struct weft_event *event)
{
    struct entity *e = add(user, event->id, WEFT_EVENT, event->value);
    e->begin = e->end = event->time;
    return true;
}

static bool see_sample(void *user, const struct weft_sample *sample)
{
    struct entity *e = add(user, sample->id, WEFT_VARIABLE, WEFT_NONE);
    e->begin = sample->begin;
    e->end = sample->end;
    e->number = sample->value;
    return true;
}

static bool see_link(void *user, const struct weft_link *link)
{
    struct model *m = user;
    struct weft_field_value fields[4];
    struct entity *e = add(m, link->id, WEFT_LINK, link->value);
    e->begin = link->begin;
    e->end = link->end;
    e->from = (int)link->from;
    e->to = (int)link->to;
    if (m->below->ops->fields(m->below, link->id, fields, 4))
        e->bytes = fields[0].integer;
    return true;
}

static void read_all(struct model *m)
{
    const struct weft_source *s = m->below;
    const struct weft_schema *schema = s->schema;
    struct weft_span all = { -1, 2 * MODEL_SPAN };
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        switch (schema->types[schema->tracks[t].type].kind) {
        case WEFT_STATE: s->ops->states(s, t, all, see_state, m); break;
        case WEFT_EVENT: s->ops->events(s, t, all, see_event, m); break;
        case WEFT_VARIABLE: s->ops->samples(s, t, all, see_sample, m); break;
        case WEFT_LINK: s->ops->links(s, t, all, see_link, m); break;
        case WEFT_CONTAINER: break;
        }
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_container *of = &schema->containers[c];
        struct node *node = &m->nodes[m->n_nodes++];
        *node = (struct node){ .parent = of->parent == WEFT_NONE ? -1 : (int)of->parent,
                               .type = (int)of->type,
                               .begin = of->begin,
                               .end = of->end };
        snprintf(node->name, sizeof node->name, "%s", of->name);
    }
    m->n_below = m->n_nodes;
    for (uint32_t v = 0; v < schema->n_values; v++) {
        snprintf(m->value_names[v], sizeof m->value_names[v], "%s", schema->values[v].name);
        m->colors[v] = schema->values[v].color;
    }
}

void model_make(struct model *m)
{
    char path[] = "/tmp/weft-chain-test.XXXXXX";
    struct making k = { .b = small_store_begin(path) };
    memset(m, 0, sizeof *m);
    add_types(&k);
    uint32_t hosts[3];
    int n_hosts = 1 + (int)roll(3);
    for (int h = 0; h < n_hosts; h++) {
        char name[16];
        snprintf(name, sizeof name, "host %d", h);
        hosts[h] = weft_builder_container(k.b, k.types[HOST], 0, name, NULL, 0);
    }
    int n = 2 + (int)roll(7);
    for (int t = 0; t < n; t++) {
        char name[16];
        snprintf(name, sizeof name, "thread %d", t);
        uint32_t parent = k.n_threads && !roll(4)
                              ? (uint32_t)k.threads[roll((uint64_t)k.n_threads)]
                              : hosts[roll((uint64_t)n_hosts)];
        k.threads[k.n_threads++] = (int)weft_builder_container(
            k.b, k.types[THREAD], parent, name, NULL, (int64_t)roll(2) * (int64_t)roll(30));
    }
    for (int t = 0; t < n; t++)
        add_row(&k, (uint32_t)k.threads[t]);
    add_messages(&k);
    m->trace = small_store_end(k.b, path);
    m->below = weft_trace_source(m->trace);
    read_all(m);
}

void model_close(struct model *m)
{
    weft_trace_close(m->trace);
}

bool model_is_in(const struct model *m, int container, int node)
{
    for (; container >= 0; container = m->nodes[container].parent)
        if (container == node)
            return true;
    return false;
}

int model_innermost(const struct model *m, uint32_t track, int64_t time)
{
    int found = -1;
    for (size_t i = 0; i < m->n; i++) {
        const struct entity *e = &m->list[i];
        if (e->track == track && e->kind == WEFT_STATE && !e->hidden && e->begin <= time
            && time < e->end && (found < 0 || e->depth > m->list[found].depth))
            found = (int)i;
    }
    return found;
}

/* ---- Selections ---- */

enum op {
    IS_ROW,
    IS_IN,
    IS_VALUE,
    IS_STATE,
    IS_EVENT,
    IS_LINK,
    IS_LONG,
    IS_LATE,
    NOT,
    AND,
    OR
};

struct term {
    enum op op;
    int of, other;          /* a value, a number, or terms */
    bool rows[MODEL_NODES]; /* IS_ROW, IS_IN */
};

struct selection {
    struct term terms[MODEL_TERMS];
    int n;
    char text[1024];
};

WEFT_PRINTF(3, 4)
static void print(char *text, size_t size, const char *fmt, ...)
{
    va_list arguments;
    size_t n = strlen(text);
    va_start(arguments, fmt);
    vsnprintf(text + n, size - n, fmt, arguments);
    va_end(arguments);
}

/* Adds a random term without others in it, of rows if ROWS; returns its index. */
static int add_leaf(const struct model *m, struct selection *s, bool rows)
{
    int node = (int)roll((uint64_t)m->n_nodes);
    struct term *t = &s->terms[s->n];
    *t = (struct term){ .op = rows || !roll(4) ? (enum op)(IS_ROW + roll(2))
                                               : (enum op)(IS_VALUE + roll(6)) };
    switch (t->op) {
    case IS_ROW:
    case IS_IN:
        for (int c = 0; c < m->n_nodes; c++)
            t->rows[c] = t->op == IS_ROW
                             ? strcmp(m->nodes[c].name, m->nodes[node].name) == 0
                             : model_is_in(m, c, node);
        print(s->text, sizeof s->text, node ? "row %s \"%s\"" : "row %s \"#0\"",
              t->op == IS_ROW ? "=" : "in", m->nodes[node].name);
        if (!node && t->op == IS_ROW)
            for (int c = 0; c < m->n_nodes; c++)
                t->rows[c] = !c;
        break;
    case IS_VALUE:
        t->of = (int)roll(roll(3) ? 10 : 35);
        print(s->text, sizeof s->text, "value = \"%s\"", m->value_names[t->of]);
        break;
    case IS_STATE: print(s->text, sizeof s->text, "state"); break;
    case IS_EVENT: print(s->text, sizeof s->text, "event"); break;
    case IS_LINK: print(s->text, sizeof s->text, "link"); break;
    case IS_LONG:
        t->of = (int)roll(12);
        print(s->text, sizeof s->text, "duration > %dns", t->of);
        break;
    default:
        t->op = IS_LATE;
        t->of = (int)roll(MODEL_SPAN);
        print(s->text, sizeof s->text, "begin >= %dns", t->of);
        break;
    }
    return s->n++;
}

/* Adds a random expression; returns the index of its term. */
static int add_terms(const struct model *m, struct selection *s, bool rows, int depth)
{
    uint64_t kind = depth ? roll(4) : 0;
    if (kind < 2)
        return add_leaf(m, s, rows);
    print(s->text, sizeof s->text, kind == 2 ? "not (" : "(");
    int of = add_terms(m, s, rows, depth - 1), other = -1;
    enum op op = kind == 2 ? NOT : roll(2) ? AND : OR;
    if (op != NOT) {
        print(s->text, sizeof s->text, op == AND ? " and " : " or ");
        other = add_terms(m, s, rows, depth - 1);
    }
    print(s->text, sizeof s->text, ")");
    s->terms[s->n] = (struct term){ .op = op, .of = of, .other = other };
    return s->n++;
}

static bool row_is(const struct selection *s, int i, int c)
{
    const struct term *t = &s->terms[i];
    switch (t->op) {
    case NOT: return !row_is(s, t->of, c);
    case AND: return row_is(s, t->of, c) && row_is(s, t->other, c);
    case OR: return row_is(s, t->of, c) || row_is(s, t->other, c);
    default: return t->rows[c];
    }
}

static bool holds(const struct selection *s, int i, const struct entity *e)
{
    const struct term *t = &s->terms[i];
    switch (t->op) {
    case IS_ROW:
    case IS_IN:
        return e->kind == WEFT_LINK ? t->rows[e->from] || t->rows[e->to] : t->rows[e->node];
    case IS_VALUE: return e->value == t->of;
    case IS_STATE: return e->kind == WEFT_STATE;
    case IS_EVENT: return e->kind == WEFT_EVENT;
    case IS_LINK: return e->kind == WEFT_LINK;
    case IS_LONG: return e->end - e->begin > t->of;
    case IS_LATE: return e->begin >= t->of;
    case NOT: return !holds(s, t->of, e);
    case AND: return holds(s, t->of, e) && holds(s, t->other, e);
    case OR: return holds(s, t->of, e) || holds(s, t->other, e);
    }
    return false;
}

static bool of_rows_alone(const struct selection *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->terms[i].op >= IS_VALUE && s->terms[i].op <= IS_LATE)
            return false;
    return true;
}

/* ---- Lines ---- */

static bool has_shown_child(const struct model *m, int c)
{
    for (int child = 1; child < m->n_nodes; child++)
        if (m->nodes[child].parent == c && !m->nodes[child].gone)
            return true;
    return false;
}

/* Hides ROWS, but none with a shown row below; groups without members go, too. */
static void hide_rows(struct model *m, const bool *rows)
{
    bool any = true;
    while (any) {
        any = false;
        for (int c = 1; c < m->n_nodes; c++)
            if (!m->nodes[c].gone && (rows[c] || c >= m->n_below) && !has_shown_child(m, c))
                any = m->nodes[c].gone = true;
    }
}

static void hide_or_dim(struct model *m, bool hide)
{
    struct selection s = { .n = 0 };
    int root = add_terms(m, &s, !roll(3), 2);
    bool rows[MODEL_NODES] = { false }, alone = of_rows_alone(&s);
    print(m->chain, sizeof m->chain, "%s %s\n", hide ? "hide" : "dim", s.text);
    for (int c = 0; alone && c < m->n_nodes; c++)
        rows[c] = row_is(&s, root, c);
    for (size_t i = 0; i < m->n; i++) {
        struct entity *e = &m->list[i];
        bool is = !alone                 ? e->kind != WEFT_VARIABLE && holds(&s, root, e)
                  : e->kind == WEFT_LINK ? rows[e->from] || rows[e->to]
                                         : rows[e->node];
        if (hide)
            e->hidden |= is;
        else
            e->dimmed |= is;
    }
    for (uint32_t t = 0; !hide && t < m->below->schema->n_tracks; t++)
        m->dims_track[t] |= rows[m->below->schema->tracks[t].container];
    if (hide && alone)
        hide_rows(m, rows);
}

/* Returns a random row that is shown, but not the root. */
static int any_row(const struct model *m)
{
    for (int tries = 0; tries < 100; tries++) {
        int c = 1 + (int)roll((uint64_t)m->n_nodes - 1);
        if (!m->nodes[c].gone)
            return c;
    }
    return -1;
}

static int depth_of(const struct model *m, int c)
{
    return c ? 1 + depth_of(m, m->nodes[c].parent) : 0;
}

static int new_group(struct model *m, const char *name, const bool *members)
{
    int group = m->n_nodes++, parent = -1;
    assert_true(m->n_nodes < MODEL_NODES);
    for (int c = 1; c < group; c++)
        if (members[c]) {
            if (parent < 0)
                parent = m->nodes[c].parent;
            while (!model_is_in(m, m->nodes[c].parent, parent))
                parent = m->nodes[parent].parent;
        }
    m->nodes[group] = (struct node){ .parent = parent, .type = -1 };
    snprintf(m->nodes[group].name, sizeof m->nodes[group].name, "%s", name);
    for (int c = 1; c < group; c++)
        if (members[c])
            m->nodes[c].parent = group;
    return group;
}

static void group_by_hand(struct model *m)
{
    bool members[MODEL_NODES] = { false };
    char name[24], rows[256] = "";
    for (int i = 0; i < 3; i++) {
        int c = any_row(m);
        if (c < 0)
            return;
        members[c] = true;
        print(rows, sizeof rows, "%s\"%s\"", i ? ", " : "", m->nodes[c].name);
    }
    bool outer[MODEL_NODES];
    for (int c = 0; c < m->n_nodes; c++) {
        outer[c] = members[c];
        for (int p = c ? m->nodes[c].parent : -1; p >= 0; p = m->nodes[p].parent)
            outer[c] &= !members[p];
    }
    snprintf(name, sizeof name, "group %d", m->n_nodes);
    print(m->chain, sizeof m->chain, "group %s = %s\n", name, rows);
    new_group(m, name, outer);
}

static void group_by_number(struct model *m)
{
    bool members[2][MODEL_NODES] = { { false } }, any = false;
    for (int c = 1; c < m->n_nodes; c++) {
        int number;
        if (m->nodes[c].gone || sscanf(m->nodes[c].name, "thread %d", &number) != 1
            || strchr(m->nodes[c].name, '-') || number > 5)
            continue;
        any = members[number / 3][c] = true;
    }
    if (!any)
        return;
    print(m->chain, sizeof m->chain, "group thread 0-5 by 3\n");
    for (int g = 0; g < 2; g++) {
        bool some = false;
        for (int c = 0; c < m->n_nodes; c++)
            some |= members[g][c];
        if (some)
            new_group(m, g ? "thread 3-5" : "thread 0-2", members[g]);
    }
}

static void group_by_depth(struct model *m)
{
    int depths[MODEL_NODES], depth = 1 + (int)roll(2), above[MODEL_NODES];
    bool any = false;
    for (int c = 0; c < m->n_nodes; c++) {
        depths[c] = depth_of(m, c);
        any |= !m->nodes[c].gone && depths[c] > depth;
        above[c] = c;
        while (depth_of(m, above[c]) > depth)
            above[c] = m->nodes[above[c]].parent;
    }
    if (!any)
        return;
    print(m->chain, sizeof m->chain, "group by depth %d\n", depth);
    for (int c = 0; c < m->n_nodes; c++)
        if (depths[c] > depth && !m->nodes[c].gone)
            m->nodes[c].parent = above[c];
}

static void move_row(struct model *m)
{
    int what = any_row(m), under = any_row(m);
    if (what < 0 || model_is_in(m, under, what))
        return;
    print(m->chain, sizeof m->chain, "move \"%s\" under \"%s\"\n", m->nodes[what].name,
          m->nodes[under].name);
    m->nodes[what].parent = under;
}

static void reduce(struct model *m)
{
    enum { P1 = 7, C0 = 0 };
    static const char *const looks[] = { "", " as bars", " as shades", " as shades of " };
    const struct weft_value *values = m->below->schema->values;
    struct node like = { .reduced = true, .sums = roll(2) };
    uint64_t look = roll(4), how = roll(3);
    int depth = 1 + (int)roll(2), row = any_row(m);
    bool any = false, rows[MODEL_NODES];
    like.shades = look >= 2;
    for (uint32_t v = 0; v < m->below->schema->n_values; v++)
        like.active[v] =
            look == 3 ? v == P1 || v == C0 : values[v].role == WEFT_ROLE_RUNNING;
    for (int c = 0; c < m->n_nodes; c++) {
        rows[c] = !m->nodes[c].gone
                  && (how == 0   ? c == row
                      : how == 1 ? c >= m->n_below
                                 : depth_of(m, c) == depth);
        any |= rows[c];
    }
    if (!any)
        return;
    print(m->chain, sizeof m->chain, "reduce ");
    if (how == 0)
        print(m->chain, sizeof m->chain, "\"%s\"", m->nodes[row].name);
    else if (how == 1)
        print(m->chain, sizeof m->chain, "groups");
    else
        print(m->chain, sizeof m->chain, "depth %d", depth);
    print(m->chain, sizeof m->chain, "%s", looks[look]);
    if (look == 3)
        print(m->chain, sizeof m->chain, "\"%s\" or \"%s\"", m->value_names[P1],
              m->value_names[C0]);
    print(m->chain, sizeof m->chain, "%s\n", like.sums ? " with sums" : "");
    for (int c = 0; c < m->n_nodes; c++)
        if (rows[c]) {
            m->nodes[c].reduced = true;
            m->nodes[c].shades = like.shades;
            m->nodes[c].sums = like.sums;
            memcpy(m->nodes[c].active, like.active, sizeof like.active);
        }
}

static void change_looks(struct model *m)
{
    int v = (int)roll(35), row = any_row(m);
    const char *name = m->below->schema->values[v].name;
    switch (roll(4)) {
    case 0:
        print(m->chain, sizeof m->chain, "color %s = #0000%02x\n", name, v);
        m->colors[v] = 0xff000000 + (uint32_t)v;
        break;
    case 1:
        print(m->chain, sizeof m->chain, "shape %s = cross\n", name);
        m->shapes[v] = WEFT_SHAPE_CROSS;
        break;
    case 2:
        print(m->chain, sizeof m->chain, "name %s = \"new %d\"\n", name, v);
        snprintf(m->value_names[v], sizeof m->value_names[v], "new %d", v);
        break;
    default:
        if (row < 0)
            return;
        print(m->chain, sizeof m->chain, "height \"%s\" = %d\n", m->nodes[row].name,
              10 + v);
        m->nodes[row].height = 10 + v;
    }
}

void model_filter(struct model *m)
{
    bool numbered = false;
    for (unsigned n = 1 + (unsigned)roll(MODEL_LINES); n--;)
        switch (roll(12)) {
        case 0:
        case 1:
        case 2: hide_or_dim(m, true); break;
        case 3:
        case 4: hide_or_dim(m, false); break;
        case 5: group_by_hand(m); break;
        case 6:
            if (!numbered)
                group_by_number(m);
            numbered = true;
            break;
        case 7: group_by_depth(m); break;
        case 8: move_row(m); break;
        case 9: reduce(m); break;
        case 10: change_looks(m); break;
        default: print(m->chain, sizeof m->chain, "reuse\n"); m->reuses = true;
        }
    for (size_t i = 0; i < m->n; i++) {
        struct entity *e = &m->list[i];
        e->hidden |= e->kind == WEFT_LINK ? m->nodes[e->from].gone || m->nodes[e->to].gone
                                          : m->nodes[e->node].gone;
    }
}
