/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of records: their names, containers, begins and ends. */
#include "domains/threads/join/threads_join.h"

#include <stdlib.h>
#include <string.h>

static const char *const class_names[WEFT_OBJECT_KINDS] = {
    "mutex", "read-write lock", "spin lock", "condition", "semaphore", "barrier",
};

struct name_key {
    uint32_t process;
    char name[252];
};

static struct object_key key_of(const struct threads_join *threads,
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

/* Variables of libraries in which there is one thing only that threads wait for. */
static const struct {
    const char *variable, *name;
} well_known[] = {
    { "_PyRuntime", "Python's GIL" }, /* its mutexes and conditions, in all versions */
};

/*
 * Returns the variable that has an object: "table", "table+64"; with its common name, if it
 * is a well-known one: "Python's GIL (_PyRuntime+440)".  NULL if there is none.
 */
static const char *variable_of(struct threads_join *threads,
                               const struct join_thread *thread, uint64_t address)
{
    struct weft_arena *arena = &threads->join->arena;
    uint64_t within = 0;
    const char *name =
        sites_variable(threads->join->sites, thread->image, address, &within);

    if (!name)
        return NULL;
    for (size_t i = 0; i < sizeof well_known / sizeof *well_known; i++)
        if (strcmp(name, well_known[i].variable) == 0)
            return weft_arena_printf(arena, "%s (%s+%llu)", well_known[i].name, name,
                                     (unsigned long long)within);
    return within ? weft_arena_printf(arena, "%s+%llu", name, (unsigned long long)within)
                  : weft_arena_strdup(arena, name);
}

/* Returns a place in a shared file: "queue", "queue+64"; NULL if it has no name. */
static const char *place_in_file(struct threads_join *threads,
                                 const struct mapping *mapping, uint64_t address)
{
    const char *slash = strrchr(mapping->path, '/');
    uint64_t within = address - mapping->begin + mapping->offset;
    struct weft_arena *arena = &threads->join->arena;

    /* The kernel's name for anonymous shared memory is the same for all of it. */
    if (!slash || !slash[1] || strncmp(mapping->path, "/dev/zero", 9) == 0)
        return NULL;
    return within
               ? weft_arena_printf(arena, "%s+%llu", slash + 1, (unsigned long long)within)
               : weft_arena_strdup(arena, slash + 1);
}

/* Returns the name of the variable or place of an object; or NULL. */
static const char *variable_name(struct threads_join *threads,
                                 const struct join_thread *thread, uint64_t address,
                                 const struct mapping *mapping)
{
    return mapping ? place_in_file(threads, mapping, address)
                   : variable_of(threads, thread, address);
}

/* Returns the name of its variable, else of its class; with a number to be unique. */
static const char *name_object(struct threads_join *threads,
                               const struct object_state *object, const char *variable)
{
    struct name_key key = { object->process, { 0 } };
    const char *name = variable ? variable : class_names[object->class];
    size_t length = strnlen(name, sizeof key.name);
    uint32_t n;

    memcpy(key.name, name, length);
    n = weft_text_map_get(&threads->object_names, &key, sizeof key.process + length);
    n = n == WEFT_MAP_NONE ? 1 : n + 1;
    weft_text_map_put(&threads->object_names, &key, sizeof key.process + length, n);
    return variable && n == 1 ? name
                              : weft_arena_printf(&threads->join->arena, "%s %u", name, n);
}

static void put_fact(struct threads_join *threads, const struct object_state *object,
                     struct weft_field_value fact)
{
    weft_builder_container_field(threads->join->builder, object->container, &fact);
}

/* Write the place where it was initialized if that is known, else that of its first use. */
static void put_origin(struct threads_join *threads, const struct object_state *object,
                       const struct join_thread *thread, const struct object_key *key,
                       uint64_t site)
{
    const struct thread_types *types = &threads->types;
    uint32_t index = weft_text_map_get(&threads->initialized, key, sizeof *key);
    const struct initialization *known =
        index == WEFT_MAP_NONE ? NULL : &threads->initializations[index];

    if (known && known->site)
        put_fact(threads, object,
                 join_site_field(threads->join, types->initialized_at[object->class],
                                 known->image, known->site));
    else if ((site = threads_site(threads, thread, site)) != 0)
        put_fact(threads, object,
                 join_site_field(threads->join, types->first_used_at[object->class],
                                 thread->image, site));
}

static void put_facts(struct threads_join *threads, const struct object_state *object,
                      uint64_t address, const char *variable)
{
    const struct thread_types *types = &threads->types;

    put_fact(threads, object,
             (struct weft_field_value){ types->address[object->class],
                                        { .integer = (int64_t)address } });
    if (variable)
        put_fact(
            threads, object,
            (struct weft_field_value){ types->symbol[object->class],
                                       { .index = join_text(threads->join, variable) } });
}

/* Make the object's container and its tracks. */
static void show_object(struct threads_join *threads, struct object_state *object,
                        const struct join_thread *thread,
                        const struct slot_binding *binding, const struct mapping *mapping,
                        int64_t time)
{
    struct weft_builder *builder = threads->join->builder;
    const struct thread_types *types = &threads->types;
    const char *variable = variable_name(threads, thread, binding->object, mapping);
    char *alias = weft_arena_printf(&threads->join->arena, "0x%llx",
                                    (unsigned long long)binding->object);
    uint32_t above = mapping ? threads_shared_group(threads, thread->process, time)
                             : threads->join->processes[thread->process].container;

    object->container =
        weft_builder_container(builder, types->objects[object->class], above,
                               name_object(threads, object, variable), alias, time);
    put_facts(threads, object, binding->object, variable);
    object->states = object->waiting = WEFT_NONE;
    if (object->class <= WEFT_OBJECT_SPIN)
        object->states = weft_builder_track(builder, object->container,
                                            types->lock_states[object->class]);
    else
        object->waiting =
            weft_builder_track(builder, object->container, types->waiting[object->class]);
    if (object->class == WEFT_OBJECT_SEMAPHORE)
        object->states =
            weft_builder_track(builder, object->container, types->semaphore_states);
}

/* Returns the object by process and address, or by place in shared memory; made if new. */
static struct object_state *look_up_object(struct threads_join *threads,
                                           const struct join_thread *thread,
                                           const struct slot_binding *binding, int64_t time)
{
    const struct mapping *mapping =
        threads_mapping(threads, thread->image, binding->object);
    struct object_key key = key_of(threads, thread, binding->object, mapping);
    uint32_t index = weft_text_map_get(&threads->object_map, &key, sizeof key);
    struct object_state *object;

    if (index != WEFT_MAP_NONE && threads->objects[index]
        && threads->objects[index]->class == binding->class)
        return threads->objects[index];
    object = weft_arena_zalloc(&threads->join->arena, 1, sizeof *object);
    object->class = (enum weft_object)binding->class;
    object->process = mapping ? WEFT_NONE : thread->process;
    object->time = time;
    show_object(threads, object, thread, binding, mapping, time);
    put_origin(threads, object, thread, &key, binding->site);
    threads->objects = weft_grow(threads->objects, &threads->objects_capacity,
                                 threads->n_objects + 1, sizeof(struct object_state *));
    threads->objects[threads->n_objects] = object;
    weft_text_map_put(&threads->object_map, &key, sizeof key,
                      (uint32_t)threads->n_objects++);
    return object;
}

struct object_state *threads_object(struct threads_join *threads,
                                    const struct join_thread *thread,
                                    struct slot_binding *binding, int64_t time)
{
    struct object_state *object = binding->known;

    /* Most objects were looked up before. */
    if (!object || object->destroyed)
        binding->known = object = look_up_object(threads, thread, binding, time);
    return object;
}

void threads_destroy_object(struct threads_join *threads, struct object_state *object,
                            int64_t time)
{
    if (time < object->time)
        time = object->time;
    object->destroyed = true;
    threads_list_free(&object->inside);
    threads_list_free(&object->returning);
    free(object->pending);
    object->pending = NULL;
    object->n_pending = 0;
    if (object->states != WEFT_NONE)
        (void)weft_builder_reset(threads->join->builder, object->states, time);
    weft_builder_destroy(threads->join->builder, object->container, time);
}

/* Destroy the object with this key; other processes may still use a shared one. */
static void forget(struct threads_join *threads, const struct object_key *key, int64_t time)
{
    uint32_t index = weft_text_map_get(&threads->object_map, key, sizeof *key);
    struct object_state *object = index == WEFT_MAP_NONE ? NULL : threads->objects[index];

    if (!object || object->process == WEFT_NONE)
        return;
    join_let_go(threads->join, &object->place, time);
    threads_destroy_object(threads, object, time);
    threads->objects[index] = NULL;
}

void threads_destroy_binding(struct threads_join *threads, const struct join_thread *thread,
                             const struct slot_binding *binding, int64_t time)
{
    struct object_key key =
        key_of(threads, thread, binding->object,
               threads_mapping(threads, thread->image, binding->object));
    uint32_t index = weft_text_map_get(&threads->initialized, &key, sizeof key);

    if (index != WEFT_MAP_NONE)
        threads->initializations[index].site = 0;
    forget(threads, &key, time);
}

void threads_initialize_object(struct threads_join *threads,
                               const struct join_thread *thread,
                               const struct record *record, int64_t time)
{
    uint64_t address = record->words[0];
    struct object_key key =
        key_of(threads, thread, address, threads_mapping(threads, thread->image, address));
    uint32_t index = weft_text_map_get(&threads->initialized, &key, sizeof key);

    forget(threads, &key, time);
    if (index == WEFT_MAP_NONE) {
        threads->initializations =
            weft_grow(threads->initializations, &threads->initializations_capacity,
                      threads->n_initializations + 1, sizeof *threads->initializations);
        index = (uint32_t)threads->n_initializations++;
        weft_text_map_put(&threads->initialized, &key, sizeof key, index);
    }
    threads->initializations[index] =
        (struct initialization){ threads_path(threads, thread, record->words[1]),
                                 thread->image };
}
