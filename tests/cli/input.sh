#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Any file from anyone: it is read whole, or there is one line that says what is wrong.
. "$(dirname "$0")/lib.sh"
small=$here/small.paje
"$weft" dump "$small" >whole

same() { ok "$1 reads as the whole trace" sh -c "'$weft' dump '$1' 2>err | cmp -s - whole"; }
told() { # told FILE WORDS: check lists them and ends with 1
    status 1 check "$1"
    prints "$2"
}

# Compressed in each way, in several members, with padding, with frames to be skipped.
split -n l/3 "$small" part.
for packer in "gzip gz" "xz xz" "zstd zst"; do
    command -v "${packer% *}" >/dev/null || { skip "$packer" "not installed"; continue; }
    ending=${packer#* }
    for part in part.a?; do
        "${packer% *}" -c "$part"
    done >"several.$ending"
    same "several.$ending"
    # Cut at any byte: told, or, when nothing can be made of it, refused.
    size=$(wc -c <"several.$ending")
    for cut in 1 7 $((size / 3)) $((size / 2)) $((size - 1)); do
        head -c "$cut" "several.$ending" >"cut.$ending"
        "$weft" check "cut.$ending" >out 2>err
        got=$?
        ok "of $ending cut at $cut something is said ($got)" \
            test $got -eq 1 -o $got -eq 3
    done
    told "cut.$ending" "cut short|damaged"
done
{ gzip -c "$small"; head -c 100000 /dev/zero; } >padded.gz
same padded.gz
{ gzip -c "$small"; echo "and more"; } >more.gz
told more.gz "not compressed"
if command -v zstd >/dev/null; then
    { printf '\120\52\115\30\3\0\0\0abc'; zstd -qc "$small"; printf '\136\52\115\30\1\0\0\0x'; } >skip.zst
    same skip.zst
    # Of a pipe zstd does not know the size, so the window is as wide as it is told.
    cat "$small" | zstd -q --long=28 >wide.zst
    status 3 info wide.zst
    one_error
    says "more than 128 MiB.*--long"
fi
# Marks, and texts of 16 bits.
{ printf '\357\273\277'; cat "$small"; } >marked.paje
same marked.paje
ok "and is without a problem" "$weft" check marked.paje
for code in UTF-16 UTF-16LE UTF-16BE; do
    iconv -f UTF-8 -t $code "$small" >wide.paje
    status 3 info wide.paje
    one_error
    says "UTF-16"
done

# What is no trace.
echo 'BZh91AY&SY' >x.bz2
tar cf x.tar "$small" 2>/dev/null
seq 100 >numbers
for file in x.bz2:bzip2 x.tar:tar numbers:"not a trace" empty:empty; do
    : >empty
    status 3 info "${file%%:*}"
    one_error
    says "${file#*:}"
done
gzip -c whole >dump.gz
"$weft" convert "$small" -o store.weft
gzip -kf store.weft
status 3 info store.weft.gz
one_error
says "must be a plain file"
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
for place in /dev/zero:device /dev/null:device .:folder socket:socket; do
    for command in info "convert -o x.weft" "render space-time"; do
        status 3 $command "${place%:*}"
        one_error
        says "${place#*:}"
    done
done

# Definitions that are cut anywhere before the first event end in a problem.
head=$(grep -n -m 1 '^0 P 0' "$small" | cut -d : -f 1)
head -n $((head - 1)) "$small" | grep -v '^#' >head.paje
size=$(wc -c <head.paje)
silently=
for cut in $(seq 30 97 "$size") "$size"; do
    head -c "$cut" head.paje >cut.paje
    "$weft" check cut.paje >out 2>err && silently="$silently $cut"
done
ok "no cut is silent ($silently)" test -z "$silently"
status 3 render space-time head.paje
one_error
says "nothing to show"
status 3 render all head.paje -o all

# Pipes: named ones, those of the shell, slow ones.
mkfifo pipe
cat "$small" >pipe &
same pipe
cat "$small" >pipe &
status 0 convert pipe -o piped.weft
same piped.weft
gzip -c "$small" >slow.gz
{
    head -c 1 slow.gz
    sleep 0.2
    tail -c +2 slow.gz
} | "$weft" dump - >out 2>err
ok "a pipe that begins with one byte" cmp -s out whole
ok "standard input that is a file" sh -c "'$weft' dump - <several.gz | cmp -s - whole"

# A signal ends what waits for a pipe: 128 and its number.
mkfifo quiet
exec 9<>quiet
for signal in INT:130 TERM:143 HUP:129; do
    for command in "info pipe" "info -" "convert pipe -o never.weft"; do
        # shellcheck disable=SC2086  # words
        env --default-signal=INT,TERM,HUP "$weft" $command >out 2>err <quiet &
        until_waits $!
        kill -"${signal%:*}" $!
        wait $!
        got=$?
        ok "${signal%:*} ends weft $command with $got" test $got -eq "${signal#*:}"
        one_error
    done
done
ok "nothing is left" sh -c '! ls -A | grep -E "never|^\.[a-z]"'

# A program beside the trace that has no end is not read.
truncate -s 20G endless
status 3 info "$here/small.vista" --set source=endless
one_error
status 3 info "$small" --map endless
one_error
status 3 fghc endless go
one_error
rm endless

# Output that is no file is written to, not replaced.
status 0 render space-time "$small" --format csv -o /dev/null
ok "/dev/null is a device still" test -c /dev/null
status 4 render space-time "$small" --format csv -o /dev/full
one_error
mkdir folder.weft
status 4 convert "$small" -o folder.weft
# PICL in no order, more than is kept in memory: the rest lies where the index will, and nowhere else.
awk 'BEGIN { print "-3 -901 0 0 0 0"; for (i = 400000; i > 0; i--) print "-2 7", i, "1 0 2 2", i, i }' \
    >unsorted.trf
ok "a large trace of PICL in no order is read" sh -c "'$weft' dump unsorted.trf 2>err | tail -n 1 | \
    grep -q 400000"
finish
