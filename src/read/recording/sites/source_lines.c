/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/sites/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "read/recording/sites/generated_functions.h"

enum {
    MAX_DEPTH = 64,             /* of entries inside each other, on the way to a function */
    MAX_UNIT_ENTRIES = 1 << 24, /* damage may chain entries to a ring */
};

struct range { /* of code of a unit, or of a function */
    uint64_t begin, end;
    Dwarf_Die die;
};

struct ranges { /* sorted by their begins once they are complete */
    struct range *items;
    size_t n, capacity;
};

struct unit {
    struct ranges functions;
};

struct lines {
    Dwfl_Module *module;
    Dwarf_Addr bias; /* of the module's debugging information */
    bool has_units;
    struct ranges units;
    struct weft_id_map known; /* offset of a unit's entry: index of indexes */
    struct unit *indexes;
    size_t n_indexes, indexes_capacity;
    struct generated *generated;
};

struct lines *lines_new(Dwfl_Module *module)
{
    struct lines *lines = weft_zalloc(1, sizeof *lines);

    lines->module = module;
    lines->generated = generated_new();
    return lines;
}

void lines_free(struct lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->n_indexes; i++)
        free(lines->indexes[i].functions.items);
    free(lines->indexes);
    free(lines->units.items);
    generated_free(lines->generated);
    weft_id_map_free(&lines->known);
    free(lines);
}

/* Add the ranges of code that an entry has. */
static void add_ranges(struct ranges *ranges, Dwarf_Die *die)
{
    Dwarf_Addr base, begin, end;

    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
        if (begin >= end)
            continue;
        ranges->items = weft_grow(ranges->items, &ranges->capacity, ranges->n + 1,
                                  sizeof *ranges->items);
        ranges->items[ranges->n++] = (struct range){ begin, end, *die };
    }
}

static int by_begin(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    return (a->begin > b->begin) - (a->begin < b->begin);
}

static void complete(struct ranges *ranges)
{
    if (ranges->n > 0)
        qsort(ranges->items, ranges->n, sizeof *ranges->items, by_begin);
}

/* Returns the entry whose code covers ADDRESS, or NULL. */
static Dwarf_Die *covering(struct ranges *ranges, uint64_t address)
{
    size_t after = WEFT_FIRST(i, 0, ranges->n, ranges->items[i].begin > address);

    return after > 0 && address < ranges->items[after - 1].end
               ? &ranges->items[after - 1].die
               : NULL;
}

/*
 * Returns the unit that contains an address.  The list that compilers may write for this
 * search (.debug_aranges) is not used: clang omits it, and a linker may mix both.
 */
static Dwarf_Die *unit_of(struct lines *lines, uint64_t address)
{
    if (!lines->has_units) {
        Dwarf_Die *unit = NULL;
        while ((unit = dwfl_module_nextcu(lines->module, unit, &lines->bias)))
            add_ranges(&lines->units, unit);
        complete(&lines->units);
        lines->has_units = true;
    }
    return covering(&lines->units, address - lines->bias);
}

static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram
           || tag == DW_TAG_lexical_block || tag == DW_TAG_structure_type
           || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Add the functions below an entry.  LEFT: entries that may be looked at. */
