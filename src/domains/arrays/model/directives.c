/* SPDX-License-Identifier: Apache-2.0 */
/* Reads directives of High Performance Fortran (version 1.0, sections 3.3 to 3.9). */
#include "domains/arrays/model/directives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* Attributes before ::, for all names after it, or those of one name. */
struct attributes {
    bool processors, template, dynamic, distribute, align;
    struct entity shape;
    struct format format[WEFT_ARRAY_RANK];
    uint32_t n_formats;
    uint32_t onto;                  /* arrangement, or WEFT_NONE */
    char *dummies[WEFT_ARRAY_RANK]; /* dummies of the alignee; NULL for `*` or `:` */
    bool colon[WEFT_ARRAY_RANK];
    uint32_t n_dummies;
    uint32_t with;
    struct align_place place[WEFT_ARRAY_RANK]; /* in the indices of the directive */
    uint32_t n_places;
};

static void free_attributes(struct attributes *attributes)
{
    for (uint32_t i = 0; i < WEFT_ARRAY_RANK; i++)
        free(attributes->dummies[i]);
}

/* ---- PROCESSORS and TEMPLATE ---- */

static bool check_processors(struct directives *d, const struct entity *entity)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < entity->rank; k++) {
        if (entity->extent[k] > WEFT_DISTRIBUTION_PROCESSORS / n)
            return directive_fail(d, "%s has more than %d processors", entity->name,
                                  WEFT_DISTRIBUTION_PROCESSORS);
        n *= entity->extent[k];
    }
    return true;
}

/* Reads a name with bounds, or with those of DIMENSION. */
static bool declare(struct directives *d, enum entity_kind kind, const struct entity *shape)
{
    char *name;
    if (!directive_name(d, kind == ENTITY_PROCESSORS ? "an arrangement" : "a template",
                        &name))
        return false;
    uint32_t at = directive_find(d, name, kind == ENTITY_PROCESSORS);
    bool again = at != WEFT_NONE;
    if (!again)
        at = directive_add(d, name, kind);
    free(name);
    struct entity *entity = &d->entities[at];
    if (again)
        return directive_fail(d, "%s is declared already", entity->name);
    entity->shape_known = true;
    if (shape) {
        entity->rank = shape->rank;
        memcpy(entity->lower, shape->lower, sizeof entity->lower);
        memcpy(entity->extent, shape->extent, sizeof entity->extent);
    }
    if (directive_at(d, '(') && !directive_bounds(d, entity, false))
        return false;
    if (kind == ENTITY_TEMPLATE && !entity->rank)
        return directive_fail(d, "the template %s has no extents: %s(100)", entity->name,
                              entity->name);
    if (kind != ENTITY_PROCESSORS)
        return true;
    d->arrangements[entity->rank].n++;
    d->arrangements[entity->rank].last = at;
    return check_processors(d, entity);
}

static bool declare_all(struct directives *d, enum entity_kind kind)
{
    bool more;
    do
        if (!declare(d, kind, NULL) || !directive_skip(d, ',', &more))
            return false;
    while (more);
    return directive_expect_end(d);
}

/* ---- DISTRIBUTE ---- */

static bool read_format(struct directives *d, struct format *format)
{
    bool taken, block = directive_is(d, "BLOCK");
    *format = (struct format){ .format = WEFT_DISTRIBUTION_COLLAPSED };
    if (!directive_skip(d, '*', &taken) || taken)
        return taken;
    if (!block && !directive_is(d, "CYCLIC"))
        return directive_fail(d, "a dimension is BLOCK, BLOCK(m), CYCLIC, CYCLIC(m) or *");
    format->format = block ? WEFT_DISTRIBUTION_BLOCK : WEFT_DISTRIBUTION_CYCLIC;
    if (!directive_next_word(d) || !directive_skip(d, '(', &taken))
        return false;
    if (!taken)
        return true;
    if (!directive_constant(d, &format->block))
        return false;
    if (format->block < 1 || (uint64_t)format->block >= WEFT_ARRAY_LIMIT)
        return directive_fail(d, "%s(%" PRId64 ") has blocks of no size (at least 1)",
                              block ? "BLOCK" : "CYCLIC", format->block);
    return directive_expect(d, ')', "behind the size of blocks");
}

