/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/sites/generated_functions.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory.h"

enum {
    MAX_DEPTH = 64,             /* of entries inside each other */
    MAX_UNIT_ENTRIES = 1 << 24, /* damage may chain entries to a ring */
    MAX_ORIGINS = 8,            /* from an inlined call to the declaration: mostly 2 */
    MAX_ARGUMENT_DEPTH = 16,    /* of templates that are arguments of templates */
};

struct generated {
    struct weft_arena arena;  /* of the names */
    struct weft_id_map known; /* offset of a function's origin: index of names */
    const char **names;       /* NULL: a function like any other */
    size_t n, capacity;
};

struct generated *generated_new(void)
{
    return weft_zalloc(1, sizeof(struct generated));
}

void generated_free(struct generated *generated)
{
    if (!generated)
        return;
    weft_id_map_free(&generated->known);
    weft_arena_free(&generated->arena);
    free(generated->names);
    free(generated);
}

/* Returns the entry by which a function is declared, in its class or as an inlined one. */
static Dwarf_Die origin_of(const Dwarf_Die *function)
{
    Dwarf_Die at = *function;

    for (int i = 0; i < MAX_ORIGINS; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (!(dwarf_attr(&at, DW_AT_abstract_origin, &attribute)
              || dwarf_attr(&at, DW_AT_specification, &attribute))
            || !dwarf_formref_die(&attribute, &next))
            break;
        at = next;
    }
    return at;
}

/* Sets *PARENT to the entry that ENTRY is inside of; returns false if it is not found. */
static bool find_parent(Dwarf_Die *entry, Dwarf_Die *parent)
{
    Dwarf_Off wanted = dwarf_dieoffset(entry);
    uint32_t left = MAX_UNIT_ENTRIES;

    if (!dwarf_diecu(entry, parent, NULL, NULL))
        return false;
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        Dwarf_Die at, next;
        /* An entry lies between the one around it and that one's next sibling. */
        if (dwarf_child(parent, &at) != 0)
            return false;
        while (left-- > 0 && dwarf_siblingof(&at, &next) == 0
               && dwarf_dieoffset(&next) <= wanted)
            at = next;
        if (dwarf_dieoffset(&at) == wanted)
            return true;
        *parent = at;
    }
    return false;
}

/*
 * Sets the place where an entry is declared; returns false if that is not known.  Unlike
 * dwarf_decl_file() it takes file 0, which DWARF 5 has.
 */
static bool declared_at(Dwarf_Die *die, const char **file, int *line)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Die unit;
    Dwarf_Files *files;

    if (dwarf_decl_line(die, line) != 0
        || !dwarf_attr_integrate(die, DW_AT_decl_file, &attribute)
        || dwarf_formudata(&attribute, &number) != 0
        || !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL)
        || dwarf_getsrcfiles(&unit, &files, NULL) != 0)
        return false;
    *file = dwarf_filesrc(files, (size_t)number, NULL, NULL);
    return *file != NULL;
}

/* Returns "TEXT at FILE:LINE", the file without folders. */
static const char *name_at(struct generated *generated, const char *text, const char *file,
                           int line)
{
    const char *slash = strrchr(file, '/');

    return weft_arena_printf(&generated->arena, "%s at %s:%d", text,
                             slash ? slash + 1 : file, line);
}

static bool begins_with(const char *text, const char *begin)
{
    return text && strncmp(text, begin, strlen(begin)) == 0;
}

/* The functions that a lambda's class has: its body, and what a pointer to it points to. */
static bool is_of_lambda(const char *name)
{
    return begins_with(name, "operator()") || begins_with(name, "_FUN")
           || begins_with(name, "__invoke");
}

/*
 * Returns the name of a lambda, by its class; NULL if TYPE is none.  The class has no name;
 * clang makes it a class, gcc a structure whose operator it marks as artificial.
 */
