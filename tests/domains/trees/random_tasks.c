/* SPDX-License-Identifier: Apache-2.0 */
#include "random_tasks.h"

#include "tests/random.h"
#include "tests/small_store.h"
enum { MAX_TIME = 400, VALUES = 3, LINK_TYPES = 7 };

static const enum weft_role link_roles[LINK_TYPES] = {
    WEFT_ROLE_NONE,    WEFT_ROLE_SPAWN,   WEFT_ROLE_DATA_DEPENDENCE,   WEFT_ROLE_END,
    WEFT_ROLE_MESSAGE, WEFT_ROLE_WAKE_UP, WEFT_ROLE_WAIT_CONTINUATION,
};

struct task_maker {
    struct made_tasks *made;
    struct weft_builder *b;
    uint32_t values[VALUES], links[LINK_TYPES];
    uint32_t number, parent;
    uint32_t tracks[MAX_ROWS];
    int64_t time;
    int open[MAX_ROWS][MAX_PIECES], n_open[MAX_ROWS]; /* pieces */
    uint64_t n_states[MAX_ROWS];
};

static uint32_t type(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                     enum weft_role role)
{
    return add_type(b, kind, parent, "x", role);
}

static void define(struct task_maker *m)
{
    struct weft_builder *b = m->b;
    uint32_t thread = type(b, WEFT_CONTAINER, 0, WEFT_ROLE_THREAD);
    uint32_t tasks = type(b, WEFT_STATE, thread, WEFT_ROLE_TASK);
    for (uint32_t v = 0; v < VALUES; v++) {
        char name[2] = { (char)('a' + v) };
        m->values[v] = weft_builder_value(b, tasks, name, NULL, 0);
    }
    for (int l = 0; l < LINK_TYPES; l++)
        m->links[l] = type(b, WEFT_LINK, 0, link_roles[l]);
    m->number = weft_builder_field(b, tasks, "id", WEFT_FIELD_INTEGER);
    m->parent = weft_builder_field(b, tasks, "of",
                                   m->made->parents_by_entity ? WEFT_FIELD_ENTITY
                                                              : WEFT_FIELD_INTEGER);
    weft_builder_field_role(b, m->number, WEFT_ROLE_NUMBER);
    weft_builder_field_role(b, m->parent,
                            m->made->parents_by_entity ? WEFT_ROLE_PARENT
                                                       : WEFT_ROLE_PARENT_NUMBER);
    for (uint32_t r = 0; r < m->made->n_rows; r++) {
        m->made->containers[r] = weft_builder_container(b, thread, 0, "t", NULL, 0);
        m->tracks[r] = weft_builder_track(b, m->made->containers[r], tasks);
    }
}

static struct weft_field_value parent_field(const struct task_maker *m,
                                            const struct made_task *task)
{
    const struct made_tasks *made = m->made;
    struct weft_field_value value = { .field = m->parent };
    bool lost = task->parent == -2;
    if (!made->parents_by_entity)
        value.integer = lost ? 999999 : made->tasks[task->parent].number;
    else
        value.entity = lost ? weft_entity_id(m->tracks[0], 99999)
                            : made->pieces[made->tasks[task->parent].first].building_id;
    return value;
}

static void begin_piece(struct task_maker *m, int index, uint32_t row)
{
    struct made_tasks *made = m->made;
    struct made_task *task = &made->tasks[index];
    int p = made->n_pieces++;
    struct made_piece *piece = &made->pieces[p];
    struct weft_field_value fields[2] = { { m->number, { .integer = task->number } } };
    size_t n = 1;
    if (task->parent != -1 && (!task->n_pieces || roll(2)))
        fields[n++] = parent_field(m, task);
    *piece = (struct made_piece){ index, row, m->n_states[row]++, m->time, 0, 0 };
    (void)!weft_builder_push(m->b, m->tracks[row], m->time, m->values[task->value], fields,
                             n, &piece->building_id);
    m->open[row][m->n_open[row]++] = p;
    if (!task->n_pieces++) {
        task->first = p;
        task->begin = m->time;
    }
    m->time += 1 + roll(4); /* so that the first piece is the earliest one */
}

static void end_piece(struct task_maker *m, uint32_t row)
{
    struct made_tasks *made = m->made;
    struct made_piece *piece = &made->pieces[m->open[row][--m->n_open[row]]];
    (void)!weft_builder_pop(m->b, m->tracks[row], m->time, NULL);
    piece->end = m->time;
    if (m->time > made->tasks[piece->task].end)
        made->tasks[piece->task].end = m->time;
}

