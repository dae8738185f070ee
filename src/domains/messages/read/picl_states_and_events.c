/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns records into states and events.  Each processor has two stacks of open entries:
 * calls and tasks.  An entry is stored when its exit comes, so that all that is known of a
 * call goes into fields of its state.  If another entry comes first, it is stored then, and
 * the fields of its exit are added later.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/messages/read/picl_priv.h"

enum {
    MAX_FRAMES = 60000, /* of a stack; a store's states nest at most 65,534 deep */
    MAX_FIELDS = 4,
    TRACING = -901, /* key of the entry and exit that enclose the trace of a node */
    EXACT = 53,     /* bits of an integer that a double can hold */
};

/* ---- Fields of a state while it is made ---- */

struct values {
    struct weft_field_value fields[MAX_FIELDS + 2];
    size_t n;
};

static void add_integer(const struct picl_import *import, struct values *v,
                        enum picl_field field, int64_t number)
{
    v->fields[v->n++] =
        (struct weft_field_value){ import->types.fields[field], { number } };
}

static void add_text(const struct picl_import *import, struct values *v,
                     enum picl_field field, uint32_t text)
{
    if (text != WEFT_NONE)
        v->fields[v->n++] =
            (struct weft_field_value){ import->types.fields[field], { .index = text } };
}

/* ---- Messages that a call sends or receives ---- */

/* The group follows the destination or source; without one it is the world. */
static uint32_t group_of(struct picl_import *import, struct picl_processor *p,
                         const int64_t *values, uint32_t n, uint32_t at, uint64_t line)
{
    return picl_group(import, p, n > at ? values[at] : PICL_WORLD, line);
}

static bool is_node(int64_t number)
{
    return number >= 0 && number <= INT32_MAX && number != PICL_HOST;
}

static bool is_send(const struct picl_frame *frame)
{
    return frame->of
           && (frame->of->shape == PICL_SHAPE_SEND
               || frame->of->shape == PICL_SHAPE_SEND_BEGIN);
}

static void send(struct picl_import *import, struct picl_processor *p,
                 const struct picl_frame *frame)
{
    if (!is_send(frame) || frame->n_values < 3
        || !(is_node(frame->values[2]) || frame->values[2] == PICL_ALL))
        return;
    picl_send(import, &(struct picl_message){ .source = p->number,
                                              .destination = (int32_t)frame->values[2],
                                              .tag = frame->values[1],
                                              .bytes = frame->values[0],
                                              .time = frame->time,
                                              .communicator =
                                                  group_of(import, p, frame->values,
                                                           frame->n_values, 3, frame->line),
                                              .entity = frame->id,
                                              .line = frame->line });
}

static bool receives(const struct picl_key *of)
{
    return of && (of->shape == PICL_SHAPE_RECEIVE || of->shape == PICL_SHAPE_RECEIVE_END);
}

/*
 * Returns true if the exit has a message.  A test that found none has no values, or no
 * source.
 */
static bool is_received(const struct picl_key *of, const struct picl_record *exit)
{
    return receives(of) && exit->integers && exit->n_values >= 3
           && exit->n_values <= PICL_VALUES && is_node(exit->values[2]);
}

static struct picl_message received_message(struct picl_import *import,
                                            struct picl_processor *p, uint64_t entity,
                                            const struct picl_record *exit)
{
    return (struct picl_message){ .source = (int32_t)exit->values[2],
                                  .destination = p->number,
                                  .tag = exit->values[1],
                                  .bytes = exit->values[0],
                                  .time = exit->time,
                                  .communicator = group_of(import, p, exit->values,
                                                           exit->n_values, 3, exit->line),
                                  .entity = entity,
                                  .line = exit->line };
}

/*
 * Returns true if the exit completes its request.  A test of a send may have found it
 * incomplete, and does not say so.
 */
static bool completes(const struct picl_key *of, const struct picl_record *exit)
{
    return of->shape == PICL_SHAPE_SEND_END ? of->role != WEFT_ROLE_TESTING
                                            : is_received(of, exit);
}

