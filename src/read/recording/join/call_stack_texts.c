/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/join/call_stack_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "read/recording/join/call_chains.h"

enum { FRAME_TEXT = 256 }; /* longer names of functions are cut */

struct frame_key {
    uint64_t image, address;
};

struct frame {
    const char *name; /* in the join's arena */
    bool recorder;    /* of the recorder's own code: no part of the program */
    bool calls;       /* only calls what it is named after (sites_label()) */
};

struct stacks {
    struct join *join;
    struct chains *chains;
    struct weft_text_map known; /* struct frame_key: index of frames */
    struct frame *frames;
    size_t n_frames, frames_capacity;
    char *text; /* of the stack being written */
    size_t text_size, text_capacity;
};

struct stacks *stacks_new(struct join *join)
{
    struct stacks *stacks = weft_zalloc(1, sizeof *stacks);

    stacks->join = join;
    stacks->chains = chains_new(join);
    return stacks;
}

void stacks_free(struct stacks *stacks)
{
    if (!stacks)
        return;
    chains_free(stacks->chains);
    weft_text_map_free(&stacks->known);
    free(stacks->frames);
    free(stacks->text);
    free(stacks);
}

/* Returns the name of the file that ADDRESS is in, in brackets. */
static const char *file_name(struct stacks *stacks, uint32_t image, uint64_t address)
{
    const struct map_line *line =
        maps_find(&stacks->join->recording->images[image].maps, address);
    size_t size = line ? line->path_size : 0, begin = size;

    if (size == 0)
        return "[anonymous]";
    if (line->path[0] == '[')
        return weft_arena_printf(&stacks->join->arena, "%.*s", (int)size, line->path);
    while (begin > 0 && line->path[begin - 1] != '/')
        begin--;
    return weft_arena_printf(&stacks->join->arena, "[%.*s]", (int)(size - begin),
                             line->path + begin);
}

/* Returns a name as it may stand in a stack, in the join's arena. */
static const char *frame_text(struct stacks *stacks, const char *name)
{
    char *text = weft_arena_printf(&stacks->join->arena, "%.*s", FRAME_TEXT, name);

    for (char *at = text; *at; at++) /* a semicolon ends a name: Rust's "[u8; 4]" */
        if (*at == ';')
            *at = ',';
    return text;
}

/* Returns the frame of the function around ADDRESS. */
static struct frame frame(struct stacks *stacks, uint32_t image, uint64_t address)
{
    struct frame_key key = { image, address };
    uint32_t index = weft_text_map_get(&stacks->known, &key, sizeof key);
    struct frame made;

    if (index != WEFT_MAP_NONE)
        return stacks->frames[index];
    made.name = sites_label(stacks->join->sites, image, address, &made.calls);
    made.name =
        frame_text(stacks, made.name ? made.name : file_name(stacks, image, address));
    made.recorder = sites_is_in(stacks->join->sites, image, address, "libweft-");
    index = (uint32_t)stacks->n_frames;
    stacks->frames = weft_grow(stacks->frames, &stacks->frames_capacity,
                               stacks->n_frames + 1, sizeof *stacks->frames);
    stacks->frames[stacks->n_frames++] = made;
    weft_text_map_put(&stacks->known, &key, sizeof key, index);
    return made;
}

static void append(struct stacks *stacks, const char *name)
{
    size_t size = strlen(name);

    stacks->text =
        weft_grow(stacks->text, &stacks->text_capacity, stacks->text_size + size + 1, 1);
    if (stacks->text_size > 0)
        stacks->text[stacks->text_size++] = ';';
    memcpy(stacks->text + stacks->text_size, name, size);
    stacks->text_size += size;
}

/*
 * Returns the N addresses, the innermost first, as a text; WHOLE: none are missing.  The
 * recorder's functions are left out, and those that only call the next one.
 */
static uint32_t text_of(struct stacks *stacks, uint32_t image, const uint64_t *addresses,
                        size_t n, bool whole)
{
    struct frame outer = { 0 };

    stacks->text_size = 0;
    if (!whole)
        append(stacks, "[unknown]");
    while (n-- > 0) {
        struct frame at = frame(stacks, image, addresses[n]);
        if (at.recorder)
            continue;
        if (!outer.name || !(outer.calls || at.calls) || strcmp(outer.name, at.name) != 0)
            append(stacks, at.name);
        outer = at;
    }
    if (stacks->text_size == 0)
        append(stacks, "[unknown]");
    return weft_builder_string(stacks->join->builder, stacks->text, stacks->text_size);
}

uint32_t stacks_of_sample(struct stacks *stacks, uint32_t image,
                          const struct weft_schedule_place *place, uint64_t *address)
{
    uint64_t addresses[CHAIN_MOST];
    bool whole;
    size_t n = chains_read(stacks->chains, image, place, addresses, &whole);

    *address = 0;
    for (size_t i = 0; i < n && *address == 0; i++)
        if (!frame(stacks, image, addresses[i]).recorder)
            *address = addresses[i];
    return text_of(stacks, image, addresses, n, whole);
}

/*
 * Returns true for the functions of runtimes in which a worker waits until there is work:
 * nobody holds it up.
 */
static bool waits_for_work(const char *function)
{
    static const char *const begins[] = { "runtime.findRunnable",
                                          "runtime.findrunnable",
                                          "runtime.stopm", /* Go */
                                          "rayon_core::sleep::Sleep::sleep",
                                          "tokio::runtime::scheduler::",
                                          "tokio::runtime::blocking::pool::Inner::run" };

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(function, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

struct looked_at stacks_of_look(struct stacks *stacks, uint32_t image,
                                const struct weft_schedule_look *look)
{
    struct sites *sites = stacks->join->sites;
    uint64_t addresses[CHAIN_MOST];
    bool whole;
    size_t n = chains_read_look(stacks->chains, image, look, addresses, &whole);
    struct looked_at at = { WEFT_NONE, WEFT_NONE, false };
    size_t own;

    if (n == 0)
        return at;
    own = sites_own(sites, image, addresses, n);
    at.text = text_of(stacks, image, addresses, n, whole);
    for (size_t i = 0; i <= own && !at.idle; i++) {
        at.idle = waits_for_work(frame(stacks, image, addresses[i]).name);
        own = at.idle ? i : own;
    }
    at.site = sites_find_after(sites, image, addresses[own]);
    return at;
}
