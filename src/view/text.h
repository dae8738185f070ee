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

/* Returns the width in pixels of UTF-8 text at a font size in pixels. */
double weft_text_width(enum weft_font font, double size, const char *text);

/*
 * Returns TEXT itself if it fits WIDTH, else shortened in the middle ("MPI_Allr…uce") in
 * ARENA, or NULL if not even four characters fit.  A text longer than 4 KiB is shortened at
 * its end, and read only as far as it fits.
 */
const char *weft_text_fit(struct weft_arena *arena, enum weft_font font, double size,
                          const char *text, double width);

/*
 * Returns the N parts joined by " · " in ARENA: always the first, and then each of the
 * others, in order, that still fits into WIDTH pixels.
 */
const char *weft_text_parts(struct weft_arena *arena, enum weft_font font, double size,
                            const char *const *parts, size_t n, double width);

/*
 * Returns a copy of TEXT in ARENA with control characters, invalid UTF-8 and what XML
 * forbids replaced by U+FFFD; TEXT itself if it has none.
 */
const char *weft_text_clean(struct weft_arena *arena, const char *text);

#endif
