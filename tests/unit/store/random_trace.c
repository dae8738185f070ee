/* SPDX-License-Identifier: Apache-2.0 */
#include "random_trace.h"
#include "tests/random.h"
#include "tests/small_store.h"

uint32_t random_track(const struct random_trace *model, const struct random_item *item)
{
    const struct weft_schema *schema = model->source->schema;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].container == item->container
            && schema->tracks[t].type == item->type)
            return t;
    fail_msg("no track of container %u", item->container);
    return WEFT_NONE;
}

uint64_t random_id(const struct random_trace *model, const struct random_item *item)
{
    return weft_entity_id(random_track(model, item), item->ordinal);
}

static struct random_item *new_item(struct random_trace *model, enum weft_kind kind,
                                    uint32_t container, uint32_t type, int64_t time)
{
    assert_true(model->n_items < RANDOM_MAX_ITEMS);
    struct random_item *item = &model->items[model->n_items++];
    *item = (struct random_item){ .kind = kind,
                                  .container = container,
                                  .type = type,
                                  .begin = time,
                                  .end = time,
                                  .value = WEFT_NONE };
    return item;
}

static void make_types(struct random_trace *model, struct weft_builder *b)
{
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "thread", WEFT_ROLE_NONE);
    model->state_type = add_type(b, WEFT_STATE, thread, "state", WEFT_ROLE_NONE);
    model->event_type = add_type(b, WEFT_EVENT, thread, "event", WEFT_ROLE_NONE);
    model->variable_type = add_type(b, WEFT_VARIABLE, thread, "load", WEFT_ROLE_NONE);
    model->link_type = weft_builder_type(b, &(struct weft_type){ .kind = WEFT_LINK,
                                                                 .name = "message",
                                                                 .start_type = thread,
                                                                 .end_type = thread });
    static const enum weft_field_kind kinds[RANDOM_FIELDS] = {
        WEFT_FIELD_INTEGER,   WEFT_FIELD_REAL,   WEFT_FIELD_TEXT,   WEFT_FIELD_SITE,
        WEFT_FIELD_CONTAINER, WEFT_FIELD_ENTITY, WEFT_FIELD_INTEGER
    };
    for (int f = 0; f < RANDOM_FIELDS; f++) {
        char name[] = { 'f', (char)('0' + f), 0 };
        model->fields[f] = weft_builder_field(b, model->state_type, name, kinds[f]);
        if (f != RANDOM_PLAIN)
            weft_builder_index_field(b, model->fields[f]);
    }
    for (int v = 0; v < RANDOM_VALUES; v++)
        model->values[v] = weft_builder_value(b, model->state_type,
                                              (char[]){ (char)('a' + v), 0 }, NULL, 0);
    weft_builder_value_role(b, model->values[0], WEFT_ROLE_BLOCKED_ON_LOCK);
    weft_builder_value_role(b, model->values[1], WEFT_ROLE_SLEEPING);
    weft_builder_value_role(b, model->values[2], WEFT_ROLE_RUNNING);
    model->event_value = weft_builder_value(b, model->event_type, "tick", NULL, 0);
    model->link_value = weft_builder_value(b, model->link_type, "data", NULL, 0);
    model->size =
        add_field(b, model->link_type, "size", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    /* Made from the last to the first child, so that tracks are renumbered at the end. */
    for (int i = RANDOM_CONTAINERS; i-- > 0;) {
        char name[] = { 't', (char)('0' + i), 0 };
        uint32_t parent = i % 3 && i + 1 < RANDOM_CONTAINERS ? model->containers[i + 1] : 0;
        model->containers[i] = weft_builder_container(b, thread, parent, name, NULL, 0);
    }
}

static void make_clocks(struct random_trace *model, struct weft_builder *b)
{
    const struct weft_clock_knot knots[] = { { 1000, 400 },                  /* offset */
                                             { 0, 0 },       { 1000, 1250 }, /* drift */
                                             { -100, 0 },    { 2000, 900 },
                                             { 3000, 3000 }, { 9000, 6000 } };
    const size_t first[] = { 0, 1, 3, 7 };
    uint32_t host = weft_builder_host(b, &(struct weft_host){ .name = "loom" });
    for (int i = 0; i < 3; i++) {
        uint32_t clock =
            weft_builder_clock(b, &(struct weft_clock){ .name = "ticks",
                                                        .host = host,
                                                        .knots = knots + first[i],
                                                        .n_knots = first[i + 1] - first[i],
                                                        .error = i });
        weft_builder_container_clock(b, model->containers[i], clock);
    }
}