static const char *lambda_name(struct generated *generated, Dwarf_Die *type)
{
    int tag = dwarf_tag(type), line;
    const char *file;
    Dwarf_Die member;

    if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) || dwarf_diename(type)
        || dwarf_child(type, &member) != 0)
        return NULL;
    for (uint32_t left = MAX_UNIT_ENTRIES; left > 0; left--) {
        if (dwarf_tag(&member) == DW_TAG_subprogram
            && begins_with(dwarf_diename(&member), "operator()")
            && (tag == DW_TAG_class_type || dwarf_hasattr(&member, DW_AT_artificial))) {
            return declared_at(type, &file, &line)
                       ? name_at(generated, "lambda", file, line)
                       : "lambda";
        }
        if (dwarf_siblingof(&member, &member) != 0)
            break;
    }
    return NULL;
}

/* Returns true for the names of gcc and of clang for bodies of constructs of OpenMP. */
static bool is_outlined(const char *name)
{
    return name && (strstr(name, "._omp_fn.") || strstr(name, ".omp_outlined"));
}

/* A search for the last function that begins before a line. */
struct function_search {
    const char *file;
    int line, best_line;
    Dwarf_Die best;
    uint32_t left; /* entries that may be looked at */
};

static void try_function(struct function_search *search, Dwarf_Die *die)
{
    const char *file;
    int line;

    if (dwarf_hasattr(die, DW_AT_declaration) || is_outlined(dwarf_diename(die))
        || !declared_at(die, &file, &line) || line > search->line
        || line <= search->best_line || strcmp(file, search->file) != 0)
        return;
    search->best_line = line;
    search->best = *die;
}