/* Returns true if a receive whose exit has no message may still get one: after a test. */
static bool may_come(const struct picl_key *of, const struct picl_record *exit)
{
    bool says_from = exit->integers && exit->n_values >= 3 && exit->values[2] >= 0;
    return of->role == WEFT_ROLE_TESTING && !says_from;
}

/*
 * Handles the exit of a receive that got a message.  A receive whose begin is not in the
 * trace counts as posted before all others.
 */
static void receive(struct picl_import *import, struct picl_processor *p,
                    const struct picl_frame *f, const struct picl_record *exit)
{
    struct picl_message message = received_message(import, p, f->id, exit);
    if (f->of->shape == PICL_SHAPE_RECEIVE)
        picl_receive_at_once(import, p, f->order, &message);
    else if (!f->n_values || !picl_complete_request(import, p, f->values[0], &message))
        picl_receive_at_once(import, p, import->records, &message);
}

/* ---- States ---- */

static uint32_t stack_track(struct picl_import *import, struct picl_processor *p,
                            enum picl_stack_kind kind)
{
    struct picl_stack *stack = &p->stacks[kind];
    if (stack->track == WEFT_NONE)
        stack->track =
            weft_builder_track(import->builder, p->container, import->types.stacks[kind]);
    return stack->track;
}

static uint32_t frame_value(struct picl_import *import, const struct picl_frame *f)
{
    if (!f->of)
        return picl_value(import, import->types.stacks[PICL_TASKS], NULL, "task", f->key,
                          WEFT_ROLE_COMPUTING);
    uint32_t *value = &import->types.calls[-f->key];
    if (*value == WEFT_NONE)
        *value = picl_value(import, import->types.stacks[PICL_CALLS], f->of->name, "",
                            f->key, f->of->role);
    return *value;
}

/*
 * Returns true if a receive got just what it asked for, so that the link has all of its
 * entry.
 */
static bool says_the_same(struct picl_import *import, struct picl_processor *p,
                          const struct picl_frame *f, const struct picl_record *exit)
{
    return f->values[0] == exit->values[1] && f->values[1] == exit->values[2]
           && group_of(import, p, f->values, f->n_values, 2, f->line)
                  == group_of(import, p, exit->values, exit->n_values, 3, f->line);
}

/* Adds the fields of a call's entry.  EXIT is NULL if it is not known yet. */
static void call_entry_fields(struct picl_import *import, struct picl_processor *p,
                              struct picl_frame *f, const struct picl_record *exit,
                              struct values *v)
{
    enum picl_shape shape = f->of->shape;
    bool received = exit && is_received(f->of, exit);
    if (shape == PICL_SHAPE_SEND_END || shape == PICL_SHAPE_RECEIVE_END) {
        if (f->text == WEFT_NONE)
            add_integer(import, v, PICL_CALL_REQUEST, f->values[0]);
    } else if (picl_is_collective(f->of) && f->text == WEFT_NONE) {
        if (shape != PICL_SHAPE_BARRIER)
            add_integer(import, v, PICL_CALL_BYTES, f->values[0]);
    } else if (f->text == WEFT_NONE && f->n_values && !is_send(f)
               && !(received && says_the_same(import, p, f, exit))) {
        /* the link may differ from what the receive asked for */
        f->text = picl_numbers_text(import, f->values, f->n_values);
    }
    if (f->operation != WEFT_NO_ID)
        add_integer(import, v, PICL_CALL_OPERATION, (int64_t)f->operation);
    add_text(import, v, PICL_CALL_ENTRY, f->text);
}

