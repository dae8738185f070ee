/* SPDX-License-Identifier: Apache-2.0 */
/* The entities in directives: arrays, templates, arrangements of processors; and their
   declarations. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/directives.h"

/* ---- Names ---- */

/*
 * The map key: the letter of the kind, then the name of N bytes, in lower case if FOLDED.
 */
static char *key_of(char of, const char *name, size_t n, bool folded)
{
    char *key = weft_alloc(n + 2);
    key[0] = of;
    for (size_t i = 0; i < n; i++)
        key[i + 1] = (char)(folded ? tolower((unsigned char)name[i]) : name[i]);
    key[n + 1] = 0;
    return key;
}

static uint32_t find(const struct directives *d, char of, const char *name, size_t n,
                     bool folded)
{
    char *key = key_of(of, name, n, folded);
    uint32_t found = weft_text_map_get(&d->names, key, n + 1);
    free(key);
    return found; /* WEFT_MAP_NONE is WEFT_NONE */
}

/* Adds a name; the first entity with a name counts. */
static void note(struct directives *d, char of, const char *name, size_t n, bool folded,
                 uint32_t number)
{
    char *key = key_of(of, name, n, folded);
    if (weft_text_map_get(&d->names, key, n + 1) == WEFT_MAP_NONE)
        weft_text_map_put(&d->names, key, n + 1, number);
    free(key);
}

void directive_define(struct directives *d, const char *name, size_t n, int64_t value)
{
    note(d, 'c', name, n, true, (uint32_t)d->n_constants);
    d->constants = weft_grow(d->constants, &d->constant_capacity, d->n_constants + 1,
                             sizeof *d->constants);
    d->constants[d->n_constants++] = value;
}

bool directive_value(const struct directives *d, const char *name, size_t n, int64_t *out)
{
    uint32_t number = find(d, 'c', name, n, true);
    if (number != WEFT_NONE)
        *out = d->constants[number];
    return number != WEFT_NONE;
}

uint32_t directive_find(const struct directives *d, const char *name, bool processors)
{
    uint32_t found = find(d, processors ? 'P' : 'A', name, strlen(name), false);
    return found != WEFT_NONE ? found
                              : find(d, processors ? 'p' : 'a', name, strlen(name), true);
}

uint32_t directive_add(struct directives *d, const char *name, enum entity_kind kind)
{
    d->entities =
        weft_grow(d->entities, &d->entity_capacity, d->n_entities + 1, sizeof *d->entities);
    d->entities[d->n_entities] = (struct entity){
        .name = weft_strdup(name), .kind = kind, .array = WEFT_NONE, .target = WEFT_NONE
    };
    bool processors = kind == ENTITY_PROCESSORS;
    uint32_t at = (uint32_t)d->n_entities++;
    note(d, processors ? 'P' : 'A', name, strlen(name), false, at);
    note(d, processors ? 'p' : 'a', name, strlen(name), true, at);
    return at;
}

/* ---- Entities ---- */

static const char *kind_name(enum entity_kind kind)
{
    return kind == ENTITY_PROCESSORS ? "arrangement of processors" : "array or template";
}

/* Lists the valid names for an error: "A, B and 3 more". */
static void list(const struct directives *d, bool processors, char *out, size_t size)
{
    enum { MAX_NAMED = 6 };
    size_t n = 0, used = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < d->n_entities; i++) {
        if ((d->entities[i].kind == ENTITY_PROCESSORS) != processors)
            continue;
        if (n++ < MAX_NAMED && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%.40s", n > 1 ? ", " : "",
                                     d->entities[i].name);
    }
    if (!n)
        snprintf(out, size, "none");
    else if (n > MAX_NAMED && used < size)
        snprintf(out + used, size - used, " and %zu more", n - MAX_NAMED);
}

bool directive_entity(struct directives *d, enum entity_kind kind, uint32_t *out)
{
    char names[300], *name;
    bool processors = kind == ENTITY_PROCESSORS;
    uint32_t line = directive_line(d);
    if (!directive_name(d, processors ? "an arrangement of processors" : "an array", &name))
        return false;
    *out = directive_find(d, name, processors);
    bool ok = *out != WEFT_NONE;
    if (!ok) {
        list(d, processors, names, sizeof names);
        directive_fail_at(
            d, line, "there is no %s \"%.60s\" (%s: %s)", kind_name(kind), name,
            processors ? "PROCESSORS declares one; there are" : "the program's are", names);
    }
    free(name);
    return ok;
}

