/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "displays/host/host.h"

static void end(struct host *host)
{
    if (host->begun && host->display->end)
        host->display->end(host->state);
    host->state = NULL;
    host->begun = false;
}

static void begin(struct host *host)
{
    end(host);
    if (host->display->begin)
        host->state = host->display->begin(&host->trace);
    host->begun = true;
}

static const char **read_names(struct host *host, struct message_reader *reader,
                               uint32_t *n)
{
    *n = message_u32(reader);
    const char **names = weft_arena_zalloc(&host->texts, (size_t)*n + 1, sizeof *names);
    for (uint32_t i = 0; i < *n; i++)
        names[i] = weft_arena_strdup(&host->texts, message_text(reader));
    return names;
}

static void read_trace(struct host *host, struct message_reader *reader)
{
    end(host);
    weft_arena_free(&host->texts);
    int64_t length = message_i64(reader);
    uint32_t n = message_u32(reader);
    struct weft_display_row *rows =
        weft_arena_zalloc(&host->texts, (size_t)n + 1, sizeof *rows);
    for (uint32_t i = 0; i < n; i++) {
        rows[i].name = weft_arena_strdup(&host->texts, message_text(reader));
        rows[i].kind = weft_arena_strdup(&host->texts, message_text(reader));
        rows[i].parent = (int32_t)message_u32(reader);
        rows[i].number = (int32_t)message_u32(reader);
    }
    host->trace = (struct weft_display_trace){ rows, n, length };
    host->types = read_names(host, reader, &host->n_types);
    host->values = read_names(host, reader, &host->n_values);
    host->fields = read_names(host, reader, &host->n_fields);
}

static const char *name_of(const char *const *names, uint32_t n, uint32_t index)
{
    return index < n ? names[index] : "";
}

/* Memory for the fields and values of an event, used again for the next. */
struct scratch {
    struct weft_display_field *fields;
    double *values;
    size_t field_capacity, value_capacity;
};

/*
 * Reads parameters: how many values, their type (a number, or a text in quotes), and they;
 * those of tracedata begin with the number of the data.
 */
static void read_parameters(const char *text, bool is_data,
                            struct weft_display_event *event, struct scratch *scratch)
{
    char *at;
    (void)strtol(text, &at, 10);
    at += strspn(at, " ");
    at = *at == '"' || *at == '\'' ? at + 1 + strcspn(at + 1, "\"'") : at;
    at += strcspn(at, " ");
    for (;;) {
        char *after;
        double number = strtod(at, &after);
        if (after == at)
            return;
        at = after;
        if (is_data && event->data < 0 && number >= 0 && number <= INT32_MAX) {
            event->data = (int32_t)number;
            continue;
        }
        scratch->values = weft_grow(scratch->values, &scratch->value_capacity,
                                    (size_t)event->n_values + 1, sizeof *scratch->values);
        scratch->values[event->n_values++] = number;
    }
}

static void read_fields(const struct host *host, struct message_reader *reader,
                        struct weft_display_event *event, bool is_data,
                        struct scratch *scratch)
{
    uint32_t n = message_u32(reader);
    scratch->fields =
        weft_grow(scratch->fields, &scratch->field_capacity, n, sizeof *scratch->fields);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_display_field *field = &scratch->fields[i];
        field->name = name_of(host->fields, host->n_fields, message_u32(reader));
        enum message_field is = (enum message_field)message_u32(reader);
        field->integer = message_i64(reader);
        field->real = message_real(reader);
        field->text = is == MESSAGE_NUMBER ? NULL : message_text(reader);
        if (is == MESSAGE_PARAMETERS)
            read_parameters(field->text, is_data, event, scratch);
    }
    event->fields = scratch->fields;
    event->n_fields = n;
    event->values = scratch->values;
}

static void read_event(const struct host *host, struct message_reader *reader,
                       struct weft_display_event *event, struct scratch *scratch)
{
    *event = (struct weft_display_event){ .data = -1 };
    event->kind = message_u32(reader);
    event->row = message_u32(reader);
    event->peer = message_u32(reader);
    event->time_ns = message_i64(reader);
    event->type = name_of(host->types, host->n_types, message_u32(reader));
    event->what = name_of(host->values, host->n_values, message_u32(reader));
    bool is_data = message_u32(reader);
    event->number = message_i64(reader);
    event->value = message_real(reader);
    event->bytes = message_i64(reader);
    event->tag = message_i64(reader);
    read_fields(host, reader, event, is_data, scratch);
}

static void read_events(struct host *host, struct message_reader *reader)
{
    struct scratch scratch = { 0 };
    while (reader->at < reader->end) {
        struct weft_display_event event;
        read_event(host, reader, &event, &scratch);
        if (!reader->wrong && host->display->event)
            host->display->event(host->state, &event);
    }
    free(scratch.fields);
    free(scratch.values);
}

/* Reads a moment, and answers with what the display draws, or with its table. */
static bool answer(struct host *host, bool draws, struct message_reader *reader)
{
    struct weft_display_moment now;
    now.time_ns = message_i64(reader);
    now.begin_ns = message_i64(reader);
    now.end_ns = message_i64(reader);
    const char **settings = weft_zalloc(host->display->n_settings + 1, sizeof *settings);
    for (uint32_t i = 0; i < host->display->n_settings; i++)
        settings[i] = message_text(reader);
    now.settings = settings;
    double width = message_real(reader), height = message_real(reader);
    bool ok = draws ? host_draw(host, &now, width, height) : host_table(host, &now);
    free(settings);
    return ok;
}

bool host_handle(struct host *host, enum message_kind kind, struct message_reader *reader)
{
    switch (kind) {
    case MESSAGE_TRACE: read_trace(host, reader); break;
    case MESSAGE_BEGIN: begin(host); break;
    case MESSAGE_EVENTS: read_events(host, reader); break;
    case MESSAGE_DRAW: return answer(host, true, reader);
    case MESSAGE_TABLE: return answer(host, false, reader);
    default: return false;
    }
    return true;
}
