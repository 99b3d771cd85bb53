/** Compares what two calls of the same function are given. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import { type Outcome, together, UNCOUNTABLE } from './diff-outcome.ts';
import { diffPresence, diffValue, type Pair } from './diff-value.ts';
import { nameOf, type PyFile } from './normal-form.ts';

/** Keywords are paired by name, positional arguments by position, expansions in their order. */
export function diffArguments(base: PyNode, head: PyNode, files: Pair): Outcome {
  return together([
    diffPositions(base, head, files),
    diffKeywords(base, head, files),
    diffExpansions(base, head, files),
  ]);
}

function diffPositions(base: PyNode, head: PyNode, files: Pair): Outcome {
  const before = positionsOf(base);
  const after = positionsOf(head);
  const count = Math.max(before.length, after.length);
  return together(
    Array.from({ length: count }, (_, at) => {
      const left = before[at];
      const right = after[at];
      if (left?.kind === 'list_splat' || right?.kind === 'list_splat')
        return left !== undefined && right !== undefined ? files.expression(left, right) : UNCOUNTABLE;
      if (left !== undefined && right !== undefined) return diffValue(left, right, 'data', files);
      if (left !== undefined) return diffPresence({ base: left }, 'data', head, files);
      return right === undefined ? UNCOUNTABLE : diffPresence({ head: right }, 'data', head, files);
    }),
  );
}

function diffKeywords(base: PyNode, head: PyNode, files: Pair): Outcome {
  const before = keywordsOf(base, files.base);
  const after = keywordsOf(head, files.head);
  const gone = [...before].filter(([name]) => !after.has(name));
  return together([
    ...gone.map(([, value]) => diffPresence({ base: value }, 'any', head, files)),
    ...[...after].map(([name, value]) => {
      const old = before.get(name);
      return old === undefined
        ? diffPresence({ head: value }, 'any', head, files)
        : diffValue(old, value, 'any', files);
    }),
  ]);
}

function diffExpansions(base: PyNode, head: PyNode, files: Pair): Outcome {
  const before = partsOf(base).filter((part) => part.kind === 'dictionary_splat');
  const after = partsOf(head).filter((part) => part.kind === 'dictionary_splat');
  if (before.length !== after.length) return UNCOUNTABLE;
  return together(
    before.map((left, at) => {
      const right = after[at];
      return right === undefined ? UNCOUNTABLE : files.expression(left, right);
    }),
  );
}

function positionsOf(given: PyNode): readonly PyNode[] {
  return partsOf(given).filter(
    (part) => part.kind !== 'keyword_argument' && part.kind !== 'dictionary_splat',
  );
}

function keywordsOf(given: PyNode, file: PyFile): ReadonlyMap<string, PyNode> {
  const keywords = new Map<string, PyNode>();
  for (const part of partsOf(given)) {
    const name = part.kind === 'keyword_argument' ? childIn(part, 'name') : null;
    const value = childIn(part, 'value');
    if (name !== null && value !== null) keywords.set(nameOf(name, file.syntax.text), value);
  }
  return keywords;
}
