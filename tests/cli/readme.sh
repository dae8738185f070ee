#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command that README.md shows works: each line of its blocks marked sh is run, in order,
# in a folder that sees the project's examples; each block marked c compiles.
. "$(dirname "$0")/lib.sh"
ln -s "$project/examples" examples
ln -s "$project/include" include
mkdir bin
ln -s "$weft" bin/weft
PATH=$PWD/bin:$PATH
cp "$here/small.paje" trace.paje
cp "$here/small.paje" run.paje
if ! command -v gcc >/dev/null; then
    skip "README" "gcc is not installed"
    finish
fi

awk '/^```/ { inside = $0 == "```sh"; next } inside && !/^#/ && NF' "$project/README.md" >lines
ok "README shows commands" test "$(wc -l <lines)" -gt 5
while IFS= read -r line; do
    sh -c "$line" >out 2>err </dev/null
    ok "$line" test $? -eq 0
done <lines

awk '/^```/ { inside = $0 == "```c"; if (inside) n++; next }
     inside { print >("block" n ".c") }' "$project/README.md"
for block in block*.c; do
    [ -f "$block" ] || continue
    gcc -std=c99 -Wall -Wextra -Werror -Iinclude -c "$block" -o block.o 2>err
    ok "$block of README compiles" test $? -eq 0
done

# And every command is shown or named.
for command in record recover info check dump stats view views render convert index map fghc; do
    ok "README names weft $command" grep -q "weft $command" "$project/README.md"
done
finish
