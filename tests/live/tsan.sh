#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tsan.sh RECORDER LIBTSAN PROGRAM STATUS: run PROGRAM with the recorder under ThreadSanitizer.
# It must say nothing, end with STATUS (66: something was found), and have recorded.
set -u
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-tsan-XXXXXX")
trap 'rm -rf "$folder"' EXIT
said=$(WEFT_RECORD_DIR=$folder LD_PRELOAD=$1:$2 "$3" 2>&1)
status=$?
if [ "$status" != "$4" ] || [ -n "$said" ]; then
    echo "$3 ended with $status instead of $4: $said"
    exit 1
fi
ls "$folder"/h-*/t* >/dev/null || exit 1
