#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpi.sh openmpi|mpich: programs of MPI, recorded.  What was matched is compared with what a
# library counts that knows nothing of Weft (programs/mpi_counting.c).
set -u
kind=$1
case $kind in
openmpi)
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    run="mpirun.openmpi --oversubscribe" ;;
mpich) run="mpirun.mpich" ;;
esac
. "$(dirname "$0")/../../../live/lib.sh"
is_built "mpi-$kind" || skip "this build does not record MPI with $kind"
for tool in "mpicc.$kind" "mpirun.$kind"; do
    command -v "$tool" >/dev/null || skip "$tool is not here: $kind is not tested"
done
programs=$here/programs
ok() { # TEXT COMMAND...
    text=$1
    shift
    if "$@"; then echo "ok: $text"; else fail "$text"; fi
}
# Root's compilers of MPI warn of MPI_STATUSES_IGNORE.
"mpicc.$kind" -w -O1 -g -shared -fPIC -o counting.so "$programs/mpi_counting.c" || exit 1
for program in between messages memory ends control worlds left refused large groups sessions; do
    "mpicc.$kind" -w -O1 -g -pthread -o "$program" "$programs/mpi_$program.c" || exit 1
done

record() { # WITH RANKS COMMAND...: into run.weft; what it says into said
    with=$1 ranks=$2
    shift 2
    rm -f counted.* run.weft
    # shellcheck disable=SC2086
    COUNTING_FILE=$folder/counted LD_PRELOAD=$folder/counting.so timeout 200 \
        "$WEFT" record --with "$with" -o run.weft -- $run -n "$ranks" "$@" >out 2>said
    status=$?
}
sums() { "$SUMS" run.weft; }
counted() { cat counted.* | awk '{ m += $1; b += $2 } END { printf "%.0f %.0f\n", m, b }'; }
matched() { sums | cut -d' ' -f1,2; }
half() { sums | cut -d' ' -f3; }
same() { # every message has both ends, and there are as many as were counted
    [ "$status" = 0 ] && [ "$(matched)" = "$(counted)" ] && [ "$(half)" = 0 ]
}
as_picl() { # the displays of the recording and of its PICL file say the same
    "$WEFT" convert run.weft -o run.trf 2>/dev/null || return 1
    grep -q '^-3 -901 0 0 0 0$' run.trf || return 1
    for view in utilization-summary utilization-count concurrency-profile comm-matrix \
        message-queues; do
        "$WEFT" render "$view" run.weft -o here.csv && "$WEFT" render "$view" run.trf -o there.csv \
            && cmp here.csv there.csv || return 1
    done
}
as_paje() { # so do those of its Paje file, which pj_dump reads, if it is installed
    "$WEFT" convert run.weft -o run.paje 2>/dev/null || return 1
    for view in utilization-summary utilization-count comm-matrix traffic; do
        "$WEFT" render "$view" run.weft -o here.csv && "$WEFT" render "$view" run.paje -o there.csv \
            && cmp here.csv there.csv || return 1
    done
    ! command -v pj_dump >/dev/null || env -u MALLOC_PERTURB_ pj_dump -q run.paje
}
silent() { [ -z "$("$WEFT" check run.weft)" ]; }
only() { # KIND: of all problems
    "$WEFT" check run.weft >problems
    [ "$(wc -l <problems)" = 1 ] && grep -q "$1" problems
}

for ranks in 1 2 5; do
    record mpi "$ranks" ./messages
    ok "all kinds of messages on $ranks ranks" same
    ok "no problems on $ranks ranks" silent
    ok "the same as PICL on $ranks ranks" as_picl
    ok "the same as Paje on $ranks ranks" as_paje
    ok "$ranks ranks" [ "$(sums | cut -d' ' -f6)" = "$ranks" ]
