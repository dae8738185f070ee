/* SPDX-License-Identifier: Apache-2.0 */
/* A display that fails in the way that its setting `how` says. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/view.h>

static const struct weft_display_setting settings[] = {
    { "how", "well|crash|exit|sleep|nonsense|many|strange|print|late", 0, 0, "well",
      "how it fails" },
};

/* Marks with coordinates, texts and actions that are none. */
static void draw_strange(const struct weft_sheet *sheet)
{
    const double xy[] = { NAN, INFINITY, 1e308, -1e308, 3, 4 };
    sheet->rectangle(sheet, NAN, INFINITY, -INFINITY, 1e308, 77, ~0u);
    sheet->line(sheet, xy, 3, WEFT_INK_TEXT, NAN);
    sheet->line(sheet, NULL, 0, WEFT_INK_TEXT, 1);
    sheet->polygon(sheet, xy, 3, WEFT_INK_NUMBER(70000), WEFT_INK_AMOUNT(NAN));
    sheet->circle(sheet, NAN, 1e300, 1e300, WEFT_INK_TEXT, WEFT_INK_TEXT);
    sheet->text(sheet, NAN, 1, (enum weft_display_align)99, -INFINITY, WEFT_INK_TEXT,
                "\xff\xfe\x01");
    sheet->text(sheet, 10, 10, WEFT_DISPLAY_LEFT, 0, WEFT_INK_TEXT, "\xff\xfe\x01");
    sheet->title(sheet, "\xff\n");
    sheet->sets(sheet, "nothing", "x");
    sheet->sets(sheet, "how", "no choice");
    sheet->lists(sheet, "(((");
    sheet->legend(sheet, WEFT_INK_TEXT, "\xff");
    sheet->subtitle(sheet, NULL);
}

static void draw(void *state, const struct weft_display_moment *now,
                 const struct weft_sheet *sheet)
{
    const char *how = now->settings[0];
    (void)state;
    if (strcmp(how, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would end the process */
        raise(SIGSEGV);
    }
    if (strcmp(how, "exit") == 0)
        exit(3);
    if (strcmp(how, "sleep") == 0)
        sleep(60);
    if (strcmp(how, "nonsense") == 0 && write(3, "nonsense, nothing else", 22) < 0)
        exit(4);
    while (strcmp(how, "many") == 0)
        sheet->rectangle(sheet, 0, 0, 1, 1, WEFT_INK_TEXT, WEFT_INK_TEXT);
    if (strcmp(how, "strange") == 0)
        draw_strange(sheet);
    if (strcmp(how, "print") == 0 && write(1, "hello\n", 6) < 0)
        exit(4);
    sheet->text(sheet, 20, 20, WEFT_DISPLAY_LEFT, 0, WEFT_INK_TEXT, "it drew this");
    if (strcmp(how, "late") == 0)
        raise(SIGABRT);
}

static void table(void *state, const struct weft_display_moment *now,
                  const struct weft_display_table *table)
{
    const struct weft_display_cell cells[] = {
        { "a, \"b\"", 0 }, { NULL, NAN }, { NULL, 1e300 }, { NULL, -0.5 }, { NULL, -7 }
    };
    (void)state;
    (void)now;
    table->row(table, cells);
}

static const char *const columns[] = { "text", "none", "large", "half", "whole" };

static const struct weft_display faulty = {
    .version = WEFT_DISPLAY_VERSION,
    .name = "faulty",
    .title = "Faulty",
    .explanation = "It fails as it is told.",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .draw = draw,
    .table = table,
};

WEFT_DISPLAYS(&faulty);
