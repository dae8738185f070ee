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

# The same answer and the same number of reductions, whatever the order: 1,000 random ones; under
# a sanitizer, where starting the program takes most of the time, 60.
schedules=${WEFT_SANITIZED:+60}
schedules=${schedules:-1000}
"$weft" fghc "$programs/queens.fghc" 'go(5,C)' >out 2>err
reductions=$(sed 's/ reductions.*//' err)
wrong=0
for seed in $(seq 1 "$schedules"); do
    "$weft" fghc "$programs/queens.fghc" 'go(5,C)' --pes $((seed % 4 + 1)) --seed "$seed" >out 2>err
    read -r answer <out
    read -r said <err
    [ "$answer" = "C = 10" ] && [ "${said%% reductions*}" = "$reductions" ] ||
        wrong=$((wrong + 1))
done
ok "$schedules random schedules agree" test $wrong -eq 0

# The same tree: every node's path of clauses from the root, as a sorted list.
shape() {
    "$weft" render tree-nodes "$1" --format csv | awk -F, '
        NR > 1 { path[$2 "," $3] = path[$4 "," $5] "." $6; print path[$2 "," $3] }' | sort
}
"$weft" fghc "$programs/matrix.fghc" 'go(P)' -o one.weft >out 2>err
shape one.weft >one
for seed in 1 2 3 4 5; do
    "$weft" fghc "$programs/matrix.fghc" 'go(P)' --pes 3 --seed $seed -o some.weft >out 2>err
    shape some.weft >some
    ok "seed $seed gives the tree of one PE" cmp -s one some
done

# A typed goal is called $goal: a procedure of that name would answer in its place.
cat >goal.fghc <<'END'
go(X) :- true | X = 1.
'$goal'(X) :- true | X = 2.
END
"$weft" fghc goal.fghc 'go(X)' >out 2>err
status=$?
ok "a procedure called \$goal is refused" test $status -ne 0 -a -n "$(grep 'a procedure of its own' err)"

# A record has 16 bits for the number of a clause, also for one of a condition.
awk 'BEGIN { for (i = 0; i < 400; i++) {
         printf "p%d(X, Y) :- true | ( ", i
         for (k = 0; k < 170; k++) printf "X > %d -> Y = 1 ; ", k
         print "true -> Y = 2 )." }
     print "go :- true | true." }' >many.fghc
"$weft" fghc many.fghc go >out 2>err
status=$?
ok "more clauses than a record names are refused" test $status -ne 0 -a -n "$(grep 'more than 65535 clauses' err)"

# A PE that waits for input is idle meanwhile: no reduction of 200 ms, whatever the machine does.
cat >waits.fghc <<'END'
main :- true | unix:unix([stdin(R)]), first(R).
first(normal(S)) :- true | S = [gett(T)|Rest], last(T, Rest).
last(T, Rest) :- atom(T) | Rest = [].
END
(
    sleep 0.3
    echo 'word.'
) | "$weft" fghc waits.fghc -o waits.weft >out 2>err
"$weft" dump waits.weft | awk -F', ' '/^State/ { if ($6 > most) most = $6; if ($5 > end) end = $5 }
    END { exit !(NR && most < 0.2) }'
ok "waiting for input is no work" test $? -eq 0

