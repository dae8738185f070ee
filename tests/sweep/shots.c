/* SPDX-License-Identifier: Apache-2.0 */
#include "shots.h"
#include "shots_directives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "domains/tasks/model/dag_layout.h"
#include "tests/random.h"

/* Small ones, those around which layouts change, and any other. */
static double some_size(unsigned rows, unsigned most)
{
    static const unsigned awkward[] = { 1,   2,   3,   4,   5,   7,   8,   9,
                                        15,  16,  17,  19,  20,  21,  28,  29,
                                        33,  60,  61,  64,  100, 119, 120, 179,
                                        180, 199, 200, 259, 260, 300, 600, 800 };
    double size;
    switch (roll(4)) {
    case 0: size = awkward[roll(sizeof awkward / sizeof *awkward)]; break;
    case 1:
        size = (double)(rows * (1 + roll(6))) / (double)(1 + roll(5)) + (double)roll(3);
        break;
    default: size = 1 + (double)roll(most); break;
    }
    if (roll(8)) /* a page has pixels in parts when it is magnified */
        size = floor(size);
    return fmin(fmax(1, size), most);
}

/* BEGIN + N * LENGTH, within the limits of times. */
static int64_t beyond(int64_t begin, int n, uint64_t length)
{
    __int128 time = begin + (__int128)n * length;
    return time >= WEFT_TIME_LIMIT   ? WEFT_TIME_LIMIT - 1
           : time < -WEFT_TIME_LIMIT ? -WEFT_TIME_LIMIT
                                     : (int64_t)time;
}

struct weft_span some_window(struct weft_span span)
{
    uint64_t length = (uint64_t)span.end - (uint64_t)span.begin + 1;
    int64_t begin = beyond(span.begin, 1, roll(length));
    switch (roll(8)) {
    case 0: return span;
    case 1:
        return (struct weft_span){ beyond(span.begin, -1, length),
                                   beyond(span.end, 1, length) };
    case 2: return (struct weft_span){ begin, begin };               /* empty */
    case 3: return (struct weft_span){ begin, beyond(begin, 1, 1) }; /* one tick */
    case 4:
        return (struct weft_span){ beyond(span.end, 1, length),
                                   beyond(span.end, 2, length) };
    case 5:
        return (struct weft_span){ beyond(span.begin, -3, length),
                                   beyond(span.begin, -1, length) };
    default: return (struct weft_span){ begin, beyond(begin, 1, 1 + roll(length)) };
    }
}

/* A text that somebody might send: right, nearly right, or hostile. */
static void some_text(char *out, size_t size)
{
    static const char *const texts[] = {
        "",
        "auto",
        "1x1",
        "1:2",
        ",",
        ",,,",
        "*",
        "thread*",
        "thread 3",
        "process 0",
        "process 0+",
        "#0",
        "#1+",
        "#4294967295",
        "#4294967296",
        "#-1",
        "#",
        "+",
        "<",
        "#2<#1",
        "#1<#1",
        "#1<#2<#3",
        "thread 1<thread 2",
        "mutex 1",
        "nan",
        "inf",
        "-inf",
        "1e308",
        "-1",
        "0",
        "1",
        "50%",
        "0.5ms",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "%s%n%s%n",
        "\xff\xfe\x80",
        "\xe2\x80",
        "\x1b[31m",
        "<script>",
        "a\nb",
        "Thread state",
        "Call",
        "running",
        "main",
    };
    size_t kind = roll(sizeof texts / sizeof *texts + 3);
    if (kind < sizeof texts / sizeof *texts) {
        snprintf(out, size, "%s", texts[kind]);
    } else if (kind % 3 == 0) {
        snprintf(out, size, "#%u+,#%u,#%u<#%u", (unsigned)roll(40), (unsigned)roll(40),
                 (unsigned)roll(40), (unsigned)roll(40));
    } else if (kind % 3 == 1) {
        size_t length = roll(size - 1);
        memset(out, 'a', length);
        out[length] = '\0';
    } else {
        snprintf(out, size, "%llu",
                 (unsigned long long)weft_entity_id((uint32_t)roll(30), roll(50)));
    }
}