static void search_functions(struct function_search *search, Dwarf_Die *above, int depth)
{
    Dwarf_Die die;

    if (depth == MAX_DEPTH || dwarf_child(above, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (search->left == 0)
            return;
        search->left--;
        if (tag == DW_TAG_subprogram)
            try_function(search, &die);
        if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type
            || tag == DW_TAG_class_type || tag == DW_TAG_subprogram
            || tag == DW_TAG_lexical_block)
            search_functions(search, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Returns true if the code at ADDRESS is of a function that is inlined there. */
static bool is_inlined(Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scopes = NULL;
    int n = dwarf_getscopes(unit, address, &scopes);
    bool inlined = false;

    for (int i = 0; i < n && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++)
        inlined = inlined || dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine;
    free(scopes);
    return inlined;
}

/* Sets the place of the first code of a function that is its own. */
static bool first_line(Dwarf_Die *unit, Dwarf_Die *function, const char **file, int *line)
{
    enum { MAX_LOOKS = 64 }; /* each walks through the unit */
    Dwarf_Addr begin, end, address;
    Dwarf_Lines *rows;
    size_t n;
    int looks = 0;

    if (dwarf_lowpc(function, &begin) != 0 || dwarf_highpc(function, &end) != 0
        || dwarf_getsrclines(unit, &rows, &n) != 0)
        return false;
    for (size_t i = 0; i < n && looks < MAX_LOOKS; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i);
        if (dwarf_lineaddr(row, &address) != 0 || address < begin || address >= end)
            continue;
        looks++;
        if (!is_inlined(unit, address) && dwarf_lineno(row, line) == 0 && *line > 0
            && (*file = dwarf_linesrc(row, NULL, NULL)))
            return true;
    }
    return false;
}

/*
 * Returns the name of a body of a construct of OpenMP.  gcc has it inside the entry of the
 * function that the construct is in, clang has the line of the construct.
 */
static const char *outlined_name(struct generated *generated, Dwarf_Die *function)
{
    struct function_search search = { .left = MAX_UNIT_ENTRIES };
    Dwarf_Die unit, *around = NULL;
    const char *name;

    if (!dwarf_diecu(function, &unit, NULL, NULL))
        return NULL;
    if (declared_at(function, &search.file, &search.line)) {
        search_functions(&search, &unit, 0);
        around = search.best_line > 0 ? &search.best : NULL;
    } else if (!first_line(&unit, function, &search.file, &search.line)) {
        return NULL;
    } else if (find_parent(function, &search.best)
               && dwarf_tag(&search.best) == DW_TAG_subprogram) {
        around = &search.best;
    }
    name = around ? generated_name(generated, around) : NULL; /* a lambda */
    if (name)
        return name;
    name = around ? dwarf_diename(around) : NULL;
    return name_at(generated, name ? name : "OpenMP", search.file, search.line);
}

static const char *make_name(struct generated *generated, Dwarf_Die *function,
                             Dwarf_Die *origin)
{
    const char *name = dwarf_diename(origin);
    Dwarf_Die parent;

    if (is_outlined(name))
        return outlined_name(generated, function);
    return is_of_lambda(name) && find_parent(origin, &parent)
               ? lambda_name(generated, &parent)
               : NULL;
}

const char *generated_name(struct generated *generated, Dwarf_Die *function)
{
    Dwarf_Die origin = origin_of(function);
    Dwarf_Off offset = dwarf_dieoffset(&origin);
    uint32_t index;
    const char *name;

    index = weft_id_map_get(&generated->known, offset);
    if (index != WEFT_MAP_NONE)
        return generated->names[index];
    name = make_name(generated, function, &origin);
    generated->names = weft_grow(generated->names, &generated->capacity, generated->n + 1,
                                 sizeof *generated->names);
    generated->names[generated->n] = name;
    weft_id_map_put(&generated->known, offset, (uint32_t)generated->n);
    return generated->names[generated->n++];
}

static const char *lambda_below(struct generated *generated, Dwarf_Die *entry,
                                uint32_t index, int depth);

static const char *lambda_of_type(struct generated *generated, Dwarf_Die *of, int depth)
{
    Dwarf_Die type;
    Dwarf_Attribute attribute;
    const char *name;

    if (!dwarf_attr(of, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type))
        return NULL;
    if (dwarf_tag(&type) == DW_TAG_reference_type
        && (!dwarf_attr(&type, DW_AT_type, &attribute)
            || !dwarf_formref_die(&attribute, &type)))
        return NULL;
    name = lambda_name(generated, &type);
    /* A future's task has the result that it sets first, then the callable. */
    return name ? name
                : lambda_below(generated, &type,
                               begins_with(dwarf_diename(&type), "_Task_setter<"),
                               depth + 1);
}

/* Returns true for an entry of a base class that has the first part of a std::tuple. */
static bool begins_tuple(Dwarf_Die *inheritance)
{
    Dwarf_Die base;
    Dwarf_Attribute attribute;

    return dwarf_tag(inheritance) == DW_TAG_inheritance
           && dwarf_attr(inheritance, DW_AT_type, &attribute)
           && dwarf_formref_die(&attribute, &base)
           && (begins_with(dwarf_diename(&base), "_Tuple_impl<0")
               || begins_with(dwarf_diename(&base), "_Head_base<0"));
}

/*
 * Returns the name of the lambda that the template ENTRY has as its argument INDEX, or
 * that this argument has as its own first one, and so on; NULL if there is none.  gcc may
 * leave out the types of a std::tuple, but not those of its base classes.
 */
static const char *lambda_below(struct generated *generated, Dwarf_Die *entry,
                                uint32_t index, int depth)
{
    Dwarf_Die at, base;
    const char *name = NULL;
    uint32_t n = 0, left = MAX_UNIT_ENTRIES;
    bool has_base = false;

    if (depth == MAX_ARGUMENT_DEPTH || dwarf_child(entry, &at) != 0)
        return NULL;
    do {
        int tag = dwarf_tag(&at);
        if (begins_tuple(&at)) {
            base = at;
            has_base = true;
        }
        if (tag == DW_TAG_GNU_template_parameter_pack && n++ == index)
            name = lambda_below(generated, &at, 0, depth + 1);
        else if (tag == DW_TAG_template_type_parameter && n++ == index)
            name = lambda_of_type(generated, &at, depth);
    } while (!name && n <= index && --left > 0 && dwarf_siblingof(&at, &at) == 0);
    return name || !has_base ? name : lambda_of_type(generated, &base, depth);
}

const char *generated_argument(struct generated *generated, Dwarf_Die *function,
                               uint32_t index)
{
    Dwarf_Die origin = origin_of(function), class;
    const char *name = lambda_below(generated, &origin, index, 0);

    return name || !find_parent(&origin, &class)
               ? name
               : lambda_below(generated, &class, index, 0);
}
