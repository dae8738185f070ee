#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All JSON that weft prints, read by Python: it is JSON whatever the names in a trace are, and
# the names come back.  A byte that is no part of valid UTF-8 comes back as U+FFFD.
. "$(dirname "$0")/lib.sh"

# A trace whose states have names of all bytes that Paje may hold, and of what is hard in JSON:
# a Paje name has no quotes, and a line with control characters is refused.
cat >make.py <<'END'
import sys
header = open(sys.argv[1], "rb").read().split(b"\n0 P 0 Process")[0]
names = [bytes([byte]) for byte in range(33, 256) if byte != ord('"')] + [
    b"\\", b"\\u0041", b"\\\\n", b"</script>", b"a\tb", "\u2028\u2029".encode(),
    "caf\u00e9 \u20ac \U0001f600".encode(), b"caf\xe9", b"\xc0\x80", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xf0\x9f\x98x", b"null", b"1e5", b"x" * 3000]
names = sorted(set(names))
with open("names.paje", "wb") as out:
    out.write(header + b"\n0 P 0 Process\n1 S P State\n6 0 p1 P 0 \"caf\xe9\\\"\n")
    for number, name in enumerate(names):
        out.write(b'5 v%d S "%s" ""\n8 %d S p1 v%d\n' % (number, name, number, number))
    out.write(b"8 %d S p1 v0\n10 %d S p1\n" % (len(names), len(names) + 1))


def valid(text):
    """TEXT as UTF-8, with U+FFFD for each byte that is no part of a character."""
    characters = ""
    while text:
        for size in range(1, 5):
            try:
                characters += text[:size].decode()
                break
            except UnicodeDecodeError:
                pass
        else:
            size = 1
            characters += "\ufffd"
        text = text[size:]
    return characters


with open("wanted", "w", encoding="utf-8", newline="") as out:
    out.write("\0".join(sorted(set(map(valid, names)))))
END
cat >read.py <<'END'
import json
import sys


def reject(word):
    raise ValueError(word + " is no JSON")


def members(pairs):
    assert len(dict(pairs)) == len(pairs), "a name comes twice"
    return dict(pairs)


def read(path):
    with open(path, encoding="utf-8", errors="strict", newline="") as file:
        return json.load(file, parse_constant=reject, object_pairs_hook=members)


if sys.argv[1] == "all":
    for path in sys.argv[2:]:
        try:
            read(path)
        except ValueError as error:
            sys.exit(f"{path}: {error}")
else:
    value = read(sys.argv[1])
    wanted = open("wanted", encoding="utf-8", newline="").read().split("\0")
    got = sorted({row[sys.argv[2]] for row in value} - {None, ""})
    assert got == wanted, sorted(set(got) ^ set(wanted))[:5]
END
ok "the trace is made" python3 make.py "$here/small.paje"
n=0
reads() { # reads ARGUMENT...: weft ends well; its output is kept, to be read with all others
    n=$((n + 1))
    "$weft" "$@" >"$n.json" 2>err
    got=$?
    case $1 in check) ok "weft $*" test $got -le 1 ;; *) ok "weft $*" test $got -eq 0 ;; esac
}

"$weft" stats names.paje --format json >out 2>err
ok "stats: every name comes back" python3 read.py out value
"$weft" render space-time names.paje --format json >out 2>err
ok "space-time: every name comes back" python3 read.py out value
"$weft" fghc "$project/examples/fghc/primes.fghc" 'go(30,P)' --pes 2 -o tree.weft >out 2>err
for trace in names.paje "$here/small.paje" "$here/faulty.paje" tree.weft; do
    reads info "$trace" --json
    reads check "$trace" --json
    reads stats "$trace" --format json
    for view in $("$weft" info "$trace" | sed -n 's/^views *//p' | tr -d ,); do
        reads render "$view" "$trace" --format json
        reads render "$view" "$trace" --format scene
    done
done
# The notes of a recording hold the program's name.
program=$(printf 'caf\351 "\177\\')
cp /bin/true "$program"
"$weft" record -o named.weft -- "./$program" >out 2>err
reads info named.weft --json
ok "the program's name is in it" grep -qF "$(printf 'caf\357\277\275')" $n.json
ok "all of them printed JSON" python3 read.py all ./*.json
finish
