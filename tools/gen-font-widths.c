/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run while building: prints the advance widths of font files as C arrays, in 2048ths of an
 * em, so that Weft can measure text without a drawing library.
 *
 *     gen-font-widths SANS.ttf BOLD.ttf MONO.ttf
 */
#include <ft2build.h>
#include FT_FREETYPE_H
#include <stdio.h>

/* Characters in the table: from the space to the symbols.  Those of the scripts of East Asia,
 * which follow, are one em wide, and so is each character that is not in the table. */
enum { FIRST = 0x20, LAST = 0x2fff };
enum { EM = 2048 }; /* units of an em in the table, as view/text.c reads it */

static int print_widths(FT_Library library, const char *path, const char *name)
{
    FT_Face face;
    if (FT_New_Face(library, path, 0, &face)) {
        fprintf(stderr, "gen-font-widths: cannot read %s\n", path);
        return 1;
    }
    printf("static const uint16_t %s_widths[] = {", name);
    for (unsigned c = FIRST; c <= LAST; c++) {
        unsigned width = 0;
        FT_UInt glyph = FT_Get_Char_Index(face, c);
        if (glyph && !FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE))
            width = (unsigned)(face->glyph->metrics.horiAdvance * EM / face->units_per_EM);
        printf("%s%u,", c % 16 ? "" : "\n    ", width);
    }
    puts("\n};");
    FT_Done_Face(face);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "sans", "bold", "mono" };
    FT_Library library;
    if (argc != 4 || FT_Init_FreeType(&library))
        return 2;
    puts("/* Made by tools/gen-font-widths.c while building. */\n#include <stdint.h>");
    for (int i = 0; i < 3; i++)
        if (print_widths(library, argv[i + 1], names[i]))
            return 1;
    FT_Done_FreeType(library);
    return 0;
}
