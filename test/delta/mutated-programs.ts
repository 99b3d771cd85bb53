/** Small programs that use the whole grammar, and random damage to them: what compile() and we must agree on. */

const SEEDS = `
def f(a, /, b: int = 1, *args: int, c=2, **kw) -> int:
    return a
--
class A(B, metaclass=M):
    x: int = 1
--
async def g():
    async with a as b, c:
        pass
    async for x in y:
        await z
    return [x async for x in y]
--
f = lambda x, *y, z=1, **w: (yield)
--
with (open(a) as f, b as (c, d)):
    pass
--
with a, b as c[0]: pass
--
try:
    pass
except* (A, B) as e:
    pass
else:
    pass
finally:
    pass
--
x = [*a, *b, c if d else e]
--
y = {**a, 'b': 1, **c}
--
z = {x: y for x, y in z if x if y}
--
f(a, *b, c=1, **d)
--
f(x for x in y)
--
del a, (b, c), d[0], e.f
--
a = b = c, *d = e
--
a: int = 3
--
for a, *b in c, d:
    break
else:
    continue_ = 1
--
while (n := f()): continue
--
assert a, b
--
raise A from b
--
import a.b as c, d
--
from . import (a, b as c,)
--
def o():
    u = 1
    def i():
        nonlocal u
        global v
        u = v = 2
    return i
--
type X[T: int, *Ts, **P] = list[T]
--
class C[T, *Ts = *tuple[int]]: pass
--
match a, *b:
    case [1, x, *_]: pass
    case {'a': -1, **r} if r: pass
    case A.B | 'x' | None: pass
    case P(x, y=1) as q: pass
    case (1 + 2j) | -3: pass
    case _: pass
--
s = f'{a!r:>{w}} {b=} {{}}' rf'x'
--
s = t'{a}' rt'{b:{c}}'
--
s = b'a' rb'x'
--
@d
@e.f(1)
def h(): yield
--
x = a[b:c, ::d]
--
x = a if b else lambda: c
--
not a in b is not c
--
x = -a ** -b @ ~c
--
x = 0xFF + 0o17 + 0b1 + 1_000 + 1e3 + .5j + 1.
--
a = 1; b = 2;
--
if a: b
elif c: d
else: e
`
  .split('--\n')
  .map((seed) => seed.replace(/^\n/, ''));

const POOL =
  `( ) [ ] { } , : ; = == := -> . ... * ** / // + - @ ~ | < <> != if else elif for in not is and or lambda yield await
  async from import as def class return break continue pass del global nonlocal try except finally raise with while match
  case type print exec None True __debug__ _ x a.b f(x) 1 0777 1_ 2j 1.5 "s" b"s" f"{x}" f"{}" t"{x}" **b (*a) (x:=1)
  lambda:x`.split(/\s+/);

const TOKEN = /\n[ \t]*|[ \t]+|\w+|"[^"\n]*"|'[^'\n]*'|\*\*|:=|->|\/\/|[^\w\s]/g;

/** Damaged programs, the same ones for the same seed. */
export function mutatedPrograms(seed: number, count: number): readonly string[] {
  const random = mulberry32(seed);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  return Array.from({ length: count }, () => {
    const tokens: string[] = pick(SEEDS)?.match(TOKEN) ?? [];
    for (let left = 1 + Math.floor(random() * 2); left > 0; left -= 1) {
      const at = Math.floor(random() * tokens.length);
      const kind = random();
      const foreign = kind < 0.8 ? ` ${pick(POOL) ?? ''} ` : (pick(pick(SEEDS)?.match(TOKEN) ?? []) ?? '');
      if (kind < 0.3) tokens.splice(at, 1);
      else if (kind < 0.55) tokens[at] = foreign;
      else tokens.splice(at, 0, foreign);
    }
    return tokens.join('');
  });
}

/** The undamaged programs. */
export const PROGRAMS: readonly string[] = SEEDS;

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
