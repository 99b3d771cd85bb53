/** What an issue asks for that a run began from, as it was read there. Its kind says what the values mean. */

import type { Actor } from '../actor.ts';
import type { Sha } from '../ids.ts';

/**
 * `given`: it stands there. `inferred`: it does not, and `from` says what it was taken from. `unclear`: it stands there and
 * means nothing that can be used; `from` says what is wanted. What is missing has no value.
 */
export type ContractValue = {
  readonly value: string;
  readonly source: 'given' | 'inferred' | 'unclear';
  readonly from: string;
};

export type Contract = { readonly [name: string]: ContractValue };

/** The issue that a contract is read from. */
export type ContractIssue = {
  readonly title: string;
  readonly body: string;
  readonly author: Actor;
};

/** The commit that a run is of, where its contract names one in place of a branch; `branch`: where it was pushed, null = not said. */
export type PinnedSource = { readonly commit: Sha; readonly branch: string | null };

/** Whether two readings say the same, word for word. */
export function isSameContract(one: Contract, other: Contract): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const [a, b] = [one[name], other[name]];
      return a?.value === b?.value && a?.source === b?.source && a?.from === b?.from;
    })
  );
}
