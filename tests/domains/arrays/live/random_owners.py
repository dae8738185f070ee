# SPDX-License-Identifier: Apache-2.0
"""random_owners.py SEED NAME: writes a random program of loops over an array, NAME_h.c, and
NAME_s.c, which makes the same references and prints each with its owner ("-": nobody)."""
import random
import sys

r = random.Random(int(sys.argv[1]))
N = 14
LOOPS = "ijk"
hooks, simulated = [], []


def index(variables):
    def one():
        v = r.choice(variables + variables + [None]) if variables else None
        if v is None:
            return str(r.randrange(N))
        c, t = r.randrange(3), r.random()
        if t < 0.6:
            return f"(({v}+{c})%N)" if c else v
        return f"(({v}+{r.choice(variables)})%N)" if t < 0.8 else f"(N-1-{v})"
    return f"({r.randrange(3)}*N+{one()})", one()


def element(i):
    return f"a[{i[0]}][{i[1]}]"


def reads(variables, n):
    return [index(variables) for _ in range(n)]


def total(of):
    return "+".join(map(element, of))


def read(of, owner):
    """Prints reads; owner None is nobody."""
    to = f"{owner[0]}*N+({owner[1]})" if owner else "-1"
    return "".join(f"rd({i[0]},{i[1]},{to}); " for i in of)


def write(i):
    return f"wr({i[0]}*N+({i[1]})); "


def emit(code, *what):
    """Each @ in CODE stands for what the simulation prints there."""
    hooks.append(code.replace("@", ""))
    for w in what:
        code = code.replace("@", w, 1)
    simulated.append(code)


def plain(variables, o):
    of = reads(variables, r.randrange(1, 4))
    emit(f"@ @ {element(o)} = W({total(of)}); FORGET();", read(of, o), write(o))


def conditional(variables, o):
    of, c = reads(variables, 2), r.randrange(1, 9)
    emit(f"{{ double t = W({total(of)}); @ if (t < {c}) {{ @ {element(o)} = t; }} FORGET(); }}",
         read(of, o), write(o))


def relaxed(variables, o):
    of = reads(variables, 2)
    emit(f"{{ double t = W({total(of)}); @ if (t < {element(o)}) {{ @ {element(o)} = t; }} FORGET(); }}",
         read(of + [o], o), write(o))


def constant(variables, o):
    of, c = reads(variables, 2), r.randrange(1, 9)
    emit(f"{{ @ if (W({total(of)}) < {c}) {{ @ {element(o)} = {c}.5; }} FORGET(); }}",
         read(of, o), write(o))


def unrelated(variables, o):
    of, c = reads(variables, 1), r.randrange(1, 9)
    emit(f"{{ @ double t = {total(of)}; if (t > most) most = t; @ {element(o)} = {c}; FORGET(); }}",
         read(of, None), write(o))


def exchange(variables, o):
    q = index(variables)
    emit(f"{{ @ double t = {element(q)}; FORGET(); double s = {element(o)}; @ {element(q)} = s; "
         f"FORGET(); @ {element(o)} = t; FORGET(); }}",
         read([q], o) + read([o], q), write(q), write(o))


def second(variables, o):
    of, q, c = reads(variables, 1), index(variables), r.randrange(1, 9)
    emit(f"{{ @ double t = {total(of)}; FORGET(); @ {element(q)} = {c}; FORGET(); "
         f"@ {element(o)} = W(t); FORGET(); }}", read(of, o), write(q), write(o))


def summed(variables, o, v):
    of = reads(variables + [v], 2)
    emit(f"{{ double s = 0; for (int {v} = 0; {v} < N; {v}++) {{ @ s += {total(of)}; FORGET(); }} "
         f"@ {element(o)} = W(s); FORGET(); }}", read(of, o), write(o))


def largest(variables, o, v):
    of = reads(variables + [v], 1)
    emit(f"{{ double m = -1; for (int {v} = 0; {v} < N; {v}++) {{ @ double t = {total(of)}; "
         f"if (t > m) m = t; FORGET(); }} @ {element(o)} = W(m); FORGET(); }}",
         read(of, o), write(o))


def last(variables, o, v):
    of, c = reads(variables + [v], 1), r.randrange(1, 9)
    emit(f"{{ int p = 0; for (int {v} = 0; {v} < N; {v}++) {{ @ if ({total(of)} > {c}) p = {v}; "
         f"FORGET(); }} USE(p); @ {element(o)} = {c}; FORGET(); }}", read(of, None), write(o))


def found(variables, o, v):
    of, c = reads(variables + [v], 1), r.randrange(1, 9)
    emit(f"{{ int {v} = 0; for (; {v} < N - 1; {v}++) {{ @ if ({total(of)} > {c}) break; FORGET(); }} "
         f"@ @ {element(o)} = W(a[{v}][{c}]); FORGET(); }}",
         read(of, None), read([(v, str(c))], o), write(o))


def statement(variables, depth):
    o = index(variables)
    if depth < len(LOOPS) and r.random() < 0.45:
        r.choice([summed, largest, last, found])(variables, o, LOOPS[depth])
    else:
        r.choice([plain, conditional, relaxed, constant, unrelated, exchange, second])(variables, o)


def loop(variables, depth):
    v = LOOPS[depth]
    emit(f"for (int {v} = {r.choice(variables + ['0', '0'])}; {v} < N; {v}++) {{")
    for _ in range(r.randrange(1, 4)):
        if depth < 1 and r.random() < 0.3:
            loop(variables + [v], depth + 1)
        else:
            statement(variables + [v], depth + 1)
    emit("}")


for _ in range(r.randrange(1, 4)):
    loop([], 0)
BEGIN = """#include <math.h>
#include <stdio.h>
#include "weft/weft_array.h"
enum { N = %d };
static double a[3 * N][N], outside;
#define FORGET() __asm__ volatile("" ::: "memory")
#define USE(x) __asm__ volatile("" : : "r"(x) : "memory")
#define W(x) fmod((x) * 1.37 + 0.1, 10)
__attribute__((unused)) static void rd(int i, int j, int o)
{
    if (o < 0) printf("read %%d -\\n", i * N + j); else printf("read %%d %%d\\n", i * N + j, o);
}
__attribute__((unused)) static void wr(int o) { printf("write %%d %%d\\n", o, o); }
static void kernel(void)
{
    double most = 0;
    for (int step = 0; step < 4; step++) {
""" % N
END = """
        weft_array_step();
    }
    outside = most;
}
int main(void)
{
    for (int i = 0; i < 3 * N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = ((i * 7919 + j * 104729) % 1000) / 100.0;
    weft_array("a", 2, (const size_t[]){ 3 * N, N });
    weft_array_at(a, sizeof a[0][0]);
    kernel();
    weft_array_at(NULL, 0);
    return outside < 0;
}
"""
for name, body in (("h", hooks), ("s", simulated)):
    with open(f"{sys.argv[2]}_{name}.c", "w") as out:
        out.write(BEGIN + "\n".join(body) + END)