done
ok "packing is there, too" eval '"$WEFT" dump run.weft | grep -q "MPI_Unpack"'
record threads,annotations,mpi 3 ./messages
ok "beside the recorders of threads and annotations" same
# Where MPI stands on UCX, that takes locks while memory is mapped, the recorder's own, too.
ok "and nothing is lost" grep -q ' 0 lost' said
ok "nor of threads alone" eval 'record threads 2 ./messages; [ "$status" = 0 ] && grep -q " 0 lost" said'
ok "which says what it does not show" grep -q 'is one of MPI: --with threads,mpi' said
record mpi 3 env -u LD_PRELOAD ./messages
ok "in programs that lose their environment" [ "$(half)" = 0 -a "$(matched)" != "0 0" ]

# Between groups, arguments are as long as the caller's own, and no further looked at.
record mpi 4 ./between
ok "operations between groups" [ "$status" = 0 ]

# A program that asks whether there is MPI, where there is none.
${CC:-cc} -o perhaps "$programs/mpi_perhaps.c" || exit 1
[ "$(timeout 60 "$WEFT" record --with mpi -o perhaps.weft -- ./perhaps 2>said)" = 'without MPI' ]
ok "a program that does without MPI" [ $? = 0 ]
ok "that was recorded with it is told of" eval '"$WEFT" check perhaps.weft | grep -q "^warning.*no-mpi"'

# Functions found by dlsym, past the recorder, are told of.
${CC:-cc} -w -o by_dlsym "$programs/mpi_by_dlsym.c" -ldl || exit 1
library=$(ldd messages | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3; exit }')
record mpi 2 ./by_dlsym "$library"
ok "calls by dlsym are said to be missing" eval \
    '"$WEFT" check run.weft | grep -q "^warning.*unseen-mpi  2 processes used"'
record mpi 2 ./messages
ok "and others are not" eval '! "$WEFT" check run.weft | grep -q unseen-mpi'

# What MPI refuses it refuses the same way, and calls error handlers as often; what follows is there.
./refused >wanted 2>said
ok "refused calls, without a recording" [ "$(tail -n 1 wanted)" = ended ]
timeout 60 "$WEFT" record --with mpi -o run.weft -- ./refused >out 2>said
ok "refused calls" cmp -s out wanted
ok "and fourteen messages, also those that were too long" [ "$(sums | cut -d' ' -f1-3)" = "14 92 0" ]

timeout 60 "$WEFT" record --with mpi -o run.weft -- ./large >out 2>said
"$WEFT" convert run.weft -o run.paje 2>said
ok "elements of gigabytes" [ "$(grep -c ' 12884901888 ' run.paje)" = 1 ]

# There is no MPI_COMM_WORLD to ask, and with one rank MPI has none either.
if [ "$(./sessions)" = "1 ranks" ]; then
    for ranks in 1 3; do
        record mpi "$ranks" ./sessions
        ok "sessions of $ranks ranks" [ "$status$(cat out)" = "0$ranks ranks" ]
        ok "and what is not known of them" eval '"$WEFT" check run.weft | grep -q "^warning.*no-world"'
    done
else
    echo "$kind has no sessions here"
fi

# Communicators that only their tags tell apart, and those that callbacks make and free, of which
# nothing is said but that they are not known.
record mpi 2 ./groups threads
ok "groups of two threads at the same time" same
ok "each with its own messages" silent
record mpi 2 ./groups callbacks
ok "communicators of callbacks are not taken for others" only unknown-communicator

# Transfers: worked out in the program.
record mpi 3 ./memory
ok "transfers between memories, files, threads" same
ok "24 transfers of 3 ranks" [ "$(sums | cut -d' ' -f4)" = 24 ]
# 800 messages, and 5 transfers, to the right; 3 back: what is got is a message from its owner.
"$WEFT" render comm-matrix run.weft --set collectives=none --format csv >matrix
printf '%s\n' src,dst,messages,bytes 0,1,805,3220 0,2,3,12 1,0,3,12 1,2,805,3220 2,0,805,3220 \
    2,1,3,12 >wanted
ok "and are in the matrix" cmp -s matrix wanted
ok "PICL has none of them, which is said" eval \
    '"$WEFT" convert run.weft -o run.trf 2>&1 | grep -q "links (MPI transfer"'

