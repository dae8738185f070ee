/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges waits that families know with the switches that were observed.  A thread's states
 * are written in order of time: a change that a family tells first lets the switches before
 * it be written (activity_reach).
 */
#include "read/recording/join/thread_states.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "observe/blocking_system_calls.h"
#include "read/recording/join/call_stack_texts.h"

enum {
    /*
     * A waiting thread that has a processor for longer runs: it spins, or its wait was over
     * and it had not returned.  A shorter time belongs to the wait.
     */
    RUNS_NS = 50000,
};

static const struct {
    const char *name;
    enum weft_role role;
} wait_names[CALL_WAITS] = {
    [CALL_SLEEPS] = { "sleeping", WEFT_ROLE_SLEEPING },
    [CALL_POLLS] = { "polling", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    [CALL_READS] = { "reading", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    [CALL_WRITES] = { "writing", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    [CALL_SYNCS] = { "syncing", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    [CALL_OPENS] = { "opening", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    [CALL_CONNECTS] = { "connecting", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    [CALL_LOCKS_FILE] = { "blocked on file lock", WEFT_ROLE_BLOCKED_ON_LOCK },
    [CALL_FUTEX] = { "blocked on futex", WEFT_ROLE_BLOCKED },
    [CALL_SEMAPHORE] = { "blocked on semaphore", WEFT_ROLE_BLOCKED_ON_SEMAPHORE },
    [CALL_WAITS_FOR_CHILD] = { "waiting for a child", WEFT_ROLE_BLOCKED_ON_END },
    [CALL_WAITS_FOR_SIGNAL] = { "waiting for a signal", WEFT_ROLE_BLOCKED },
    [CALL_MEMORY] = { "changing memory", WEFT_ROLE_BLOCKED },
    [CALL_OTHER] = { "in a system call", WEFT_ROLE_BLOCKED },
    [CALL_PAGE] = { "waiting for a page", WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT },
    [CALL_STOPPED] = { "stopped", WEFT_ROLE_BLOCKED },
};

struct activity {      /* of one thread */
    uint32_t track;    /* WEFT_NONE before its states begin */
    bool waits;        /* by its family; else it runs */
    bool off;          /* the state written last is one without a processor */
    size_t next;       /* of the observed switches: the first that is not written */
    int64_t next_time; /* its time; INT64_MAX: there is none */
    uint32_t wait;     /* value of the wait, and its fields */
    size_t n_fields;
    struct weft_field_value fields[ACTIVITY_FIELDS];
    uint64_t wait_id; /* of the wait's first state; WEFT_NO_ID: none is written yet */
    /*
     * It was woken at `blocked_until`, and no state of its wait was written since then: it
     * is ready until it gets a processor, and then runs.
     */
    bool woken;
    int64_t blocked_until;
    int64_t shown;  /* begin of the state written last, and its value */
    uint32_t value; /* of type "Thread state" */
};

struct activities {
    struct join *join;
    struct activity *threads; /* by index in join->threads */
    struct activity_wakings wakings;
    uint32_t type, running, spinning, ready, blocked, unknown, mixed, idle,
        waits[CALL_WAITS];                                /* values */
    uint32_t call, file, address, processor, site, stack; /* fields */
};

struct activities *activities_new(struct join *join)
{
    struct activities *activities = weft_zalloc(1, sizeof *activities);
    uint32_t type =
        join_type(join, WEFT_STATE, join->thread_type, "Thread state", WEFT_ROLE_ACTIVITY);

    activities->join = join;
    activities->threads = weft_zalloc(join->n_threads + 1, sizeof *activities->threads);
    for (size_t i = 0; i < join->n_threads; i++)
        activities->threads[i] =
            (struct activity){ .track = WEFT_NONE, .next_time = INT64_MAX };
    activities->type = type;
    activities->running = join_value_with_role(join, type, "running", WEFT_ROLE_RUNNING);
    activities->site = join_field(join, type, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    return activities;
}

/* Defines what only observations need, once the families have defined their values. */
void activities_define_observed(struct activities *activities)
{
    struct join *join = activities->join;
    uint32_t type = activities->type;

    activities->ready = join_value_with_role(join, type, "ready", WEFT_ROLE_READY);
    activities->spinning = join_value_with_role(join, type, "spinning", WEFT_ROLE_SPINNING);
    activities->blocked = join_value_with_role(join, type, "blocked", WEFT_ROLE_BLOCKED);
    activities->idle =
        join_value_with_role(join, type, "waiting for work", WEFT_ROLE_SLEEPING);
    activities->unknown = join_value(join, type, "unknown");
    activities->mixed = join_value(join, type, "running at times");
    for (int i = 0; i < CALL_WAITS; i++)
        activities->waits[i] =
            join_value_with_role(join, type, wait_names[i].name, wait_names[i].role);
    activities->call = join_field(join, type, "call", WEFT_FIELD_TEXT, WEFT_ROLE_NONE);
    activities->file = join_field(join, type, "file", WEFT_FIELD_TEXT, WEFT_ROLE_NONE);
    activities->address =
        join_field(join, type, "address", WEFT_FIELD_INTEGER, WEFT_ROLE_ADDRESS);
    activities->processor =
        join_field(join, type, "processor", WEFT_FIELD_INTEGER, WEFT_ROLE_PROCESSOR_NUMBER);
    activities->stack =
        join_field(join, type, "stack", WEFT_FIELD_TEXT, WEFT_ROLE_CALL_STACK);
}

void activities_know_wakings(struct activities *activities,
                             const struct activity_wakings *wakings)
{
    activities->wakings = *wakings;
}

void activities_free(struct activities *activities)
{
    if (!activities)
        return;
    free(activities->threads);
    free(activities);
}

uint32_t activities_type(const struct activities *activities)
{
    return activities->type;
}

uint32_t activities_site(const struct activities *activities)
{
    return activities->site;
}

/* Returns the time of the store of a time that was observed of the thread. */
static int64_t time_of(const struct activities *activities,
                       const struct join_thread *thread, int64_t observed)
{
    const struct recording *recording = activities->join->recording;
    uint32_t domain = recording->images[thread->image].domain;

    return clock_domain_of_monotonic(&recording->domains[domain], observed);
}

static void set(struct activities *activities, struct join_thread *thread, int64_t time,
                uint32_t value, const struct weft_field_value *fields, size_t n_fields)
{
    struct activity *activity = &activities->threads[thread->index];

    (void)weft_builder_set(activities->join->builder, activity->track, time, value, fields,
                           n_fields, &thread->state);
    activity->shown = time;
    activity->value = value;
}

static void set_running(struct activities *activities, struct join_thread *thread,
                        int64_t time, const struct observed_switch *in)
{
    struct weft_field_value processor = { activities->processor,
                                          { .integer = in ? in->processor : 0 } };

    set(activities, thread, time,
        in && in->change == OBSERVED_SPINNING ? activities->spinning : activities->running,
        &processor, in && in->processor != OBSERVED_NO_PROCESSOR);
}

static void set_wait(struct activities *activities, struct join_thread *thread,
                     int64_t time)
{
    struct activity *activity = &activities->threads[thread->index];

    set(activities, thread, time, activity->wait, activity->fields, activity->n_fields);
    activity->woken = false;
    if (activity->wait_id == WEFT_NO_ID)
        activity->wait_id = thread->state;
}

/*
 * THREAD, which waits and has no processor, is ready from TIME on: it was woken then.  The
 * state keeps the wait's fields: what it waited for before.
 */
static void set_woken(struct activities *activities, struct join_thread *thread,
                      int64_t time)
{
    struct activity *activity = &activities->threads[thread->index];

    set(activities, thread, time, activities->ready, activity->fields, activity->n_fields);
    activity->woken = activity->off = true;
    activity->blocked_until = time;
}

/*
 * A thread that waits gets a processor at TIME, by the switch IN: if its family knows that
 * it was woken before, since it lost its processor, it was ready from then on.
 */
static void show_ready(struct activities *activities, struct join_thread *thread,
                       int64_t time, const struct observed_switch *in)
{
    struct activity *activity = &activities->threads[thread->index];
    const struct observed_switch *out = in - 1;
    int64_t off, woken;

    if (activity->woken || !activities->wakings.woken_at
        || in == thread->stream->observed->switches || out->change != OBSERVED_OUT
        || in->processor == OBSERVED_NO_PROCESSOR)
        return;
    off = time_of(activities, thread, out->time);
    woken = activities->wakings.woken_at(activities->wakings.user, thread, off, time);
    if (woken <= off || woken >= time)
        return;
    set_woken(activities, thread, woken > activity->shown ? woken : activity->shown);
}

/* Returns the first look at the thread that began and ended between two observed times. */
static const struct weft_schedule_look *find_look(const struct observed_thread *observed,
                                                  int64_t from, int64_t to)
{
    size_t i =
        WEFT_FIRST(k, (size_t)0, observed->n_looks, observed->looks[k]->time >= from);
    const struct weft_schedule_look *look =
        i < observed->n_looks ? observed->looks[i] : NULL;

    return look && look->time < to - look->misc * INT64_C(1000) ? look : NULL;
}

enum { LOOK_FIELDS = 5 };

/* Returns the number of fields. */
static size_t describe_look(struct activities *activities, const struct looked_at *at,
                            const struct weft_schedule_look *look,
                            const struct system_call *call,
                            struct weft_field_value fields[LOOK_FIELDS])
{
    char number[32];
    char file[WEFT_SCHEDULE_TEXT + 1] = "";
    size_t n = 0;

    snprintf(number, sizeof number, "system call %d", (int)look->call);
    if (look->call >= 0)
        fields[n++] = (struct weft_field_value){
            activities->call,
            { .index = join_text(activities->join, call ? call->name : number) }
        };
    memcpy(file, look->file, sizeof look->file);
    if (*file)
        fields[n++] =
            (struct weft_field_value){ activities->file,
                                       { .index = join_text(activities->join, file) } };
    if (call && call->wait == CALL_FUTEX)
        fields[n++] =
            (struct weft_field_value){ activities->address,
                                       { .integer = (int64_t)look->arguments[0] } };
    if (at->text != WEFT_NONE) {
        fields[n++] = (struct weft_field_value){ activities->site, { .index = at->site } };
        fields[n++] = (struct weft_field_value){ activities->stack, { .index = at->text } };
    }
    return n;
}

/*
 * Returns the kind of wait in CALL, that of LOOK; NULL: it is not in the table, or no
 * call.
 */
static enum call_wait wait_of(const struct weft_schedule_look *look,
                              const struct system_call *call)
{
    if (call)
        return call->wait;
    return look->call == WEFT_LOOK_PAGE      ? CALL_PAGE
           : look->call == WEFT_LOOK_STOPPED ? CALL_STOPPED
                                             : CALL_OTHER;
}

/* The thread is blocked from the switch OUT to BACK (NULL: to its end). */
static void set_blocked(struct activities *activities, struct join_thread *thread,
                        int64_t time, const struct observed_switch *out,
                        const struct observed_switch *back)
{
    const struct observed_thread *observed = thread->stream->observed;
    const struct weft_schedule_look *look =
        find_look(observed, out->time, back ? back->time : INT64_MAX);
    const struct system_call *call = look ? system_call(look->call) : NULL;
    struct weft_field_value fields[LOOK_FIELDS];
    struct looked_at at;

    if (!look) {
        set(activities, thread, time, activities->blocked, NULL, 0);
        return;
    }
    at = stacks_of_look(activities->join->stacks, thread->image, look);
    set(activities, thread, time,
        at.idle ? activities->idle : activities->waits[wait_of(look, call)], fields,
        describe_look(activities, &at, look, call, fields));
}

/* Counts an interval in which the thread was blocked from the switch OUT to BACK. */
static void count_blocked(struct activities *activities, const struct join_thread *thread,
                          const struct observed_switch *out,
                          const struct observed_switch *back, bool known)
{
    enum { LONG_NS = 1000000 };
    struct weft_recording_report *report = &activities->join->recording->report;
    const struct observed_thread *observed = thread->stream->observed;
    int64_t end = back ? back->time : observed->end;

    if (out->change != OBSERVED_OUT || end - out->time < LONG_NS)
        return;
    report->blocked_ns += end - out->time;
    if (known)
        report->blocked_known_ns += end - out->time;
    else if (find_look(observed, out->time, end))
        report->blocked_seen_ns += end - out->time;
}

/* Writes the switch of a thread that its family holds to be running. */
static void switch_running(struct activities *activities, struct join_thread *thread,
                           int64_t time, const struct observed_switch *at,
                           const struct observed_switch *next)
{
    struct activity *activity = &activities->threads[thread->index];

    switch (at->change) {
    case OBSERVED_IN:
    case OBSERVED_SPINNING: set_running(activities, thread, time, at); break;
    case OBSERVED_OUT: set_blocked(activities, thread, time, at, next); break;
    case OBSERVED_PREEMPTED:
        set(activities, thread, time, activities->ready, NULL, 0);
        break;
    case OBSERVED_LOST: set(activities, thread, time, activities->unknown, NULL, 0); break;
    case OBSERVED_MIXED: set(activities, thread, time, activities->mixed, NULL, 0); break;
    }
    activity->off = at->change != OBSERVED_IN && at->change != OBSERVED_SPINNING;
}

/*
 * Writes the switch of a thread that its family knows to wait.  Without a processor it
 * waits; with one for long, it runs, and also if it was woken and does not block again
 * before UNTIL.
 */
static void switch_waiting(struct activities *activities, struct join_thread *thread,
                           int64_t time, const struct observed_switch *at, int64_t until)
{
    struct activity *activity = &activities->threads[thread->index];
    bool last = activity->next_time >= until, back = false;

    switch (at->change) {
    case OBSERVED_IN:
        show_ready(activities, thread, time, at);
        back = (last ? until : activity->next_time) - time >= RUNS_NS
               || (activity->woken && (last || at[1].change != OBSERVED_OUT));
        if (back)
            set_running(activities, thread, time, at);
        else if (activity->off)
            set_wait(activities, thread, time);
        break;
    case OBSERVED_SPINNING:
        set_running(activities, thread, time, at);
        back = true;
        break;
    case OBSERVED_PREEMPTED:
        set(activities, thread, time, activities->ready, NULL, 0);
        back = true;
        break;
    default:
        if (activity->off)
            set_wait(activities, thread, time);
        break;
    }
    activity->off = back; /* the state written last is not the wait */
}

/* Passes to the switch with this index. */
static void go_to_switch(struct activities *activities, const struct join_thread *thread,
                         size_t index)
{
    struct activity *activity = &activities->threads[thread->index];
    const struct observed_thread *observed = thread->stream->observed;

    activity->next = index;
    activity->next_time = observed && index < observed->n_switches
                              ? time_of(activities, thread, observed->switches[index].time)
                              : INT64_MAX;
}

void activity_reach(struct activities *activities, struct join_thread *thread, int64_t time)
{
    struct activity *activity = &activities->threads[thread->index];
    const struct observed_thread *observed = thread->stream->observed;

    while (activity->next_time < time) {
        const struct observed_switch *at = &observed->switches[activity->next];
        bool last = activity->next + 1 == observed->n_switches;
        int64_t from = activity->next_time;
        go_to_switch(activities, thread, activity->next + 1);
        count_blocked(activities, thread, at, last ? NULL : at + 1, activity->waits);
        if (activity->waits)
            switch_waiting(activities, thread, from, at, time);
        else
            switch_running(activities, thread, from, at, last ? NULL : at + 1);
    }
}

/* Returns the latest switch that was written; NULL: there is none. */
static const struct observed_switch *latest_switch(const struct activity *activity,
                                                   const struct join_thread *thread)
{
    const struct observed_thread *observed = thread->stream->observed;

    return observed && activity->next > 0 ? &observed->switches[activity->next - 1] : NULL;
}

/* Returns the switch by which a thread got the processor that it has; NULL: unknown. */
static const struct observed_switch *latest_in(const struct activity *activity,
                                               const struct join_thread *thread)
{
    const struct observed_switch *latest = latest_switch(activity, thread);

    return latest && (latest->change == OBSERVED_IN || latest->change == OBSERVED_SPINNING)
               ? latest
               : NULL;
}

void activity_begin(struct activities *activities, struct join_thread *thread, int64_t time)
{
    struct activity *activity = &activities->threads[thread->index];
    const struct observed_thread *observed = thread->stream->observed;

    if (activity->track != WEFT_NONE)
        return;
    activity->track =
        weft_builder_track(activities->join->builder, thread->container, activities->type);
    go_to_switch(activities, thread, 0);
    while (activity->next_time <= time)
        go_to_switch(activities, thread, activity->next + 1);
    if (activity->next > 0 && !latest_in(activity, thread)) {
        const struct observed_switch *at = &observed->switches[activity->next - 1];
        switch_running(activities, thread, time, at,
                       activity->next < observed->n_switches ? at + 1 : NULL);
        return;
    }
    /* A new thread waits for its first processor. */
    if (activity->next_time != INT64_MAX
        && observed->switches[activity->next].change == OBSERVED_IN
        && !latest_in(activity, thread))
        set(activities, thread, time, activities->ready, NULL, 0);
    else
        set_running(activities, thread, time, latest_in(activity, thread));
}

void activity_run(struct activities *activities, struct join_thread *thread, int64_t time)
{
    struct activity *activity = &activities->threads[thread->index];
    const struct observed_switch *latest;
    bool woken;

    activity_begin(activities, thread, time);
    activity_reach(activities, thread, time);
    woken = activity->woken && activity->waits;
    activity->waits = activity->off = activity->woken = false;
    latest = latest_switch(activity, thread);
    if (latest && latest->change == OBSERVED_LOST)
        set(activities, thread, time, activities->unknown, NULL, 0);
    else if (!woken || activity->value != activities->running)
        set_running(activities, thread, time, latest_in(activity, thread));
}

uint64_t activity_wait(struct activities *activities, struct join_thread *thread,
                       int64_t time, uint32_t value, const struct weft_field_value *fields,
                       size_t n_fields)
{
    struct activity *activity = &activities->threads[thread->index];
    bool ready; /* it has not got a processor since it was woken from another wait */

    activity_begin(activities, thread, time);
    activity_reach(activities, thread, time);
    ready = activity->woken && !latest_in(activity, thread);
    activity->waits = true;
    activity->wait = value;
    activity->n_fields = n_fields;
    activity->wait_id = WEFT_NO_ID;
    if (n_fields > 0)
        memcpy(activity->fields, fields, n_fields * sizeof *fields);
    activity->off = ready;
    if (!ready)
        set_wait(activities, thread, time);
    return activity->wait_id;
}

void activity_woken(struct activities *activities, struct join_thread *thread, int64_t time)
{
    struct activity *activity = &activities->threads[thread->index];
    const struct observed_thread *observed = thread->stream->observed;
    const struct observed_switch *latest, *next;

    if (activity->track == WEFT_NONE || !observed)
        return;
    activity_reach(activities, thread, time);
    latest = latest_switch(activity, thread);
    if (!latest || activity->woken || !activity->waits || latest->change != OBSERVED_OUT
        || activity->next == observed->n_switches)
        return;
    next = &observed->switches[activity->next];
    if (next->change == OBSERVED_IN && next->processor != OBSERVED_NO_PROCESSOR)
        set_woken(activities, thread, time > activity->shown ? time : activity->shown);
}

int64_t activity_blocked_until(struct activities *activities, struct join_thread *thread,
                               int64_t time, uint64_t *id)
{
    struct activity *activity = &activities->threads[thread->index];

    activity_reach(activities, thread, time);
    *id = activity->wait_id;
    return activity->woken && activity->blocked_until < time ? activity->blocked_until
                                                             : time;
}

void activity_become(struct activities *activities, struct join_thread *thread,
                     struct join_thread *before, int64_t time)
{
    activity_reach(activities, before, time);
    activities->threads[thread->index] = activities->threads[before->index];
    if (thread->stream->observed == before->stream->observed)
        return;
    go_to_switch(activities, thread, 0);
    while (activities->threads[thread->index].next_time < time)
        go_to_switch(activities, thread, activities->threads[thread->index].next + 1);
}

void activity_end(struct activities *activities, struct join_thread *thread, int64_t time)
{
    const struct activity *activity = &activities->threads[thread->index];

    if (activity->track == WEFT_NONE)
        return;
    activity_reach(activities, thread, time);
    (void)weft_builder_reset(activities->join->builder, activity->track, time);
}