bool directive_place(struct directives *d, struct entity *entity, int state)
{
    uint32_t line = directive_line(d);
    if (entity->state != ENTITY_FREE && !d->stepped)
        return directive_fail(
            d,
            "line %u says already how %s lies (a STEP before says from when "
            "on this holds)",
            entity->line, entity->name);
    if (entity->state == ENTITY_FREE) {
        d->placed =
            weft_grow(d->placed, &d->placed_capacity, d->n_placed + 1, sizeof *d->placed);
        d->placed[d->n_placed++] = (uint32_t)(entity - d->entities);
    }
    entity->state = state;
    entity->line = line;
    d->changed = true;
    return true;
}

/* ---- Bounds ---- */

/* Reads LOWER:UPPER or an extent.  *KNOWN is false if it is not constant; it is then
   skipped. */
static bool read_bound(struct directives *d, int64_t *lower, uint64_t *extent, bool *known)
{
    int64_t upper;
    bool range;
    if (!*known) { /* skip to the next comma or parenthesis */
        int depth = 0;
        while (d->word.kind != WORD_END
               && (depth || (!directive_at(d, ',') && !directive_at(d, ')')))) {
            depth += directive_at(d, '(') - directive_at(d, ')');
            if (!directive_next_word(d))
                return false;
        }
        return true;
    }
    *lower = 1;
    if (!directive_constant(d, &upper) || !directive_skip(d, ':', &range))
        return false;
    if (range) {
        *lower = upper;
        if (!directive_constant(d, &upper))
            return false;
    }
    int64_t last;
    if (__builtin_sub_overflow(upper, *lower, &last) || last < 0
        || (uint64_t)last >= WEFT_ARRAY_LIMIT)
        return directive_fail(d, "the bounds %" PRId64 ":%" PRId64 " hold %s", *lower,
                              upper, upper < *lower ? "nothing" : "too much");
    *extent = (uint64_t)last + 1;
    return true;
}

/* Returns true if the next bounds are constants; does not advance. */
static bool is_constant(struct directives *d)
{
    struct word before = d->word;
    struct weft_err *err = d->err, ignored = { 0 };
    int64_t lower;
    uint64_t extent;
    bool known = true;
    d->err = &ignored;
    bool ok = read_bound(d, &lower, &extent, &known)
              && (directive_at(d, ',') || directive_at(d, ')'));
    d->err = err;
    d->word = before;
    return ok;
}

bool directive_bounds(struct directives *d, struct entity *entity, bool may_be_unknown)
{
    bool more;
    entity->rank = 0;
    entity->shape_known = true;
    if (!directive_expect(d, '(', "before the extents"))
        return false;
    do {
        if (entity->rank == WEFT_ARRAY_RANK)
            return directive_fail(d, "there are more than %d dimensions", WEFT_ARRAY_RANK);
        uint32_t k = entity->rank++;
        bool known = !may_be_unknown || is_constant(d);
        entity->lower[k] = 1;
        entity->extent[k] = 1;
        entity->shape_known &= known;
        if (!read_bound(d, &entity->lower[k], &entity->extent[k], &known)
            || !directive_skip(d, ',', &more))
            return false;
    } while (more);
    return directive_expect(d, ')', "behind the extents");
}

/* ---- Declarations of Fortran ---- */

/*
 * Declares an array: one of the program, whose shape must be the same, or a new one.  The
 * first shape of a new one counts, since alignments may depend on it; later declarations
 * are of other program units.
 */
static bool declare(struct directives *d, const char *name, const struct entity *shape)
{
    uint32_t at = directive_find(d, name, false);
    if (at == WEFT_NONE)
        at = directive_add(d, name, ENTITY_ARRAY);
    struct entity *entity = &d->entities[at];
    if (entity->kind != ENTITY_ARRAY)
        return true; /* a template has any shape */
    if (entity->array == WEFT_NONE || !shape->shape_known) {
        if (entity->array != WEFT_NONE || (entity->shape_known && entity->rank))
            return true;
        entity->rank = shape->rank;
        entity->shape_known = shape->shape_known;
        memcpy(entity->extent, shape->extent, sizeof entity->extent);
    }
    bool same = entity->rank == shape->rank;
    for (uint32_t k = 0; k < entity->rank && same; k++)
        same = entity->extent[k] == shape->extent[k];
    memcpy(entity->lower, shape->lower, sizeof entity->lower);
    if (same)
        return true;
    char is[200] = "";
    for (uint32_t k = 0; k < entity->rank; k++)
        snprintf(is + strlen(is), sizeof is - strlen(is), "%s%" PRIu64, k ? "," : "",
                 entity->extent[k]);
    d->mismatched = true;
    return directive_fail(d, "%s has another shape here than in the program: %s(%s)", name,
                          name, is);
}