# Worlds that meet.  Some builds of MPI cannot spawn, with or without a recording.
# shellcheck disable=SC2086
if timeout 20 $run -n 2 ./worlds spawn >out 2>&1; then
    record mpi 2 ./worlds spawn
    ok "worlds that are spawned" [ "$(sums | cut -d' ' -f1-3,6)" = "20 80 0 6" ]
    ok "without problems" silent
    ok "and with operations of both" [ "$(sums | cut -d' ' -f5)" = 2 ]
else
    echo "$kind cannot spawn here: worlds that are spawned are not tested"
fi
# shellcheck disable=SC2086
if timeout 20 $run -n 4 ./worlds connect >out 2>&1; then
    record mpi 4 ./worlds connect
    ok "groups that connect" [ "$(sums | cut -d' ' -f1,3)" = "5 0" ]
    ok "are known to each other" silent
else
    echo "$kind cannot connect here: groups that do are not tested"
fi

# What the program wanted left out is, and is no fault.
record mpi 3 ./control
ok "MPI_Pcontrol stops and resumes" [ "$(sums | cut -d' ' -f1-3)" = "18 72 0" ]
"$WEFT" check run.weft >said
ok "which is counted and no fault" eval \
    '[ $? = 0 ] && grep -q "8 messages were sent or received while MPI_Pcontrol" said'

# Error handlers leave calls of MPI for good: what follows is recorded, or said not to be.
left() { # COMMAND...: all that was passed is recorded, and the call that was left
    record mpi 2 "$@"
    same && [ "$(sums | cut -d' ' -f1)" = 13 ] && "$WEFT" dump run.weft | grep -q MPI_Probe && silent
}
ok "a call that is left by a jump" left ./left jump
if command -v "mpicxx.$kind" >/dev/null; then
    "mpicxx.$kind" -w -O1 -g -x c++ -o thrown "$programs/mpi_left.c" || exit 1
    ok "a call that is left by an exception" left ./thrown
else
    echo "mpicxx.$kind is not here: exceptions are not tested"
fi
passed() { # MESSAGES: recorded are so many messages, and up to how many calls are not is said
    [ "$status" = 0 ] && [ "$(sums | cut -d' ' -f1,3)" = "$1 0" ] \
        && "$WEFT" check run.weft | grep -q 'up to [0-9]* calls of MPI are not recorded'
}
record mpi 2 ./left unseen
ok "a call that is left unseen" passed 3
record mpi 2 ./left deep
ok "a call that is left unseen, and no other comes from where it was" passed 0

# What was recorded before an end of any kind is there.
for how in kill abort leave; do
    record mpi 2 ./ends "$how"
    ok "what was before $how" [ "$(sums | cut -d' ' -f1,3)" = "1000 0" ]
done

# Each rank records by itself; all write into one folder.
# shellcheck disable=SC2086
LD_PRELOAD=$folder/counting.so COUNTING_FILE=$folder/counted timeout 100 $run -n 3 \
    "$WEFT" record --with mpi --dir together -- ./messages >out 2>said
status=$?
ok "weft record under mpirun" [ "$status" = 0 ]
"$WEFT" recover together -o run.weft >out 2>said
ok "the ranks' recordings are one" same

if command -v "mpif90.$kind" >/dev/null; then
    "mpif90.$kind" -O1 -g -o fortran "$programs/mpi_fortran.f90" || exit 1
    record mpi 4 ./fortran
    # 10 messages of 1 to 10 integers and one of 5 on each rank, and one of 7.
    ok "a program in Fortran" [ "$(sums | cut -d' ' -f1-3)" = "45 988 0" ]
else
    echo "mpif90.$kind is not here: Fortran is not tested"
fi