/* Adds what the exit of a call says and the store does not have elsewhere. */
static void call_exit_fields(struct picl_import *import, const struct picl_frame *f,
                             const struct picl_record *exit, struct values *v)
{
    if (!exit->n_values && exit->length == 1)
        return;
    bool one = exit->integers && exit->n_values == 1;
    switch (f->of->shape) {
    case PICL_SHAPE_SEND_BEGIN:
    case PICL_SHAPE_RECEIVE_BEGIN:
        if (one) {
            add_integer(import, v, PICL_CALL_REQUEST, exit->values[0]);
            return;
        }
        break;
    case PICL_SHAPE_RECEIVE:
    case PICL_SHAPE_RECEIVE_END:
        if (is_received(f->of, exit))
            return;
        break;
    case PICL_SHAPE_ALL:
    case PICL_SHAPE_ROOTED:
        if (one && f->text == WEFT_NONE && exit->values[0] == f->values[0])
            return;
        break;
    default: break;
    }
    add_text(import, v, PICL_CALL_EXIT, picl_text_of(import, exit));
}

static void task_exit_fields(struct picl_import *import, const struct picl_record *exit,
                             struct values *v)
{
    if (!exit->n_values)
        return;
    bool whole = exit->integers && exit->n_values == 1
                 && exit->values[0] >= -(INT64_C(1) << EXACT)
                 && exit->values[0] <= INT64_C(1) << EXACT;
    double work = (double)exit->values[0];
    if (whole || exit->integers || picl_first_real(exit, &work))
        v->fields[v->n++] = (struct weft_field_value){ import->types.fields[PICL_TASK_WORK],
                                                       { .real = work } };
    if (!whole)
        add_text(import, v, PICL_TASK_EXIT, picl_text_of(import, exit));
}

static void exit_fields(struct picl_import *import, enum picl_stack_kind kind,
                        const struct picl_frame *f, const struct picl_record *exit,
                        struct values *v)
{
    if (kind == PICL_CALLS)
        call_exit_fields(import, f, exit, v);
    else
        task_exit_fields(import, exit, v);
}

static void add_task_fields(const struct picl_import *import, struct values *v,
                            const struct picl_frame *f)
{
    add_integer(import, v, PICL_TASK_NUMBER, f->key);
    add_text(import, v, PICL_TASK_ENTRY, f->text);
}

/* Stores an entry, with the fields of its exit unless that is NULL. */
static void open_state(struct picl_import *import, struct picl_processor *p,
                       enum picl_stack_kind kind, struct picl_frame *f,
                       const struct picl_record *exit)
{
    struct values v = { .n = 0 };
    if (kind == PICL_CALLS)
        call_entry_fields(import, p, f, exit, &v);
    else
        add_task_fields(import, &v, f);
    if (exit)
        exit_fields(import, kind, f, exit, &v);
    enum weft_build built =
        weft_builder_push(import->builder, stack_track(import, p, kind), f->time,
                          frame_value(import, f), v.fields, v.n, &f->id);
    WEFT_REQUIRE(built == WEFT_BUILD_OK, "an entry could not be stored (%d)", (int)built);
    send(import, p, f);
}

static void close_state(struct picl_import *import, struct picl_processor *p,
                        enum picl_stack_kind kind, const struct picl_record *exit)
{
    struct picl_stack *stack = &p->stacks[kind];
    struct picl_frame *f = &stack->frames[stack->n - 1];
    if (f->id == WEFT_NO_ID) {
        open_state(import, p, kind, f, exit);
    } else if (exit) {
        struct values v = { .n = 0 };
        exit_fields(import, kind, f, exit, &v);
        for (size_t i = 0; i < v.n; i++)
            if (v.fields[i].field == import->types.fields[PICL_CALL_REQUEST])
                v.fields[i] =
                    (struct weft_field_value){ import->types.fields[PICL_CALL_EXIT],
                                               { .index = picl_text_of(import, exit) } };
        for (size_t i = 0; i < v.n; i++)
            weft_builder_field_later(import->builder, f->id, &v.fields[i]);
    }
    enum weft_build built = weft_builder_pop(import->builder, stack->track, p->last, NULL);
    WEFT_REQUIRE(built == WEFT_BUILD_OK, "an exit could not be stored (%d)", (int)built);
    stack->n--;
}

static enum picl_stack_kind kind_of(int32_t key)
{
    return key >= 0 ? PICL_TASKS : PICL_CALLS;
}

