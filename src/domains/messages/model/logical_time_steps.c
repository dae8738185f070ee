/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/logical_time_priv.h"

#include <stdlib.h>

#include "domains/messages/model/processors.h"

enum { EVENTS_A_REPORT = 1 << 16 }; /* between two looks at the job */

/* A message is not sent yet, and the processor waits for it whose index has this bit. */
#define AWAITED UINT32_C(0x80000000)
/* The step of a call whose processor has come to it, but which waits. */
#define ARRIVED UINT32_MAX

/* An operation while its calls get their steps. */
struct operation {
    uint32_t arrived; /* calls that their processors have come to */
    uint32_t before;  /* greatest step that precedes such a call on its processor */
    uint32_t sent;    /* all to one: calls but the root's that have a step */
    uint32_t most;    /* the greatest of these */
    uint32_t root;    /* its call, from 0 in the operation; WEFT_NONE: none */
};

struct steps {
    struct weft_logical *logical;
    const struct weft_traffic *traffic;
    uint32_t *of_message; /* 0: not sent yet; else the step of the send, or AWAITED */
    uint32_t *of_call;    /* 0: not reached yet; ARRIVED; else its step */
    struct operation *operations;
    size_t *next;     /* by processor: its first event without a step */
    uint32_t *clock;  /* by processor: the step of its last event that has one */
    uint32_t *ready;  /* processors that may go on: a stack */
    uint32_t *heap;   /* processors that wait, the one with the earliest event first */
    uint32_t *place;  /* by processor: where it is in the heap; WEFT_NONE: nowhere */
    uint32_t n_ready; /* lengths of the two */
    uint32_t n_heap;
};

/* ---- The heap of processors that wait ---- */

static bool is_earlier(const struct steps *s, uint32_t a, uint32_t b)
{
    int64_t x = s->logical->events[s->next[a]].time,
            y = s->logical->events[s->next[b]].time;
    return x != y ? x < y : a < b;
}

static void put(struct steps *s, uint32_t at, uint32_t processor)
{
    s->heap[at] = processor;
    s->place[processor] = at;
}