/* (BLOCK, *) ONTO P */
static bool read_distribution(struct directives *d, struct attributes *out)
{
    bool more;
    if (out->distribute)
        return directive_fail(d, "formats are given twice");
    out->distribute = true;
    out->onto = WEFT_NONE;
    if (!directive_expect(d, '(', "before the formats: DISTRIBUTE B(BLOCK, CYCLIC) ONTO P"))
        return false;
    do {
        if (out->n_formats == WEFT_ARRAY_RANK)
            return directive_fail(d, "there are more than %d dimensions", WEFT_ARRAY_RANK);
        if (!read_format(d, &out->format[out->n_formats++])
            || !directive_skip(d, ',', &more))
            return false;
    } while (more);
    if (!directive_expect(d, ')', "behind the formats"))
        return false;
    if (!directive_is(d, "ONTO"))
        return true;
    return directive_next_word(d) && directive_entity(d, ENTITY_PROCESSORS, &out->onto);
}

static bool distribute(struct directives *d, uint32_t at, const struct attributes *how)
{
    struct entity *entity = &d->entities[at];
    if (!entity->shape_known && entity->rank)
        return directive_fail(d, "the extents of %s are not known here", entity->name);
    if (entity->rank != how->n_formats)
        return directive_fail(d, "%s has %u dimensions, and %u formats are given",
                              entity->name, entity->rank, how->n_formats);
    if (!directive_place(d, entity, ENTITY_DISTRIBUTED))
        return false;
    memcpy(entity->format, how->format, sizeof entity->format);
    memset(entity->shift, 0, sizeof entity->shift);
    entity->target = how->onto;
    return true;
}

/* ---- ALIGN ---- */

static bool read_dummies(struct directives *d, struct attributes *out)
{
    bool more;
    if (!directive_expect(d, '(', "before the indices: ALIGN A(I, J) WITH B(J, I)"))
        return false;
    do {
        if (out->n_dummies == WEFT_ARRAY_RANK)
            return directive_fail(d, "there are more than %d dimensions", WEFT_ARRAY_RANK);
        uint32_t k = out->n_dummies++;
        bool star;
        if (!directive_skip(d, '*', &star)
            || (!star && !directive_skip(d, ':', &out->colon[k]))
            || (!star && !out->colon[k] && !directive_name(d, "an index", &out->dummies[k]))
            || !directive_skip(d, ',', &more))
            return false;
    } while (more);
    return directive_expect(d, ')', "behind the indices");
}

/* Reads `:` or a triplet from its first colon on; LOWER was read before it. */
static bool read_triplet(struct directives *d, int64_t lower, struct align_place *place)
{
    int64_t stride = 1, upper;
    bool more;
    if (!directive_at(d, ',') && !directive_at(d, ')') && !directive_at(d, ':')
        && !directive_constant(d, &upper))
        return false;
    if (!directive_skip(d, ':', &more) || (more && !directive_constant(d, &stride)))
        return false;
    *place = (struct align_place){ PLACE_DIMENSION, 0, stride, lower };
    return true;
}

/*
 * Reads the index in one dimension of the target.  It is in the directive's terms: for an
 * index i from its own lower bound on.  For a `:` it is stride * (i - lower) + offset, with
 * offset from the target's lower bound.
 */
static bool read_place(struct directives *d, struct attributes *out,
                       const struct entity *target, uint32_t *colons)
{
    uint32_t k = out->n_places++;
    struct align_place *place = &out->place[k];
    struct linear value = { .constant = target->lower[k], .name = -1 };
    bool star, colon = directive_at(d, ':');
    if (!directive_skip(d, '*', &star))
        return false;
    *place = (struct align_place){ .kind = PLACE_REPLICATED };
    if (star)
        return true;
    if (!colon && !directive_expression(d, out->dummies, out->n_dummies, &value))
        return false;
    colon = directive_at(d, ':') && value.name < 0;
    if (!colon) {
        bool constant = value.name < 0 || !value.factor;
        *place = (struct align_place){ constant ? PLACE_CONSTANT : PLACE_DIMENSION,
                                       constant ? 0 : (uint32_t)value.name, value.factor,
                                       value.constant };
        return true;
    }
    if (!directive_next_word(d) || !read_triplet(d, value.constant, place))
        return false;
    uint32_t seen = 0;
    for (place->dimension = 0; place->dimension < out->n_dummies; place->dimension++)
        if (out->colon[place->dimension] && seen++ == *colons)
            break;
    (*colons)++;
    return place->dimension < out->n_dummies
           || directive_fail(
               d, "there are more : in what it is aligned with than before WITH");
}

