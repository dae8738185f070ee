/* SPDX-License-Identifier: Apache-2.0 */
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct weft_span everything(const struct recorded *recorded)
{
    return (struct weft_span){ recorded->schema->span.begin,
                               recorded->schema->span.end + 1 };
}

struct recorded record(const char *command)
{
    return record_with("--no-switches", command);
}

struct recorded record_with(const char *options, const char *command)
{
    struct recorded recorded = { 0 };
    struct weft_err err = { 0 };
    char folder[] = "/tmp/weft-live-XXXXXX", line[2048], path[64];
    FILE *text;
    int status;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.weft", folder);
    snprintf(line, sizeof line, "cd %s && %s record %s -o t.weft -- %s 2>text >out",
             folder, getenv("WEFT"), options, command);
    status = system(line);
    recorded.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    snprintf(line, sizeof line, "%s/text", folder);
    text = fopen(line, "r");
    assert_non_null(text);
    recorded.text[fread(recorded.text, 1, sizeof recorded.text - 1, text)] = 0;
    fclose(text);
    recorded.trace = weft_trace_open(path, &err);
    if (!recorded.trace)
        fail_msg("%s: %s; %s", command, err.message, recorded.text);
    recorded.source = weft_trace_source(recorded.trace);
    recorded.schema = weft_trace_schema(recorded.trace);
    /* Nothing of the recording is left but the trace. */
    snprintf(line, sizeof line, "test $(ls %s | wc -l) = 3", folder);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    return recorded;
}

void forget(struct recorded *recorded)
{
    weft_trace_close(recorded->trace);
}

uint32_t container(const struct recorded *recorded, const char *type, const char *name)
{
    const struct weft_schema *schema = recorded->schema;

    for (uint32_t i = 0; i < schema->n_containers; i++)
        if (strcmp(schema->containers[i].name, name) == 0
            && strcmp(schema->types[schema->containers[i].type].name, type) == 0)
            return i;
    fail_msg("no %s \"%s\"", type, name);
    return WEFT_NONE;
}

uint32_t count_containers(const struct recorded *recorded, const char *type)
{
    const struct weft_schema *schema = recorded->schema;
    uint32_t n = 0;

    for (uint32_t i = 0; i < schema->n_containers; i++)
        n += strcmp(schema->types[schema->containers[i].type].name, type) == 0;
    return n;
}

uint32_t track(const struct recorded *recorded, uint32_t of, const char *type)
{
    const struct weft_schema *schema = recorded->schema;

    for (uint32_t i = 0; i < schema->n_tracks; i++)
        if (schema->tracks[i].container == of
            && strcmp(schema->types[schema->tracks[i].type].name, type) == 0)
            return i;
    return WEFT_NONE;
}

struct collecting {
    const struct recorded *recorded;
    struct found_state *found;
    size_t n, most;
};

static bool collect(void *user, const struct weft_state *state)
{
    struct collecting *to = user;
    const struct weft_schema *schema = to->recorded->schema;
    struct weft_field_value fields[8];
    struct found_state *found = &to->found[to->n++];
    size_t n =
        to->recorded->source->ops->fields(to->recorded->source, state->id, fields, 8);

    *found =
        (struct found_state){ *state, schema->values[state->value].name, "", 0, WEFT_NONE };
    for (size_t i = 0; i < n; i++)
        switch (schema->fields[fields[i].field].kind) {
        case WEFT_FIELD_TEXT: found->text = schema->strings[fields[i].index]; break;
        case WEFT_FIELD_CONTAINER:
            found->text = schema->containers[fields[i].index].name;
            break;
        case WEFT_FIELD_INTEGER: found->integer = fields[i].integer; break;
        case WEFT_FIELD_SITE: found->site = fields[i].index; break;
        default: break;
        }
    return to->n < to->most;
}

size_t states(const struct recorded *recorded, uint32_t of, struct found_state *found,
              size_t most)
{
    struct collecting to = { recorded, found, 0, most };

    assert_true(of != WEFT_NONE);
    recorded->source->ops->states(recorded->source, of, everything(recorded), collect, &to);
    return to.n;
}

struct found_state first_state(const struct recorded *recorded, uint32_t of,
                               const char *value)
{
    struct found_state *all = calloc(1000, sizeof *all);
    struct found_state found = { .value = NULL };
    size_t n = states(recorded, of, all, 1000);

    for (size_t i = 0; i < n && !found.value; i++)
        if (strcmp(all[i].value, value) == 0)
            found = all[i];
    free(all);
    if (!found.value)
        fail_msg("no state \"%s\"", value);
    return found;
}

struct link_counter {
    const struct recorded *recorded;
    const char *value;
    uint32_t from, to;
    size_t n;
    struct weft_link *last;
};

static bool count_link(void *user, const struct weft_link *link)
{
    struct link_counter *counting = user;
    const struct weft_schema *schema = counting->recorded->schema;

    if (link->from == counting->from && link->to == counting->to
        && (!counting->value
            || (link->value != WEFT_NONE
                && strcmp(schema->values[link->value].name, counting->value) == 0))) {
        counting->n++;
        if (counting->last)
            *counting->last = *link;
    }
    return true;
}

size_t count_links(const struct recorded *recorded, const char *type, const char *value,
                   uint32_t from, uint32_t to, struct weft_link *last)
{
    struct link_counter counting = { recorded, value, from, to, 0, last };
    uint32_t of = track(recorded, 0, type);

    if (of != WEFT_NONE)
        recorded->source->ops->links(recorded->source, of, everything(recorded), count_link,
                                     &counting);
    return counting.n;
}

static bool count_event(void *user, const struct weft_event *event)
{
    struct link_counter *counting = user;

    counting->n +=
        strcmp(counting->recorded->schema->values[event->value].name, counting->value) == 0;
    return true;
}

uint64_t count_events(const struct recorded *recorded, uint32_t of, const char *value)
{
    struct link_counter counting = { recorded, value, 0, 0, 0, NULL };

    if (of != WEFT_NONE)
        recorded->source->ops->events(recorded->source, of, everything(recorded),
                                      count_event, &counting);
    return counting.n;
}

bool has_problem(const struct recorded *recorded, const char *kind)
{
    for (uint32_t i = 0; i < recorded->schema->n_problems; i++)
        if (strcmp(recorded->schema->problems[i].kind, kind) == 0)
            return true;
    return false;
}