# Files, and a program that ends itself while goals wait.
cat >files.fghc <<'END'
main :- unix:unix([write_open("made", W)]), wrote(W, Done), check(Done).
wrote(normal(S), Done) :- S = [putt(f("x",'A')),fwrite(string#".\n"),putc(65),nl,fclose(Done)].
check(0) :- unix:unix([read_open("made", R), append_open("made", A), read_open("none", N)]), read(R, A, N).
read(normal(R), normal(A), abnormal) :-
    R = [gett(T),getc(_),getc(C),feof(E)], A = [putc(C),fclose(Closed)],
    said(T, C, E, Closed, Never), never(Never).
said(T, C, E, Closed, _) :-
    io:outstream([putt(T),nl,putt(C),putt(E),nl,fflush(Said)]), exit(Said, Closed).
exit(Said, Closed) :- wait(Said), wait(Closed) | unix:exit(Said).
never(1).
END
answer "f(\"x\",'A')
650" files.fghc main --pes 2
ok "what a program appended" test "$(cat made)" = "f(\"x\",'A').
A
A"
# What does not fit on the disk is told to the program, and at the end of the run.
cat >full.fghc <<'END'
main(A, B) :- unix:unix([write_open("/dev/full", W)]), wrote(W, A, B).
wrote(normal(S), A, B) :- S = [putt(text),fflush(A),fclose(B)].
left(R) :- unix:unix([write_open("/dev/full", W)]), leave(W, R).
leave(normal(S), R) :- S = [putt(text)], R = left.
END
answer "A = -1
B = -1" full.fghc 'main(A,B)'
says 'full.fghc: cannot write /dev/full: No space left on device'
answer "R = left" full.fghc 'left(R)' --pes 2
says 'full.fghc: cannot write /dev/full: No space left on device'
status 4 fghc full.fghc 'main(_,_)'
printf 'main(R) :- unix:unix([read_open("full.fghc\\0more", R)]).\n' >zero.fghc
answer "R = abnormal" zero.fghc 'main(R)'
wrong_end() { "$weft" fghc "$1" main >out 2>err; }
printf 'main :- unix:exit(2).\n' >ends.fghc
wrong_end ends.fghc
ok "a program that ends itself with 2" test $? -eq 3
printf 'main :- io:instream([getc(A),getc(B)]), io:outstream([putc(B),putc(A),nl]).\n' >turn.fghc
ok "a stream of the input" test "$(printf ab | "$weft" fghc turn.fghc 2>err)" = ba

# Arithmetic wraps: 2^63 - 1 and one more; with --int32 2^31 - 1.
printf 'go(X,Y) :- X := 9223372036854775807 + 1, Y := 2147483647 + 1.\n' >wrap.fghc
answer "X = -9223372036854775808
Y = 2147483648" wrap.fghc 'go(X,Y)'
answer "X = 0
Y = -2147483648" wrap.fghc 'go(X,Y)' --int32

# Guards know the goal's terms and variables of their own; "==" binds neither.
cat >guards.fghc <<'END'
same(A,R) :- A == 1 | R = yes.
alone :- X == Y | true.
fresh(A,R) :- X == A | R = yes.
named(A,R) :- X = A | R = X.
parts(A,R) :- f(X,Y) = A, [Z|_] = Y | R = g(X,Z).
sides(A,R) :- f(Z,A,_) = f(A,W,[W]) | R = g(Z,W).
lists(A,R) :- [A,X|L] = [B,2|[B]] | R = [X|L].
void(R) :- _ = _ | R = yes.
type(R) :- integer(_) | R = yes.
other(A,R) :- _ \= A | R = yes.
END
answer "R = yes" guards.fghc 'same(1,R)'
answer "R = 1" guards.fghc 'named(1,R)'
answer "R = g(1,2)" guards.fghc 'parts(f(1,[2,3]),R)'
answer "R = g(7,7)" guards.fghc 'sides(7,R)'
answer "R = [2,5]" guards.fghc 'lists(5,R)'
answer "R = yes" guards.fghc 'void(R)'
for goal in 'same(A,R)' alone 'fresh(1,R)' 'fresh(A,R)' 'type(R)' 'other(1,R)'; do
    "$weft" fghc guards.fghc "$goal" >out 2>err
    ok "$goal: status 3" test $? -eq 3
    ok "$goal waits" grep -qF "a goal waits for ever" err
done

# A program without end is ended by a signal; what it has recorded is kept.
printf 'main :- main.\n' >endless.fghc
"$weft" fghc endless.fghc -o ended.vista >out 2>err &
endless=$!
until_busy $endless 20
kill -TERM $endless
wait $endless
status=$?
ok "a signal ends a program" test $status -eq 130 -o $status -eq 143
ok "it says what it does then" grep -qx "weft: writing what ran until then; Ctrl-C ends that, too" err
ok "it says where what ran is" grep -qF "ended.vista has what ran until then" err
ok "what was recorded is kept" test "$(head -n 1000 ended.vista | wc -l)" -eq 1000
ok "and nothing else" test "$(echo ended*)" = ended.vista

# Sanitizers take terabytes of addresses.
limit_memory() { [ -n "${WEFT_SANITIZED-}" ] || ulimit -v "$1"; }

# Also one that waits for input, which is no end of its input, or for who reads what it prints.
mkfifo never
exec 8<>never
printf 'main :- io:instream([gett(T)]), said(T).\nsaid(T) :- wait(T) | print(T).\n' >reads.fghc
printf 'main :- said(0).\nsaid(N) :- integer(N) | print(N), More := N+1, said(More).\n' >prints.fghc
for pes in 1 3; do
    "$weft" fghc reads.fghc --pes $pes <&8 >out 2>err &
    waits=$!
    until_waits $waits
    kill -TERM $waits
    wait $waits
    ok "a signal ends one that waits for input, on $pes" test $? -eq 143
    ok "which prints nothing more" test ! -s out
    "$weft" fghc prints.fghc --pes $pes >&8 2>err &
    waits=$!
    until_waits $waits
    kill -TERM $waits
    wait $waits
    ok "a signal ends one whose reader does not read, on $pes" test $? -eq 143
    ok "it says so" grep -qx 'weft: cancelled' err
done
exec 8>&-
rm never
# Streams without end are ended, too, by a signal or by what a run may have.
printf 'main :- L = [nl|L], io:outstream(L).\n' >lines.fghc
"$weft" fghc lines.fghc >/dev/null 2>err &
endless=$!
until_busy $endless 20
kill -TERM $endless
wait $endless
ok "a signal ends a stream without end" test $? -eq 143
printf 'main :- L = [stdout(_)|L], klicio:klicio(L).\n' >streams.fghc
(limit_memory 4000000 && exec "$weft" fghc streams.fghc --memory 16) >out 2>err
ok "requests without end take no more memory than a run may have" test $? -eq 3
ok "which is said" grep -q "more memory than it may have" err
# A failure on one PE does not wait for the input of another.
cat >both.fghc <<'END'
main :- burn(300000), io:instream([getc(_)]).
burn(N) :- N > 0, Less := N - 1 | burn(Less).
END
mkfifo never
exec 8<>never
"$weft" fghc both.fghc --pes 2 <&8 >out 2>err
ok "a failure ends one that waits for input" test $? -eq 3
ok "and is said" grep -qF "no clause fits the goal burn(0)" err
exec 8>&-
rm never
# What cannot be read has no end of its input.
mkdir folder
printf 'main :- unix:unix([read_open("folder",R)]), r(R).\nr(normal(S)) :- S = [getc(C)], said(C).\nsaid(C) :- wait(C) | print(C).\n' >folder.fghc
status 3 fghc folder.fghc
says "its input cannot be read"

# One that is killed leaves its records, of all PEs until one time: a recording without a fault.
"$weft" fghc "$programs/primes.fghc" 'go(30000,P)' --pes 3 -o killed.vista >out 2>err &
killed=$!
until_busy $killed 40
status 3 recover killed.vista.recording-*
says "the run goes on, or its trace is being made"
kill -KILL $killed
wait $killed 2>/dev/null
ok "a kill leaves no recording" test ! -e killed.vista
status 0 recover killed.vista.recording-*
ok "recover makes one" test "$(head -n 1000 killed.vista | wc -l)" -eq 1000
ok "and removes what was left" test "$(echo killed*)" = killed.vista
"$weft" check killed.vista --set source="$programs/primes.fghc" >out
ok "which has no fault, but goals that were not reduced" \
    test "$(grep -cv too-few-children out)" -eq 0
rm -f ended.vista killed.vista

# A disk that is full ends a run, and keeps what was recorded, too.
(ulimit -f 2000; exec "$weft" fghc endless.fghc -o full.weft) >out 2>err
ok "a full disk: status 4" test $? -eq 4
ok "and says what is left" grep -qF "weft recover makes full.weft of it" err
status 0 recover full.weft.recording-* -o elsewhere.weft
ok "of which a recording is made" "$weft" render tree-pes elsewhere.weft --format csv
rm -f full* elsewhere.weft
ln -s /dev/full device.vista
"$weft" fghc "$programs/primes.fghc" 'go(2000,P)' -o device.vista >out 2>err
ok "a full disk for the trace: status 4" test $? -eq 4
ok "which is named" grep -q "^weft: cannot write device.vista: No space left on device" err
rm -f device*
# A recording with a damaged block becomes what is before it, with a word, and stays.
mkdir taken.weft
"$weft" fghc "$programs/primes.fghc" 'go(300,P)' -o taken.weft >out 2>err
ok "in place of a folder no trace is put: status 4" test $? -eq 4
mv taken.weft.recording-* bent
size=$(stat -c %s bent)
printf '\125' | dd of=bent bs=1 seek=$((size / 2)) conv=notrunc 2>dd
cp bent before
status 3 recover bent -o bent.weft
says "bent stays, for not all of it could be read"
says "damaged at byte [0-9]"
ok "it is as it was" cmp -s bent before
"$weft" check bent.weft >out
ok "the trace says what is lost" grep -q damaged-record out
rm -rf taken.weft bent bent.weft before
printf 'no recording' >not.weft.recording-abcdef
status 3 recover not.weft.recording-abcdef

# What a program prints is seen while it runs.
printf 'main :- io:outstream([print(first),nl|S]), main(S).\nmain(S) :- main(S).\n' >waits.fghc
"$weft" fghc waits.fghc >out 2>err &
waits=$!
until_busy $waits 60
ok "printed while it runs" grep -qx first out
kill -TERM $waits
wait $waits 2>/dev/null

# Several files, each with a module; arguments of the program; its input.
printf ':- module main.\nmain :- sorts:rev([1,2,3],R), print(R).\n' >main.fghc
printf ':- module sorts.\nrev(X,Y) :- rev(X,[],Y).\nrev([],A,Y) :- Y=A.\nrev([X|Xs],A,Y) :- rev(Xs,[X|A],Y).\n' >sorts.fghc
"$weft" fghc main.fghc sorts.fghc >out 2>err
ok "two files" grep -qxF "[3,2,1]" out
"$weft" fghc main.fghc sorts.fghc 'sorts:rev([a],R)' >out 2>err
ok "and a goal" grep -qxF "R = [a]" out
"$weft" fghc main.fghc main >out 2>err
ok "a module that is missing" grep -qF "main.fghc:2: column 15: no clause defines rev/2" err
printf 'main(R) :- unix:argc(N), unix:argv(A), R = N-A.\n' >arguments.fghc
"$weft" fghc arguments.fghc 'main(R)' --arg one --arg 'a b' >out 2>err
ok "its arguments" grep -qxF 'R = 2-["one","a b"]' out
cat >copy.fghc <<'END'
main :- klicio:klicio([stdin(normal(I)), stdout(normal(O))]), copy(I, O).
copy(I, O) :- I = [getc(C)|I1], copy(C, I1, O).
copy(-1, I, O) :- I = [], O = [].
otherwise.
copy(C, I, O) :- O = [putc(C)|O1], copy(I, O1).
END
printf 'two\nlines' >in
"$weft" fghc copy.fghc --pes 2 <in >out 2>err
ok "its input" cmp -s in out

cat >terms.fghc <<'END'
main :- klicio:klicio([stdin(normal(I)), stderr(normal(E)), stdout(normal(O))]), I = [gett(T)|I1],
    echo(T, I1, O, E).
echo(end_of_file, I, O, E) :- I = [], O = [nl], E = [fwrite("done\n")].
otherwise.
echo(T, I, O, E) :- O = [putt(T), fwrite(". ")|O1], I = [gett(U)|I1], echo(U, I1, O1, E).
END
printf 'f(a, [1,2|x]). %% a comment.\n"one. two". /* a. */ 1 + 3\n. {new}.' >in
"$weft" fghc terms.fghc --pes 2 <in >out 2>err
ok "terms that it reads" grep -qxF 'f(a,[1,2|x]). "one. two". 1+3. {new}. ' out
ok "what it prints on standard error" grep -qx done err
# A list of many numbers, and text in quotes with many full stops: a text of 1.2 MB is read once.
awk 'BEGIN { printf "["; while (n++ < 40000) printf "%d,", n; printf "end].\n\047"
    while (m++ < 300000) printf "a. "; printf "\047.\n" }' >in
"$weft" fghc terms.fghc <in >out 2>err
ok "long terms that it reads" grep -q '39999,40000,end\]. .a. a. ' out
# Tokens that a full stop does not end, and many of them that have one: each is read once. The
# limits are of seconds and kilobytes that reading them again and keeping them would exceed.
awk 'BEGIN { printf "\""; while (i++ < 60000) printf "\"\". "; printf "\".\n/*"
    while (j++ < 200000) printf "a/b. "; printf "*/\n%% "; while (k++ < 200000) printf "a. "
    printf "\n"; while (l++ < 100000) printf "/* a. */"; printf "x.\n" }' >in