static bool check_dummies(struct directives *d, const struct attributes *out,
                          uint32_t colons)
{
    uint32_t own = 0;
    for (uint32_t k = 0; k < out->n_dummies; k++) {
        own += out->colon[k];
        uint32_t uses = 0;
        for (uint32_t p = 0; p < out->n_places; p++)
            uses += out->place[p].kind == PLACE_DIMENSION && out->place[p].dimension == k;
        if (uses > 1)
            return directive_fail(d, "an index may be used for one dimension only");
    }
    return own == colons
           || directive_fail(d, "there are %u : before WITH, and %u behind it", own,
                             colons);
}

/* (I, J) WITH B(J, I + 1) */
static bool read_alignment(struct directives *d, struct attributes *out)
{
    bool more;
    uint32_t colons = 0;
    if (out->align)
        return directive_fail(d, "what it is aligned with is given twice");
    out->align = true;
    if (!read_dummies(d, out))
        return false;
    if (!directive_is(d, "WITH"))
        return directive_fail(d, "WITH is missing: ALIGN A(I) WITH B(I + 1)");
    if (!directive_next_word(d) || !directive_entity(d, ENTITY_ARRAY, &out->with)
        || !directive_expect(d, '(', "before the places"))
        return false;
    const struct entity *target = &d->entities[out->with];
    do {
        if (out->n_places == target->rank)
            return directive_fail(d, "%s has %u dimensions only", target->name,
                                  target->rank);
        if (!read_place(d, out, target, &colons) || !directive_skip(d, ',', &more))
            return false;
    } while (more);
    if (out->n_places != target->rank)
        return directive_fail(d, "%s has %u dimensions, and %u places are given",
                              target->name, target->rank, out->n_places);
    return directive_expect(d, ')', "behind the places") && check_dummies(d, out, colons);
}

/* Converts to indices from 0; returns false if some index has no place in the target. */
static bool shift_place(struct align_place *place, bool colon, const struct entity *from,
                        const struct entity *to, uint32_t k)
{
    int64_t shifted;
    if (__builtin_sub_overflow(place->offset, to->lower[k], &place->offset))
        return false;
    if (place->kind == PLACE_DIMENSION && !colon
        && (__builtin_mul_overflow(place->stride, from->lower[place->dimension], &shifted)
            || __builtin_add_overflow(place->offset, shifted, &place->offset)))
        return false;
    __int128 last = place->offset;
    if (place->kind == PLACE_DIMENSION)
        last += (__int128)place->stride * (__int128)(from->extent[place->dimension] - 1);
    return place->offset >= 0 && (uint64_t)place->offset < to->extent[k] && last >= 0
           && last < (__int128)to->extent[k];
}

static bool align(struct directives *d, uint32_t at, const struct attributes *how)
{
    struct entity *entity = &d->entities[at];
    const struct entity *target = &d->entities[how->with];
    if (at == how->with)
        return directive_fail(d, "%s cannot be aligned with itself", entity->name);
    if (!entity->shape_known || !target->shape_known)
        return directive_fail(d, "the extents of %s are not known here",
                              entity->shape_known ? target->name : entity->name);
    if (entity->rank != how->n_dummies)
        return directive_fail(d, "%s has %u dimensions, and %u indices are given",
                              entity->name, entity->rank, how->n_dummies);
    if (!directive_place(d, entity, ENTITY_ALIGNED))
        return false;
    entity->target = how->with;
    memcpy(entity->place, how->place, sizeof entity->place);
    for (uint32_t k = 0; k < target->rank; k++) {
        struct align_place *place = &entity->place[k];
        bool colon = place->kind == PLACE_DIMENSION && how->colon[place->dimension];
        if (place->kind != PLACE_REPLICATED
            && !shift_place(place, colon, entity, target, k))
            return directive_fail(d,
                                  "some element of %s would lie outside of %s (bounds "
                                  "%" PRId64 ":%" PRId64 " of dimension %u)",
                                  entity->name, target->name, target->lower[k],
                                  target->lower[k] + (int64_t)target->extent[k] - 1, k + 1);
    }
    return true;
}

/* ---- Statements ---- */

static bool is_distribute(const struct directives *d)
{
    return directive_is(d, "DISTRIBUTE") || directive_is(d, "REDISTRIBUTE");
}

static bool is_align(const struct directives *d)
{
    return directive_is(d, "ALIGN") || directive_is(d, "REALIGN");
}