# MPICL's calls: the file that they ask for is there, in order of nodes, with the work of each task
# (100, 200 and 300, and the rank).
"mpicc.$kind" -w -O1 -g -I"$programs/../../../../../include/weft/mpicl" -o guide "$programs/mpi_guide.c" || exit 1
# On several hosts, as the environment says, nobody waits for a rank that is not recorded, as those
# are not which Open MPI starts on other hosts; where each rank is recorded by itself all compare.
if [ "$kind" = openmpi ]; then
    record mpi 1 env OMPI_COMM_WORLD_LOCAL_SIZE=1 ./guide : \
        -n 1 env -u LD_PRELOAD WEFT_RECORD_DIR= OMPI_COMM_WORLD_LOCAL_SIZE=1 ./guide
    ok "a rank that is not recorded on another host" [ "$status" = 0 ]
    for clocks in '' 0; do
        # shellcheck disable=SC2086
        timeout 100 $run -n 2 env OMPI_COMM_WORLD_LOCAL_SIZE=1 OMPI_COMM_WORLD_LOCAL_RANK=0 \
            WEFT_MPI_CLOCKS=$clocks "$WEFT" record --with annotations,mpi --dir hosts -- ./guide >out 2>said
        "$WEFT" recover hosts -o "hosts$clocks.weft" 2>said || fail "ranks that are recorded by themselves"
        sed -n 's/.*weft: \([0-9]*\) events.*/\1/p' said >"compared$clocks"
    done
    ok "ranks that are recorded by themselves compare clocks" \
        [ "$(($(cat compared) - $(cat compared0)))" = 3 ]
fi
record annotations,mpi 3 ./guide
ok "a program that calls MPICL" same
events() { sed -n 's/.*run.weft: \([0-9]*\) events.*/\1/p' said; }
once=$(events)
WEFT_MPI_CLOCKS=1 record annotations,mpi 3 ./guide
# Ranks 1 and 2 compare their clocks with that of rank 0 at the begin, in clocksync0 and at the end.
ok "clocksync0 compares clocks, too" eval 'same && [ $(($(events) - once)) = 6 ]'
ok "its permanent file is in order of nodes" [ "$(cut -d' ' -f4 tracefile | uniq | tr '\n' ' ')" = "0 1 2 " ]
awk '$1 == -4 && $2 >= 0 { print $4, $2, $8 }' tracefile | sort -n >works
for rank in 0 1 2; do
    for task in 0 1 2; do echo "$rank $task $((100 * (task + 1) + rank))"; done
done >wanted
ok "and has its tasks with their work" cmp -s works wanted

# Who joins a recording later may have got it from anybody: it must not say which files are written.
mv tracefile before
# shellcheck disable=SC2086
timeout 100 $run -n 3 "$WEFT" record --with annotations,mpi --dir others -- ./guide >out 2>said
"$WEFT" recover others -o run.weft >out 2>said
ok "weft recover says how to write it" eval \
    '[ ! -e tracefile ] && grep -q "weft convert run.weft -o FILE.trf --order node" said'
"$WEFT" convert run.weft -o tracefile.trf --order node 2>said
ok "and that has all tasks, too" [ "$(awk '$1 == -4 && $2 >= 0' tracefile.trf | wc -l)" = 9 ]
mv before tracefile

awk '$1 == -5 || $1 == -6 { $3 = ""; print }' tracefile >said
for rank in 0 1 2; do
    printf '%s\n' "-5 4  $rank 0 5 1 solve" "-6 2  $rank 0 3 \"integer\" 7 1 2"
done >wanted
ok "and the data of the user" cmp -s said wanted

# Debian's hpcc is built with Open MPI; HPCC names one that was built with the other.
[ "$kind" = openmpi ] && hpcc=$(command -v hpcc) || hpcc=${HPCC:-}
if [ -n "$hpcc" ] && [ -f /usr/share/doc/hpcc/examples/_hpccinf.txt ]; then
    sed '6s/.*/200 Ns/' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
    record mpi 4 "$hpcc"
    echo "hpcc: $(matched) messages and bytes"
    ok "hpcc" same
    ok "hpcc without problems" silent
else
    echo "hpcc is not run with $kind here"
fi
exit $failed
