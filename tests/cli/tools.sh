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

"$tools/check-layers" >out 2>err
ok "the layers hold" test $? -eq 0
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
rm copy/src/view/timeline/bad.c

# Domains: no other one, none of them in the core, and little in the traced program.
mkdir -p copy/src/record copy/src/domains/one/record copy/src/domains/two
printf "subdir('base')\nsubdir('record')\nsubdir('view')\nsubdir('domains')\n" >copy/src/meson.build
printf '#include "view/a.h"\n#include "domains/one/b.h"\n' >copy/src/domains/one/good.c
printf '#include "format/a.h"\n#include "record/a.h"\n#include "domains/one/record/a.h"\n' \
    >copy/src/domains/one/record/good.c
ok "a domain may use the core and itself" copy/tools/check-layers
layer_is_wrong() { # layer_is_wrong WHAT FILE INCLUDED SAID
    echo "#include \"$3\"" >"copy/src/$2"
    copy/tools/check-layers >out 2>err
    ok "$1 is found" test $? -ne 0
    says "src/$2:1:.*$4"
    rm "copy/src/$2"
}
layer_is_wrong "using a domain in the core" view/bad.c domains/one/a.h "core may not use a domain"
layer_is_wrong "using another domain" domains/two/bad.c domains/one/a.h "two may not use another"
layer_is_wrong "using a command in a domain" domains/two/bad.c cli/cmd/a.h "may not use commands"
layer_is_wrong "using base in the traced program" domains/one/record/bad.c base/a.h \
    "traced program"
layer_is_wrong "using base in the recorder" record/bad.c base/a.h "record/ may not use base/"
ok "nothing else is wrong" copy/tools/check-layers
# What make demo links is where it looks.
folder=$(sed -n 's/.* -L"$build\/\([^"]*\)" -lweft-array .*/\1/p' "$project/tools/demo")
ok "tools/demo finds libweft-array.a in $folder" test -f "$BUILD/$folder/libweft-array.a"
finish
