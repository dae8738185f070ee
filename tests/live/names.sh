#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How threads are called that runtimes make: GLib tells the kernel their names, Python does since
# version 3.14.  Each name is what can be known.  GLIB is a program, or empty.
set -u
: "${GLIB=}"
. "$(dirname "$0")/lib.sh"
# names TRACE: of all threads but the first, which is called after its program
names() { "$WEFT" dump "$1" | sed -n 's/^Container, [^,]*, Thread, .*, //p' | sed 1d | sort; }
tried=0

if [ -n "$GLIB" ]; then
    tried=1
    "$WEFT" record -o glib.weft -- "$GLIB" 2>said || stop "the program of GLib"
    names glib.weft >got
    # Without a name the thread, the third, is called after what it runs, though GLib may be stripped.
    printf '%s\n' "carry 3" loader "writer of thumbnails" >right
    cmp -s got right || stop "names of GLib's threads: $(tr '\n' ';' <got)"
else
    echo "# no GLib to build with"
fi

cat >threads.py <<'END'
import threading, time
threads = [threading.Thread(target=time.sleep, args=(0.01,), name=n) for n in ("red", "green")]
[t.start() for t in threads]
[t.join() for t in threads]
END
for python in $(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) /usr/bin/python3; do
    [ -x "$python" ] || continue
    tried=1
    "$WEFT" record -o python.weft -- "$python" threads.py 2>said || stop "$python"
    names python.weft >got
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 14))'; then
        printf '%s\n' green red >right
    elif grep -q '^Python' got; then # it has no symbols
        printf '%s\n' "Python thread 1" "Python thread 2" >right
    elif grep -q '^thread_run' got; then # what it runs, as 3.11 calls it
        printf '%s\n' "thread_run 1" "thread_run 2" >right
    else
        printf '%s\n' "t_bootstrap 1" "t_bootstrap 2" >right
    fi
    cmp -s got right || stop "names of Python's threads: $(tr '\n' ';' <got)"
    # The lock that all of them need, where it is a variable: until version 3.11, and later.
    "$WEFT" dump python.weft | grep _PyRuntime >got
    if "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then
        [ -s got ] || stop "$python: no GIL"
    fi
    grep -v "Python's GIL (_PyRuntime+" got && stop "$python: the GIL is not called so"
done
[ $tried = 1 ] || exit 77
echo ok