/* Returns true if an entry has as many values as appendix D says for its shape. */
static bool fits_shape(const struct picl_key *of, const struct picl_record *entry)
{
    static const uint8_t wanted[][2] = {
        [PICL_SHAPE_NONE] = { 0, 0 },          [PICL_SHAPE_SEND] = { 3, 4 },
        [PICL_SHAPE_SEND_BEGIN] = { 3, 4 },    [PICL_SHAPE_SEND_END] = { 1, 1 },
        [PICL_SHAPE_RECEIVE] = { 2, 3 },       [PICL_SHAPE_PROBE] = { 2, 3 },
        [PICL_SHAPE_RECEIVE_BEGIN] = { 2, 3 }, [PICL_SHAPE_RECEIVE_END] = { 1, 1 },
        [PICL_SHAPE_BARRIER] = { 1, 1 },       [PICL_SHAPE_ALL] = { 2, 2 },
        [PICL_SHAPE_ROOTED] = { 3, 3 },
    };
    return entry->integers && entry->n_values >= wanted[of->shape][0]
           && entry->n_values <= wanted[of->shape][1];
}

static void join_operation(struct picl_import *import, struct picl_processor *p,
                           struct picl_frame *f)
{
    static const uint8_t group_at[] = {
        [PICL_SHAPE_BARRIER] = 0, [PICL_SHAPE_ALL] = 1, [PICL_SHAPE_ROOTED] = 2
    };
    uint32_t communicator =
        picl_group(import, p, f->values[group_at[f->of->shape]], f->line);
    bool rooted = f->of->shape == PICL_SHAPE_ROOTED;
    f->operation = picl_join(import, p, communicator, f, rooted ? f->values[1] : -1);
    if (rooted && !is_node(f->values[1])) /* the operation has no field for such a root */
        f->text = picl_numbers_text(import, f->values, f->n_values);
}

static void enter(struct picl_import *import, struct picl_processor *p,
                  const struct picl_record *entry)
{
    const struct picl_key *of = picl_key_find(entry->key);
    enum picl_stack_kind kind = kind_of(entry->key);
    struct picl_stack *stack = &p->stacks[kind];
    if (stack->n >= MAX_FRAMES) {
        picl_report(import, PICL_FAULT_DEEP, entry->line, p->number, MAX_FRAMES);
        return;
    }
    if (stack->n && stack->frames[stack->n - 1].id == WEFT_NO_ID)
        open_state(import, p, kind, &stack->frames[stack->n - 1], NULL);
    stack->frames = weft_grow(stack->frames, &stack->capacity, (size_t)stack->n + 1,
                              sizeof *stack->frames);
    struct picl_frame *f = &stack->frames[stack->n++];
    *f = (struct picl_frame){ .time = entry->time,
                              .line = entry->line,
                              .id = WEFT_NO_ID,
                              .operation = WEFT_NO_ID,
                              .order = PICL_ENTERED + import->records,
                              .of = of,
                              .key = entry->key,
                              .n_values = entry->n_values,
                              .text = WEFT_NONE };
    memcpy(f->values, entry->values, sizeof f->values);
    bool shaped = of && of->shape != PICL_SHAPE_NONE;
    if (shaped && !fits_shape(of, entry))
        picl_report(import, PICL_FAULT_VALUES, entry->line, entry->key, entry->n_values);
    if (!shaped || !fits_shape(of, entry)) {
        f->n_values = 0;
        if (entry->length > 1)
            f->text = picl_text_of(import, entry);
    } else if (picl_is_collective(of)) {
        join_operation(import, p, f);
    } else if (is_send(f) && !is_node(f->values[2])) {
        f->text = picl_text_of(import, entry);
    }
}

/* An exit without an entry; the message that it received counts nevertheless. */
static void leave_unknown(struct picl_import *import, struct picl_processor *p,
                          const struct picl_record *exit, const struct picl_key *of)
{
    picl_report(import, PICL_FAULT_EXIT, exit->line, p->number, exit->key);
    if (is_received(of, exit)) {
        struct picl_message message = received_message(import, p, WEFT_NO_ID, exit);
        picl_receive_at_once(import, p, import->records, &message);
    }
}

