/* SPDX-License-Identifier: Apache-2.0 */
#include "numbers_model.h"

#include "tests/random.h"

const struct numbers_value numbers_values[NUMBERS_VALUES] = {
    { "run", WEFT_ROLE_RUNNING, false, "work", false },
    { "lock", WEFT_ROLE_BLOCKED_ON_LOCK, false, "waiting", true },
    { "nap", WEFT_ROLE_SLEEPING, false, "outside", true },
    { "turn", WEFT_ROLE_READY, false, "ready", false },
    { "odd", WEFT_ROLE_NONE, false, "unknown", false },
    { "recv", WEFT_ROLE_BLOCKED_ON_MESSAGE, true, "waiting", true },
    { "send", WEFT_ROLE_BLOCKING_SEND, true, "waiting", true },
    { "pack", WEFT_ROLE_OVERHEAD, true, "overhead", false },
    { "any", WEFT_ROLE_NONE, true, "unknown", false },
};

/* ---- The trace ---- */

struct making {
    struct numbers *numbers;
    struct weft_builder *b;
    uint32_t thread, activity, call, mark, data, wake; /* types */
    uint32_t values[NUMBERS_VALUES];
    uint32_t fields[2][2]; /* of the two types of states: object, site */
    uint32_t peer;
    uint32_t sites[NUMBERS_SITES];
};

const char *numbers_site(int site, bool line)
{
    static const char *const places[NUMBERS_SITES][2] = { { "f (a.c:1)", "f" },
                                                          { "f (a.c:2)", "f" },
                                                          { "g (a.c:3)", "g" },
                                                          { "h (b.c:1)", "h" } };
    return site < 0 ? "" : places[site][!line];
}

