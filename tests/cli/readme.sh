#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command that README.md and the pages beside it show works: each line of their blocks marked
# sh is run, in order, in a folder that sees the project's examples; each block marked c compiles.
. "$(dirname "$0")/lib.sh"
ln -s "$project/examples" examples
ln -s "$project/include" include
mkdir bin
ln -s "$weft" bin/weft
PATH=$PWD/bin:$PATH
# As after an installation.
export C_INCLUDE_PATH="$project/include" LIBRARY_PATH="$(dirname "$weft")/../domains/arrays"
cp "$here/small.paje" trace.paje
cp "$here/small.paje" run.paje
if ! command -v gcc >/dev/null; then
    skip "README" "gcc is not installed"
    finish
fi

pages="$project/README.md $project/doc/annotations.md $project/doc/trees.md"
# shellcheck disable=SC2086  # words: a list of pages
awk '/^```/ { inside = $0 == "```sh"; next } inside && !/^#/ && NF' $pages >lines
ok "README shows commands" test "$(wc -l <lines)" -gt 5
# Open MPI refuses to run for root unless these are set.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
while IFS= read -r line; do
    case $line in
    *mpi*) command -v mpicc >/dev/null && command -v mpirun >/dev/null || {
        skip "$line" "there is no MPI here"
        continue
    } ;;
    esac
    case $line in
    *fopenmp* | *"--with omp"*) ls /usr/lib/llvm-*/lib/libomp.so.5 >out 2>&1 || {
        skip "$line" "LLVM's OpenMP is not installed"
        continue
    } ;;
    esac
    sh -c "$line" >out 2>err </dev/null
    got=$?
    case $line in "weft play "*) grep -q "it was built without" err && {
        skip "$line" "films need ffmpeg's libraries"
        continue
    } ;; esac
    case $line in "weft diff "*) wanted=1 ;; *) wanted=0 ;; esac # two runs differ
    ok "$line" test $got -eq $wanted
done <lines

awk '/^```/ { inside = $0 == "```c"; if (inside) n++; next }
     inside { print >("block" n ".c") }' "$project/doc/annotations.md" "$project/doc/tasks.md"
for block in block*.c; do
    [ -f "$block" ] || continue
    gcc -std=c99 -Wall -Wextra -Werror -Iinclude -c "$block" -o block.o 2>err
    ok "$block of the pages compiles" test $? -eq 0
done

# And every command is in the table of doc/commands.md, every view in that of doc/views.md.
named() { # named PAGE HEADING: what the first column of the table under it names
    awk -v heading="$2" 'index($0, heading) == 1 { inside = 1 }
        inside && !/^\|/ { exit }
        inside' "$project/doc/$1" | cut -d '|' -f 2 | grep -oE '`[^`]+`' | tr -d '`' | sort
}
named commands.md '| command |' | sed 's/^weft //' >shown
weft help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -v '^help$' | sort >has
ok "The commands of doc/commands.md are those of weft help" cmp shown has
named views.md '| view |' >shown
weft views | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p' | sort >has
ok "The views of doc/views.md are those of weft views" cmp shown has
ok "there are some" test -s has
finish