(ulimit -t 10 && exec "$weft" fghc terms.fghc <in) >out 2>err
ok "full stops that end no term" test "$(tail -c 5 out)" = " x. "
cat >dropped.fghc <<'END'
main :- io:instream([gett(T)|I]), next(T, I, 0).
next(end_of_file, I, N) :- I = [], print(N).
otherwise.
next(_, I, N) :- M := N + 1, I = [gett(T)|J], next(T, J, M).
END
awk 'BEGIN { while (i++ < 1000) s = s "1,"; while (n++ < 5000) printf "[%s\"a string\"].\n", s }' >in
(limit_memory 500000 && exec "$weft" fghc dropped.fghc --memory 64 <in) >out 2>err
ok "terms that it reads and drops take no memory" test "$(cat out)" = 5000
awk 'BEGIN { while (i++ < 10000) s = s "a"; while (n++ < 1000) printf "%s", s }' >long
awk 'BEGIN { printf "["; while (n++ < 1000000) printf "1,"; print "1]." }' >wide
awk 'BEGIN { while (i++ < 100000) s = s "a"; while (n++ < 100) printf "%s%d.\n", s, n }' >names
for in in long wide names; do
    (limit_memory 500000 && exec "$weft" fghc dropped.fghc --memory 16 <$in) >out 2>err
    ok "a text that takes too much memory: $in" test $? -eq 3
    ok "which is said, too" grep -q "the terms that the run reads need more memory" err
