#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traces of reductions and their trees; with ../shared, the figures of the thesis.
. "$(dirname "$0")/lib.sh"

small="$here/small.vista"
source="source=$here/small.fghc"
shared=${WEFT_SHARED:-$project/../shared}/fghc

status 0 info "$small"
prints '^format +vista$'
prints '^models +tree$'
prints 'reduction-tree, tree-levels, tree-nodes, tree-pes, tree-parallelism'
status 0 check "$small" --set "$source"
ok "nothing to report" test ! -s out
status 2 check "$small" --set nonsense=1
one_error
says "unknown setting 'nonsense=1' \(right: source=FILE\)"
status 3 check "$small" --set source=nowhere.fghc
one_error

# Faults have their line, and only with the program some can be seen.
sed '4s/.*/120\t9\t1\t1\t0\t2/' "$small" >bad.vista
status 1 check bad.vista --set "$source"
prints 'bad.vista:4 .*unknown-clause'
prints 'bad.vista:3 .*too-few-children'
status 0 check bad.vista

status 0 render tree-nodes "$small" --set "$source" --format csv
cat >wanted <<'END'
record,pe,index,ppe,pindex,clause,procedure,time_ns,level,children,height,depth_below,weight,start_deg,alloc_deg
1,0,1,0,0,1,start,0,0,1,4,3,12,0,360
2,0,2,0,1,2,work,10000,1,2,3,2,8,0,360
3,1,1,0,2,4,stop,20000,2,0,2,0,2,0,144
4,0,3,0,2,3,stop,20000,2,1,2,1,3,144,216
5,1,2,0,3,5,stop,30000,3,0,1,0,1,144,216
END
ok "the table of nodes" cmp -s out wanted
status 0 render tree-nodes "$small" --set "$source" --set root=0:3 --format csv
ok "of a subtree" test "$(wc -l <out)" -eq 3
status 2 render tree-nodes "$small" --set root=9:9
one_error
says "the tree has no such node"
status 2 render reduction-tree "$small" --set color=mauve
says "color=pe.time.pe-time.procedure"
status 0 render reduction-tree "$small" --set "$source" --set colour=procedure
prints '<svg'
prints '>work<'
status 0 render reduction-tree "$small" --time-unit ms --set layout=icicle --format csv
prints '^5,1,2,clause 5,30000000,3,3,'
status 0 render tree-compare "$small" "$small" --set difference=pe --format csv
ok "all five are the same" test "$(grep -c . out)" -eq 6
status 2 render tree-compare "$small"
one_error
says "it needs two traces"
# Paje text has no roles; what weft wrote is known again by its names, where the kinds fit.
status 0 convert "$small" --set "$source" -o small.paje
status 0 render tree-nodes "$small" --set "$source" --format csv
cp out wanted
status 0 render tree-nodes small.paje --format csv
ok "as from the trace itself" cmp -s out wanted
sed 's/parent_pe int/parent_pe double/' small.paje >real.paje
status 0 views real.paje
prints '^reduction-tree +\(cannot be filled'
status 0 convert "$small" --set "$source" -o small.weft
status 0 render tree-pes small.weft --format csv
prints '^0,3,20000,,0,2,5,4,1.250,1.250$'
prints '^1,2,10000,,2,0,5,4,1.250,1.250$'

if [ -d "$shared" ]; then
    status 0 render tree-levels "$shared/quicksort.vista" --format csv
    ok "seven levels of 1, 1, 3, 7, 8, 2, 1" test \
        "$(cut -d, -f2 out | tail -n +2 | paste -sd' ')" = "1 1 3 7 8 2 1"
    status 0 check "$shared/quicksort.vista" --set "source=$shared/quicksort.fghc"
    status 0 render tree-pes "$shared/quicksort.vista" --format csv
    ok "PEs ran 9, 4, 5, 5" test "$(cut -d, -f2 out | tail -n +2 | paste -sd' ')" = "9 4 5 5"
    status 0 render tree-nodes "$shared/quicksort.vista" --format csv
    for row in 1:0:85:0:360 2:1:78:0:360 3:2:15:0:75 5:2:17:75:85 7:2:40:160:200 \
        9:3:9:160:51.43 11:3:13:211.43:74.29 12:3:4:75:28.33 17:3:13:285.71:74.29 \
        10:6:1:0:75; do
        ok "record:level:weight:start:allocation $row" test "$(awk -F, -v OFS=: \
            -v r="${row%%:*}" '$1 == r { print $1, $9, $13, 0 + sprintf("%.2f", $14),
            0 + sprintf("%.2f", $15) }' out)" = "$row"
    done
else
    skip "the figures of the thesis" "there is nothing at $shared (WEFT_SHARED)"
fi
# A file of 50 bytes that says it has 65535 PEs: what is made of it has the size of what it shows,
# which is three reductions.
printf '65535\n1 1 0 1 0 0\n2 1 65534 1 0 1\n3 1 65533 1 65534 1\n' >claims.vista
status 0 convert claims.vista -o claims.weft
drawn=0
for view in $("$weft" views | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p'); do
    (ulimit -v 600000 && exec "$weft" render "$view" claims.weft -o claims.png) >out 2>err
    got=$?
    grep -q 'cannot fill' err && continue
    drawn=$((drawn + 1))
    ok "$view of 65535 PEs, three of which did something, in 600 MB" test $got -eq 0
done
ok "views of trees are among them" test $drawn -gt 4
finish
