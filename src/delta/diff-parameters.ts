/** Compares the parameters of two functions: the signature must be the same, only defaults may have other values. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import { type Outcome, SAME, together, UNCOUNTABLE } from './diff-outcome.ts';
import { diffValue, type Pair } from './diff-value.ts';

/** Two parameter lists of functions or lambdas. */
export function diffParameters(base: PyNode, head: PyNode, files: Pair): Outcome {
  const before = partsOf(base);
  const after = partsOf(head);
  if (before.length !== after.length) return UNCOUNTABLE;
  return together(
    before.values().map((left, at) => {
      const right = after[at];
      return right === undefined ? UNCOUNTABLE : diffParameter(left, right, files);
    }),
  );
}

function diffParameter(base: PyNode, head: PyNode, files: Pair): Outcome {
  if (files.base.normal(base) === files.head.normal(head)) return SAME;
  const value = childIn(base, 'value');
  const headValue = childIn(head, 'value');
  if (base.kind !== head.kind || value === null || headValue === null) return UNCOUNTABLE;
  const isSame = ['name', 'type'].every((field) => {
    const left = childIn(base, field);
    const right = childIn(head, field);
    return left === null || right === null
      ? left === right
      : files.base.normal(left) === files.head.normal(right);
  });
  return isSame ? diffValue(value, headValue, 'data', files) : UNCOUNTABLE;
}