done
rm long wide names
printf 'f(. ' >in
"$weft" fghc terms.fghc <in >out 2>err
ok "what is no term" grep -qF "what was read is no term" err

# Warnings, and several errors in one run.
printf 'p(X, Yes, _No) :- q(X).\nq(1).\n' >warned.fghc
"$weft" fghc warned.fghc 'p(1,2,3)' >out 2>err
ok "a warning does not stop a program" test $? -eq 0
ok "a variable that occurs once" grep -qF "warning: warned.fghc:1: column 6: Yes occurs once" err
ok "but not one that says so" test "$(grep -c warning err)" -eq 1
printf 'p :- q(.\nq :- r, s.\nr :- X > .\nt.\n' >errors.fghc
"$weft" fghc errors.fghc t >out 2>err
ok "two errors of reading" test "$(grep -c '^weft: errors.fghc:[13]:' err)" -eq 2
printf 'p :- q.\nr :- s, t(1).\nt.\n' >errors.fghc
"$weft" fghc errors.fghc t >out 2>err
ok "three goals that nothing defines" test "$(grep -c '^weft: errors.fghc:[12]: .*no clause defines' err)" -eq 3

# Long strings, and as much memory for quoted atoms as they are long: together 1.2 MB.
long() { awk -v n="$1" 'BEGIN { while (n--) s = s "a"; printf "go(N) :- S = \"%s\", set_string_element(S,0,66,T), string(T,N,_).\n", s }'; }
long 250000 >long.fghc
answer "N = 250000" long.fghc 'go(N)'
long 250001 >long.fghc
"$weft" fghc long.fghc 'go(N)' >out 2>err
ok "a string that is too long" grep -qF "long.fghc:1: column 14: a string of more than 250000 bytes" err
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "p(\047some text %d\047).\n", i; print "go(R) :- R = 1." }' >quotes.fghc
(limit_memory 6000000 && exec "$weft" fghc quotes.fghc 'go(R)') >out 2>err
ok "many quoted atoms" grep -qx "R = 1" out

