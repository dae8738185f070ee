#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# weft fghc: programs whose answers are known by reasoning, with any number of PEs and in any
# order of goals; what is wrong is named with its line; what VISTA's thesis says of its own.
. "$(dirname "$0")/lib.sh"
programs=$project/examples/fghc
thesis=${WEFT_SHARED:-$project/../shared}/fghc

# answer WANTED PROGRAM GOAL OPTION...
answer() {
    wanted=$1
    program=$2
    goal=$3
    shift 3
    "$weft" fghc "$program" "$goal" "$@" >out 2>err
    ok "$(basename "$program") $goal $* gives $wanted" test "$(cat out)" = "$wanted"
}

for pes in 1 2 3 8; do
    answer "P = [2,3,5,7,11,13,17,19,23,29]" "$programs/primes.fghc" 'go(30,P)' --pes $pes
    answer "C = 4" "$programs/queens.fghc" 'go(6,C)' --pes $pes
    answer "C = 1023" "$programs/hanoi.fghc" 'go(10,C)' --pes $pes
    answer "P = [[19,22],[43,50]]" "$programs/matrix.fghc" 'go(P)' --pes $pes
    answer "338350" "$programs/pipeline.fghc" main --pes $pes
    answer "S = 5050" "$programs/buffer.fghc" 'go(100,3,S)' --pes $pes
done

# The same answer and the same number of reductions, whatever the order.
"$weft" fghc "$programs/queens.fghc" 'go(5,C)' >out 2>err
reductions=$(sed 's/ reductions.*//' err)
wrong=0
for seed in $(seq 1 100); do
    "$weft" fghc "$programs/queens.fghc" 'go(5,C)' --pes 3 --seed "$seed" >out 2>err
    [ "$(cat out)" = "C = 10" ] && [ "$(sed 's/ reductions.*//' err)" = "$reductions" ] ||
        wrong=$((wrong + 1))
done
ok "100 random schedules agree" test $wrong -eq 0

# Arithmetic wraps: 2^63 - 1 and one more; with --int32 2^31 - 1.
printf 'go(X,Y) :- X := 9223372036854775807 + 1, Y := 2147483647 + 1.\n' >wrap.fghc
answer "X = -9223372036854775808
Y = 2147483648" wrap.fghc 'go(X,Y)'
answer "X = 0
Y = -2147483648" wrap.fghc 'go(X,Y)' --int32

# What is wrong has its place.
wrong() {
    printf '%b' "$2" >wrong.fghc
    "$weft" fghc wrong.fghc "$3" >out 2>err
    ok "status 3" test $? -eq 3
    ok "said: $1" grep -qF "$1" err
}
wrong "wrong.fghc:2: no clause defines q/1" 'r(1).\np(X) :- q(X).\n' 'p(1)'
wrong "wrong.fghc:1: column 13: vectors" 'p(X) :- X = {1}.\n' 'p(1)'
wrong "wrong.fghc:3: column 1: a clause must end with a full stop" 'p(X) :-\n  X = 1\nq(2).\n' 'p(1)'
wrong "wrong.fghc:1: column 9: 'r' is no test" 'p(X) :- r(X) | true.\nr(1).\n' 'p(1)'
wrong "wrong.fghc:1: column 3: this string does not end" 'p("abc\n).\n' 'p(1)'
wrong "no clause fits the goal r(2)" 'p(X) :- r(X).\nr(1).\n' 'p(2)'
wrong "wrong.fghc:1: a goal waits for ever: r(_)" 'p :- r(_).\nr(1).\n' 'p'
wrong "wrong.fghc:1: the program fails" 'p(X) :- X = 1, X = 2.\n' 'p(X)'
wrong "goal:1: column 3: a term is missing here" 'p(1).\n' 'p(,'
"$weft" fghc no-such.fghc main >out 2>err
ok "no program: status 3" test $? -eq 3
"$weft" fghc "$programs/primes.fghc" 'go(30,P)' --pes 0 >out 2>err
ok "no PEs: status 2" test $? -eq 2
"$weft" fghc "$programs/primes.fghc" 'go(60000,P)' --memory 8 >out 2>err
ok "beyond its memory a run ends with a word" grep -q "more memory than it may have" err

# A recording: as many records as reductions, no fault in it, and it makes a tree.
"$weft" fghc "$programs/primes.fghc" 'go(200,P)' --pes 3 -o run.vista >out 2>err
ok "a record a reduction" test "$(sed 's/weft: \([0-9]*\) .*/\1/' err)" -eq $(($(wc -l <run.vista) - 1))
ok "no fault in it" "$weft" check run.vista --set source="$programs/primes.fghc"
"$weft" render tree-pes run.vista --format csv >pes
ok "PEs' counts sum to the total" test "$(awk -F, 'NR > 1 { n += $2 } END { print n }' pes)" -eq $(($(wc -l <run.vista) - 1))

# The thesis's own programs (Park 1991, figures 10, 28 and 33).
if [ ! -f "$thesis/pascal.fghc" ]; then
    skip "the thesis's programs" "there is nothing at $thesis"
    finish
fi
thesis() { # PROGRAM GOAL REDUCTIONS LEVELS OPTION...
    program=$thesis/$1.fghc
    goal=$2
    reductions=$3
    levels=$4
    shift 4
    for pes in 1 2 5; do
        "$weft" fghc "$program" "$goal" --pes $pes -o run.vista "$@" >out 2>err
        ok "$(basename "$program") on $pes PEs: $reductions reductions" \
            test "$(wc -l <run.vista)" -eq $((reductions + 1))
        "$weft" render tree-levels run.vista --set source="$program" --format csv >found
        ok "and $levels levels" test "$(wc -l <found)" -eq $((levels + 1))
    done
}
thesis quicksort 'go([2,1,4,5,3],X)' 23 7
ok "sorted" grep -q '^X = \[5,4,3,2,1\]$' out
thesis pascal 'go(35,Row)' 2235 57
thesis semigroup 'go(Out)' 15152 174 --int32
thesis semigroup 'go(Out)' 15389 174
finish