/*
 * Limits how many open frames exits are compared with.  Beyond it an exit that is not that
 * of the innermost frame counts as one without an entry.
 */
enum { MAX_LOOKS = 1 << 26, LOOKS_OF_A_RECORD = 64 };

static void leave(struct picl_import *import, struct picl_processor *p,
                  const struct picl_record *exit)
{
    const struct picl_key *of = picl_key_find(exit->key);
    enum picl_stack_kind kind = kind_of(exit->key);
    struct picl_stack *stack = &p->stacks[kind];
    uint32_t at = stack->n;
    while (at && stack->frames[at - 1].key != exit->key)
        at = import->looks++ < MAX_LOOKS + LOOKS_OF_A_RECORD * import->records ? at - 1 : 0;
    if (!at) {
        leave_unknown(import, p, exit, of);
        return;
    }
    if (at < stack->n)
        picl_report(import, PICL_FAULT_NESTING, exit->line, p->number, exit->key);
    while (stack->n > at)
        close_state(import, p, kind, NULL);
    struct picl_frame f = stack->frames[at - 1];
    close_state(import, p, kind, exit);
    f.id = stack->frames[at - 1].id;
    if (kind != PICL_CALLS)
        return;
    if (is_received(of, exit))
        receive(import, p, &f, exit);
    bool one = exit->integers && exit->n_values == 1;
    if (one
        && (of->shape == PICL_SHAPE_SEND_BEGIN || of->shape == PICL_SHAPE_RECEIVE_BEGIN))
        picl_begin_request(import, p, &f, exit->values[0]);
    bool ends = of->shape == PICL_SHAPE_SEND_END || of->shape == PICL_SHAPE_RECEIVE_END;
    if (ends && f.n_values && completes(of, exit))
        picl_end_request(import, p, f.values[0], exit->line);
    else if (of->shape == PICL_SHAPE_RECEIVE_END && f.n_values && !may_come(of, exit))
        picl_forget_request(import, p, f.values[0]);
}

/* ---- Events ---- */

static uint32_t event_track(struct picl_import *import, struct picl_processor *p,
                            enum picl_event_type type)
{
    if (p->events == WEFT_NONE) {
        p->events = (uint32_t)import->n_event_tracks;
        import->event_tracks =
            weft_grow(import->event_tracks, &import->event_track_capacity,
                      import->n_event_tracks + PICL_EVENTS, sizeof *import->event_tracks);
        for (int i = 0; i < PICL_EVENTS; i++)
            import->event_tracks[import->n_event_tracks++] = WEFT_NONE;
    }
    uint32_t *track = &import->event_tracks[p->events + (uint32_t)type];
    if (*track == WEFT_NONE)
        *track =
            weft_builder_track(import->builder, p->container, import->types.events[type]);
    return *track;
}

static enum picl_event_type event_type(struct picl_import *import,
                                       const struct picl_record *record)
{
    if (record->key >= 0) {
        switch (record->type) {
        case PICL_MARK: return PICL_EVENT_MARK;
        case PICL_LABEL: return PICL_EVENT_LABEL;
        case PICL_MESSAGE: return PICL_EVENT_MESSAGE;
        case PICL_DATA: return PICL_EVENT_DATA;
        default: break;
        }
    }
    bool known = (record->type <= PICL_MARK && record->type >= PICL_MESSAGE)
                 || record->type == PICL_SUBSET || picl_old_name(record->type);
    if (!known)
        picl_report(import, PICL_FAULT_RECORD_TYPE, record->line, record->type,
                    record->key);
    return PICL_EVENT_RECORD;
}

