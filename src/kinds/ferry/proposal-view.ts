/** A proposal as it is told in the pull request and the ferry issue: every fact that the policy demands of them. */

import type { Actor } from '../../domain/actor.ts';
import type { RunId } from '../../domain/ids.ts';
import type { NotTaken, RunBase } from '../../domain/launch/base.ts';
import type { KnobChange } from '../../domain/launch/delta.ts';
import type { IntervalStart, Objective } from '../../domain/logbook/events/launch-events.ts';
import type { Unanswered } from '../../run/proposing.ts';
import type { ChoiceRationale } from './candidates.ts';
import type { IntervalContext } from './interval.ts';

/** What a proposal goes on from, and everything that it changes on the target branch. */
export type ProposalStart = {
  readonly pass: RunBase | null;
  readonly notTaken: readonly NotTaken[];
  readonly total: readonly KnobChange[];
  /** The change is somebody's own: it is held against the pass, and nobody made it from there. */
  readonly isOwn?: true;
};

/**
 * `issue` and `pull` are null until they are opened. `changes` is what is new against what the run starts from: empty only
 * for an identical rerun.
 */
export type ProposalView = {
  readonly run: RunId;
  readonly date: string;
  readonly lane: string;
  readonly runName: string;
  readonly experiment: string;
  readonly objective: Objective;
  readonly unanswered?: Unanswered;
  readonly interval: IntervalStart;
  readonly context: IntervalContext;
  readonly issue: number | null;
  readonly pull: number | null;
  /** Files and folders that a fix may change, once an attempt has failed. */
  readonly fixable: readonly string[];
  readonly changes: readonly KnobChange[];
  /** Somebody's own change is more than values of knobs, which is nothing that `changes` can tell. */
  readonly isMore?: true;
  readonly start: ProposalStart;
  /** Programs of the repository's own checks that the machine which proposed does not have. */
  readonly unchecked?: readonly string[];
  /** The branch that it is held against. */
  readonly targetBranch: string;
  readonly risk: 'low' | 'medium' | 'high';
  /** Why this is worth a day, in somebody's words; empty where the one who asked did not say. */
  readonly reason: string;
  readonly candidate: string | null;
  /** Who asked for exactly this with `/propose`, and in which thread; null where nobody did. */
  readonly asked: { readonly by: Actor; readonly thread: number } | null;
  /** Why this candidate was due today; null where none was chosen. */
  readonly rationale: ChoiceRationale | null;
};