/* Time goes on: on each row, what is innermost works. */
static void work_until(struct task_maker *m, int64_t from)
{
    for (uint32_t r = 0; r < m->made->n_rows; r++)
        if (m->n_open[r])
            m->made->tasks[m->made->pieces[m->open[r][m->n_open[r] - 1]].task].work +=
                m->time - from;
}

static void run(struct task_maker *m)
{
    struct made_tasks *made = m->made;
    int next = 0;
    for (int i = 0; i < 60 || next < made->n_tasks; i++) {
        int64_t from = m->time;
        uint32_t row = roll(made->n_rows);
        if (m->n_open[row] && roll(2)) {
            end_piece(m, row);
            m->time += roll(4);
        } else if (next < made->n_tasks) {
            begin_piece(m, next++, row);
        } else if (made->n_pieces < MAX_PIECES && roll(3) == 0) {
            begin_piece(m, (int)roll((uint32_t)made->n_tasks), row);
        }
        work_until(m, from);
    }
    for (uint32_t row = 0; row < made->n_rows; row++)
        while (m->n_open[row])
            end_piece(m, row);
}

static void connect(struct task_maker *m, bool cycles)
{
    struct made_tasks *made = m->made;
    made->n_edges = (int)roll(MAX_MADE_EDGES + 1);
    for (int i = 0; i < made->n_edges; i++) {
        uint32_t role = roll(LINK_TYPES);
        int a = (int)roll((uint32_t)made->n_pieces),
            b = (int)roll((uint32_t)made->n_pieces);
        if (made->pieces[a].task > made->pieces[b].task && !(cycles && roll(3) == 0)) {
            int c = a;
            a = b;
            b = c;
        }
        made->edges[i] = (struct made_edge){ made->pieces[a].task, made->pieces[b].task,
                                             link_roles[role] };
        weft_builder_link(
            m->b,
            &(struct weft_link){ .type = m->links[role],
                                 .container = 0,
                                 .value = WEFT_NONE,
                                 .key = WEFT_NONE,
                                 .from = made->containers[made->pieces[a].row],
                                 .to = made->containers[made->pieces[b].row],
                                 .begin = made->pieces[a].begin,
                                 .end = made->pieces[b].begin,
                                 .from_entity = made->pieces[a].building_id,
                                 .to_entity = made->pieces[b].building_id },
            NULL, 0);
    }
}

static void choose_tasks(struct made_tasks *made)
{
    *made = (struct made_tasks){ .n_tasks = 1 + (int)roll(MAX_TASKS),
                                 .n_rows = 1 + roll(MAX_ROWS),
                                 .parents_by_entity = roll(2) };
    bool close = roll(2); /* numbers one after another, or anywhere */
    int64_t start = (int64_t)roll(1000) - 500;
    for (int i = 0; i < made->n_tasks; i++) {
        struct made_task *task = &made->tasks[i];
        uint32_t what = i ? roll(10) : 0;
        task->number =
            close ? start + made->n_tasks - i : ((int64_t)roll(1000) - 500) * 64 + i;
        task->parent = what < 2 ? -1 : what == 2 ? -2 : (int)roll((uint32_t)i);
        task->value = roll(VALUES);
        task->end = INT64_MIN;
        task->in_tree =
            task->parent == -1 || (task->parent >= 0 && made->tasks[task->parent].in_tree);
    }
}

struct weft_trace *random_tasks(struct made_tasks *made, bool cycles)
{
    char path[] = "/tmp/weft-tasks-test.XXXXXX";
    struct weft_err err;
    close(mkstemp(path));
    choose_tasks(made);
    struct task_maker m = { .made = made, .b = weft_builder_new(path, "test", &err) };
    assert_non_null(m.b);
    define(&m);
    run(&m);
    connect(&m, cycles);
    return small_store_end(m.b, path);
}

uint64_t piece_id(const struct weft_schema *schema, const struct made_tasks *made,
                  int piece)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].container == made->containers[made->pieces[piece].row]
            && schema->types[schema->tracks[t].type].kind == WEFT_STATE)
            return weft_entity_id(t, made->pieces[piece].ordinal);
    fail();
    return WEFT_NO_ID;
}
