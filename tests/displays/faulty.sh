#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A display that is wrong, or fails, ends with a clear message, and not with Weft.
. "$(dirname "$0")/../cli/lib.sh"
faulty=${FAULTY:?the display that fails}
trace=$project/examples/picl/ring.trf
shows() { # shows STATUS HOW MESSAGE: drawing it ends so
    status "$1" render faulty "$trace" --display "$faulty" --set how="$2" -o "$2.svg"
    says "$3"
}
status 0 render faulty "$trace" --display "$faulty" -o well.svg
silent
ok "it drew" grep -q "it drew this" well.svg
shows 3 crash "faulty.so: the display ended by signal 11 \(Segmentation fault\) while it drew"
shows 3 late "faulty.so: the display ended by signal 6 \(Aborted\) while it drew"
shows 3 exit "faulty.so: the display ended with status 3 while it drew"
shows 3 nonsense "faulty.so: the display answered with nonsense while it drew"
shows 3 sleep "faulty.so: the display gave no answer for 10 s while it drew"
shows 3 many "faulty.so: the display drew more than 256 MiB of marks"
shows 0 print hello
status 0 render faulty "$trace" --display "$faulty" --set how=strange -o strange.png
silent
status 2 render faulty "$trace" --display "$faulty" --set how=worse -o worse.png
status 0 render faulty "$trace" --display "$faulty" --format csv
printf 'text,none,large,half,whole\n"a, ""b""",,1e+300,-0.5,-7\n' >wanted
ok "its table" cmp out wanted
status 0 help faulty --display "$faulty"
ok "help names its setting" grep -q '^  how ' out
status 2 help faulty
says 'there is no command faulty'

# Files that are no displays.
status 3 render faulty "$trace" --display nothing.so
one_error
echo 'no library' >text.so
status 3 render faulty "$trace" --display text.so
says 'text.so: this holds no displays'
if command -v gcc >/dev/null; then
    display() { # display FILE NAME VERSION SETTING
        cat >"$1.c" <<C
#include <weft/view.h>
static void draw(void *s, const struct weft_display_moment *m, const struct weft_sheet *t) { (void)s, (void)m, (void)t; }
static void table(void *s, const struct weft_display_moment *m, const struct weft_display_table *t) { (void)s, (void)m, (void)t; }
static const char *const columns[] = { "one" };
static const struct weft_display_setting settings[] = { $4 };
static const struct weft_display_key keys[] = { { '1', "n", 1, "more" } };
static const struct weft_display a = { $3, "$2", "A", "A.", 0, settings, 1, keys, 1, columns, 1, 0, 0, draw, table, 0 };
WEFT_DISPLAYS(&a);
C
        gcc -std=c99 -Wall -Wextra -Werror -shared -fPIC -I"$project/include" "$1.c" -o "$1.so" 2>err
        ok "$1.c compiles" test $? -eq 0
    }
    good='{ "n", 0, 1, 9, "3", "a number" }'
    display fine fine WEFT_DISPLAY_VERSION "$good"
    status 0 render fine "$trace" --display fine.so -o fine.svg
    display old old 77 "$good"
    status 3 render old "$trace" --display old.so
    says 'old.so: .*another version of weft/view.h: compile it again'
    display taken gantt WEFT_DISPLAY_VERSION "$good"
    status 3 render gantt "$trace" --display taken.so
    says "taken.so: there is a view already that is called 'gantt'"
    display strange 'Not This' WEFT_DISPLAY_VERSION "$good"
    status 3 views --display strange.so
    says "strange.so: a display needs a name of lower case letters, not 'Not This'"
    display first first WEFT_DISPLAY_VERSION '{ "n", 0, 1, 9, "10", "a number" }'
    status 3 views --display first.so
    says "first.so: the value at first is none of the setting 'n'"
    display key key WEFT_DISPLAY_VERSION '{ "m", 0, 1, 9, "3", "a number" }'
    status 3 views --display key.so
    says "key.so: there is no number or choice for a key's setting 'n'"
    # Those in the usual folder are there without --display; a wrong one is told, and left out.
    mkdir -p data/weft/displays
    cp fine.so old.so data/weft/displays
    "$weft" views >out 2>err
    ok "weft views ends with 0" test $? -eq 0
    prints '^fine '
    says 'old.so: .*another version'
    "$weft" render fine "$trace" -o again.svg 2>err
    ok "it is drawn" cmp fine.svg again.svg
else
    skip "displays that are wrong" "gcc is not installed"
fi
status 2 render fin "$trace" --display fine.so
says "no view is called 'fin' \(did you mean fine\?\)"
ok "no process is left" test -z "$(pgrep -f "weft-display-host $scratch")"
finish
