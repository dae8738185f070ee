#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who ends without a word has an end all the same, once somebody has waited for it: a process that a
# signal ended, in each way of waiting (programs/ends.c); and a main thread ends before its process.
set -u
: "${PROGRAMS:?names the folder of the programs}"
. "$(dirname "$0")/lib.sh"

# The children, in order, then the threads that began when each had been waited for.
ends() { "$WEFT" dump "$1" | awk -F', ' '
    $1 == "Container" && $3 == "Process" && n++ > 0 { end[n - 1] = $5; name[n - 1] = $7 }
    $1 == "Container" && $2 == "live_ends" && $3 == "Thread" && m++ > 0 { begin[m - 1] = $4 }
    END { for (i = 1; i < n; i++)
              if (!(end[i] <= begin[i + (i == n - 1)] && (i == 1 || end[i] >= begin[i - 1])))
                  print "child", i, name[i], "to", end[i], "waited for until", begin[i]
          if (end[n - 1] < begin[n - 1]) print "a stop is no end"
          print n - 1, "children,", m - 1, "waits" }'
}

"$WEFT" record -o ends.weft -- "$PROGRAMS/live_ends" 2>said || stop "live_ends: $?"
ends ends.weft >children
[ "$(cat children)" = '26 children, 27 waits' ] || fail "ends of children: $(cat children)"
"$WEFT" check ends.weft >problems
grep -q 'killed .*14 processes ended by a signal (.* by signal 9.* and others)' problems ||
    fail "what ended them: $(cat problems)"
grep -q 'unseen-end .*6 processes ended past the C library' problems || fail "$(cat problems)"
grep -q unknown-end problems && fail "an end that is known: $(cat problems)"

"$WEFT" record -o main.weft -- "$PROGRAMS/live_ends" main 2>said || stop "live_ends main: $?"
"$WEFT" check main.weft || fail "a main thread that ends"
"$WEFT" dump main.weft | awk -F', ' '$1 == "Container" && $3 == "Thread" { end[$7] = $5; begin[$7] = $4 }
    END { exit !(end["live_ends"] <= end["goes_on"] && end["live_ends"] <= begin["nothing"]) }' ||
    fail "a main thread ends when it does: $("$WEFT" dump main.weft)"

"$WEFT" record -o exec.weft -- "$PROGRAMS/live_ends" main exec 2>said || stop "live_ends exec: $?"
"$WEFT" check exec.weft || fail "a main thread that ends before the program does"
grep -q ' of 3 threads in 1 process, 0 lost' said || fail "the threads of two programs"
exit "$failed"
