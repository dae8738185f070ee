/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances: the states, events and links that a selection means, one a row, the longest
 * first: the things that the numbers of other tables count.
 */
#include <string.h>

#include "analyse/sites_by_line.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/timeline/requested_entities.h"
#include "view/views.h"

enum {
    MAX_FIELDS = 64, /* of a thing, among which its object and site are looked for */
    STEP = 256,      /* rows between two looks at the job */
};

static const struct weft_parameter parameters[] = {
    SELECTED_THINGS,
    { .name = "sort",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "length|time",
      .fallback = "length",
      .help = "the longest first, or the earliest" },
    { .name = "most",
      .kind = WEFT_PARAMETER_NUMBER,
      .minimum = 1,
      .maximum = 100000,
      .fallback = "1000",
      .help = "how many are shown",
      .seldom = true },
};

static const struct things *find(const struct weft_request *request, struct weft_err *err)
{
    return things_find(request, strcmp(weft_setting(request, "sort"), "time") == 0,
                       (size_t)weft_setting_number(request, "most"), err);
}

/* The sources of the texts of things. */
struct naming {
    const struct weft_request *request;
    const struct weft_schema *schema;
    const char **labels;                        /* weft_container_labels */
    const struct weft_wait_ends_finder *finder; /* NULL: no text is a partner or waker */
};

static struct naming naming_of(const struct weft_request *request,
                               const struct weft_wait_ends_finder *finder)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    return (struct naming){ request, schema, weft_container_labels(schema, request->arena),
                            finder };
}

/* The texts of a thing; none is NULL. */
struct texts {
    const char *row, *type, *value, *object, *site, *partner, *waker;
};

static const char *label_of(const struct naming *naming, uint32_t container)
{
    return container < naming->schema->n_containers ? naming->labels[container] : "";
}

/* Returns the text of the field among N, or "". */
static const char *field_text(const struct naming *naming,
                              const struct weft_field_value *fields, size_t n,
                              uint32_t field)
{
    const struct weft_schema *schema = naming->schema;
    for (size_t i = 0; i < n; i++) {
        if (fields[i].field != field)
            continue;
        switch (schema->fields[field].kind) {
        case WEFT_FIELD_CONTAINER: return label_of(naming, fields[i].index);
        case WEFT_FIELD_TEXT:
            return fields[i].index < schema->n_strings ? schema->strings[fields[i].index]
                                                       : "";
        case WEFT_FIELD_SITE:
            return fields[i].index < schema->n_sites
                       ? weft_site_text(naming->request->arena, schema, fields[i].index)
                       : "";
        default: return "";
        }
    }
    return "";
}

/* Sets the partner and the waker of a state with N fields. */
static void name_wait(const struct naming *naming, const struct weft_thing *thing,
                      const struct weft_field_value *fields, size_t n, struct texts *texts)
{
    const struct weft_state state = {
        .id = thing->id, .begin = thing->begin, .end = thing->end, .value = thing->value
    };
    uint32_t row;
    if (weft_row_of_wait(naming->finder, WEFT_WAIT_PARTNER, thing->track, &state, &row))
        texts->partner = label_of(naming, row);
    else
        texts->partner = field_text(
            naming, fields, n,
            weft_field_of_type(naming->schema, naming->schema->tracks[thing->track].type,
                               WEFT_ROLE_PARTNER, WEFT_FIELD_CONTAINER));
    if (weft_row_of_wait(naming->finder, WEFT_WAIT_WAKER, thing->track, &state, &row))
        texts->waker = label_of(naming, row);
}