static void some_choice(const char *choices, char *out, size_t size)
{
    size_t n = 1;
    for (const char *c = choices; *c; c++)
        n += *c == '|';
    for (size_t skip = roll(n); skip; skip--)
        choices = strchr(choices, '|') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* A few lines, as files of orders and of places have them. */
static void some_file(const char *choices, char *out, size_t size)
{
    size_t used = 0;
    if (choices && roll(2)) {
        some_choice(choices, out, size);
        return;
    }
    if (roll(2)) {
        some_directives(out, size);
        return;
    }
    out[0] = '\0';
    for (size_t n = roll(5); n && used + 40 < size; n--)
        used += (size_t)(roll(2) ? snprintf(out + used, size - used, "%u %u name\n",
                                            (unsigned)roll(9), (unsigned)roll(9))
                                 : snprintf(out + used, size - used, "%u 0.%u %u;",
                                            (unsigned)roll(9), (unsigned)roll(99),
                                            (unsigned)roll(2)));
}

static void some_value(const struct weft_parameter *p, char *out, size_t size)
{
    double part = (double)roll(1001) / 1000;
    switch (p->kind) {
    case WEFT_PARAMETER_CHOICE:
    case WEFT_PARAMETER_WHEEL: some_choice(p->choices, out, size); break;
    case WEFT_PARAMETER_FLAG: some_choice("on|off", out, size); break;
    case WEFT_PARAMETER_FILE: some_file(p->choices, out, size); break;
    case WEFT_PARAMETER_NUMBER:
    case WEFT_PARAMETER_SCROLL:
    case WEFT_PARAMETER_ZOOM:
    case WEFT_PARAMETER_TALL:
    case WEFT_PARAMETER_PLACE_X:
    case WEFT_PARAMETER_PLACE_Y:
        part = roll(4) ? part * part * part : roll(2); /* often small, at times an end */
        snprintf(out, size, "%.9g", p->minimum + part * (p->maximum - p->minimum));
        break;
    case WEFT_PARAMETER_ENTITIES:
        /* On a track of the trace, or, half of the time, on that of a task DAG's nodes. */
        snprintf(out, size, "t%u:%u-%u;#%u,#%u+",
                 roll(2) ? (unsigned)WEFT_NODE_TRACK : (unsigned)roll(30),
                 (unsigned)roll(50), (unsigned)roll(100), (unsigned)roll(40),
                 (unsigned)roll(40));
        break;
    case WEFT_PARAMETER_TEXT:
    case WEFT_PARAMETER_CONTAINER:
    case WEFT_PARAMETER_CONTAINERS:
    case WEFT_PARAMETER_ORDER:
    case WEFT_PARAMETER_ENTITY: some_text(out, size); break;
    }
}

/* Settings go the way of those that come from outside; what that refuses is left out. */
static void some_settings(struct shot *shot)
{
    const struct weft_view *view = shot->view;
    WEFT_REQUIRE(view->n_parameters <= SHOT_MAX_PARAMETERS, "%s has more", view->name);
    memset(shot->settings, 0, sizeof shot->settings);
    /* About four of many settings: one that is refused by the view costs the picture. */
    unsigned one_in = view->n_parameters > 12 ? (unsigned)view->n_parameters / 4 : 3;
    for (size_t i = 0; i < view->n_parameters; i++) {
        struct weft_err err;
        char *text = shot->texts[i];
        if (roll(one_in))
            continue;
        int n = snprintf(text, sizeof shot->texts[i], "%s=", view->parameters[i].name);
        size_t room = sizeof shot->texts[i] - (size_t)n;
        if (roll(6))
            some_value(&view->parameters[i], text + n, room);
        else
            some_text(text + n, room);
        if (!weft_setting_parse(view, text, shot->settings, &err))
            WEFT_REQUIRE(err.code == WEFT_ERR_USAGE, "%s", err.message);
    }
    shot->request.settings = shot->settings;
}

void some_request(struct shot *shot, const struct weft_set *set)
{
    const struct weft_schema *schema = set->sources[0]->schema;
    shot->request = (struct weft_request){
        .set = set,
        .window = some_window(schema->span),
        .under = roll(4) ? 0 : (uint32_t)roll(schema->n_containers),
        .width = some_size(shot->rows, 2000),
        .height = some_size(shot->rows, 1200),
        .bare = roll(2),
        .seen_height = roll(2) ? some_size(shot->rows, 1200) : 0,
        .theme = weft_theme_get((enum weft_theme_name)roll(WEFT_THEME_CVD + 1)),
    };
    struct weft_span window = shot->request.window;
    if (roll(3) == 0) { /* a page sees the middle of what it asks for */
        int64_t third = (window.end - window.begin) / 3;
        shot->request.shown =
            (struct weft_span){ window.begin + third, window.end - third };
    }
    if (shot->view->moment != WEFT_MOMENT_NONE && roll(2)) {
        shot->request.has_at = true;
        shot->request.at =
            beyond(schema->span.begin, 1,
                   roll((uint64_t)(schema->span.end - schema->span.begin) + 1));
    }
    some_settings(shot);
}