static void add_functions(struct ranges *functions, Dwarf_Die *above, int depth,
                          uint32_t *left)
{
    Dwarf_Die die;

    if (depth == MAX_DEPTH || dwarf_child(above, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (*left == 0)
            return;
        --*left;
        if (tag == DW_TAG_subprogram)
            add_ranges(functions, &die);
        if (may_hold_functions(tag))
            add_functions(functions, &die, depth + 1, left);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Returns the functions of a unit, listed at the first call. */
static struct ranges *functions_of(struct lines *lines, Dwarf_Die *unit)
{
    uint64_t offset = dwarf_dieoffset(unit);
    uint32_t index = weft_id_map_get(&lines->known, offset);
    uint32_t left = MAX_UNIT_ENTRIES;
    struct unit *made;

    if (index != WEFT_MAP_NONE)
        return &lines->indexes[index].functions;
    lines->indexes = weft_grow(lines->indexes, &lines->indexes_capacity,
                               lines->n_indexes + 1, sizeof *lines->indexes);
    made = &lines->indexes[lines->n_indexes];
    *made = (struct unit){ { 0 } };
    weft_id_map_put(&lines->known, offset, (uint32_t)lines->n_indexes++);
    add_functions(&made->functions, unit, 0, &left);
    complete(&made->functions);
    return &made->functions;
}

/* Step to the entry inside DIE whose code has ADDRESS: a block, or an inlined function. */
static bool step_inside(Dwarf_Die *die, Dwarf_Addr address)
{
    Dwarf_Die inner;

    if (dwarf_child(die, &inner) != 0)
        return false;
    for (uint32_t left = MAX_UNIT_ENTRIES; left > 0; left--) {
        int tag = dwarf_tag(&inner);
        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
            && dwarf_haspc(&inner, address) > 0) {
            *die = inner;
            return true;
        }
        if (dwarf_siblingof(&inner, &inner) != 0)
            break;
    }
    return false;
}

/* Set CHAIN to FUNCTION and those inlined in it at ADDRESS, the outermost first. */
static uint32_t inlined_at(const Dwarf_Die *function, Dwarf_Addr address,
                           Dwarf_Die chain[LINES_MAX_FRAMES])
{
    Dwarf_Die at = *function;
    uint32_t n = 0;

    chain[n++] = at;
    for (int i = 0; i < 4 * LINES_MAX_FRAMES && step_inside(&at, address); i++)
        if (dwarf_tag(&at) == DW_TAG_inlined_subroutine && n < LINES_MAX_FRAMES)
            chain[n++] = at;
    return n;
}

static bool number_of(Dwarf_Die *die, unsigned name, Dwarf_Word *number)
{
    Dwarf_Attribute attribute;

    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, number) == 0;
}

/* Set the place where an inlined function was called. */
static void place_of_call(Dwarf_Die *inlined, struct line_frame *frame)
{
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word file, line;

    if (!number_of(inlined, DW_AT_call_file, &file)
        || !number_of(inlined, DW_AT_call_line, &line) || line == 0 || line > UINT32_MAX
        || !dwarf_diecu(inlined, &unit, NULL, NULL)
        || dwarf_getsrcfiles(&unit, &files, NULL) != 0)
        return;
    frame->file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
    frame->line = frame->file ? (uint32_t)line : 0;
}

static void place_of_code(Dwarf_Die *unit, Dwarf_Addr address, struct line_frame *frame)
{
    Dwarf_Line *at = dwarf_getsrc_die(unit, address);
    const char *file = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
    int line = 0;

    if (!file || dwarf_lineno(at, &line) != 0 || line <= 0)
        return;
    frame->file = file;
    frame->line = (uint32_t)line;
}

/* Returns true for a function that the compiler marks as artificial. */
static bool is_artificial(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    bool artificial = false;

    return dwarf_attr_integrate(function, DW_AT_artificial, &attribute)
           && dwarf_formflag(&attribute, &artificial) == 0 && artificial;
}

static bool is_declared(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(function, DW_AT_decl_line, &attribute) != NULL;
}

/*
 * Set the function of a frame.  An artificial function without a declaration is made by the
 * compiler from the program's own text (gcc's lambdas, implicit destructors), one with a
 * declaration is a wrapper.
 */
static void name_frame(struct lines *lines, Dwarf_Die *function, struct line_frame *frame)
{
    Dwarf_Attribute attribute;

    frame->artificial = is_artificial(function) && is_declared(function);
    frame->generated = generated_name(lines->generated, function);
    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute)
        || dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute))
        frame->function = dwarf_formstring(&attribute);
    else
        frame->function = dwarf_diename(function);
}

/* Returns the entry of the function, not an inlined one, at ADDRESS in a unit; or NULL. */
static Dwarf_Die *function_at(struct lines *lines, Dwarf_Die *unit, uint64_t address)
{
    return unit ? covering(functions_of(lines, unit), address - lines->bias) : NULL;
}

uint32_t lines_find(struct lines *lines, uint64_t address,
                    struct line_frame frames[LINES_MAX_FRAMES])
{
    Dwarf_Die chain[LINES_MAX_FRAMES];
    Dwarf_Die *unit = unit_of(lines, address), *function;
    uint32_t n;

    if (!unit)
        return 0;
    frames[0] = (struct line_frame){ 0 };
    place_of_code(unit, address - lines->bias, &frames[0]);
    function = function_at(lines, unit, address);
    if (!function)
        return frames[0].file ? 1 : 0;
    n = inlined_at(function, address - lines->bias, chain);
    for (uint32_t i = 0; i < n; i++) {
        Dwarf_Die *die = &chain[n - 1 - i];
        if (i > 0) {
            frames[i] = (struct line_frame){ 0 };
            place_of_call(&chain[n - i], &frames[i]);
        }
        name_frame(lines, die, &frames[i]);
    }
    return n;
}

const char *lines_lambda(struct lines *lines, uint64_t address, uint32_t argument)
{
    Dwarf_Die *function = function_at(lines, unit_of(lines, address), address);

    return function ? generated_argument(lines->generated, function, argument) : NULL;
}
