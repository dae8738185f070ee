/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/thread_usage.h"

void usage_define_fields(struct join *join)
{
    join->system_time = join_field(join, join->thread_type, "time in the kernel",
                                   WEFT_FIELD_INTEGER, WEFT_ROLE_SYSTEM_TIME);
    join->page_faults = join_field(join, join->thread_type, "page faults",
                                   WEFT_FIELD_INTEGER, WEFT_ROLE_PAGE_FAULTS);
}

static void put_fact(struct join *join, uint32_t container, uint32_t field, uint64_t count)
{
    struct weft_field_value fact = { field, { .integer = (int64_t)count } };

    weft_builder_container_field(join->builder, container, &fact);
}

/* Returns the thread of the image of THREAD with the id TID; NULL if none is running. */
static struct join_thread *find_by_id(struct join *join, struct join_thread *thread,
                                      uint64_t tid)
{
    struct join_thread *found = NULL;

    if (tid == 0)
        return thread;
    for (struct join_thread *other = join->of_image[thread->image];
         other && join_may_look(join); other = other->next_of_image)
        if (other->stream->header->tid == tid && other->started && !other->ended)
            found = other;
    return found;
}

/*
 * Writes what the kernel has counted of a thread.  It divides a thread's time by what the
 * thread was doing at each of the kernel's ticks, up to 10 ms apart: below a hundred of
 * these the part in the kernel is not known well enough.
 */
void usage_record(struct join *join, struct join_thread *thread,
                  const struct record *record)
{
    static const uint64_t least_ns = 1000000000;
    struct join_thread *of = find_by_id(join, thread, record->words[0]);
    uint64_t user = record->words[1], system = record->words[2], faults = record->words[3];

    if (!of || user > INT64_MAX / 2 || system > INT64_MAX / 2 || faults > INT64_MAX)
        return; /* damaged */
    of->used = true;
    if (user + system >= least_ns)
        put_fact(join, of->container, join->system_time, system);
    put_fact(join, of->container, join->page_faults, faults);
}
