/** How a proposal can end. */

import type { RunId } from '../../domain/ids.ts';
import type { AskRefusal } from '../../kinds/ferry/ask/asked-change.ts';

/** Why there is nothing to propose, or why nobody may now. */
export type NothingCode =
  | 'no-candidates'
  | 'nothing-due'
  | 'experiment-missing'
  | 'experiment-unparsable'
  | 'edit-refused'
  | 'proposer-refused'
  | 'proposer-failed'
  | 'checks-failed'
  | 'too-many-today';

export type Nothing = { readonly kind: 'nothing'; readonly code: NothingCode; readonly why: string };

/** `unreadable`: asking again may help, and nothing is lost. `running`: it will. `not-written`: GitHub or git said no. */
export type Failed = {
  readonly kind: 'failed';
  readonly code: 'unreadable' | 'running' | 'not-written';
  readonly why: string;
};

/** What cannot be edited as it was asked for. */
export type Refused = { readonly kind: 'refused'; readonly refusal: AskRefusal };

/** `already`: a run of the lane is under way. `held`: a person keeps the lane back today. `not-due`: the
 * lane's schedule does not want one now. `asked`: a question stands. */
export type ProposeOutcome =
  | { readonly kind: 'proposed'; readonly run: RunId; readonly pull: number; readonly issue: number }
  | { readonly kind: 'already'; readonly run: RunId }
  | { readonly kind: 'held' | 'not-due'; readonly why: string }
  | { readonly kind: 'asked'; readonly issue: number }
  | Nothing
  | Failed;

/** Nothing, and why. */
export function nothing(code: NothingCode, why: string): Nothing {
  return { kind: 'nothing', code, why };
}

/** Something outside could not be written. */
export function notWritten(what: string, why: string): Failed {
  return { kind: 'failed', code: 'not-written', why: `${what} could not be written: ${why}` };
}

/** A program of the lab's own that goes on beside. */
export function stillRunning(what: string): Failed {
  return { kind: 'failed', code: 'running', why: `${what} still run` };
}
