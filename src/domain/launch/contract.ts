/** What an issue asks for that a run began from, as it was read there. Its kind says what the values mean. */

import type { Actor } from '../actor.ts';
import type { StorePath } from '../checkpoint/stored.ts';
import type { RunId, Sha } from '../ids.ts';
import type { Manifest } from './manifest.ts';

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

/** The login of who is in charge, as the contract says; null where nobody can tell. */
export function personInCharge(contract: Contract | null): string | null {
  return saidIn(contract, 'dri');
}

/** What a contract says under a name, given or inferred; null where it says nothing that can be used. */
export function saidIn(contract: Contract | null, name: string): string | null {
  const said = contract?.[name];
  return said === undefined || said.source === 'unclear' ? null : said.value;
}

/** GitHub takes one login for another that differs in capitals alone. */
export function isSameLogin(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The issue that a contract is read from. */
export type ContractIssue = {
  readonly title: string;
  readonly body: string;
  readonly author: Actor;
  /** What the command said that asked for the run, by the names of the contract; left out where none did. */
  readonly asked?: readonly { readonly path: string; readonly after: string }[];
};

/** The commit that a run is of, where its contract names one in place of a branch; `branch`: where it was pushed, null = not said. */
export type PinnedSource = { readonly commit: Sha; readonly branch: string | null };

/** What a contract says where the checkpoint that it names was made by no run that the record has. */
export const OUTSIDE = 'outside the record';

/** Stands in a command or its environment for the checkpoint that the attempt goes on from; where there is none, the whole argument is left out. */
export const CHECKPOINT = '{checkpoint}';

/** Where a run begins, and where its checkpoints lie. */
export type CheckpointPlan = {
  /** A checkpoint, or a root whose newest one is meant; null: from nothing. `run`: whose it is, null = not said. */
  readonly from: { readonly path: StorePath; readonly run: RunId | typeof OUTSIDE | null } | null;
  /** Where this run writes, permanent and temporary; empty where only its own machine can look. */
  readonly roots: readonly StorePath[];
  /** Those of them that its contract names; the others are the output root, and what the lane says of it. */
  readonly named: readonly StorePath[];
};

/** Whether a job is told what it goes on from; any other takes the newest that it finds, whatever people said about it. */
export function takesCheckpoint({
  command,
  resume,
}: Pick<Manifest, 'command'> & { readonly resume: Pick<Manifest['resume'], 'roots'> }): boolean {
  return (resume.roots ?? []).length > 0 && command.some((part) => part.includes(CHECKPOINT));
}

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
