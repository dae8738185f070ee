/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "write/dump_and_paje.h"

struct dump {
    const struct weft_source *source;
    const struct weft_schema *schema;
    FILE *stream;
    const char *container, *type;
};

const char *weft_real_text(double value, char text[32])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

/*
 * Writes ", NAME" with control characters as spaces: they would end the line and forge
 * another, or control a terminal.  Some have two bytes in UTF-8.
 */
static void put_next_name(const struct dump *dump, const char *name)
{
    fputs(", ", dump->stream);
    for (const unsigned char *at = (const unsigned char *)name; *at; at++) {
        bool two = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
        putc(two || *at < ' ' || *at == 0x7f ? ' ' : *at, dump->stream);
        at += two;
    }
}

/* Writes the begin of an entity's line, without the comma after it. */
static void put_begin(const struct dump *dump, const char *kind)
{
    fputs(kind, dump->stream);
    put_next_name(dump, dump->container);
    put_next_name(dump, dump->type);
}

static bool end_line(const struct dump *dump)
{
    putc('\n', dump->stream);
    return !ferror(dump->stream);
}

static const char *value_name(const struct dump *dump, uint32_t value)
{
    return value < dump->schema->n_values ? dump->schema->values[value].name : "";
}

static void put_span(const struct dump *dump, int64_t begin, int64_t end)
{
    char a[WEFT_TIME_TEXT], b[WEFT_TIME_TEXT], c[WEFT_TIME_TEXT];
    fprintf(dump->stream, ", %s, %s, %s", weft_time_exact(dump->schema, begin, a),
            weft_time_exact(dump->schema, end, b),
            weft_time_exact(dump->schema, end - begin, c));
}

static bool put_state(void *user, const struct weft_state *state)
{
    const struct dump *dump = user;
    put_begin(dump, "State");
    put_span(dump, state->begin, state->end);
    fprintf(dump->stream, ", %u", state->depth);
    put_next_name(dump, value_name(dump, state->value));
    return end_line(dump);
}

static bool put_event(void *user, const struct weft_event *event)
{
    const struct dump *dump = user;
    char time[WEFT_TIME_TEXT];
    put_begin(dump, "Event");
    fprintf(dump->stream, ", %s", weft_time_exact(dump->schema, event->time, time));
    put_next_name(dump, value_name(dump, event->value));
    return end_line(dump);
}

static bool put_sample(void *user, const struct weft_sample *sample)
{
    const struct dump *dump = user;
    char number[32];
    put_begin(dump, "Variable");
    put_span(dump, sample->begin, sample->end);
    fprintf(dump->stream, ", %s", weft_real_text(sample->value, number));
    return end_line(dump);
}

static bool put_link(void *user, const struct weft_link *link)
{
    const struct dump *dump = user;
    if (link->from == WEFT_NONE || link->to == WEFT_NONE)
        return true;
    put_begin(dump, "Link");
    put_span(dump, link->begin, link->end);
    put_next_name(dump, value_name(dump, link->value));
    put_next_name(dump, dump->schema->containers[link->from].name);
    put_next_name(dump, dump->schema->containers[link->to].name);
    put_next_name(
        dump, link->key < dump->schema->n_strings ? dump->schema->strings[link->key] : "");
    return end_line(dump);
}

static void put_container(const struct dump *dump, uint32_t index)
{
    const struct weft_schema *schema = dump->schema;
    const struct weft_container *container = &schema->containers[index];
    const char *parent = container->parent == WEFT_NONE
                             ? schema->containers[index].name
                             : schema->containers[container->parent].name;
    fputs("Container", dump->stream);
    put_next_name(dump, parent);
    put_next_name(dump, schema->types[container->type].name);
    put_span(dump, container->begin, container->end);
    put_next_name(dump, container->name);
    (void)end_line(dump);
}

static void put_track(struct dump *dump, uint32_t index)
{
    const struct weft_track *track = &dump->schema->tracks[index];
    const struct weft_source *source = dump->source;
    struct weft_span all = { dump->schema->span.begin, dump->schema->span.end + 1 };
    dump->container = dump->schema->containers[track->container].name;
    dump->type = dump->schema->types[track->type].name;
    switch (dump->schema->types[track->type].kind) {
    case WEFT_STATE: source->ops->states(source, index, all, put_state, dump); break;
    case WEFT_EVENT: source->ops->events(source, index, all, put_event, dump); break;
    case WEFT_VARIABLE: source->ops->samples(source, index, all, put_sample, dump); break;
    case WEFT_LINK: source->ops->links(source, index, all, put_link, dump); break;
    case WEFT_CONTAINER: break;
    }
}

bool weft_write_dump(const struct weft_source *source, FILE *stream, struct weft_job *job,
                     struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    struct dump dump = { .source = source, .schema = schema, .stream = stream };
    /* Containers that a filter hides stand behind the root's subtree. */
    for (uint32_t i = 0; i < schema->containers[0].subtree_end && !ferror(stream); i++)
        put_container(&dump, schema->preorder[i]);
    for (uint32_t i = 0; i < schema->n_tracks && !ferror(stream); i++) {
        if (!weft_job_step(job, i, schema->n_tracks, err))
            return false;
        put_track(&dump, i);
    }
    if (fflush(stream) != 0 || ferror(stream))
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write the dump");
    return true;
}
