#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that calls MPICL, as the guide of ParaGraph prints it (appendix C, its blanks filled
# in), compiles with Weft's headers and is recorded: its tasks have numbers and work.  MPI itself is
# not needed for that: what the program calls of it is here.
. "$(dirname "$0")/lib.sh"
if ! command -v gcc >/dev/null; then
    skip "MPICL" "gcc is not installed"
    finish
fi
cat >mpi.h <<'C'
typedef int MPI_Comm;
#define MPI_COMM_WORLD 0
static int level = -1;
#define MPI_Init(argc, argv) (void)(argc), (void)(argv)
#define MPI_Comm_size(comm, size) (*(size) = 1)
#define MPI_Comm_rank(comm, rank) (*(rank) = 7)
#define MPI_Finalize() return level
int MPI_Pcontrol(const int wanted, ...);
int MPI_Pcontrol(const int wanted, ...)
{
    level = wanted;
    return 0;
}
C
cat >guide.c <<'C'
#include <mpi.h>
#include <mpiprof.h>
#include <binding.h>

main(argc, argv)
    int argc;
    char **argv;
{
    int k, myid, nprocs, ntasks = 3, work, many[100], pair[2] = { 8, -9 };
    long longs[2] = { 1L << 40, -1 };
    float real = 0.1f;
    double doubles[3] = { 1.5, 2, 0.1 };

    MPI_Init(&argc, &argv);

    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm_rank(MPI_COMM_WORLD, &myid);

    tracefiles("", "tracefile", 0);           /* mandatory */
    tracelevel(1, USER, 0);                   /* mandatory */
    tracenode(100000, 0, 1);                  /* mandatory */
    clocksync0();
    traceevent("entry", 9, 0);
    for (k = 0; k < ntasks; k++) {
        traceevent("entry", k, 0);            /* optional */
        work = 100 * (k + 1) + myid;          /* optional */
        traceevent("exit", k, 1, &work);      /* optional */
    }
    traceevent("mark", 4, 0);
    for (k = 0; k < 100; k++)
        many[k] = k;
    traceevent("mark", 4, 2, pair);
    traceevent("label", 6, 8, "solve it");
    traceevent("message", 7, 5, "hello");
    tracedata(5, 1, "integer", 100, (char *)many);
    tracedata(5, 2, "long", 2, (char *)longs);
    tracedata(5, 3, "float", 1, (char *)&real);
    tracedata(5, -4, "real", 1, (char *)&real);
    tracedata(5, 5, "double", 3, (char *)doubles);
    tracedata(5, 6, "character", 2, "Hi");
    traceevent("entry", 3000000, 0);
    traceevent("exit", 3000000, 0);
    work = 5000;
    traceevent("exit", 9, 1, &work);
    MPI_Finalize();
}
C
compile() { # compile LEVEL: as the guide's, with this level for the user's events
    gcc -w -rdynamic -DUSER="$1" -I. -I"$project/include/weft/mpicl" guide.c -o guide 2>err
}
ok "it compiles" compile 1
./guide
ok "without a recording it runs, and MPI is told the level" test $? -eq 1
"$weft" record -o run.weft -- ./guide >out 2>err
status 0 check run.weft
"$weft" dump run.weft | awk -F ', ' '$3 == "Task" { print $7, $8 }' >tasks
printf '0 task 9\n1 task 0\n1 task 1\n1 task 2\n1 task 3000000\n' >wanted
ok "its tasks are there, inside one another" cmp tasks wanted
"$weft" dump run.weft | awk -F ', ' '$3 == "Instant" { print $5 }' >marks
printf 'mark 4\n' >wanted
ok "and its mark without parameters" cmp marks wanted
# As Paje its number and its work are the last words of the line where it begins.
"$weft" convert run.weft -o run.paje
for task in "0 107" "1 207" "2 307" "9 5000"; do
    ok "task ${task% *} has its work" grep -qE "(^| )$task( |\$)|(^| )${task#* } ${task% *}( |\$)" run.paje
done
# So are the values of what it says, as PICL has them; Paje has no quotes in texts.
said() { # said VALUES: a line of the file ends with them
    ok "it said $1" grep -qF "\"$(printf '%s' "$1" | tr '"' "'")\"" run.paje
}
said '2 2 8 -9'
said '8 1 solve it'
said '5 1 hello'
said "101 \"integer\" 1 $(seq -s' ' 0 99)"
said '3 "long" 2 1099511627776 -1'
said '2 "float" 3 0.1'
said '2 "real" -4 0.1'
said '4 "double" 5 1.5 2.0 0.1'
said '3 "character" 6 72 105'
ok "it compiles for no tasks" compile 0
"$weft" record -o run.weft -- ./guide >out 2>err
"$weft" dump run.weft | grep -cE 'Task|Instant|Data|Mark|Label|Note' >n
ok "tracelevel turns them off" test "$(cat n)" -eq 0
gcc -std=c99 -Wall -Wextra -Werror -I"$project/include/weft/mpicl" -x c -c - -o strict.o 2>err <<'C'
#include <mpiprof.h>
#include <binding.h>
int use(void);
int use(void)
{
    traceevent("mark", 1, 0);
    return 0;
}
C
ok "the headers have no warning" test $? -eq 0
finish
