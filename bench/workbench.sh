#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The workbench over the 10^8 states of store_bench: 20 s of panning and zooming, without and
# with 30 ms added to every request.
set -eu
states=100000000
seconds=20
if [ "$BENCH_SCALE" = small ]; then
    states=1000000
    seconds=5
fi
store=/tmp/weft-bench-$states-8.weft
if ! /usr/bin/python3 -c 'import selenium' 2>/dev/null || ! command -v chromedriver >/dev/null; then
    echo "workbench: python3-selenium or chromium-driver is not installed: skipped" >&2
    exit 0
fi
# There may be none yet, or one of an older format.
"$WEFT" info "$store" >/dev/null 2>&1 || "$BUILD/bench/store_bench" >/dev/null
/usr/bin/python3 bench/workbench.py "$WEFT" "$store" $seconds
/usr/bin/python3 bench/workbench.py "$WEFT" "$store" $seconds 30
