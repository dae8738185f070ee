/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/sites/static_variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"
#include "read/recording/sites/foreign_code.h"

enum {
    MAX_DEPTH = 64,        /* of entries inside each other, and of types */
    MAX_ENTRIES = 1 << 22, /* about a second; and damage may chain entries to a ring */
    MAX_MEMBERS = 1 << 16, /* of a type */
    MIN_PART = 4,          /* bytes: smaller parts are text, or belong to another part */
    MAX_DIMENSIONS = 16,   /* of an array */
};

struct variable {
    Dwarf_Die die;
    const char *function; /* that it is local to; "": unknown; NULL: none */
};

struct statics {
    Dwfl_Module *module;
    bool listed;
    struct weft_id_map by_address; /* libdwfl's, to index of variables */
    struct variable *variables;
    size_t n, capacity;
};

struct statics *statics_new(Dwfl_Module *module)
{
    struct statics *statics = weft_zalloc(1, sizeof *statics);

    statics->module = module;
    return statics;
}

void statics_free(struct statics *statics)
{
    if (!statics)
        return;
    weft_id_map_free(&statics->by_address);
    free(statics->variables);
    free(statics);
}

/* Sets *ADDRESS to the constant one at which a variable lies; false if it has none. */
static bool address_of(Dwarf_Die *variable, Dwarf_Addr *address)
{
    Dwarf_Attribute attribute, indexed;
    Dwarf_Op *ops;
    size_t n;

    if (!dwarf_attr(variable, DW_AT_location, &attribute)
        || dwarf_getlocation(&attribute, &ops, &n) != 0 || n != 1)
        return false;
    if (ops[0].atom == DW_OP_addrx) /* as clang has it */
        return dwarf_getlocation_attr(&attribute, &ops[0], &indexed) == 0
               && dwarf_formaddr(&indexed, address) == 0;
    *address = ops[0].number;
    return ops[0].atom == DW_OP_addr;
}

static void add_variable(struct statics *statics, Dwarf_Die *die, const char *function,
                         Dwarf_Addr bias)
{
    Dwarf_Addr address;

    if (!address_of(die, &address)
        || weft_id_map_get(&statics->by_address, address + bias) != WEFT_MAP_NONE)
        return;
    statics->variables = weft_grow(statics->variables, &statics->capacity, statics->n + 1,
                                   sizeof *statics->variables);
    weft_id_map_put(&statics->by_address, address + bias, (uint32_t)statics->n);
    statics->variables[statics->n++] = (struct variable){ *die, function };
}

/* Returns the name of an entry, "" if it has none. */
static const char *name_of(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);

    return name ? name : "";
}

/*
 * Add the variables below an entry, which is in FUNCTION, or NULL.  LEFT: entries that may
 * be looked at.
 */