# Lists may be long, also where a guard is copied for its choices; terms are not deep.
awk 'BEGIN { while (n++ < 100000) s = s "1,"; printf "p(X,R) :- (X = [%s1] ; X = 1) | R = yes.\n", s }' >list.fghc
"$weft" fghc list.fghc 'p(1,R)' >out 2>err
ok "a long list in a guard with a choice" grep -q "^weft: list.fghc:1: this clause holds too many terms" err
awk 'BEGIN { while (n++ < 1900) chain = chain "+a"; s = "a"; while (k++ < 60) s = "(" s chain ")"
    printf "p :- q(%s).\nq(_).\n", s }' >deep.fghc
"$weft" fghc deep.fghc p >out 2>err
ok "chains of operators in brackets" grep -q "^weft: deep.fghc:1: .* terms are nested too deeply" err
# Of so many constants one is the last for which there is a number.
constants() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%s%s", i % 200 ? "," : i ? ").\nc(" : "c(", "k" i
    print ").\np(Y) :- X = last | Y = X." }'; }
for n in 32763 32764 32765 32766 32767; do
    constants $n >constants.fghc
    "$weft" fghc constants.fghc 'p(Y)' >out 2>err
    ok "after $n constants one more is itself, or too many" grep -qE 'Y = last|too many|more than' out err
done

# What is wrong has its place.
wrong() {
    printf '%b' "$2" >wrong.fghc
    "$weft" fghc wrong.fghc "$3" >out 2>err
    ok "status 3" test $? -eq 3
    ok "said: $1" grep -qF "$1" err
}
wrong "wrong.fghc:2: column 9: no clause defines q/1" 'r(1).\np(X) :- q(X).\n' 'p(1)'
wrong "wrong.fghc:1: column 9: new_bag/2 is not supported" 'p(X) :- new_bag(X, 3).\n' 'p(1)'
wrong "wrong.fghc:1: column 17: generic:pop/2 is not supported" 'p(X) :- generic:pop(X, _).\n' 'p(1)'
wrong "wrong.fghc:2: column 7: a condition is" 'q(1).\np :- (q(1) ; q(1) ; true -> q(1)).\n' 'p'
wrong "wrong.fghc:2: column 7: 'q' is no test" 'q(1).\np :- (q(1) -> q(1)).\n' 'p'
wrong "wrong.fghc:1: column 16: sin/1 is no arithmetic" 'p(X) :- X := 1+sin(3).\n' 'p(X)'
wrong "wrong.fghc:1: column 16: this is no number" 'p(X) :- X := 1+foo.\n' 'p(X)'
wrong "wrong.fghc:2: column 9: no clause defines q/1 (there is q/2)" 'q(1,2).\np(X) :- q(X).\n' 'p(1)'
wrong "wrong.fghc:1: column 11: 'is1' cannot follow here; a clause must end with a full stop" 'p(X) :- X is1 1.\n' 'p(1)'
wrong "wrong.fghc:1: column 11: no clause defines is/2: X := Expression" 'p(X) :- X is 3+4.\n' 'p(1)'
wrong "wrong.fghc:1: column 11: no clause defines >/2: a test belongs into the guard" 'p(X) :- X > 2.\n' 'p(1)'
wrong "wrong.fghc:1: column 9: a variable cannot be called" 'p(X) :- Foo(1).\n' 'p(1)'
wrong "wrong.fghc:2: column 1: this comment has no end" 'p(1).\n/* and\np(2).\n' 'p(1)'
wrong "wrong.fghc:1: there are no macros" ':- with_macro pimos.\np(1).\n' 'p(1)'
wrong "~(...) cannot stand in a head" 'p(~(1+2)).\n' 'p(1)'
wrong "wrong.fghc:2: column 1: the argument list of line 1 must end with )" 'p(X) :- q(X\n.\nq(2).\n' 'p(1)'
wrong "wrong.fghc:3: column 1: the clause that began on line 1 must end with a full stop" 'p(X) :-\n  X = 1\nq(2).\n' 'p(1)'
wrong "wrong.fghc:1: column 14: f/1 is no arithmetic" 'p(R) :- Y := f(1) | R = Y.\n' 'p(R)'
wrong "wrong.fghc:1: column 9: 'r' is no test" 'p(X) :- r(X) | true.\nr(1).\n' 'p(1)'
wrong "wrong.fghc:1: column 3: this string does not end" 'p("abc\n).\n' 'p(1)'
wrong "no clause fits the goal r(2)" 'p(X) :- r(X).\nr(1).\n' 'p(2)'
wrong "wrong.fghc:1: a goal waits for ever: r(A)" 'p :- r(_).\nr(1).\n' 'p'
wrong "wrong.fghc:1: a goal waits for ever: print(f(A))" 'p :- print(f(_)).\n' 'p'
wrong "a goal waits for ever: exit(A)" 'p :- exit(_).\n' 'p'
wrong "a goal waits for ever: outstream([write(A)" 'p :- outstream([write(_)|_]).\n' 'p'
wrong "a goal waits for ever: A := B+1" 'p :- _ := _+1.\n' 'p'
wrong "wrong.fghc:3: 2 goals wait for ever: r(A), r(A) (line 4)" 'p(X) :- q(X),\n q(X).\nq(_) :- r(_),\n r(_). r(1).\n' 'q(X)'
wrong "wrong.fghc:1: the program fails: 1 = 2, which differ" 'p(X) :- X = 1, X = 2.\n' 'p(X)'
wrong "new_vector(A,[1,1,1|...]): these are no arguments for it" 'p :- L = [1|L], new_vector(_,L).\n' 'p'
wrong "wrong.fghc:2: A := 4/0: a division by zero" 'p(X) :-\n X := 4/0.\n' 'p(X)'
wrong "wrong.fghc:2: A := a+1: that is no number" 'p(X) :- q(a,X).\nq(Y,X) :- X := Y+1.\n' 'p(X)'
wrong "goal:1: column 3: a term is missing here" 'p(1).\n' 'p(,'
"$weft" fghc no-such.fghc main >out 2>err
ok "no program: status 3" test $? -eq 3
"$weft" fghc "$programs/primes.fghc" 'go(30,P)' --pes 0 >out 2>err
ok "no PEs: status 2" test $? -eq 2
cat >memory.fghc <<'EOF'
go(N, Sum) :- list(N, List), sum(List, 0, Sum).
list(0, List) :- List = [].
list(N, List) :- N > 0, Less := N - 1 | List = [N|Rest], list(Less, Rest).
sum([], So, Sum) :- Sum = So.
sum([X|Xs], So, Sum) :- Next := So + X | sum(Xs, Next, Sum).
again(0, _, Sum) :- Sum = 0.
again(N, Size, Sum) :- N > 0 | go(Size, First), after(First, N, Size, Sum).
after(First, N, Size, Sum) :- wait(First), Less := N - 1 |
    again(Less, Size, Rest), Sum := First + Rest.
EOF
"$weft" fghc memory.fghc 'go(1000000,S)' --memory 16 >out 2>err
ok "beyond its memory a run ends with a word" grep -q "more memory than it may have" err
# Parts that a term shares are printed each time: 10,000 cells are a text of 200 MB.
cat >text.fghc <<'EOF'
go(N, X) :- new_string(S, 5000, 8), list(N, S, X).
list(0, _, L) :- L = [].
list(N, S, L) :- N > 0, Less := N - 1 | L = [S|Rest], list(Less, S, Rest).
EOF
"$weft" fghc text.fghc 'go(300,X)' --memory 16 >out 2>err # each byte is \000
ok "a text of 6 MB is an answer" test "$(wc -c <out)" -eq $((300 * 20003 + 6))
(limit_memory 500000 && exec "$weft" fghc text.fghc 'go(10000,X), Y = 1' --memory 16) >out 2>err
ok "one that does not fit into memory is none" test $? -eq 3
ok "which is said" grep -qF "the value of X is too long to be printed" err
ok "the others are printed" test "$(cat out)" = "Y = 1"
(limit_memory 500000 && exec "$weft" fghc text.fghc 'go(10000,_X), Y = 1' --memory 16) >out 2>err
ok "one that is not printed may be of any length" test $? -eq 0
ok "without a word" sh -c '! grep -q "too long" err'
"$weft" fghc text.fghc 'go(50000,X)' --memory 4096 >out 2>err &
long=$!
until_busy $long 40
kill -TERM $long
wait $long
ok "a signal ends the printing of an answer" test $? -eq 143
for pes in 1 3; do # 50 times 20,000 elements: 24 MB, each time no longer needed
    answer "S = 10000500000" memory.fghc 'again(50,20000,S)' --memory 16 --pes $pes
done

# Terms without end are compared, and lists without end printed up to somewhere; streams are
# merged.
printf 'p(R) :- X=f(X,1), Y=f(f(Y,1),1), X=Y, q(X,Y,R).\nq(X,Y,R) :- X==Y | R=yes.\n' >cycle.fghc
answer "R = yes" cycle.fghc 'p(R)'
printf 'p(X) :- X=[1|X].\n' >cycle.fghc
"$weft" fghc cycle.fghc 'p(X)' >out 2>err
ok "a list without end is printed up to somewhere" grep -q '^X = \[1,1,1.*\.\.\.' out
cat >merge.fghc <<'EOF'
go(N, Sum) :- list(1, N, A), list(1, N, B), list(1, N, C), list(1, N, D),
    merge({A,{B,C},D}, All), sum(All, 0, Sum).
list(I, N, List) :- I > N | List = [].
list(I, N, List) :- I =< N, Next := I + 1 | List = [I|Rest], list(Next, N, Rest).
sum([], So, Sum) :- Sum = So.
sum([X|Xs], So, Sum) :- Next := So + X | sum(Xs, Next, Sum).
EOF
for pes in 1 4; do
    answer "S = 20200" merge.fghc 'go(100,S)' --pes $pes
done

# A clause after "otherwise." waits for those before it, one after "alternatively." does not.
printf 'p(1,_,R) :- R=a.\n%s.\np(_,2,R) :- R=b.\n' otherwise >other.fghc
printf 'p(1,_,R) :- R=a.\n%s.\np(_,2,R) :- R=b.\n' alternatively >either.fghc
answer "R = b" either.fghc 'p(_,2,R)'
answer "R = b" other.fghc 'p(0,2,R)'
"$weft" fghc other.fghc 'p(_,2,R)' >out 2>err
ok "after otherwise it waits" grep -q "waits for ever: p(A,2,B)" err

# A recording: as many records as reductions, no fault in it, and it makes a tree.
"$weft" fghc "$programs/primes.fghc" 'go(200,P)' --pes 3 -o run.vista >out 2>err
ok "a record a reduction" test "$(sed 's/weft: \([0-9]*\) .*/\1/' err)" -eq $(($(wc -l <run.vista) - 1))
ok "no fault in it" "$weft" check run.vista --set source="$programs/primes.fghc"
"$weft" render tree-pes run.vista --format csv >pes
ok "PEs' counts sum to the total" test "$(awk -F, 'NR > 1 { n += $2 } END { print n }' pes)" -eq $(($(wc -l <run.vista) - 1))

# Conditions are procedures of their own, also for who reads VISTA's file with its source.
cat >nested.fghc <<'END'
go(N, R) :- ( N > 3 -> ( N > 5 -> a(R) ; b(R) ) ; N > 1 -> b(R), c ; c, (true -> a(R)) ), c.
a(R) :- R = a.
b(R) :- R = b.
c.
END
for pair in 7:a 4:b 2:b 0:a; do
    answer "R = ${pair#*:}" nested.fghc "go(${pair%:*},R)" -o nested.vista
    "$weft" fghc nested.fghc "go(${pair%:*},R)" -o nested.weft >out 2>err
    "$weft" render tree-nodes nested.weft --format csv | cut -d , -f 2-7 >one
    "$weft" render tree-nodes nested.vista --set source=nested.fghc --format csv | cut -d , -f 2-7 >some
    ok "both recordings have the same clauses" cmp -s one some
    ok "and no fault" test -z "$("$weft" check nested.vista --set source=nested.fghc)"
done

# So are goals with argument pairs, and numbers of another base are no quotes.
cat >pairs.fghc <<'END'
go(N, R) :- p(N)-S, R := 16'1f + 0'\' + 0'a, T := 36'z, last(T), S <= a(T).
p(N)-S :- N > 0 | S <= a(N), M := N-1, q(M)-S, r+M.
p(0)-S :- true | a-S.
q(N)-S :- wait(N) | p(N)-S.
r(N) :- wait(N) | true.
a-S :- true | true.
last('it''s') :- true | true.
last(N) :- N > 16'0f | true.
END
answer "R = 167" pairs.fghc 'go(3,R)' -o pairs.vista
"$weft" fghc pairs.fghc 'go(3,R)' -o pairs.weft >out 2>err
"$weft" render tree-nodes pairs.weft --format csv | cut -d , -f 2-7 >one
"$weft" render tree-nodes pairs.vista --set source=pairs.fghc --format csv | cut -d , -f 2-7 >some
ok "both recordings of pairs have the same clauses" cmp -s one some
ok "and no fault" test -z "$("$weft" check pairs.vista --set source=pairs.fghc)"

# As a store: what VISTA's file says, and who woke whom.  The consumer waits for each item of
# the producer, the producer for each place of the buffer.
cat >talk.fghc <<'EOF'
go(N, Sum) :- consume(Items, 0, Sum), produce(1, N, Items).
produce(I, N, Items) :- I > N | Items = [].
produce(I, N, Items) :- I =< N, Next := I + 1 | Items = [I|Rest], produce(Next, N, Rest).
consume([], So, Sum) :- Sum = So.
consume([X|Xs], So, Sum) :- Next := So + X | consume(Xs, Next, Sum).
EOF
"$weft" fghc talk.fghc 'go(3,S)' -o talk.weft >out 2>err
# go; consume waits at once (Items, its argument 1). The four produce run on as first goals;
# consume is woken by the first, and reduces four times after them.
"$weft" convert talk.weft -o talk.paje
ok "9 reductions" grep -q '^weft: 9 reductions, 1 suspensions' err
"$weft" render tree-pes talk.weft --format csv >pes
ok "one of them was suspended" grep -q '^0,9,[0-9]*,1,0,0,' pes
ok "on a variable with its name in the source" grep -q 'Items, argument 1 of consume/3' talk.paje
ok "woken by a binding: one link" test "$("$weft" info talk.weft | sed -n 's/^links *//p')" = 1
"$weft" fghc talk.fghc 'go(3,S), go(4,T)' -o talk.weft >out 2>err
ok "two goals are no tree: status 2" test $? -eq 2

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
# counts WANTED: reductions of the run by procedure, the most first.
counts() {
    "$weft" render tree-nodes run.vista --set source="$program" --format csv |
        awk -F, 'NR > 1 { n[$7]++ } END { for (k in n) print k, n[k] }' | sort -k 2nr -k 1 >found
    for pair in "$@"; do
        ok "$(basename "$program"): $pair reductions" grep -qx "$pair" found
    done
}
thesis quicksort 'go([2,1,4,5,3],X)' 23 7
ok "sorted" grep -q '^X = \[5,4,3,2,1\]$' out
thesis pascal 'go(35,Row)' 2235 57
counts "bigp 918" "setc 612" "makeRow 323" "bigPlus 306" "makeRows 35" "rev 20" "append 19" \
    "go 1" "fillout 1"
thesis semigroup 'go(Out)' 15152 174 --int32
counts "mult 6804" "m 6480" "g 216" "prefilter 171" "kernel 55" "gen 54"
thesis semigroup 'go(Out)' 15389 174
counts "mult 6804" "m 6480" "g 216" "prefilter 171" "kernel 55" "gen 54"
finish