static struct texts texts_of(const struct naming *naming, const struct weft_thing *thing)
{
    const struct weft_source *source = naming->request->set->sources[0];
    const struct weft_schema *schema = naming->schema;
    const struct weft_track *track = &schema->tracks[thing->track];
    struct weft_field_value fields[MAX_FIELDS];
    size_t n = source->ops->fields(source, thing->id, fields, MAX_FIELDS);
    enum weft_kind kind = schema->types[track->type].kind;
    bool link = kind == WEFT_LINK;
    uint32_t row = !link                      ? track->container
                   : thing->from != WEFT_NONE ? thing->from
                                              : thing->to;
    uint32_t site =
        weft_field_of_type(schema, track->type, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    struct texts texts = {
        .row = label_of(naming, row),
        .type = schema->types[track->type].name,
        .value = thing->value == WEFT_NONE ? "" : schema->values[thing->value].name,
        .object = link ? label_of(naming, thing->to)
                       : field_text(naming, fields, n,
                                    weft_where_object_field(schema, track->type)),
        .site = field_text(naming, fields, n, site),
        .partner = "",
        .waker = "",
    };
    if (naming->finder && kind == WEFT_STATE)
        name_wait(naming, thing, fields, n, &texts);
    return texts;
}

static const struct weft_column columns[] = {
    { "kind", "state, event or link", .seldom = true },
    { "row", "where it is; of a link, where it leaves" },
    { "type", "what sort of state, event or link", .seldom = true },
    { "value", "which" },
    { "object", "what it waited for or is about; of a link, where it arrives" },
    { "site", "where in the program" },
    { "partner", "of a wait, for whose message it was; of another call, which it names",
      .narrows = "state and partner = $" },
    { "waker", "of a wait, the thread or rank that ended it",
      .narrows = "state and waker = $" },
    { "begin_ns", "from the begin of the trace" },
    { "end_ns", "the same; an event has no length", .seldom = true },
    { "duration_ns", "in whole, also what lies outside of the range" },
    { "id", "by which the workbench knows it", .seldom = true },
};

static bool put_row(const struct naming *naming, const struct weft_thing *thing,
                    struct weft_table *out)
{
    const struct weft_schema *schema = naming->schema;
    int64_t zero = schema->span.begin;
    struct texts texts = texts_of(naming, thing);
    enum weft_kind kind = schema->types[schema->tracks[thing->track].type].kind;
    const struct weft_cell cells[] = {
        weft_text_cell(weft_kind_name(kind)),
        weft_text_cell(texts.row),
        weft_text_cell(texts.type),
        weft_text_cell(texts.value),
        weft_text_cell(texts.object),
        weft_text_cell(texts.site),
        weft_text_cell(texts.partner),
        weft_text_cell(texts.waker),
        weft_integer_cell(weft_ticks_to_ns(schema, thing->begin - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, thing->end - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, thing->end - thing->begin)),
        weft_integer_cell((int64_t)thing->id),
    };
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct things *things = find(request, err);
    const struct weft_wait_ends_finder *finder =
        things ? things_wait_ends(request, err) : NULL;
    if (!finder)
        return false;
    const struct naming naming = naming_of(request, finder);
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < things->n; i++)
        if ((i % STEP == 0 && weft_job_cancelled(request->job))
            || !put_row(&naming, &things->list[i], out))
            break;
    out->end(out);
    return true;
}

/* "12.3 ms · table_lock · put (buffer.c:34) · at 1.2 s" */
static const char *numbers_of(const struct weft_request *request,
                              const struct weft_thing *thing, const struct texts *texts)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    char length[WEFT_TIME_TEXT], begin[WEFT_TIME_TEXT];
    return weft_arena_printf(
        request->arena, "%s%s%s%s%s · at %s",
        weft_duration_text(schema, thing->end - thing->begin, length),
        texts->object[0] ? " · " : "", weft_name_cut(texts->object, request->arena),
        texts->site[0] ? " · " : "", weft_name_cut(texts->site, request->arena),
        weft_duration_text(schema, thing->begin - schema->span.begin, begin));
}

static struct weft_bar *make_bars(const struct weft_request *request,
                                  const struct things *things, size_t n)
{
    struct weft_arena *arena = request->arena;
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_swatch *swatches = weft_palette(arena, schema, request->theme);
    const struct naming naming = naming_of(request, NULL);
    struct weft_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);
    for (size_t i = 0; i < n; i++) {
        const struct weft_thing *thing = &things->list[i];
        struct texts texts = texts_of(&naming, thing);
        const char *what = weft_name_cut(texts.value[0] ? texts.value : texts.type, arena);
        bars[i] = (struct weft_bar){
            weft_arena_printf(arena, "%s · %s", what, weft_name_cut(texts.row, arena)),
            thing->value == WEFT_NONE ? weft_name_swatch(request->theme, what)
                                      : swatches[thing->value],
            (double)(thing->end - thing->begin), numbers_of(request, thing, &texts),
            thing->id
        };
    }
    return bars;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct things *things = find(request, err);
    if (!things)
        return false;
    const struct weft_schema *schema = request->set->sources[0]->schema;
    size_t most = weft_bars_looked_at(request), n = things->n < most ? things->n : most;
    struct weft_bar *bars = make_bars(request, things, n);
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, weft_bars_gutter(request, bars, n), false, NULL, 0,
        weft_arena_printf(request->arena, "%s selected, in %s",
                          weft_number_text(request->arena, (double)things->matched, 0),
                          weft_range_text(request->arena, schema, request->window)));
    if (n)
        weft_bars_draw_some(&frame, bars, n, things->matched - n);
    else
        weft_frame_empty(&frame, "Nothing in this range is selected.");
    return true;
}

/* Tells how many there are beyond those in the table. */
static const char *remark(const struct weft_request *request)
{
    struct weft_err err;
    const struct things *things = find(request, &err);
    if (!things || things->matched <= things->n)
        return NULL;
    bool by_time = strcmp(weft_setting(request, "sort"), "time") == 0;
    return weft_arena_printf(
        request->arena, "%s match, of which these are the %s %s (--set most=N shows more)",
        weft_number_text(request->arena, (double)things->matched, 0),
        weft_number_text(request->arena, (double)things->n, 0),
        by_time ? "earliest" : "longest");
}

const struct weft_view weft_view_instances = {
    .name = "instances",
    .title = "Instances",
    .group = "Statistics",
    .explanation = "Each bar is a state, event or link that the selection means: how long "
                   "it took.",
    .needs = "states, events or links (any recording has them)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = things_fill,
    .scene = scene,
    .table = table,
    .remark = remark,
};
