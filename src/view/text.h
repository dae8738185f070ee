/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text in pictures: how wide it is, and how to make it fit.  Widths come from a table of
 * the advance widths of Weft's one typeface (DejaVu Sans, Sans Bold and Sans Mono), made
 * when Weft is built, so labels fit alike in PNG, SVG, PDF and the browser.  Characters
 * that the typeface lacks count as one em.
 */
#ifndef WEFT_VIEW_TEXT_H
#define WEFT_VIEW_TEXT_H

#include "view/scene.h"

/*
 * Returns the width in pixels of UTF-8 TEXT, at a font size of SIZE pixels, by the advance
 * widths of DejaVu.  A character that the font lacks, or that weft_text_clean() replaces,
 * counts as one em.
 */
double weft_text_width(enum weft_font font, double size, const char *text);

/*
 * Returns TEXT itself if it fits into WIDTH pixels at a font size of SIZE pixels, else a
 * copy in ARENA that is shortened in the middle ("MPI_Allr…uce"); NULL if it must be
 * shortened and not even four of its characters fit.  A text longer than 4 KiB is shortened
 * at its end, and read only as far as it fits.  Characters that weft_text_clean() replaces
 * are replaced first, in a copy in ARENA.
 */
const char *weft_text_fit(struct weft_arena *arena, enum weft_font font, double size,
                          const char *text, double width);

/*
 * Returns a text in ARENA of N parts joined by " · ": the first, shortened if needed, then
 * each other part, in order, that still fits into WIDTH pixels.  N is at least 1.  Later
 * parts may be NULL or "": they are left out.  NULL if the first cannot be shortened so far
 * that it fits (weft_text_fit).
 */
const char *weft_text_parts(struct weft_arena *arena, enum weft_font font, double size,
                            const char *const *parts, size_t n, double width);

/*
 * Returns a copy of TEXT in ARENA with control characters, invalid UTF-8 and what XML
 * forbids replaced by U+FFFD; TEXT itself if it has none.
 */
const char *weft_text_clean(struct weft_arena *arena, const char *text);

#endif
