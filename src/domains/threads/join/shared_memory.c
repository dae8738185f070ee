/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory, as the processes recorded it. */
#include <string.h>

#include "domains/threads/join/threads_join.h"

/* Returns the image's mapping that begins at BEGIN, for a new one to replace; or NULL. */
static struct mapping *mapping_at(const struct threads_join *threads, uint32_t image,
                                  uint64_t begin)
{
    for (uint32_t i = weft_id_map_get(&threads->last_mappings, image); i != WEFT_MAP_NONE;
         i = threads->mappings[i].before)
        if (threads->mappings[i].begin == begin)
            return &threads->mappings[i];
    return NULL;
}

static struct mapping *new_mapping(struct threads_join *threads, uint32_t image)
{
    struct mapping *mapping;

    threads->mappings = weft_grow(threads->mappings, &threads->mappings_capacity,
                                  threads->n_mappings + 1, sizeof *threads->mappings);
    mapping = &threads->mappings[threads->n_mappings];
    mapping->before = weft_id_map_get(&threads->last_mappings, image);
    weft_id_map_put(&threads->last_mappings, image, (uint32_t)threads->n_mappings++);
    return mapping;
}

void threads_add_mapping(struct threads_join *threads, const struct join_thread *thread,
                         const struct record *record)
{
    enum { PATH = 5 };            /* word at which the path begins */
    enum { MAX_MAPPINGS = 4096 }; /* the look-up of a new object tests all of them */
    const uint64_t *words = record->words;
    static const char deleted[] = " (deleted)"; /* appended by the kernel */
    char path[RECORD_TEXT];
    struct mapping *mapping;
    size_t length;

    if (words[0] >= words[1])
        return;
    length = strlen(record_text(record, PATH, path));
    if (length > strlen(deleted) && strcmp(path + length - strlen(deleted), deleted) == 0)
        path[length - strlen(deleted)] = 0;
    mapping = mapping_at(threads, thread->image, words[0]);
    if (!mapping && threads->n_mappings == MAX_MAPPINGS)
        return; /* its objects count as each process's own */
    if (!mapping)
        mapping = new_mapping(threads, thread->image);
    *mapping = (struct mapping){
        .before = mapping->before,
        .begin = words[0],
        .end = words[1],
        .offset = words[2],
        .device = words[3],
        .inode = words[4],
        .path = weft_arena_strdup(&threads->join->arena, path),
    };
}

const struct mapping *threads_mapping(const struct threads_join *threads, uint32_t image,
                                      uint64_t address)
{
    const struct recording *recording = threads->join->recording;

    if (threads->n_mappings == 0)
        return NULL;
    while (image != WEFT_NONE) { /* a forked image has its parent's memory */
        for (uint32_t i = weft_id_map_get(&threads->last_mappings, image);
             i != WEFT_MAP_NONE; i = threads->mappings[i].before) {
            const struct mapping *mapping = &threads->mappings[i];
            if (address >= mapping->begin && address < mapping->end)
                return mapping;
        }
        image = recording->images[image].inherits;
    }
    return NULL;
}

uint32_t threads_shared_group(struct threads_join *threads, uint32_t process, int64_t time)
{
    struct join *join = threads->join;
    uint32_t host = join->recording->processes[process].host;
    uint32_t *group = &threads->groups[host];

    if (*group == WEFT_NONE) {
        *group = weft_builder_container(join->builder, join->process_type,
                                        join->hosts[host], "shared by processes", "", time);
        weft_builder_container_role(join->builder, *group, WEFT_ROLE_GROUP);
    }
    return *group;
}
