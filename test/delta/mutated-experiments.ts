/** Experiment files after small changes by a person or an attacker, the same for the same seed. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const EVIL = "exec('import os')";

const EXTRA = `
import os
from a import b, c
class Cfg(Base, retries=1):
    lr: float = 1e-3
    def build(self, size=8, *, kind="x"):
        if (n := size) > 3:
            return run(n, lr=2, name=f"r_{kind}")
        return [make(a=1), {"k": 2, **MORE, "z": (3, -4)}]
@remote(cpus=2)
def job(fn=print):
    fn("x")
    return {1: "a", True: "b"}
A = B = 6 * 512
cfg.opt.value = int(os.environ.get("STEPS", "5"))
STEPS *= 2
x = load(shard=1).mix([1, 2], models.small, w={"a": 0.5, "b": [{"c": 1}, {"d": 2}]})
`;

const FILES: readonly string[] = [
  ...['lab/experiments/ferries/daily.py', 'delta/generations/one.py', 'delta/generations/two.py'],
  ...['delta/generations/three.py'],
].map((path) => readFileSync(join(FIXTURES, path), 'utf8'));

export type MutatedPair = { readonly base: Buffer; readonly head: Buffer };

type Mutation = (text: string, random: () => number) => string;

/** Replaces one match, if there is one. */
function oneOf(pattern: RegExp, put: (match: RegExpMatchArray, random: () => number) => string): Mutation {
  return (text, random) => {
    const matches = [...text.matchAll(pattern)];
    const match = matches[Math.floor(random() * matches.length)];
    if (match === undefined) return text;
    return text.slice(0, match.index) + put(match, random) + text.slice(match.index + match[0].length);
  };
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to pick');
  return item;
}

const VALUES = ['7', '-1', '2.5', '"s"', 'None', 'b', 'x.y', '[1, 2]', '{"a": 1}', 'int("3")', '1 + 2', '3e-3'];
const CODE = [EVIL, `(${EVIL} or 1)`, 'f(1)', 'a if b else c', '[*b]', 'lambda: 1', '(y := 1)', 'f"{b}"', 'b[0]'];

const MUTATIONS: readonly Mutation[] = [
  oneOf(/(?<==\s?)\d[\d_.e-]*/g, (_, random) => pick(VALUES, random)),
  oneOf(/(?<==\s?)\d[\d_.e-]*/g, (_, random) => pick(CODE, random)),
  oneOf(/(?<=: )\d[\d_.e-]*/g, (_, random) => pick([...VALUES, ...CODE], random)),
  oneOf(/"[^"\n]*"/g, (_, random) => pick(VALUES, random)),
  oneOf(/\b\d+\b/g, (_, random) => pick(VALUES, random)),
  // Keywords, entries and statements that are added, removed and reordered.
  oneOf(/\b\w+\(/g, ([call], random) => `${call}extra=${pick([...VALUES, ...CODE], random)}, `),
  oneOf(/\w+=[\w."]+,\s/g, () => ''),
  oneOf(/\{/g, (_, random) => `{"new": ${pick([...VALUES, ...CODE], random)}, `),
  oneOf(/"\w+": [\d.]+,\s/g, () => ''),
  oneOf(/(\w+=\w+), (\w+=\w+)/g, ([, one, other]) => `${other}, ${one}`),
  oneOf(/("\w+": [\d.]+),(\s+)("\w+": [\d.]+)/g, ([, one, space, other]) => `${other},${space}${one}`),
  oneOf(/^(.*)\n(\w.*)$/gm, ([, one, other]) => `${other}\n${one}`),
  oneOf(
    /^(?=\w)/gm,
    (_, random) => `${pick(['NEW = 1', EVIL, 'import z', 'from a import z', 'pass', '"text"'], random)}\n`,
  ),
  // Places that can hide code: annotations, targets, callees, decorators, bases, defaults, docstrings.
  oneOf(/^(\w+) = /gm, ([, name]) => `${name}: ${EVIL} = `),
  oneOf(/^(\w+) = /gm, ([, name]) => `vars(${EVIL} or ${name})["a"] = `),
  oneOf(/^(\w+) = /gm, ([, name]) => `${name}[${EVIL}] = `),
  oneOf(/^(\w+) = /gm, ([, name]) => `${name} = OTHER = `),
  oneOf(/\b(\w+)\.(\w+)\(/g, ([, left, right]) => `${left}(${EVIL}).${right}(`),
  oneOf(/\b(\w+)\(/g, ([, name], random) => `${pick(['eval', 'other', `${name}.more`], random)}(`),
  oneOf(/^(def|class) /gm, ([, word]) => `@deco(${EVIL})\n${word} `),
  oneOf(/: int\b|: float\b/g, () => `: ${EVIL}`),
  oneOf(/"""[^"]*"""/g, (_, random) => pick(['"""other"""', `f"""{${EVIL}}"""`, '""'], random)),
  // Bytes: cookies, separators, control characters, line ends.
  (text) => `# Daily.\u2028 coding: raw_unicode_escape\n# x \\u000a${EVIL}\n${text}`,
  (text, random) => `# coding: ${pick(['utf-7', 'latin-1', 'utf8', 'raw_unicode_escape'], random)}\n${text}`,
  oneOf(/\n/g, (_, random) =>
    pick([`  # x\r${EVIL}\n`, `  # x\u0085${EVIL}\n`, '\r\n', '\0\n', '\f\n', '\u2029\n'], random),
  ),
  oneOf(/$/gm, () => '  # a note'),
  (text) => `\uFEFF${text}`,
];

/** `count` pairs, each of one file and the same file after one to three changes. */
export function mutatedPairs(seed: number, count: number): readonly MutatedPair[] {
  const random = mulberry32(seed);
  return Array.from({ length: count }, () => {
    const base = `${pick(FILES, random)}${EXTRA}`;
    let head = base;
    for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) head = pick(MUTATIONS, random)(head, random);
    return { base: Buffer.from(base), head: Buffer.from(head) };
  });
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
