#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tools that judge the rest: a count that hides a failure would hide all of them.
. "$(dirname "$0")/lib.sh"
tools=$project/tools

count() { # count STATUS LAST-LINE PASSED FAILED: of the log on standard input
    cat >log
    python3 "$tools/count-tests" "$3" "$4" log >out 2>err
    got=$?
    ok "status $1" test $got -eq "$1"
    ok "last line: $2" test "$(tail -n 1 out)" = "$2"
}

count 0 "3 passed, 0 failed" 1 0 <<'LOG'
{"name": "a", "result": "OK", "stdout": "ok 1 - one\nok 2 - two\n1..2\n"}
LOG
count 1 "2 passed, 1 failed" 0 0 <<'LOG'
{"name": "a", "result": "FAIL", "stdout": "1..3\nok 1 - one\nok 3 - three\n", "stderr": "not ok 2 - two\n"}
LOG
prints "not ok 2 - two"
# One that crashed after a good case is a failure all the same; so is one that took too long.
count 1 "1 passed, 2 failed" 0 0 <<'LOG'
{"name": "a", "result": "FAIL", "stdout": "1..3\nok 1 - one\n"}
{"name": "b", "result": "TIMEOUT", "stdout": ""}
LOG
# Programs without cases count as one; skipped ones are named, and neither good nor bad.
count 0 "1 passed, 0 failed" 0 0 <<'LOG'
{"name": "a", "result": "OK"}
{"name": "b", "result": "SKIP", "stdout": "no eztrace here\n"}
{"name": "c", "result": "OK", "stdout": "ok 1 - x # SKIP no corpus here\n"}
LOG
prints "^2 skipped: b: no eztrace here; x: no corpus here$"
count 1 "5 passed, 2 failed" 5 2 </dev/null
python3 "$tools/count-tests" 0 0 no-such-log >out 2>err
ok "no log is a failure" test "$(tail -n 1 out)" = "0 passed, 1 failed"

ok "the layers hold" "$tools/check-layers"
mkdir -p copy/src/base copy/src/view copy/tools
cp "$tools/check-layers" copy/tools/
printf "subdir('base')\nsubdir('view')\n" >copy/src/meson.build
echo '#include "base/a.h"' >copy/src/view/good.c
ok "using what is above is right" copy/tools/check-layers
echo '#include "view/a.h"' >copy/src/base/bad.c
copy/tools/check-layers >out 2>err
ok "using what is below is found" test $? -ne 0
says "src/base/bad.c:1:.*base/ may not use view/"
rm copy/src/base/bad.c
mkdir -p copy/src/view/tree copy/src/view/timeline
echo '#include "view/tree/a.h"' >copy/src/view/tree/good.c
ok "a family of views may use itself" copy/tools/check-layers
cp copy/src/view/tree/good.c copy/src/view/timeline/bad.c
copy/tools/check-layers >out 2>err
ok "using another family is found" test $? -ne 0
says "src/view/timeline/bad.c:1:.*view/timeline/ may use itself"
finish