static void sift_up(struct steps *s, uint32_t at, uint32_t processor)
{
    while (at && is_earlier(s, processor, s->heap[(at - 1) / 2])) {
        put(s, at, s->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(s, at, processor);
}

static void sift_down(struct steps *s, uint32_t at, uint32_t processor)
{
    for (uint32_t child; (child = 2 * at + 1) < s->n_heap; at = child) {
        if (child + 1 < s->n_heap && is_earlier(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!is_earlier(s, s->heap[child], processor))
            break;
        put(s, at, s->heap[child]);
    }
    put(s, at, processor);
}

static void take_out(struct steps *s, uint32_t processor)
{
    uint32_t at = s->place[processor], last = s->heap[--s->n_heap];
    s->place[processor] = WEFT_NONE;
    if (last == processor)
        return;
    sift_down(s, at, last);
    sift_up(s, s->place[last], last);
}

/* Lets PROCESSOR, if it waits, look again whether it may go on. */
static void wake(struct steps *s, uint32_t processor)
{
    if (s->place[processor] == WEFT_NONE)
        return;
    take_out(s, processor);
    s->ready[s->n_ready++] = processor;
}

/* ---- Operations ---- */

static bool is_shared(const struct weft_collective *of)
{
    return of->pattern != WEFT_ROLE_ONE_TO_ALL && of->pattern != WEFT_ROLE_ALL_TO_ONE
           && of->pattern != WEFT_ROLE_PREFIX;
}

static void wake_all(struct steps *s, const struct weft_collective *of)
{
    for (uint32_t k = 0; k < of->n_calls; k++)
        wake(s, s->traffic->calls[of->first_call + k].processor);
}

static void arrive(struct steps *s, uint32_t call, uint32_t clock)
{
    uint32_t index = s->logical->operation_of[call];
    const struct weft_collective *of = &s->traffic->collectives[index];
    struct operation *operation = &s->operations[index];
    s->of_call[call] = ARRIVED;
    operation->before = clock > operation->before ? clock : operation->before;
    if (++operation->arrived == of->n_calls && is_shared(of))
        wake_all(s, of);
}

/* Returns the step of a call, 0 if it has none yet. */
static uint32_t call_step(const struct steps *s, uint64_t call)
{
    return s->of_call[call] == ARRIVED ? 0 : s->of_call[call];
}

/* Returns true if CALL waits for nothing more; then *AFTER is the step that it follows. */
static bool call_may_go(const struct steps *s, uint32_t call, uint32_t *after)
{
    uint32_t index = s->logical->operation_of[call];
    const struct weft_collective *of = &s->traffic->collectives[index];
    const struct operation *operation = &s->operations[index];
    uint32_t k = (uint32_t)(call - of->first_call);
    *after = 0;
    if (is_shared(of)) {
        *after = operation->before;
        return operation->arrived == of->n_calls;
    }
    if (of->pattern == WEFT_ROLE_PREFIX) {
        *after = k ? call_step(s, call - 1) : 0;
        return !k || *after;
    }
    if (operation->root == WEFT_NONE)
        return true;
    if (of->pattern == WEFT_ROLE_ALL_TO_ONE) {
        *after = k == operation->root ? operation->most : 0;
        return k != operation->root || operation->sent == of->n_calls - 1;
    }
    *after = k == operation->root ? 0 : call_step(s, of->first_call + operation->root);
    return k == operation->root || *after;
}

static void end_call(struct steps *s, uint32_t call, uint32_t step)
{
    uint32_t index = s->logical->operation_of[call];
    const struct weft_collective *of = &s->traffic->collectives[index];
    struct operation *operation = &s->operations[index];
    uint32_t k = (uint32_t)(call - of->first_call);
    s->of_call[call] = step;
    if (of->pattern == WEFT_ROLE_PREFIX && k + 1 < of->n_calls)
        wake(s, s->traffic->calls[call + 1].processor);
    if (of->pattern == WEFT_ROLE_ONE_TO_ALL && k == operation->root)
        wake_all(s, of);
    if (of->pattern == WEFT_ROLE_ALL_TO_ONE && k != operation->root) {
        operation->most = step > operation->most ? step : operation->most;
        if (++operation->sent == of->n_calls - 1 && operation->root != WEFT_NONE)
            wake(s, s->traffic->calls[of->first_call + operation->root].processor);
    }
}

static void find_roots(struct steps *s)
{
    for (size_t i = 0; i < s->traffic->n_collectives; i++) {
        const struct weft_collective *of = &s->traffic->collectives[i];
        s->operations[i].root = WEFT_NONE;
        for (uint32_t k = 0; k < of->n_calls && of->root != WEFT_NONE; k++)
            if (s->traffic->calls[of->first_call + k].processor == of->root)
                s->operations[i].root = k;
    }
}

/* ---- Events ---- */

/*
 * Returns true if the next event of PROCESSOR waits for nothing more; then *AFTER is the
 * greatest step of those that it depends on.
 */
static bool may_go(struct steps *s, uint32_t processor, uint32_t *after)
{
    const struct weft_logical_event *event = &s->logical->events[s->next[processor]];
    uint32_t number = weft_logical_number(event);
    *after = 0;
    if (weft_logical_kind_of(event) == WEFT_LOGICAL_SEND)
        return true;
    if (weft_logical_kind_of(event) == WEFT_LOGICAL_CALL) {
        if (!s->of_call[number])
            arrive(s, number, s->clock[processor]);
        return call_may_go(s, number, after);
    }
    uint32_t step = s->of_message[number];
    if (step == LOGICAL_NO_SENDER)
        return true;
    if (!step || step & AWAITED) {
        s->of_message[number] = AWAITED | processor;
        return false;
    }
    *after = step;
    return true;
}

/* Gives the next event of PROCESSOR its step, one more than AFTER and its clock. */
static void go(struct steps *s, uint32_t processor, uint32_t after)
{
    struct weft_logical_event *event = &s->logical->events[s->next[processor]++];
    uint32_t number = weft_logical_number(event);
    uint32_t step = 1 + (after > s->clock[processor] ? after : s->clock[processor]);
    event->step = s->clock[processor] = step;
    if (weft_logical_kind_of(event) == WEFT_LOGICAL_CALL) {
        end_call(s, number, step);
    } else if (weft_logical_kind_of(event) == WEFT_LOGICAL_SEND) {
        uint32_t awaited = s->of_message[number];
        s->of_message[number] = step;
        if (awaited & AWAITED)
            wake(s, awaited & ~AWAITED);
    }
}

static bool run(struct steps *s, struct weft_job *job, struct weft_err *err)
{
    size_t n = s->logical->n, done = 0;
    const size_t *first = s->logical->first;
    while (s->n_ready || s->n_heap) {
        bool forced = !s->n_ready;
        if (forced) {
            s->logical->n_forced++;
            wake(s, s->heap[0]);
        }
        uint32_t processor = s->ready[--s->n_ready], after;
        for (; s->next[processor] < first[processor + 1]; forced = false) {
            if (!may_go(s, processor, &after) && !forced) {
                sift_up(s, s->n_heap++, processor);
                break;
            }
            go(s, processor, forced ? 0 : after);
            if (++done % EVENTS_A_REPORT == 0 && !weft_job_step(job, n + done, 2 * n, err))
                return false;
        }
    }
    return weft_job_step(job, 1, 1, err);
}

bool weft_logical_count_steps(struct weft_logical *logical, uint32_t *step_of_message,
                              struct weft_job *job, struct weft_err *err)
{
    uint32_t n = logical->traffic->processors->n;
    struct steps s = { .logical = logical,
                       .traffic = logical->traffic,
                       .of_message = step_of_message,
                       .n_ready = n };
    s.of_call = weft_zalloc(s.traffic->n_calls + 1, sizeof *s.of_call);
    s.operations = weft_zalloc(s.traffic->n_collectives + 1, sizeof *s.operations);
    s.next = weft_alloc(((size_t)n + 1) * sizeof *s.next);
    s.clock = weft_zalloc((size_t)n + 1, sizeof *s.clock);
    s.ready = weft_alloc(((size_t)n + 1) * sizeof *s.ready);
    s.heap = weft_alloc(((size_t)n + 1) * sizeof *s.heap);
    s.place = weft_alloc(((size_t)n + 1) * sizeof *s.place);
    for (uint32_t p = 0; p < n; p++) {
        s.next[p] = logical->first[p];
        s.ready[p] = n - 1 - p;
        s.place[p] = WEFT_NONE;
    }
    find_roots(&s);
    bool ok = run(&s, job, err);
    free(s.of_call);
    free(s.operations);
    free(s.next);
    free(s.clock);
    free(s.ready);
    free(s.heap);
    free(s.place);
    return ok;
}
