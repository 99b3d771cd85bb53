/** The contract: what an issue requests, for runs that start from one. The kind of run interprets the values. */

import * as z from 'zod';
import type { Actor } from '../actor.ts';
import type { StorePath } from '../checkpoint/stored.ts';
import type { RunId, Sha } from '../ids.ts';
import { type Parsed, text } from '../logbook/parts.ts';
import type { Manifest } from './manifest.ts';

const value = z.object({ value: text, source: z.enum(['given', 'inferred', 'unclear']), from: text });
/**
 * `given`: written in the issue. `inferred`: absent, and `from` names its origin. `unclear`: written but unusable, and `from` says what is
 * expected.
 */
export type ContractValue = Parsed<typeof value>;

export const contractSchema = z.record(text, value);
export type Contract = Parsed<typeof contractSchema>;

/** Login of the DRI, or null. */
export function personInCharge(contract: Contract | null): string | null {
  return saidIn(contract, 'dri');
}

/** A given or inferred value, or null. */
export function saidIn(contract: Contract | null, name: string): string | null {
  const said = contract?.[name];
  return said === undefined || said.source === 'unclear' ? null : said.value;
}

/** GitHub logins are case-insensitive. */
export function isSameLogin(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The issue that a contract is read from. */
export type ContractIssue = {
  readonly title: string;
  readonly body: string;
  readonly author: Actor;
  /** Values from the command that requested the run, by contract name. */
  readonly asked?: readonly { readonly path: string; readonly after: string }[];
};

/** The commit that a contract pins instead of a branch; `branch`: where it was pushed, if given. */
export type PinnedSource = { readonly commit: Sha; readonly branch: string | null };

/** Contract value for a checkpoint that no recorded run produced. */
export const OUTSIDE = 'outside the record';

/** Placeholder in the command or environment for the checkpoint to resume from. Without a checkpoint, the whole argument is removed. */
export const CHECKPOINT = '{checkpoint}';

/** Where a run starts, and where its checkpoints are stored. */
export type CheckpointPlan = {
  /** A checkpoint, or a root whose newest checkpoint is meant; null: from scratch. `run`: the producing run, if given. */
  readonly from: { readonly path: StorePath; readonly run: RunId | typeof OUTSIDE | null } | null;
  /** The run's permanent and temporary roots; empty if only the job's machine can read them. */
  readonly roots: readonly StorePath[];
  /** The roots named in the contract; the others are the output root and the lane's roots. */
  readonly named: readonly StorePath[];
};

/** Whether the command names its checkpoint. Any other job resumes from the newest one it finds, whatever people decided. */
export function takesCheckpoint({
  command,
  resume,
}: Pick<Manifest, 'command'> & { readonly resume: Pick<Manifest['resume'], 'roots'> }): boolean {
  return (resume.roots ?? []).length > 0 && command.some((part) => part.includes(CHECKPOINT));
}

/** Whether both readings are identical. */
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