static bool read_attribute(struct directives *d, struct attributes *out)
{
    bool dimension = directive_is(d, "DIMENSION");
    out->processors |= directive_is(d, "PROCESSORS");
    out->template |= directive_is(d, "TEMPLATE");
    out->dynamic |= directive_is(d, "DYNAMIC");
    bool distribution = is_distribute(d), alignment = is_align(d);
    if (!dimension && !distribution && !alignment && !directive_is(d, "PROCESSORS")
        && !directive_is(d, "TEMPLATE") && !directive_is(d, "DYNAMIC"))
        return directive_fail(d,
                              "before :: stand PROCESSORS, TEMPLATE, DIMENSION, DYNAMIC, "
                              "DISTRIBUTE and ALIGN");
    if (!directive_next_word(d))
        return false;
    if (dimension)
        return directive_bounds(d, &out->shape, false);
    return distribution ? read_distribution(d, out) : !alignment || read_alignment(d, out);
}

static bool apply_to_names(struct directives *d, const struct attributes *how)
{
    bool more;
    do {
        uint32_t at = WEFT_NONE;
        if (how->processors || how->template) {
            size_t before = d->n_entities;
            if (!declare(d, how->processors ? ENTITY_PROCESSORS : ENTITY_TEMPLATE,
                         &how->shape))
                return false;
            at = (uint32_t)before;
        } else if (!directive_entity(d, ENTITY_ARRAY, &at)) {
            return false;
        }
        if ((how->distribute && !distribute(d, at, how))
            || (how->align && !align(d, at, how)) || !directive_skip(d, ',', &more))
            return false;
    } while (more);
    return directive_expect_end(d);
}

/* ATTRIBUTE, ATTRIBUTE :: NAME, NAME */
static bool read_with_attributes(struct directives *d)
{
    struct attributes how = { .onto = WEFT_NONE };
    bool more, ok = true;
    do
        ok = read_attribute(d, &how) && directive_skip(d, ',', &more);
    while (ok && more);
    ok = ok && directive_expect(d, ';', "before the names") && apply_to_names(d, &how);
    free_attributes(&how);
    return ok;
}

/* DISTRIBUTE B(BLOCK) ONTO P, ALIGN A(I) WITH B(I) */
static bool read_of_one(struct directives *d, bool alignment)
{
    struct attributes how = { .onto = WEFT_NONE };
    uint32_t at;
    bool ok = directive_next_word(d) && directive_entity(d, ENTITY_ARRAY, &at);
    ok = ok && (alignment ? read_alignment(d, &how) : read_distribution(d, &how))
         && directive_expect_end(d);
    ok = ok && (alignment ? align(d, at, &how) : distribute(d, at, &how));
    free_attributes(&how);
    return ok;
}

static bool read_step(struct directives *d)
{
    int64_t step;
    if (!directive_next_word(d) || !directive_constant(d, &step))
        return false;
    if (step < 0 || step >= WEFT_PROFILE_STEPS || (step <= d->step && d->stepped)
        || (step < d->step))
        return directive_fail(d, "steps rise, from 0 to %d, and this is %" PRId64,
                              WEFT_PROFILE_STEPS - 1, step);
    if (step && !directive_resolve(d))
        return false;
    d->step = (uint32_t)step;
    d->stepped = step != 0;
    return directive_expect_end(d);
}