/* Some fields for a state, as the builder wants them; IDS: as the builder gave them out. */
static size_t random_fields(struct random_trace *model, struct weft_builder *b,
                            struct random_item *item, const uint64_t *ids,
                            struct weft_field_value *out)
{
    size_t n = 0;
    item->has = (unsigned)roll(1 << RANDOM_FIELDS);
    if (model->n_items == 1)
        item->has &= ~(1u << RANDOM_ENTITY);
    for (int f = 0; f < RANDOM_FIELDS; f++) {
        if (!(item->has >> f & 1))
            continue;
        struct weft_field_value *value = &out[n++];
        *value = (struct weft_field_value){ .field = model->fields[f] };
        char text[8];
        switch ((enum random_field)f) {
        case RANDOM_PLAIN:
        case RANDOM_INTEGER:
            value->integer = roll(50) ? (int64_t)roll(40) - 20 : (int64_t)roll(UINT64_MAX);
            break;
        case RANDOM_REAL: value->real = (double)roll(30) / 7 - 2; break;
        case RANDOM_TEXT:
            snprintf(text, sizeof text, "w%d", (int)roll(25));
            value->index = weft_builder_string(b, text, strlen(text));
            break;
        case RANDOM_SITE:
            value->index = weft_builder_site(
                b, &(struct weft_site){ .file = "a.c", .line = (uint32_t)roll(12) });
            break;
        case RANDOM_CONTAINER:
            value->index = model->containers[roll(RANDOM_CONTAINERS)];
            break;
        case RANDOM_ENTITY:
            item->fields[f] = (int64_t)roll(model->n_items - 1);
            value->entity = ids[item->fields[f]];
            continue;
        }
        enum weft_field_kind kind = f == RANDOM_TEXT        ? WEFT_FIELD_TEXT
                                    : f == RANDOM_SITE      ? WEFT_FIELD_SITE
                                    : f == RANDOM_CONTAINER ? WEFT_FIELD_CONTAINER
                                                            : WEFT_FIELD_INTEGER;
        item->fields[f] = weft_field_bits(kind, value);
    }
    return n;
}

static void make_states(struct random_trace *model, struct weft_builder *b, uint32_t c,
                        uint64_t *ids)
{
    uint32_t track = weft_builder_track(b, c, model->state_type), stack[8], depth = 0;
    int64_t time = 100 + (int64_t)roll(200);
    uint64_t ordinal = 0;
    for (int i = 0; i < RANDOM_CHANGES; i++) {
        time += roll(3) ? 0 : (int64_t)roll(9);
        uint64_t dice = roll(20);
        bool set = dice == 0, push = dice < 11 && depth < 7;
        if (set || push) {
            struct random_item *item =
                new_item(model, WEFT_STATE, c, model->state_type, time);
            struct weft_field_value fields[RANDOM_FIELDS];
            item->value = model->values[roll(RANDOM_VALUES - 1)];
            item->ordinal = ordinal++;
            size_t n = random_fields(model, b, item, ids, fields);
            while (set && depth)
                model->items[stack[--depth]].end = time;
            item->depth = depth;
            stack[depth++] = model->n_items - 1;
            assert_int_equal((set ? weft_builder_set
                                  : weft_builder_push)(b, track, time, item->value, fields,
                                                       n, &ids[model->n_items - 1]),
                             WEFT_BUILD_OK);
        } else if (dice == 19 && depth) {
            assert_int_equal(weft_builder_reset(b, track, time), WEFT_BUILD_OK);
            while (depth)
                model->items[stack[--depth]].end = time;
        } else if (depth) {
            assert_int_equal(weft_builder_pop(b, track, time, NULL), WEFT_BUILD_OK);
            model->items[stack[--depth]].end = time;
        }
    }
    if (depth)
        assert_int_equal(weft_builder_reset(b, track, time), WEFT_BUILD_OK);
    while (depth)
        model->items[stack[--depth]].end = time;
}

