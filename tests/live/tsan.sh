#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tsan.sh PROGRAM STATUS LIBRARY...: run PROGRAM with these libraries of the recorder, the last
# one ThreadSanitizer's, preloaded in this order.  It must say nothing, end with STATUS (66:
# something was found), and have recorded.
set -u
program=$1
wanted=$2
shift 2
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-tsan-XXXXXX")
trap 'rm -rf "$folder"' EXIT
said=$(WEFT_RECORD_DIR=$folder LD_PRELOAD=$(IFS=: && echo "$*") "$program" 2>&1)
status=$?
if [ "$status" != "$wanted" ] || [ -n "$said" ]; then
    echo "$program ended with $status instead of $wanted: $said"
    exit 1
fi
ls "$folder"/h-*/l* >/dev/null || exit 1