static void make_types(struct making *m)
{
    static const char *const functions[NUMBERS_SITES] = { "f", "f", "g", "h" };
    static const uint32_t lines[NUMBERS_SITES] = { 1, 2, 3, 1 };
    uint32_t process = add_type(m->b, WEFT_CONTAINER, 0, "Process", WEFT_ROLE_PROCESS);
    m->thread = add_type(m->b, WEFT_CONTAINER, process, "Thread", WEFT_ROLE_THREAD);
    uint32_t lock = add_type(m->b, WEFT_CONTAINER, 0, "Lock", WEFT_ROLE_NONE);
    m->activity = add_type(m->b, WEFT_STATE, m->thread, "Activity", WEFT_ROLE_ACTIVITY);
    m->call = add_type(m->b, WEFT_STATE, m->thread, "Call", WEFT_ROLE_CALL);
    m->mark = add_type(m->b, WEFT_EVENT, m->thread, "Mark", WEFT_ROLE_NONE);
    m->data = add_type(m->b, WEFT_LINK, 0, "Data", WEFT_ROLE_NONE);
    m->wake = add_type(m->b, WEFT_LINK, 0, "Wake", WEFT_ROLE_WAKE_UP);
    for (int v = 0; v < NUMBERS_VALUES; v++)
        m->values[v] = add_value(m->b, numbers_values[v].call ? m->call : m->activity,
                                 numbers_values[v].name, numbers_values[v].role);
    for (int call = 0; call < 2; call++) {
        uint32_t type = call ? m->call : m->activity;
        m->fields[call][0] =
            add_field(m->b, type, "object", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
        m->fields[call][1] = add_field(m->b, type, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    }
    m->peer = add_field(m->b, m->call, "peer", WEFT_FIELD_CONTAINER, WEFT_ROLE_PARTNER);
    for (int s = 0; s < NUMBERS_SITES; s++)
        m->sites[s] =
            weft_builder_site(m->b, &(struct weft_site){ 0, "a", functions[s],
                                                         s < 3 ? "a.c" : "b.c", lines[s] });
    for (int p = 0; p < NUMBERS_PROCESSES; p++)
        m->numbers->processes[p] =
            weft_builder_container(m->b, process, 0, p ? "p1" : "p0", NULL, 0);
    for (int k = 0; k < NUMBERS_LOCKS; k++)
        m->numbers->locks[k] =
            weft_builder_container(m->b, lock, 0, k ? "k1" : "k0", NULL, 0);
}

static struct numbers_item *add_item(struct numbers *numbers, enum weft_kind kind)
{
    struct numbers_item *item = &numbers->list[numbers->n];
    if (numbers->n == NUMBERS_ITEMS)
        fail();
    numbers->n++;
    *item = (struct numbers_item){ .kind = kind,
                                   .value = -1,
                                   .lock = -1,
                                   .site = -1,
                                   .peer = WEFT_NONE,
                                   .from = WEFT_NONE,
                                   .to = WEFT_NONE,
                                   .waits = -1 };
    return item;
}

static void push(struct making *m, uint32_t track, struct numbers_item *item)
{
    struct weft_field_value fields[3];
    size_t n = 0;
    if (!roll(2))
        item->lock = (int)roll(NUMBERS_LOCKS);
    if (roll(3))
        item->site = (int)roll(NUMBERS_SITES);
    if (item->call && roll(2))
        item->peer = m->numbers->threads[roll(NUMBERS_THREADS)];
    if (item->lock >= 0)
        fields[n++] = (struct weft_field_value){ .field = m->fields[item->call][0],
                                                 .index = m->numbers->locks[item->lock] };
    if (item->site >= 0)
        fields[n++] = (struct weft_field_value){ .field = m->fields[item->call][1],
                                                 .index = m->sites[item->site] };
    if (item->peer != WEFT_NONE)
        fields[n++] = (struct weft_field_value){ .field = m->peer, .index = item->peer };
    weft_builder_push(m->b, track, item->begin, m->values[item->value], fields, n,
                      &item->id);
}

static int any_value(bool call)
{
    int v;
    do
        v = (int)roll(NUMBERS_VALUES);
    while (numbers_values[v].call != call);
    return v;
}

/* States of a thread, nested up to four deep; some take no time. */
static void make_states(struct making *m, uint32_t thread, bool call, int64_t until)
{
    uint32_t track = weft_builder_track(m->b, thread, call ? m->call : m->activity);
    int open[4], depth = 0;
    int64_t at = (int64_t)roll(10);
    for (; at <= until; at += (int64_t)roll(9)) {
        if (depth < 4 && roll(2)) {
            struct numbers_item *item = add_item(m->numbers, WEFT_STATE);
            item->call = call;
            item->container = thread;
            item->value = any_value(call);
            item->begin = at;
            item->depth = depth;
            push(m, track, item);
            open[depth++] = m->numbers->n - 1;
        } else if (depth) {
            m->numbers->list[open[--depth]].end = at;
            weft_builder_pop(m->b, track, at, NULL);
        }
    }
    while (depth) {
        m->numbers->list[open[--depth]].end = until;
        weft_builder_pop(m->b, track, until, NULL);
    }
}

static void make_events(struct making *m, uint32_t thread, int64_t until)
{
    uint32_t track = weft_builder_track(m->b, thread, m->mark);
    for (int64_t at = (int64_t)roll(40); at <= until; at += (int64_t)roll(40)) {
        struct numbers_item *item = add_item(m->numbers, WEFT_EVENT);
        item->container = thread;
        item->begin = item->end = at;
        weft_builder_event(m->b, track, at, WEFT_NONE, NULL, 0, NULL);
    }
}

static void make_links(struct making *m)
{
    struct numbers *numbers = m->numbers;
    int states = numbers->n;
    for (int i = 0; i < 60; i++) {
        struct numbers_item *item = add_item(numbers, WEFT_LINK);
        const struct numbers_item *of = &numbers->list[roll((uint64_t)states)];
        item->wakes = roll(3);
        item->begin = (int64_t)roll(NUMBERS_SPAN);
        item->end = item->begin + (int64_t)roll((uint64_t)(NUMBERS_SPAN - item->begin));
        item->from = numbers->threads[roll(NUMBERS_THREADS)];
        item->to = of->container;
        if (item->wakes && of->kind == WEFT_STATE && roll(2))
            item->waits = (int)(of - numbers->list);
        struct weft_link link = { .begin = item->begin,
                                  .end = item->end,
                                  .type = item->wakes ? m->wake : m->data,
                                  .value = WEFT_NONE,
                                  .container = 0,
                                  .from = item->from,
                                  .to = item->to,
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = item->waits < 0
                                                   ? WEFT_NO_ID
                                                   : numbers->list[item->waits].id };
        weft_builder_link(m->b, &link, NULL, 0);
    }
}

void numbers_begin(struct numbers *numbers)
{
    char path[] = "/tmp/weft-numbers-XXXXXX", name[8];
    struct making m = { .numbers = numbers };
    int64_t until[NUMBERS_THREADS];
    *numbers = (struct numbers){ 0 };
    m.b = small_store_begin(path);
    make_types(&m);
    for (int t = 0; t < NUMBERS_THREADS; t++) {
        sprintf(name, "t%d", t);
        numbers->threads[t] = weft_builder_container(
            m.b, m.thread, numbers->processes[roll(NUMBERS_PROCESSES)], name, NULL,
            (int64_t)roll(3) * 4);
        until[t] = roll(3) ? NUMBERS_SPAN : 30 + (int64_t)roll(NUMBERS_SPAN - 30);
    }
    for (int t = 0; t < NUMBERS_THREADS; t++) {
        uint64_t kinds = roll(5);
        if (kinds != 1)
            make_states(&m, numbers->threads[t], false, until[t]);
        if (kinds)
            make_states(&m, numbers->threads[t], true, until[t]);
        make_events(&m, numbers->threads[t], until[t]);
    }
    make_links(&m);
    for (int t = 0; t < NUMBERS_THREADS; t++)
        weft_builder_destroy(m.b, numbers->threads[t], until[t]);
    numbers->trace = small_store_end(m.b, path);
    numbers->source = weft_trace_source(numbers->trace);
}

void numbers_end(struct numbers *numbers)
{
    weft_trace_close(numbers->trace);
}

/* ---- Texts ---- */

const char *numbers_name(const struct numbers *numbers, uint32_t container)
{
    return container == WEFT_NONE ? ""
                                  : numbers->source->schema->containers[container].name;
}

const char *numbers_type(const struct numbers_item *item)
{
    if (item->kind == WEFT_STATE)
        return item->call ? "Call" : "Activity";
    return item->kind == WEFT_EVENT ? "Mark" : item->wakes ? "Wake" : "Data";
}

const char *numbers_value_name(const struct numbers_item *item)
{
    return item->value < 0 ? "" : numbers_values[item->value].name;
}

/* ---- What waits were for ---- */

uint32_t numbers_partner(const struct numbers *numbers, const struct numbers_item *item)
{
    (void)numbers; /* without messages nothing is known but what a call names */
    return item->peer;
}

/*
 * The latest wake-up that names the wait, else the latest that names none and arrives after
 * its begin and not after its end.
 */
uint32_t numbers_waker(const struct numbers *numbers, const struct numbers_item *item)
{
    int index = (int)(item - numbers->list);
    const struct numbers_item *best = NULL;
    if (item->kind != WEFT_STATE || !numbers_values[item->value].waits)
        return WEFT_NONE;
    for (int named = 1; named >= 0 && !best; named--)
        for (int i = 0; i < numbers->n; i++) {
            const struct numbers_item *link = &numbers->list[i];
            if (link->kind != WEFT_LINK || !link->wakes || link->to != item->container
                || link->waits != (named ? index : -1)
                || (!named && (link->end <= item->begin || link->end > item->end)))
                continue;
            if (!best || link->end > best->end
                || (link->end == best->end && link->from > best->from))
                best = link;
        }
    return best ? best->from : WEFT_NONE;
}

bool numbers_is_in(const struct numbers *numbers, uint32_t container, uint32_t root)
{
    while (container != WEFT_NONE && container != root)
        container = numbers->source->schema->containers[container].parent;
    return container != WEFT_NONE;
}

/* ---- Selections ---- */

static int select_part(struct numbers_selection *array, int *n, int depth)
{
    int at = (*n)++;
    struct numbers_selection *one = &array[at];
    *one = (struct numbers_selection){ .join = SELECT_TERM };
    if (depth && *n + 2 < NUMBERS_TERMS && roll(2)) {
        one->join = SELECT_AND + (int)roll(3);
        one->a = select_part(array, n, depth - 1);
        if (one->join != SELECT_NOT)
            one->b = select_part(array, n, depth - 1);
        return at;
    }
    one->term = (int)roll(TERMS);
    one->n = (int64_t)roll(one->term == TERM_VALUE      ? NUMBERS_VALUES
                           : one->term == TERM_ROW_IN   ? NUMBERS_PROCESSES
                           : one->term == TERM_OBJECT   ? NUMBERS_LOCKS
                           : one->term == TERM_SITE     ? NUMBERS_SITES
                           : one->term == TERM_DURATION ? 20
                           : one->term == TERM_TIME     ? NUMBERS_SPAN
                                                        : NUMBERS_THREADS);
    one->length = 1 + (int64_t)roll(40);
    if ((one->term == TERM_PARTNER || one->term == TERM_WAKER) && !roll(3))
        one->n = -1; /* none is known */
    return at;
}

static void write_part(FILE *out, const struct numbers_selection *array, int at)
{
    const struct numbers_selection *one = &array[at];
    int n = (int)one->n;
    char thread[8] = "";
    if (one->join != SELECT_TERM) {
        fprintf(out, one->join == SELECT_NOT ? "not (" : "(");
        write_part(out, array, one->a);
        if (one->join != SELECT_NOT) {
            fprintf(out, one->join == SELECT_AND ? " and " : " or ");
            write_part(out, array, one->b);
        }
        fprintf(out, ")");
        return;
    }
    if (n >= 0)
        sprintf(thread, "t%d", n % 100);
    switch (one->term) {
    case TERM_VALUE: fprintf(out, "value = %s", numbers_values[n].name); break;
    case TERM_STATE: fprintf(out, "state"); break;
    case TERM_ROW: fprintf(out, "row = %s", thread); break;
    case TERM_ROW_IN: fprintf(out, "row in p%d", n); break;
    case TERM_DURATION: fprintf(out, "duration > %dns", n); break;
    case TERM_OBJECT: fprintf(out, "object = k%d", n); break;
    case TERM_SITE: fprintf(out, "site = \"%s\"", numbers_site(n, true)); break;
    case TERM_PARTNER: fprintf(out, "partner = \"%s\"", thread); break;
    case TERM_WAKER: fprintf(out, "waker = \"%s\"", thread); break;
    case TERM_TIME: fprintf(out, "time in %dns+%dns", n, (int)one->length); break;
    case TERMS: break;
    }
}

void numbers_select(struct numbers_selection *array, char *text, size_t size)
{
    int n = 0;
    text[0] = 0;
    if (!roll(4)) {
        array[0] = (struct numbers_selection){ .join = SELECT_ALL };
        return;
    }
    select_part(array, &n, 3);
    FILE *out = fmemopen(text, size, "w");
    write_part(out, array, 0);
    fclose(out);
}

static bool overlaps(const struct numbers_item *item, int64_t begin, int64_t end)
{
    return item->begin < end
           && (item->end > begin || (item->begin == item->end && item->end == begin));
}

static bool row_holds(const struct numbers *numbers, const struct numbers_item *item,
                      uint32_t root)
{
    return item->kind == WEFT_LINK ? numbers_is_in(numbers, item->from, root)
                                         || numbers_is_in(numbers, item->to, root)
                                   : numbers_is_in(numbers, item->container, root);
}

static bool term_holds(const struct numbers *numbers, const struct numbers_selection *one,
                       const struct numbers_item *item)
{
    bool link = item->kind == WEFT_LINK;
    uint32_t thread =
        one->n < 0 || one->n >= NUMBERS_THREADS ? WEFT_NONE : numbers->threads[one->n];
    switch (one->term) {
    case TERM_VALUE: return item->value == one->n;
    case TERM_STATE: return item->kind == WEFT_STATE;
    case TERM_ROW: return row_holds(numbers, item, thread);
    case TERM_ROW_IN: return row_holds(numbers, item, numbers->processes[one->n]);
    case TERM_DURATION: return item->end - item->begin > one->n;
    case TERM_OBJECT: return link ? false : item->lock == one->n; /* links reach threads */
    case TERM_SITE: return item->site == one->n;
    case TERM_PARTNER:
        return link ? item->from == thread || item->to == thread
                    : numbers_partner(numbers, item) == thread;
    case TERM_WAKER:
        return link ? (item->wakes ? item->from : WEFT_NONE) == thread
                    : numbers_waker(numbers, item) == thread;
    case TERM_TIME: return overlaps(item, one->n, one->n + one->length);
    case TERMS: break;
    }
    return false;
}

bool numbers_holds(const struct numbers *numbers, const struct numbers_selection *array,
                   int at, const struct numbers_item *item)
{
    const struct numbers_selection *one = &array[at];
    switch (one->join) {
    case SELECT_ALL: return true;
    case SELECT_TERM: return term_holds(numbers, one, item);
    case SELECT_AND:
        return numbers_holds(numbers, array, one->a, item)
               && numbers_holds(numbers, array, one->b, item);
    case SELECT_OR:
        return numbers_holds(numbers, array, one->a, item)
               || numbers_holds(numbers, array, one->b, item);
    case SELECT_NOT: return !numbers_holds(numbers, array, one->a, item);
    }
    return false;
}

/* ---- What a thread did at a tick ---- */

bool numbers_has_states(const struct numbers *numbers, uint32_t thread, bool *scheduled)
{
    bool any = false;
    *scheduled = false;
    for (int i = 0; i < numbers->n; i++)
        if (numbers->list[i].kind == WEFT_STATE && numbers->list[i].container == thread) {
            any = true;
            *scheduled |= !numbers->list[i].call;
        }
    return any;
}

static int innermost(const struct numbers *numbers, uint32_t thread, bool call,
                     int64_t time)
{
    int best = -1;
    for (int i = 0; i < numbers->n; i++) {
        const struct numbers_item *item = &numbers->list[i];
        if (item->kind == WEFT_STATE && item->container == thread && item->call == call
            && item->begin <= time && time < item->end
            && (best < 0 || item->depth > numbers->list[best].depth))
            best = i;
    }
    return best;
}

/* A wait in a call, and a call that is known, tell more than that the thread ran. */
int numbers_state_at(const struct numbers *numbers, uint32_t thread, int64_t time)
{
    int call = innermost(numbers, thread, true, time),
        scheduled = innermost(numbers, thread, false, time);
    if (call < 0 || scheduled < 0)
        return call < 0 ? scheduled : call;
    const char *class = numbers_values[numbers->list[call].value].class,
               *other = numbers_values[numbers->list[scheduled].value].class;
    if (strcmp(class, "waiting") == 0)
        return call;
    return strcmp(other, "work") == 0 && strcmp(class, "unknown") != 0 ? call : scheduled;
}
