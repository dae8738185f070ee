/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/thread_names.h"

#include <stdlib.h>

#include "base/memory.h"

/* The C library's handle of a thread in a process. */
struct handle_key {
    uint64_t process, handle;
};

static struct handle_key key_of(const struct join_thread *thread)
{
    return (struct handle_key){ thread->process, thread->stream->header->handle };
}

struct join_thread *join_find_thread(const struct join *join, uint32_t process,
                                     uint64_t handle)
{
    struct handle_key key = { process, handle };
    uint32_t index = weft_text_map_get(&join->handles, &key, sizeof key);

    return index == WEFT_MAP_NONE ? NULL : join->threads[index];
}

void thread_names_show(struct join *join, struct join_thread *thread, const char *name,
                       int64_t time)
{
    thread->name = weft_arena_strdup(&join->arena, name);
    weft_builder_rename(join->builder, thread->container, name);
    (void)weft_builder_event(
        join->builder, weft_builder_track(join->builder, thread->container, join->names),
        time, join_value(join, join->names, name), NULL, 0, NULL);
}

void thread_names_keep(struct join *join, uint32_t process, uint64_t handle,
                       const char *name)
{
    const struct handle_key key = { process, handle };

    join->early_names = weft_grow(join->early_names, &join->early_names_capacity,
                                  join->n_early_names + 1, sizeof *join->early_names);
    weft_text_map_put(&join->early, &key, sizeof key, (uint32_t)join->n_early_names);
    join->early_names[join->n_early_names++] = weft_arena_strdup(&join->arena, name);
}

void thread_names_begin(struct join *join, struct join_thread *thread, int64_t time)
{
    const struct handle_key key = key_of(thread);
    uint32_t index = weft_text_map_get(&join->early, &key, sizeof key);

    weft_text_map_put(&join->handles, &key, sizeof key, thread->index);
    if (index == WEFT_MAP_NONE || !join->early_names[index])
        return;
    thread_names_show(join, thread, join->early_names[index], time);
    join->early_names[index] = NULL; /* a later thread may have the same handle */
}

void thread_names_free(struct join *join)
{
    weft_text_map_free(&join->handles);
    weft_text_map_free(&join->early);
    free(join->early_names);
}