/* Returns true for directives of HPF that do not affect distributions. */
static bool says_nothing(const struct directives *d)
{
    static const char *const names[] = { "DYNAMIC",      "INDEPENDENT", "SEQUENCE",
                                         "NOSEQUENCE",   "NO",          "INHERIT",
                                         "NEW",          "REDUCTION",   "ON",
                                         "RESIDENT",     "RANGE",       "SHADOW",
                                         "ASYNCHRONOUS", "INCLUDE",     "END" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (directive_is(d, names[i]))
            return true;
    return false;
}

static bool has_names_at_end(const struct directives *d)
{
    return strstr(d->statement.text, "::") != NULL;
}

/* Returns true for an assignment to a variable with the name of a directive. */
static bool is_assignment(const struct directives *d)
{
    const char *at = d->statement.text + d->word.at + d->word.n;
    return at[strspn(at, " \t")] == '=';
}

static bool read_named(struct directives *d)
{
    if (directive_is(d, "STEP"))
        return read_step(d);
    if (directive_is(d, "DESCRIPTOR"))
        return directive_descriptor(d);
    if (directive_is(d, "MAP"))
        return directive_map(d);
    if (d->step == 0 && (directive_is(d, "REDISTRIBUTE") || directive_is(d, "REALIGN")))
        return directive_fail(d, "from which step on?  A line before says it: STEP 60");
    if (has_names_at_end(d))
        return read_with_attributes(d);
    if (is_distribute(d) || is_align(d))
        return read_of_one(d, is_align(d));
    bool processors = directive_is(d, "PROCESSORS");
    return directive_next_word(d)
           && declare_all(d, processors ? ENTITY_PROCESSORS : ENTITY_TEMPLATE);
}

static bool is_directive(const struct directives *d)
{
    static const char *const names[] = { "PROCESSORS", "TEMPLATE", "STEP", "DESCRIPTOR",
                                         "MAP" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (directive_is(d, names[i]))
            return true;
    return is_distribute(d) || is_align(d);
}

static bool read_statement(struct directives *d)
{
    bool known = false;
    if (!directive_first_word(d))
        return !d->statement.marked && d->lines.source;
    if (d->mapped != WEFT_NONE && d->word.kind == WORD_NUMBER)
        return directive_map_numbers(d);
    if (!directive_map_end(d))
        return false;
    if (is_directive(d) && (d->statement.marked || !is_assignment(d)))
        return read_named(d);
    if (d->statement.marked && says_nothing(d))
        return true;
    if (!d->statement.marked && !directive_declaration(d, &known))
        return false;
    if (known || (d->lines.source && !d->statement.marked))
        return true;
    return directive_fail(d,
                          "this is no directive (PROCESSORS, DISTRIBUTE, ALIGN, TEMPLATE, "
                          "STEP, REDISTRIBUTE, REALIGN, DESCRIPTOR or MAP)");
}

/* ---- Files ---- */

static void add_arrays(struct directives *d)
{
    for (uint32_t i = 0; i < weft_profile_arrays(d->profile); i++) {
        const struct weft_array *array = weft_profile_array(d->profile, i);
        uint32_t at = directive_add(d, array->name, ENTITY_ARRAY);
        struct entity *entity = &d->entities[at];
        entity->array = i;
        entity->shape_known = true;
        entity->rank = array->rank;
        for (uint32_t k = 0; k < array->rank; k++) {
            entity->lower[k] = 1;
            entity->extent[k] = array->shape[k];
        }
    }
}

static bool read_all(struct directives *d)
{
    bool any = false;
    while (directive_lines_next(&d->lines, &d->statement)) {
        char first = d->statement.text[0];
        if (!any && !d->lines.source && first >= '0' && first <= '9')
            return directive_bare_map(d);
        any = true;
        if (!read_statement(d))
            return false;
    }
    if (!directive_map_end(d))
        return false;
    if (!d->changed && !d->stepped)
        return weft_fail_at(d->err, WEFT_ERR_FORMAT, d->file, 0,
                            "nothing is said of how arrays lie (PROCESSORS P(2,4) and "
                            "DISTRIBUTE B(BLOCK,CYCLIC) ONTO P)");
    return directive_resolve(d);
}

static void free_directives(struct directives *d)
{
    for (size_t i = 0; i < d->n_entities; i++)
        free(d->entities[i].name);
    weft_text_map_free(&d->names);
    free(d->placed);
    free(d->entities);
    free(d->constants);
    free(d->statement.text);
    free(d->statement.lines);
    free(d->map);
}

struct weft_distributions *weft_distributions_parse(const char *name, const char *text,
                                                    size_t size,
                                                    const struct weft_profile *profile,
                                                    struct weft_err *err)
{
    struct weft_err ignored;
    struct directives d = { .file = name,
                            .profile = profile,
                            .err = err ? err : &ignored,
                            .set = weft_distributions_new(profile),
                            .mapped = WEFT_NONE };
    directive_lines_begin(&d.lines, text, size);
    add_arrays(&d);
    bool ok = read_all(&d);
    free_directives(&d);
    if (ok)
        return d.set;
    weft_distributions_free(d.set);
    return NULL;
}

struct weft_distributions *weft_distributions_read(const char *path,
                                                   const struct weft_profile *profile,
                                                   struct weft_err *err)
{
    enum { LARGEST = 16 << 20 }; /* bytes: a line for each of a million elements */
    struct weft_mapping map;
    if (!weft_map_file(&map, path, err))
        return NULL;
    struct weft_distributions *set = NULL;
    if (map.size > LARGEST)
        weft_fail_at(err, WEFT_ERR_FORMAT, path, 0, "this is no text of at most %d MiB",
                     LARGEST >> 20);
    else
        set =
            weft_distributions_parse(path, (const char *)map.data, map.size, profile, err);
    weft_unmap(&map);
    return set;
}
