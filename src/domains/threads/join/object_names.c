/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of objects.  An object is called as the program says, else as its variable or
 * its place in a shared file, else after the place in the program where it was initialized
 * or first used ("mutex of heat.c:41"), else by its class and a number ("mutex 1").
 */
#include "domains/threads/join/threads_join.h"

#include <stdlib.h>
#include <string.h>

static const char *const class_names[WEFT_OBJECT_KINDS] = {
    "mutex", "read-write lock", "spin lock", "condition", "semaphore", "barrier",
};

/* Variables of libraries in which there is one thing only that threads wait for. */
static const struct {
    const char *variable, *name;
} well_known[] = {
    { "_PyRuntime", "Python's GIL" }, /* its mutexes and conditions, in all versions */
};

/* Variables for OpenMP's critical sections: GCC's for those with a name; the recorder's. */
#define CRITICAL_NAMED ".gomp_critical_user_"
#define CRITICAL       "weft_unnamed_critical_section"

/* Returns a readable name of a VARIABLE that OpenMP's critical sections have; else NULL. */
static const char *critical_section(struct threads_join *threads, const char *variable)
{
    size_t prefix = strlen(CRITICAL_NAMED);

    if (strcmp(variable, CRITICAL) == 0)
        return "critical section";
    return strncmp(variable, CRITICAL_NAMED, prefix) == 0 ? weft_arena_printf(
               &threads->join->arena, "critical section %s", variable + prefix)
                                                          : NULL;
}

/*
 * Returns the variable that has an object, or its member: "gate", "table[3].lock"; with its
 * common name, if it is a well-known one: "Python's GIL (_PyRuntime+440)".  NULL if there
 * is none.
 */
static const char *variable_of(struct threads_join *threads,
                               const struct join_thread *thread, uint64_t address)
{
    struct weft_arena *arena = &threads->join->arena;
    uint64_t within = 0;
    const char *name =
        sites_variable(threads->join->sites, thread->image, address, &within);
    char *part;
    const char *kept;

    if (!name)
        return NULL;
    for (size_t i = 0; i < sizeof well_known / sizeof *well_known; i++)
        if (strcmp(name, well_known[i].variable) == 0)
            return weft_arena_printf(arena, "%s (%s+%llu)", well_known[i].name, name,
                                     (unsigned long long)within);
    kept = critical_section(threads, name);
    if (kept)
        return kept;
    part = sites_variable_part(threads->join->sites, thread->image, address);
    kept = weft_arena_strdup(arena, part ? part : name);
    free(part);
    return kept;
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

const char *threads_variable(struct threads_join *threads, const struct join_thread *thread,
                             uint64_t address, const struct mapping *mapping)
{
    return mapping ? place_in_file(threads, mapping, address)
                   : variable_of(threads, thread, address);
}

const char *threads_place(struct threads_join *threads, uint32_t image, uint64_t site)
{
    const uint64_t key[] = { image, site };
    uint32_t index = weft_text_map_get(&threads->place_map, key, sizeof key);

    if (index != WEFT_MAP_NONE)
        return threads->places[index];
    threads->places = weft_grow(threads->places, &threads->places_capacity,
                                threads->n_places + 1, sizeof *threads->places);
    threads->places[threads->n_places] =
        sites_text(threads->join->sites, &threads->join->arena, image, site);
    weft_text_map_put(&threads->place_map, key, sizeof key, (uint32_t)threads->n_places);
    return threads->places[threads->n_places++];
}

/* The number of an object counts objects of its name, of its place, or of its class. */
enum counted { BY_NAME, BY_PLACE, BY_CLASS };

/* Returns name N, from 1, of those that differ in their number only; to be freed. */
static char *spell(enum counted counted, const char *class, const char *text, uint32_t n)
{
    switch (counted) {
    case BY_NAME: return n == 1 ? weft_strdup(text) : weft_asprintf("%s %u", text, n);
    case BY_PLACE:
        return n == 1 ? weft_asprintf("%s of %s", class, text)
                      : weft_asprintf("%s %u of %s", class, n, text);
    default: return weft_asprintf("%s %u", class, n);
    }
}

/* Returns what MAP has for TEXT, after WORD, in a process; 0 if nothing. */
static uint32_t number_for(const struct weft_text_map *map, uint32_t process,
                           const char *word, const char *text)
{
    char *key = weft_asprintf("%u %s %s", process, word, text);
    uint32_t number = weft_text_map_get(map, key, strlen(key));

    free(key);
    return number == WEFT_MAP_NONE ? 0 : number;
}

static void put_number(struct weft_text_map *map, uint32_t process, const char *word,
                       const char *text, uint32_t number)
{
    char *key = weft_asprintf("%u %s %s", process, word, text);

    weft_text_map_put(map, key, strlen(key), number);
    free(key);
}

/*
 * Gives the object, whose fields of its name are set, the lowest number that no other has
 * in its process, from the count on: below it all are taken.
 */
static const char *number_name(struct threads_join *threads, struct object_state *object,
                               enum counted counted, const char *text)
{
    struct weft_text_map *map = &threads->object_names;
    const char *class = class_names[object->class];
    const char *count = counted == BY_PLACE ? class : counted == BY_NAME ? "name" : "class";
    const char *of = counted == BY_CLASS ? class : text;
    uint32_t n = number_for(map, object->process, count, of) + 1;
    char *name = spell(counted, class, text, n);
    const char *kept;

    while (number_for(map, object->process, "taken", name)) {
        free(name);
        name = spell(counted, class, text, ++n);
    }
    put_number(map, object->process, count, of, n);
    put_number(map, object->process, "taken", name, 1);
    kept = weft_arena_strdup(&threads->join->arena, name);
    free(name);
    object->name = kept;
    object->number = n;
    return kept;
}

const char *threads_name_object(struct threads_join *threads, struct object_state *object,
                                const char *variable, const char *place)
{
    if (object->given || variable)
        return number_name(threads, object, BY_NAME,
                           object->given ? object->given : variable);
    if (place)
        return number_name(threads, object, BY_PLACE, place);
    return number_name(threads, object, BY_CLASS, "");
}

const char *threads_rename_object(struct threads_join *threads, struct object_state *object,
                                  const char *given)
{
    struct weft_text_map *map = &threads->object_names;

    put_number(map, object->process, "taken", object->name, 0);
    if (object->given
        && number_for(map, object->process, "name", object->given) >= object->number)
        put_number(map, object->process, "name", object->given, object->number - 1);
    object->given = given;
    return number_name(threads, object, BY_NAME, given);
}
