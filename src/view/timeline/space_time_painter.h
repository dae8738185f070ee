/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the space-time view: what the files that paint rows of states share. */
#ifndef WEFT_VIEW_SPACE_TIME_PAINTER_H
#define WEFT_VIEW_SPACE_TIME_PAINTER_H

#include "view/timeline/space_time.h"

enum { STACKED = 3 }; /* pixels: rows at least this tall stack the shares of a column */

struct state_bar { /* a state to draw as a rectangle */
    uint64_t id;
    int64_t begin, end;
    double x0, x1;
    uint32_t value;
    uint16_t depth, flags;
    bool whole; /* takes all lanes of the row: its value is the innermost one */
    /* the most sampled in what is shown of the stretch of running that it belongs to; or no
       name */
    struct st_function function;
    double stretch; /* pixels of that stretch, at its first bar; at others 0 */
};

struct row_result {
    struct state_bar *pieces;
    size_t n, capacity;
};

struct lines { /* of pixels, from top to before bottom */
    size_t top, bottom;
};

/*
 * The pixels of a row, where it is dense: piles of colours (ends), or pixels of a line or
 * of all lines. Both NULL: it has none. Freed by st_draw_painted.
 */
struct painted_row {
    uint8_t *ends;    /* [columns][n_colors], as of struct weft_band */
    uint32_t *pixels; /* [columns], or [lines][columns] if not alike */
    bool alike;
    unsigned n_colors;
    weft_color colors[2 * WEFT_MAX_SLOTS];
};

/* The paints of a row's shares: those of its type, or of its container. */
struct share_look {
    unsigned slots; /* of the type; twice as many if some are pale, the pale ones behind */
    bool pale;
    const weft_color *colors; /* [slots] */
    const struct weft_mixer *mixer;
};

struct painter {
    struct st_picture *p;
    struct row_result *results;
    struct lines *lines; /* by row: the lines that it may paint; none if it is not shown */
    struct painted_row *painted; /* by row */
    size_t height;               /* of the plot, in lines */
    struct weft_mixer *mixers;   /* by type: mix the colours of its slots */
    weft_color (*slot_colors)[WEFT_MAX_SLOTS];
    uint32_t (*slot_values)[WEFT_MAX_SLOTS]; /* WEFT_NONE: none, or several */
    /* the same with pale colours behind them; NULL: nothing is dimmed */
    struct weft_mixer *pale_mixers;
    weft_color (*pale_colors)[2 * WEFT_MAX_SLOTS];
};

/* A column with narrow states has DENSE_EMPTY if they all last no time, else DENSE_SLOT +
   the slot of one of them, or DENSE_PALE + that if all are dimmed. */
enum { DENSE_EMPTY = 1, DENSE_PALE = 2, DENSE_SLOT = DENSE_PALE + WEFT_MAX_SLOTS };

/* Returns true if a filter dims states on a track of ROW. */
static inline bool st_row_dims(const struct st_picture *p, const struct st_row *row)
{
    for (uint32_t t = 0; p->schema->dimmed && t < row->n_tracks; t++)
        if (p->schema->dimmed[row->tracks[t]])
            return true;
    return false;
}

/* Loads the colours of the slots of each state type: those of its values by rank. */
void st_load_slots(struct painter *painter);
/*
 * Paints a row from its shares.  ONLY: the columns to paint, or NULL for all.  RUNS, if not
 * NULL, gets what is to be drawn over them.
 */
void st_paint_shares(const struct painter *painter, const struct st_row *row,
                     const uint8_t *only, struct row_result *runs);
/* Draws what was painted, row by row, into the scene, and frees it. */
void st_draw_painted(struct st_picture *p, struct painter *painter);
/* Paints a reduced row: in each column the mean number of its active members as a shade. */
void st_paint_shades(const struct painter *painter, const struct st_row *row);

#endif
