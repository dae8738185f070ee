#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Films of weft play: wrong questions, and the pictures of right ones, decoded by FILM_FACTS (empty
# where Weft was built without the libraries).
. "$(dirname "$0")/lib.sh"
trace=$(cd "$(dirname "$0")/../.." && pwd)/examples/picl/ring.trf

refused() { # WORDS ARGUMENT...
    words=$1
    shift
    status 2 play "$@"
    one_error
    says "$words"
    ok "nothing is left" test -z "$(ls -A | grep -E '^\.?film')"
}
refused "needs a file" clock "$trace"
refused "needs a file" clock "$trace" -o -
refused "no view is called 'clokc'" clokc "$trace" -o film.mp4
refused "state-summary has no moment" state-summary "$trace" -o film.mp4
refused "bad format 'gif'" clock "$trace" -o film.gif
refused "bad format ''" clock "$trace" -o film
refused "are even" clock "$trace" -o film.mp4 --size 641x480
refused "at most 8190" clock "$trace" -o film.mp4 --size 9000x16
refused "whole pixels" clock "$trace" -o film.webp --size 100.5x100
refused "bad size" clock "$trace" -o film.mp4 --size 8x8
refused "bad --fps '0'" clock "$trace" -o film.mp4 --fps 0
refused "bad --fps '2.5'" clock "$trace" -o film.mp4 --fps 2.5
refused "bad --fps 'nan'" clock "$trace" -o film.mp4 --fps nan
refused "bad --duration '-1'" clock "$trace" -o film.mp4 --duration=-1
refused "bad --duration '1e300'" clock "$trace" -o film.mp4 --duration 1e300
refused "at most 200000 pictures" clock "$trace" -o film.mp4 --duration 86400
refused "is no file" clock "$trace" -o /dev/null
cp "$trace" film.webp
status 2 play clock film.webp -o film.webp
says "it would be lost"
ok "the trace is as it was" cmp -s film.webp "$trace"
rm film.webp

if [ -z "$FILM_FACTS" ]; then
    skip "films" "built without ffmpeg's libraries and libwebp"
    finish
    exit 0
fi
# The clock differs in each picture of the run.
for format in mp4 mkv webm webp; do
    status 0 play clock "$trace" -o film.$format --duration 1.2 --fps 10 --size 160x120
    silent
    "$FILM_FACTS" film.$format >facts
    ok "$format: twelve pictures of 160x120, each another one, in 1.2 s: $(cat facts)" \
        test "$(cat facts)" = "12 160x120 11 1200"
done
# The same film again has the same bytes.
cp film.webp first.webp
status 0 play clock "$trace" -o film.webp --duration 1.2 --fps 10 --size 160x120
ok "the same film again" cmp -s film.webp first.webp
# A film of one picture; and one of a range.
status 0 play clock "$trace" -o film.mkv --duration 0.01 --fps 1 --size 160x120
ok "one picture" test "$("$FILM_FACTS" film.mkv | cut -d " " -f 1-3)" = "1 160x120 0"
status 0 play gantt "$trace" -o film.mp4 --duration 1 --fps 5 --size 320x200 --range 10us:20us --theme mono
ok "a range of a gantt chart" test "$("$FILM_FACTS" film.mp4)" = "5 320x200 4 1000"
finish
