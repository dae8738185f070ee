# SPDX-License-Identifier: Apache-2.0
# For the scripts beside this one: a folder of their own, which is current and goes at the end, and
# one way to say what is wrong.  A script sources this, calls fail() or stop(), and ends with
# "exit $failed".
: "${WEFT:?names the weft to test}"
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-$(basename "$0" .sh)-XXXXXX")
trap 'chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

fail() { # WHAT: the other checks go on
    echo "FAILED: $*"
    [ -f said ] && sed 's/^/    /' said
    failed=1
}

stop() { # WHAT: nothing after it could be right
    fail "$@"
    exit 1
}

skip() { # WHY
    echo "$*"
    exit 77
}

wait_until() { # WHAT COMMAND...: for a minute
    what=$1
    shift
    tries=0
    until "$@" >/dev/null 2>&1; do
        sleep 0.05
        tries=$((tries + 1))
        [ "$tries" -lt 1200 ] || stop "$what"
    done
}

is_built() { # LIBRARY: this build has this one of the recorder's
    [ -f "$(dirname "$WEFT")/../record/libweft-record-$1.so" ]
}
