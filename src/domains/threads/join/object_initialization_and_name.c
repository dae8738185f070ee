/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the object at an address, known before its first use: where it was
 * initialized, and which name the program gave it.  A forked child has its parent's
 * objects as they were at the fork; another program in the process has none of before.
 */
#include "domains/threads/join/threads_join.h"

struct object_key threads_object_key(const struct threads_join *threads,
                                     const struct join_thread *thread, uint64_t address,
                                     const struct mapping *mapping)
{
    uint32_t host = threads->join->recording->processes[thread->process].host;

    if (mapping)
        return (struct object_key){ UINT64_MAX - host,
                                    address - mapping->begin + mapping->offset,
                                    mapping->device, mapping->inode };
    return (struct object_key){ thread->process, address, 0, 0 };
}

static void put_fact(struct threads_join *threads, struct weft_text_map *map,
                     const struct object_key *key, struct object_fact fact)
{
    uint32_t index = weft_text_map_get(map, key, sizeof *key);

    if (index == WEFT_MAP_NONE) {
        threads->facts = weft_grow(threads->facts, &threads->facts_capacity,
                                   threads->n_facts + 1, sizeof *threads->facts);
        index = (uint32_t)threads->n_facts++;
        weft_text_map_put(map, key, sizeof *key, index);
    }
    threads->facts[index] = fact;
}

static void drop_fact(struct threads_join *threads, const struct weft_text_map *map,
                      const struct object_key *key)
{
    uint32_t index = weft_text_map_get(map, key, sizeof *key);

    if (index != WEFT_MAP_NONE)
        threads->facts[index] = (struct object_fact){ 0 };
}

static const struct object_fact *fact_at(const struct threads_join *threads,
                                         const struct weft_text_map *map,
                                         const struct object_key *key)
{
    uint32_t index = weft_text_map_get(map, key, sizeof *key);
    const struct object_fact *fact = index == WEFT_MAP_NONE ? NULL : &threads->facts[index];

    return fact && (fact->site || fact->name) ? fact : NULL;
}

/*
 * Returns the fact that holds in the thread's image; or NULL.  MAPPING: of the object, if
 * processes share it; all of them then share the fact.
 */
static const struct object_fact *find_fact(const struct threads_join *threads,
                                           const struct weft_text_map *map,
                                           const struct join_thread *thread,
                                           uint64_t address, const struct mapping *mapping)
{
    const struct recording *recording = threads->join->recording;
    struct object_key key = threads_object_key(threads, thread, address, mapping);
    uint32_t image = thread->image;
    int64_t until = INT64_MAX;

    if (mapping)
        return fact_at(threads, map, &key);
    while (image != WEFT_NONE) {
        const struct object_fact *fact;
        key.process = recording->images[image].process;
        fact = fact_at(threads, map, &key);
        if (fact && fact->image == image)
            return fact->time <= until ? fact : NULL;
        until = recording_ns(recording, image, recording->images[image].header.first.ticks);
        image = recording->images[image].inherits;
    }
    return NULL;
}

void threads_keep_initialization(struct threads_join *threads,
                                 const struct join_thread *thread,
                                 const struct object_key *key, uint64_t site, int64_t time)
{
    put_fact(threads, &threads->initialized, key,
             (struct object_fact){ .site = site, .image = thread->image, .time = time });
    drop_fact(threads, &threads->given_names, key);
}

void threads_keep_given_name(struct threads_join *threads, const struct join_thread *thread,
                             const struct object_key *key, const char *name, int64_t time)
{
    put_fact(threads, &threads->given_names, key,
             (struct object_fact){ .name = name, .image = thread->image, .time = time });
}

void threads_drop_facts(struct threads_join *threads, const struct object_key *key)
{
    drop_fact(threads, &threads->initialized, key);
    drop_fact(threads, &threads->given_names, key);
}

const struct object_fact *threads_initialization(const struct threads_join *threads,
                                                 const struct join_thread *thread,
                                                 uint64_t address,
                                                 const struct mapping *mapping)
{
    return find_fact(threads, &threads->initialized, thread, address, mapping);
}

const char *threads_given_name(const struct threads_join *threads,
                               const struct join_thread *thread, uint64_t address,
                               const struct mapping *mapping)
{
    const struct object_fact *fact =
        find_fact(threads, &threads->given_names, thread, address, mapping);

    return fact ? fact->name : NULL;
}
