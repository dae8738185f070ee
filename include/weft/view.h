/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays of your own (Heath, Finger: ParaGraph, 2003, section 5.5): pictures and tables
 * that know your application, fed with the events of any trace that Weft reads.
 *
 *     cc -shared -fPIC -o sorting.so sorting.c $(pkg-config --cflags weft)
 *     weft render sorting TRACE --display ./sorting.so -o sorting.png
 *     weft view TRACE --display ./sorting.so
 *
 * A file defines displays, each a struct weft_display, and names them once:
 *
 *     WEFT_DISPLAYS(&sorting, &comparisons);
 *
 * Weft loads the file in a process of its own, one for each display and trace, so that a
 * fault in it ends with a message and not with Weft.  There it calls the display's
 * functions, from one thread:
 *
 *     begin   once, and again whenever the moment goes back
 *     event   for each event up to the moment, in order of time
 *     draw, table   for the moment: they only read what the events have left
 *     end     before the next begin
 *
 * So equal events must leave equal states.  A call that takes longer than ten seconds ends
 * the process.  Texts that Weft passes are UTF-8, and live as long as the call, except for
 * those of struct weft_display_trace, which live from begin to end.  C99 and C++11; nothing
 * is linked.
 */
#ifndef WEFT_DISPLAY_H
#define WEFT_DISPLAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; Weft refuses files that were compiled with another one. */
#define WEFT_DISPLAY_VERSION 1u

/* ---- The trace ---- */

/* A row: a processor, a rank, a thread, or something that holds such. */
struct weft_display_row {
    const char *name; /* "processor 3" */
    const char *kind; /* of what: "processor", "thread", as the trace calls it */
    int32_t parent;   /* index of the row that holds it; -1: none */
    int32_t number;   /* number of a processor, rank of a process; -1: it has none */
};

/* The trace that the display is fed with. */
struct weft_display_trace {
    const struct weft_display_row *rows; /* [n_rows] */
    uint32_t n_rows;
    int64_t length_ns; /* times are nanoseconds from the begin of the trace to here */
};

/* The kinds of events; struct weft_display.takes is a set of 1u << kind. */
enum weft_display_kind {
    WEFT_DISPLAY_BEGIN,   /* a state begins: a task, a call, a region */
    WEFT_DISPLAY_END,     /* it ends */
    WEFT_DISPLAY_INSTANT, /* something happened: a mark, tracedata */
    WEFT_DISPLAY_SEND,    /* a message, or another link between rows, leaves `row` */
    WEFT_DISPLAY_RECEIVE, /* it arrives at `row` */
    WEFT_DISPLAY_SAMPLE,  /* a counter has the value `number` from now on */
    WEFT_DISPLAY_KINDS
};

/* A field of an event, by its name in the trace ("work", "parameters"). */
struct weft_display_field {
    const char *name;
    const char *text; /* NULL: it is a number */
    int64_t integer;  /* the number, cut to a whole one */
    double real;      /* the number */
};

/*
 * An event.  At one time, ends come before arrivals, and both before what begins; a state
 * or message without length ends right after its begin.
 */
struct weft_display_event {
    uint32_t kind; /* enum weft_display_kind */
    uint32_t row;  /* where; of a link that lacks this end UINT32_MAX */
    uint32_t peer; /* SEND, RECEIVE: the row at the other end, or UINT32_MAX */
    int64_t time_ns;
    const char *type; /* "task", "data", "message" */
    const char *what; /* the state's, event's or message's name; "" if it has none */
    int64_t number;   /* the program's number for it (PICL's task or event); -1: none */
    double value;     /* SAMPLE: the value */
    int64_t bytes;    /* SEND, RECEIVE: size; -1: not known */
    int64_t tag;      /* SEND, RECEIVE; -1: none */
    /*
     * [n_values]: the numbers that the program gave with an INSTANT (a mark, tracedata), of
     * a text its characters; and tracedata's number of the data, else -1.
     */
    const double *values;
    uint32_t n_values;
    int32_t data;
    const struct weft_display_field *fields; /* [n_fields]: all that the trace says of it */
    uint32_t n_fields;
};

/* ---- Drawing ---- */

/*
 * A colour: 0xFFRRGGBB (with less than FF the more transparent), or one of these, which
 * suits the reader's theme, also in black and white.
 */
typedef uint32_t weft_display_ink;
enum {
    WEFT_INK_NONE,  /* not painted */
    WEFT_INK_TEXT,  /* of texts and outlines */
    WEFT_INK_QUIET, /* of less important ones */
    WEFT_INK_GRID,  /* thin lines behind the data */
    WEFT_INK_ACCENT,
    WEFT_INK_BUSY,
    WEFT_INK_OVERHEAD,
    WEFT_INK_IDLE
};
/* The colour of a numbered thing: neighbours never look alike. */
#define WEFT_INK_NUMBER(n) (0x10000u | ((uint32_t)(n)&0xffffu))
/* The colour of an amount from 0 to 1, on an even ramp away from the background. */
#define WEFT_INK_AMOUNT(a)                                                                 \
 (0x20000u | (uint32_t)((a) > 0 ? (a) < 1 ? 65535.0 * (a) : 65535.0 : 0.0))

/* Where a text stands about its point. */
enum weft_display_align { WEFT_DISPLAY_LEFT, WEFT_DISPLAY_CENTER, WEFT_DISPLAY_RIGHT };

