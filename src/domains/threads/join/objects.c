/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of records: their containers, begins and ends. */
#include "domains/threads/join/threads_join.h"

#include <stdlib.h>
#include <string.h>

static void put_fact(struct threads_join *threads, const struct object_state *object,
                     struct weft_field_value fact)
{
    weft_builder_container_field(threads->join->builder, object->container, &fact);
}

/* Where an object comes from: the call that initialized it, and that of its first use. */
struct origin {
    const struct object_fact *initialized; /* NULL: unknown */
    uint64_t used_at;                      /* by the thread that uses it; 0: unknown */
};

/* Returns the program's place of an object, for its name; or NULL. */
static const char *place_of(struct threads_join *threads, const struct join_thread *thread,
                            const struct origin *origin)
{
    const struct object_fact *initialized = origin->initialized;
    const char *place =
        initialized ? threads_place(threads, initialized->image, initialized->site) : NULL;

    return place ? place : threads_place(threads, thread->image, origin->used_at);
}

/* Write the place where it was initialized if that is known, else that of its first use. */
static void put_origin(struct threads_join *threads, const struct object_state *object,
                       const struct join_thread *thread, const struct origin *origin)
{
    const struct thread_types *types = &threads->types;

    if (origin->initialized)
        put_fact(threads, object,
                 join_site_field(threads->join, types->initialized_at[object->class],
                                 origin->initialized->image, origin->initialized->site));
    else if (origin->used_at)
        put_fact(threads, object,
                 join_site_field(threads->join, types->first_used_at[object->class],
                                 thread->image, origin->used_at));
}

static void put_text(struct threads_join *threads, const struct object_state *object,
                     uint32_t field, const char *text)
{
    put_fact(
        threads, object,
        (struct weft_field_value){ field, { .index = join_text(threads->join, text) } });
}

static void put_facts(struct threads_join *threads, const struct object_state *object,
                      uint64_t address, const char *variable)
{
    const struct thread_types *types = &threads->types;

    put_fact(threads, object,
             (struct weft_field_value){ types->address[object->class],
                                        { .integer = (int64_t)address } });
    if (variable)
        put_text(threads, object, types->symbol[object->class], variable);
    if (object->given)
        put_text(threads, object, types->given_name[object->class], object->given);
}

/* Make the tracks of the object, which has a container. */
static void make_tracks(struct threads_join *threads, struct object_state *object)
{
    struct weft_builder *builder = threads->join->builder;
    const struct thread_types *types = &threads->types;

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

/* Make the object's container and its tracks. */
static void show_object(struct threads_join *threads, struct object_state *object,
                        const struct join_thread *thread,
                        const struct slot_binding *binding, const struct mapping *mapping,
                        int64_t time)
{
    struct join *join = threads->join;
    uint64_t address = binding->object;
    const char *variable = threads_variable(threads, thread, address, mapping);
    struct origin origin = { threads_initialization(threads, thread, address, mapping),
                             threads_site(threads, thread, binding->site) };
    char *alias = weft_arena_printf(&join->arena, "0x%llx", (unsigned long long)address);
    uint32_t above = mapping ? threads_shared_group(threads, thread->process, time)
                             : join->processes[thread->process].container;
    const char *place;

    object->given = threads_given_name(threads, thread, address, mapping);
    place = object->given || variable ? NULL : place_of(threads, thread, &origin);
    object->container = weft_builder_container(
        join->builder, threads->types.objects[object->class], above,
        threads_name_object(threads, object, variable, place), alias, time);
    put_facts(threads, object, address, variable);
    put_origin(threads, object, thread, &origin);
    make_tracks(threads, object);
}

/* Returns the object by process and address, or by place in shared memory; made if new. */
static struct object_state *look_up_object(struct threads_join *threads,
                                           const struct join_thread *thread,
                                           const struct slot_binding *binding, int64_t time)
{
    const struct mapping *mapping =
        threads_mapping(threads, thread->image, binding->object);
    struct object_key key = threads_object_key(threads, thread, binding->object, mapping);
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
    free(object->releases);
    object->pending = NULL;
    object->releases = NULL;
    object->n_pending = 0;
    object->n_releases = object->releases_capacity = 0;
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
        threads_object_key(threads, thread, binding->object,
                           threads_mapping(threads, thread->image, binding->object));

    threads_drop_facts(threads, &key);
    forget(threads, &key, time);
}

void threads_initialize_object(struct threads_join *threads,
                               const struct join_thread *thread,
                               const struct record *record, int64_t time)
{
    uint64_t address = record->words[0];
    struct object_key key = threads_object_key(
        threads, thread, address, threads_mapping(threads, thread->image, address));

    forget(threads, &key, time);
    threads_keep_initialization(threads, thread, &key,
                                threads_site(threads, thread, record->words[1]), time);
}

void threads_object_named(void *user, struct join_thread *thread, uint64_t address,
                          const char *name, int64_t time)
{
    struct threads_join *threads = user;
    struct object_key key = threads_object_key(
        threads, thread, address, threads_mapping(threads, thread->image, address));
    uint32_t index = weft_text_map_get(&threads->object_map, &key, sizeof key);
    struct object_state *object = index == WEFT_MAP_NONE ? NULL : threads->objects[index];

    if (!*name)
        return;
    name = weft_arena_strdup(&threads->join->arena, name);
    threads_keep_given_name(threads, thread, &key, name, time);
    if (!object || (object->given && strcmp(object->given, name) == 0))
        return;
    weft_builder_rename(threads->join->builder, object->container,
                        threads_rename_object(threads, object, name));
    put_text(threads, object, threads->types.given_name[object->class], name);
}