static void add_event(struct picl_import *import, struct picl_processor *p,
                      const struct picl_record *record)
{
    enum picl_event_type type = event_type(import, record);
    if (record->key == TRACING && record->type == PICL_ENTRY)
        p->tracing = record->line;
    else if (record->key == TRACING && record->type == PICL_EXIT)
        p->tracing = 0;
    struct weft_field_value fields[2] = { { import->types.event_numbers[type],
                                            { record->key } } };
    size_t n = 1;
    if (record->length > 1)
        fields[n++] =
            (struct weft_field_value){ import->types.event_parameters[type],
                                       { .index = picl_text_of(import, record) } };
    enum weft_build built =
        weft_builder_event(import->builder, event_track(import, p, type), record->time,
                           picl_event_value(import, type, record), fields, n, NULL);
    WEFT_REQUIRE(built == WEFT_BUILD_OK, "an event could not be stored (%d)", (int)built);
}

/* ---- Records ---- */

/* Adds a send, or a receive that found its message, of an old trace. */
static void add_instant(struct picl_import *import, struct picl_processor *p,
                        const struct picl_record *record)
{
    struct picl_record entry = *record, exit = *record;
    if (record->key == -21) {
        exit.n_values = 0;
    } else {
        entry.values[0] = record->values[1];
        entry.values[1] = record->values[2];
        entry.n_values = 2;
    }
    enter(import, p, &entry);
    leave(import, p, &exit);
}

/* Returns true for entries and exits of tasks and of known calls; others become events. */
static bool is_state(const struct picl_record *record)
{
    const struct picl_key *of = picl_key_find(record->key);
    return (record->type == PICL_ENTRY || record->type == PICL_EXIT)
           && (record->key >= 0 || (of && !of->aside));
}

void picl_add(struct picl_import *import, const struct picl_record *record)
{
    if (record->node < 0) {
        if (record->type == PICL_SUBSET)
            picl_define_group(import, record, NULL);
        else
            picl_report(import, PICL_FAULT_NODE, record->line, record->node, record->key);
        return;
    }
    struct picl_processor *p = picl_processor(import, record->node, record->time);
    p->last = record->time;
    p->line = record->line;
    import->records++;
    bool state = is_state(record);
    if (record->type == PICL_SUBSET)
        picl_define_group(import, record, p);
    if (record->type == PICL_INSTANT)
        add_instant(import, p, record);
    else if (state && record->type == PICL_ENTRY)
        enter(import, p, record);
    else if (state)
        leave(import, p, record);
    else
        add_event(import, p, record);
}

static void end_processor(struct picl_import *import, struct picl_processor *p)
{
    if (p->tracing)
        picl_report(import, PICL_FAULT_OPEN, p->tracing, p->number, TRACING);
    for (int kind = 0; kind < PICL_STACKS; kind++) {
        struct picl_stack *stack = &p->stacks[kind];
        for (uint32_t i = 0; i < stack->n; i++) {
            picl_report(import, PICL_FAULT_OPEN, stack->frames[i].line, p->number,
                        stack->frames[i].key);
            if (stack->frames[i].id == WEFT_NO_ID)
                open_state(import, p, (enum picl_stack_kind)kind, &stack->frames[i], NULL);
        }
    }
}

void picl_end(struct picl_import *import)
{
    for (size_t i = 0; i < import->n_processors; i++)
        end_processor(import, &import->processors[i]);
    picl_posted_end(import);
    picl_messages_end(import);
    picl_groups_end(import);
    weft_builder_records(import->builder, import->records);
}

void picl_free(struct picl_import *import)
{
    for (size_t i = 0; i < import->n_processors; i++) {
        struct picl_processor *p = &import->processors[i];
        for (int kind = 0; kind < PICL_STACKS; kind++)
            free(p->stacks[kind].frames);
        weft_id_map_free(&p->requests);
        weft_id_map_free(&p->groups);
        weft_id_map_free(&p->next_operations);
    }
    free(import->processors);
    picl_numbers_free(&import->by_number);
    free(import->event_tracks);
    weft_text_map_free(&import->types.values);
    picl_messages_free(&import->messages);
    picl_posted_free(&import->posted);
    picl_groups_free(&import->groups);
    picl_batch_free(&import->batch);
}