static void add_variables(struct statics *statics, Dwarf_Die *above, const char *function,
                          Dwarf_Addr bias, int depth, uint32_t *left)
{
    Dwarf_Die die;

    if (depth == MAX_DEPTH || dwarf_child(above, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (*left == 0)
            return;
        --*left;
        if (tag == DW_TAG_variable)
            add_variable(statics, &die, function, bias);
        else if (tag == DW_TAG_subprogram)
            add_variables(statics, &die, name_of(&die), bias, depth + 1, left);
        else if (tag == DW_TAG_namespace || tag == DW_TAG_lexical_block)
            add_variables(statics, &die, function, bias, depth + 1, left);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static void list_variables(struct statics *statics)
{
    uint32_t left = MAX_ENTRIES;
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias = 0;

    while ((unit = dwfl_module_nextcu(statics->module, unit, &bias)))
        add_variables(statics, unit, NULL, bias, 0, &left);
    statics->listed = true;
}

/* Sets *TYPE to the type of an entry, without typedef, const and the like. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(die, DW_AT_type, &attribute)
           && dwarf_formref_die(&attribute, type) && dwarf_peel_type(type, type) == 0;
}

static bool constant(Dwarf_Die *die, unsigned name, Dwarf_Word *number)
{
    Dwarf_Attribute attribute;

    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, number) == 0;
}

/* Returns true if arrays of the entry's language begin at 0, and are stored by rows. */
static bool counts_from_0(Dwarf_Die *die)
{
    Dwarf_Die unit;
    Dwarf_Sword lower;

    return dwarf_diecu(die, &unit, NULL, NULL)
           && dwarf_default_lower_bound(dwarf_srclang(&unit), &lower) == 0 && lower == 0;
}

/*
 * Sets COUNTS to the lengths of the array's dimensions; returns how many these are, 0 if
 * one is unknown or has a stride of its own.
 */
static uint32_t dimensions(Dwarf_Die *array, Dwarf_Word counts[MAX_DIMENSIONS])
{
    Dwarf_Die die;
    uint32_t n = 0;

    if (!counts_from_0(array) || dwarf_hasattr(array, DW_AT_byte_stride)
        || dwarf_hasattr(array, DW_AT_ordering) || dwarf_child(array, &die) != 0)
        return 0;
    do {
        Dwarf_Word lower = 0, upper;
        if (dwarf_tag(&die) != DW_TAG_subrange_type || n == MAX_DIMENSIONS
            || dwarf_hasattr(&die, DW_AT_byte_stride)
            || (constant(&die, DW_AT_lower_bound, &lower) && lower != 0))
            return 0;
        if (constant(&die, DW_AT_upper_bound, &upper))
            counts[n++] = upper + 1;
        else if (!constant(&die, DW_AT_count, &counts[n++]))
            return 0;
        if (counts[n - 1] == 0 || counts[n - 1] > UINT32_MAX)
            return 0;
    } while (dwarf_siblingof(&die, &die) == 0);
    return n;
}

/* A way into a variable: the type that was reached, the bytes left in it, and the text. */
struct way {
    Dwarf_Die type;
    uint64_t rest;
    FILE *text;
};

/* Step into an element of an array; returns false, with no effect, if it is unknown. */
static bool step_into_array(struct way *way)
{
    Dwarf_Word counts[MAX_DIMENSIONS], size, bytes;
    uint32_t n = dimensions(&way->type, counts);
    Dwarf_Die element;

    if (n == 0 || !type_of(&way->type, &element)
        || dwarf_aggregate_size(&element, &size) != 0 || size < MIN_PART)
        return false;
    bytes = size;
    for (uint32_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(bytes, counts[i], &bytes))
            return false;
    if (way->rest >= bytes)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        bytes /= counts[i];
        fprintf(way->text, "[%llu]", (unsigned long long)(way->rest / bytes));
        way->rest %= bytes;
    }
    way->type = element;
    return true;
}

/* Returns true if REST is in a member or base class at a constant place; sets *TYPE. */
static bool is_inside(Dwarf_Die *member, uint64_t rest, Dwarf_Die *type, Dwarf_Word *begin)
{
    Dwarf_Word size;

    *begin = 0;
    if (dwarf_hasattr(member, DW_AT_data_member_location)
        && !constant(member, DW_AT_data_member_location, begin))
        return false;
    return !dwarf_hasattr(member, DW_AT_external) /* a static member */
           && !dwarf_hasattr(member, DW_AT_data_bit_offset) && type_of(member, type)
           && dwarf_aggregate_size(type, &size) == 0 && size >= MIN_PART && rest >= *begin
           && rest - *begin < size;
}

/*
 * Step into a member or base class of a structure; returns false, with no effect, if it is
 * unknown, or not the only one there.
 */
static bool step_into_member(struct way *way)
{
    Dwarf_Die die, found, found_type, type;
    Dwarf_Word begin, found_begin = 0;
    uint32_t left = MAX_MEMBERS, n = 0;
    const char *name;

    if (dwarf_child(&way->type, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance)
            || !is_inside(&die, way->rest, &type, &begin))
            continue;
        found = die;
        found_type = type;
        found_begin = begin;
        n++;
    } while (--left > 0 && dwarf_siblingof(&die, &die) == 0);
    if (n != 1)
        return false;
    name = dwarf_tag(&found) == DW_TAG_member ? dwarf_diename(&found) : NULL;
    if (name)
        fprintf(way->text, ".%s", name);
    way->rest -= found_begin;
    way->type = found_type;
    return true;
}

static bool step(struct way *way)
{
    const char *file = dwarf_decl_file(&way->type);

    switch (dwarf_tag(&way->type)) {
    case DW_TAG_array_type: return step_into_array(way);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        return (!file || !foreign_header(file)) && step_into_member(way);
    default: return false;
    }
}

/*
 * Write the variable's name as the program has it.  NAME is that of its symbol, which gcc
 * makes of the name for a local one ("lock.3"), link-time optimization for others, too
 * ("lock.lto_priv.0"), and clang of the function and the name ("function.lock").
 */
static void write_name(FILE *text, struct variable *variable, const char *name)
{
    const char *own = dwarf_diename(&variable->die);
    size_t length = strlen(name), own_length = own ? strlen(own) : 0;
    size_t before = length > own_length ? length - own_length - 1 : 0;

    if (own_length == 0 || before == 0)
        fputs(name, text);
    else if (name[before] == '.' && strcmp(name + before + 1, own) == 0)
        fprintf(text, "%.*s::%s", (int)before, name, own);
    else if (strncmp(name, own, own_length) != 0 || name[own_length] != '.')
        fputs(name, text);
    else if (!variable->function)
        fputs(own, text);
    else if (*variable->function)
        fprintf(text, "%s::%s", variable->function, own);
    else
        fputs(name, text);
}

char *statics_name(struct statics *statics, const char *name, uint64_t begin,
                   uint64_t within)
{
    struct way way = { .rest = within };
    char *text;
    size_t size;
    uint32_t index;

    if (!statics->listed)
        list_variables(statics);
    index = weft_id_map_get(&statics->by_address, begin);
    if (index == WEFT_MAP_NONE || !type_of(&statics->variables[index].die, &way.type))
        return NULL;
    way.text = weft_text_begin(&text, &size);
    write_name(way.text, &statics->variables[index], name);
    for (int i = 0; i < MAX_DEPTH && step(&way); i++)
        ;
    if (way.rest > 0)
        fprintf(way.text, "+%llu", (unsigned long long)way.rest);
    weft_text_end(way.text);
    return text;
}