/* Skips a parenthesis. */
static bool pass_parentheses(struct directives *d)
{
    int depth = 0;
    do {
        depth += directive_at(d, '(') - directive_at(d, ')');
        if (!directive_next_word(d))
            return false;
    } while (depth && d->word.kind != WORD_END);
    return true;
}

static bool read_constant_value(struct directives *d, const char *name)
{
    int64_t value;
    if (!directive_constant(d, &value))
        return false;
    directive_define(d, name, strlen(name), value);
    return true;
}

/* Reads names with their bounds, or with those of DIMENSION. */
static bool read_entities(struct directives *d, const struct entity *dimension,
                          bool parameter)
{
    bool more = true, bounds, value;
    while (more && d->word.kind == WORD_NAME) {
        struct entity shape = *dimension;
        char *name;
        if (!directive_name(d, "an array", &name))
            return false;
        bounds = directive_at(d, '(');
        bool ok = !bounds || directive_bounds(d, &shape, true);
        if (ok && directive_at(d, '*')) /* the length of a CHARACTER */
            ok = directive_next_word(d)
                 && (directive_at(d, '(') ? pass_parentheses(d) : directive_next_word(d));
        ok = ok && (!shape.rank || declare(d, name, &shape))
             && directive_skip(d, '=', &value);
        if (ok && value && parameter && !shape.rank)
            ok = read_constant_value(d, name);
        else if (ok && value)
            more = false; /* initial values are ignored */
        free(name);
        if (!ok || (more && !directive_skip(d, ',', &more)))
            return false;
    }
    return true;
}

/* Reads what follows a type before the names: a kind, a length, attributes. */
static bool read_attributes(struct directives *d, struct entity *dimension, bool *parameter)
{
    bool more;
    if (directive_is(d, "PRECISION") && !directive_next_word(d))
        return false;
    if (directive_at(d, '*') && (!directive_next_word(d) || !directive_next_word(d)))
        return false;
    if (directive_at(d, '(') && !pass_parentheses(d))
        return false;
    if (!directive_skip(d, ',', &more))
        return false;
    while (more) {
        bool is_dimension = directive_is(d, "DIMENSION");
        *parameter |= directive_is(d, "PARAMETER");
        if (!directive_next_word(d))
            return false;
        if (is_dimension && !directive_bounds(d, dimension, true))
            return false;
        if (directive_at(d, '(') && !pass_parentheses(d))
            return false;
        if (!directive_skip(d, ',', &more))
            return false;
    }
    return true;
}

/* PARAMETER (N = 10, M = 2 * N) */
static bool read_parameters(struct directives *d)
{
    bool more;
    if (!directive_next_word(d) || !directive_expect(d, '(', "behind PARAMETER"))
        return false;
    do {
        char *name;
        if (!directive_name(d, "a constant", &name))
            return false;
        bool ok =
            directive_expect(d, '=', "behind the name") && read_constant_value(d, name);
        free(name);
        if (!ok || !directive_skip(d, ',', &more))
            return false;
    } while (more);
    return true;
}

static bool is_type(const struct directives *d)
{
    static const char *const names[] = { "INTEGER", "REAL",      "DOUBLE",   "LOGICAL",
                                         "COMPLEX", "CHARACTER", "DIMENSION" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (directive_is(d, names[i]))
            return true;
    return false;
}

static bool read_declaration(struct directives *d)
{
    struct entity dimension = { .array = WEFT_NONE };
    bool parameter = false, colons, bare = directive_is(d, "DIMENSION");
    if (!directive_next_word(d))
        return false;
    if (!bare && !read_attributes(d, &dimension, &parameter))
        return false;
    if (!directive_skip(d, ';', &colons))
        return false;
    return directive_is(d, "FUNCTION") || read_entities(d, &dimension, parameter);
}

/* Reads a declaration.  Fortran's other declarations are skipped, but an array with a
   different shape is an error. */
bool directive_declaration(struct directives *d, bool *known)
{
    bool parameter = directive_is(d, "PARAMETER");
    *known = parameter || is_type(d);
    if (!*known)
        return true;
    struct weft_err *err = d->err, here = { 0 };
    d->err = &here;
    bool ok = parameter ? read_parameters(d) : read_declaration(d);
    d->err = err;
    if (ok || !d->mismatched)
        return true;
    if (err)
        *err = here;
    return false;
}