static void make_rows(struct random_trace *model, struct weft_builder *b, uint32_t c,
                      uint64_t *ids)
{
    uint32_t events = weft_builder_track(b, c, model->event_type);
    int64_t time = 0;
    for (uint64_t i = 0; i < RANDOM_EVENTS; i++) {
        time += (int64_t)roll(8);
        struct random_item *item = new_item(model, WEFT_EVENT, c, model->event_type, time);
        item->value = roll(3) ? WEFT_NONE : model->event_value;
        item->ordinal = i;
        assert_int_equal(weft_builder_event(b, events, time, item->value, NULL, 0,
                                            &ids[model->n_items - 1]),
                         WEFT_BUILD_OK);
    }
    uint32_t samples = weft_builder_track(b, c, model->variable_type);
    time = 0;
    for (uint64_t i = 0; i < RANDOM_SAMPLES; i++) {
        time += 1 + (int64_t)roll(8);
        struct random_item *item =
            new_item(model, WEFT_VARIABLE, c, model->variable_type, time);
        item->sample = (double)roll(100) / 3;
        item->ordinal = i;
        if (i)
            item[-1].end = time;
        assert_int_equal(weft_builder_sample(b, samples, time, item->sample),
                         WEFT_BUILD_OK);
    }
    model->items[model->n_items - 1].end = RANDOM_END; /* as long as its container */
}

static void make_links(struct random_trace *model, struct weft_builder *b,
                       const uint64_t *ids)
{
    uint32_t n_others = model->n_items;
    for (int i = 0; i < RANDOM_LINKS; i++) {
        int64_t time = (int64_t)roll(RANDOM_END - 100);
        struct random_item *item = new_item(model, WEFT_LINK, 0, model->link_type, time);
        item->end = time + (int64_t)roll(90) - (roll(4) || time < 90 ? 0 : 80);
        item->value = roll(2) ? WEFT_NONE : model->link_value;
        item->from = model->containers[roll(RANDOM_CONTAINERS)];
        item->to = model->containers[roll(RANDOM_CONTAINERS)];
        do {
            item->from_item = roll(3) ? (uint32_t)roll(n_others) : (uint32_t)WEFT_NONE;
        } while (item->from_item != WEFT_NONE
                 && model->items[item->from_item].kind == WEFT_VARIABLE);
        item->to_item = roll(2) ? (uint32_t)roll(30) : WEFT_NONE;
        struct weft_link link = {
            .type = model->link_type,
            .value = item->value,
            .key = WEFT_NONE,
            .from = item->from,
            .to = item->to,
            .begin = item->begin,
            .end = item->end,
            .from_entity = item->from_item == WEFT_NONE ? WEFT_NO_ID : ids[item->from_item],
            .to_entity = item->to_item == WEFT_NONE ? WEFT_NO_ID : ids[item->to_item]
        };
        item->bytes = roll(2) ? (int64_t)roll(5000) : 0;
        struct weft_field_value size = { model->size, { .integer = item->bytes } };
        weft_builder_link(b, &link, &size, item->bytes != 0);
    }
}

void random_trace_begin(struct random_trace *model, bool clocks)
{
    static uint64_t ids[RANDOM_MAX_ITEMS];
    model->n_items = 0;
    strcpy(model->path, "/tmp/weft-random-test.XXXXXX");
    struct weft_builder *b = small_store_begin(model->path);
    make_types(model, b);
    if (clocks)
        make_clocks(model, b);
    for (int i = 0; i < RANDOM_STATE_TRACKS; i++)
        make_states(model, b, model->containers[i], ids);
    make_rows(model, b, model->containers[3], ids);
    make_links(model, b, ids);
    for (int i = 0; i < RANDOM_CONTAINERS; i++)
        weft_builder_destroy(b, model->containers[i], RANDOM_END);
    model->trace = small_store_open(b, model->path);
    model->source = weft_trace_source(model->trace);
}

void random_trace_end(struct random_trace *model)
{
    weft_trace_close(model->trace);
    unlink(model->path);
}