/*
 * The sheet to draw on: functions, each called with the sheet itself.  Coordinates are
 * pixels from the top left corner; what lies outside is cut.  Later marks cover earlier
 * ones.
 */
struct weft_sheet {
    double width, height; /* pixels */
    void *host;           /* not for you */
    void (*rectangle)(const struct weft_sheet *sheet, double x, double y, double width,
                      double height, weft_display_ink fill, weft_display_ink outline);
    void (*circle)(const struct weft_sheet *sheet, double x, double y, double radius,
                   weft_display_ink fill, weft_display_ink outline);
    /* A line through N points, x and y of each in turn; at most 65536. */
    void (*line)(const struct weft_sheet *sheet, const double *xy, size_t n,
                 weft_display_ink ink, double width);
    /* The area within N points. */
    void (*polygon)(const struct weft_sheet *sheet, const double *xy, size_t n,
                    weft_display_ink fill, weft_display_ink outline);
    /* TEXT in a font of SIZE pixels (0: that of labels), its baseline at Y. */
    void (*text)(const struct weft_sheet *sheet, double x, double y,
                 enum weft_display_align align, double size, weft_display_ink ink,
                 const char *text);
    /* Returns the width of TEXT in a font of SIZE pixels (0: that of labels). */
    double (*text_width)(const struct weft_sheet *sheet, double size, const char *text);
    /* Says what the last mark is, when the pointer rests on it. */
    void (*title)(const struct weft_sheet *sheet, const char *text);
    /* A click on the last mark sets the display's setting NAME to VALUE. */
    void (*sets)(const struct weft_sheet *sheet, const char *name, const char *value);
    /* A click on the last mark lists what a selection means ("row = 'processor 3'"). */
    void (*lists)(const struct weft_sheet *sheet, const char *selection);
    /* An entry of the legend. */
    void (*legend)(const struct weft_sheet *sheet, weft_display_ink ink, const char *label);
    /* A few words beside the title: "step 12 of 30". */
    void (*subtitle)(const struct weft_sheet *sheet, const char *text);
};

/* A cell of a table: a text, or a number if TEXT is NULL; not a number: empty. */
struct weft_display_cell {
    const char *text;
    double number;
};

/* The table to write: row() is called with the display's n_columns cells. */
struct weft_display_table {
    void *host; /* not for you */
    void (*row)(const struct weft_display_table *table,
                const struct weft_display_cell *cells);
};

/* The moment to be shown. */
struct weft_display_moment {
    int64_t time_ns;             /* events up to here, this time included, have come */
    int64_t begin_ns, end_ns;    /* the window that the reader looks at */
    const char *const *settings; /* [n_settings]: values, as texts */
};

/* ---- The display ---- */

/* A setting, which the reader changes (--set NAME=VALUE, or in the panel's head). */
struct weft_display_setting {
    const char *name;        /* lower case letters, digits and _ */
    const char *choices;     /* "one|two|three"; NULL: a number, or any text */
    double minimum, maximum; /* a number within these; both 0: any text */
    const char *fallback;    /* the value at first */
    const char *help;        /* a few words */
};

/*
 * A key of the page, 0 to 9 (others are the page's own), for the panel that is active: it
 * adds STEP to the number in a setting, or goes STEP choices on.
 */
struct weft_display_key {
    char key;
    const char *setting;
    double step;
    const char *help;
};

/* A display; a constant. */
struct weft_display {
    uint32_t version;        /* WEFT_DISPLAY_VERSION */
    const char *name;        /* in commands: lower case letters, digits and - */
    const char *title;       /* over the picture */
    const char *explanation; /* one plain sentence: how to read the picture */
    uint32_t takes;          /* events: a set of 1u << enum weft_display_kind */
    const struct weft_display_setting *settings; /* [n_settings] */
    uint32_t n_settings;
    const struct weft_display_key *keys; /* [n_keys] */
    uint32_t n_keys;
    const char *const
        *columns; /* [n_columns] of the table, units at the end: "sent_bytes" */
    uint32_t n_columns;
    /* Returns the state that the other functions get; may be NULL. */
    void *(*begin)(const struct weft_display_trace *trace);
    void (*event)(void *state, const struct weft_display_event *event);
    void (*draw)(void *state, const struct weft_display_moment *now,
                 const struct weft_sheet *sheet);
    void (*table)(void *state, const struct weft_display_moment *now,
                  const struct weft_display_table *table);
    void (*end)(void *state); /* frees the state; NULL: there is nothing to free */
};

/* Names the displays of a file; once, outside of functions. */
#ifdef __cplusplus
# define WEFT_DISPLAYS_EXTERN extern "C"
#else
# define WEFT_DISPLAYS_EXTERN extern
#endif
#define WEFT_DISPLAYS(...)                                                                 \
 WEFT_DISPLAYS_EXTERN const struct weft_display *const weft_displays_v1[]                  \
     __attribute__((visibility("default")));                                               \
 const struct weft_display *const weft_displays_v1[] = { __VA_ARGS__, NULL }

/* Returns the field of EVENT with NAME, or NULL. */
static inline __attribute__((unused)) const struct weft_display_field *
weft_display_field(const struct weft_display_event *event, const char *name)
{
    for (uint32_t i = 0; i < event->n_fields; i++) {
        const char *a = event->fields[i].name, *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return &event->fields[i];
    }
    return NULL;
}

#ifdef __cplusplus
}
#endif

#endif
