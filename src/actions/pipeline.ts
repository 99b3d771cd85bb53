/**
 * The one pipeline for every claimed action: find it in the verified record, verify it on current facts, prepare, push the claim,
 * perform it with a capability, check the result, record it (docs/decisions/0121-change-the-world-through-one-pipeline.md).
 */

import { GitError } from '../domain/git.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { cutText, type Instant, invariant, type RunId } from '../domain/values.ts';
import { type Recorded, type RecordPort, recordDecision, type Writer } from '../logbook/append.ts';
import type { OwnClaim } from './mint.ts';

/** `standing`: the action stays open, and a retry may succeed. `ending`: the action will not be carried out any more. */
export type Refusal = {
  readonly kind: 'refused';
  readonly code: string;
  readonly why: string;
  readonly effect: 'standing' | 'ending';
};

/** How an action ended: the event to record and the result for the process. */
export type Ending<Outcome> = { readonly draft: EventDraft | null; readonly outcome: Outcome };

export type Refused = { readonly kind: 'refused'; readonly code: string; readonly why: string };

/**
 * The state of an action that was claimed earlier. `not-begun`: it may be performed under that claim after a new
 * verification, unless `bar` forbids it. `waits`: it may or may not have started. The same applies, but if it is
 * refused, an action that did start is still adopted.
 */
export type EarlierClaimStatus<Outcome> =
  | { readonly kind: 'over'; readonly ending: Ending<Outcome | Refused> }
  | { readonly kind: 'under-way' }
  | { readonly kind: 'waits' }
  | { readonly kind: 'not-begun'; readonly bar: Ending<Refused> | null };

/**
 * The claim under which an action is performed. `begun-before`: an earlier process started it, so nothing may be started now.
 * `otherwise`: how the action ends if it turns out not to have started, and would be refused.
 */
export type ClaimBasis =
  | { readonly kind: 'claimed'; readonly claim: OwnClaim }
  | { readonly kind: 'claimed-before' }
  | { readonly kind: 'begun-before'; readonly refusal: Ending<Refused> | null };

export type FoundTarget<Target> = { readonly kind: 'found'; readonly target: Target; readonly isClaimed: boolean };

/** One kind of action. No method throws for an expected outcome, and only `perform` changes anything outside. */
export type Action<Target, Ready, Outcome> = {
  /** Finds the action in the last read of the record; refuses one that is missing or over. */
  readonly find: () => FoundTarget<Target> | Refusal;
  /** Reads and judges all the conditions of the action now. */
  readonly verify: (target: Target) => Promise<Refusal | null>;
  /** Checks the target and prepares what the action needs. */
  readonly prepare: (target: Target) => Promise<{ readonly kind: 'ready'; readonly ready: Ready } | Refusal>;
  /** The event to push before any call is made. */
  readonly claim: (target: Target) => Promise<{ readonly kind: 'claim'; readonly draft: EventDraft } | Refusal>;
  readonly perform: (target: Target, ready: Ready, under: ClaimBasis) => Promise<Ending<Outcome | Refused>>;
  readonly checkEarlierClaim: (target: Target) => Promise<EarlierClaimStatus<Outcome>>;
  readonly recordRefusal: (target: Target, refusal: Refusal) => EventDraft | null;
  /** Removes what `prepare` made if it is not used. */
  readonly discard: (ready: Ready) => Promise<void>;
};

export type ActionContext = {
  readonly record: RecordPort;
  readonly file: RunId | 'journal';
  /** Why the last read of the record forbids any action; null if the record verifies. */
  readonly fault: () => Refusal | null;
  readonly now: () => Instant;
  readonly redact: (text: string) => string;
};

/** Carries out one action. Every refusal has its code. No call is made before the claim is pushed. */
export async function executeAction<Target, Ready, Outcome>(
  place: ActionContext,
  action: Action<Target, Ready, Outcome>,
): Promise<Outcome | Refused> {
  const { file } = place;
  let step = null as NextStep<Target, Ready, Outcome> | null;
  const claimed = await recordDecision(recordWriter(place), async () => {
    // Another process wrote first: discard what was prepared for the lost claim.
    if (step?.kind === 'claim') await action.discard(step.ready);
    step = await decideNextStep(place, action);
    return step.kind === 'claim' ? [{ run: file, drafts: [step.draft] }] : [];
  });
  invariant(step !== null, 'action-undecided');
  if (step.kind === 'end') return recordEnding(place, action, step.ending);
  const { target, ready } = step;
  if (step.kind === 'perform') return recordEnding(place, action, await action.perform(target, ready, step.basis));
  const seq = claimed.kind === 'recorded' ? claimed.seqs.get(file)?.[0] : undefined;
  // Read the record again after the claim: its marks reveal a branch that was reset in the meantime.
  if (seq !== undefined) await place.record.load();
  const lost = place.fault();
  if (seq !== undefined && lost === null)
    return recordEnding(place, action, await action.perform(target, ready, { kind: 'claimed', claim: { seq } }));
  await action.discard(ready);
  if (lost !== null) return redactRefusal(place, lost);
  throw notRecordedError(step.draft, 'could not be pushed, so nothing was called', claimed);
}

/** What follows from the current record: the action ends, is performed under an earlier claim, or must be claimed. */
type NextStep<Target, Ready, Outcome> =
  | { readonly kind: 'end'; readonly ending: Ending<Outcome | Refused> }
  | { readonly kind: 'perform'; readonly target: Target; readonly ready: Ready; readonly basis: ClaimBasis }
  | { readonly kind: 'claim'; readonly target: Target; readonly ready: Ready; readonly draft: EventDraft };

async function decideNextStep<Target, Ready, Outcome>(
  place: ActionContext,
  action: Action<Target, Ready, Outcome>,
): Promise<NextStep<Target, Ready, Outcome>> {
  const found = place.fault() ?? action.find();
  if (found.kind === 'refused') return { kind: 'end', ending: { draft: null, outcome: redactRefusal(place, found) } };
  const { target } = found;
  const refused = (refusal: Refusal): NextStep<Target, Ready, Outcome> => ({
    kind: 'end',
    ending: endWithRefusal(place, action, target, refusal),
  });
  const before = found.isClaimed ? await resumeEarlierClaim(place, action, target) : null;
  const over = before === null ? await verifyTarget(place, action, target) : before;
  if (over !== null && 'outcome' in over) return { kind: 'end', ending: over };
  const prepared = await action.prepare(target);
  if (prepared.kind === 'refused') return refused(prepared);
  const { ready } = prepared;
  if (over !== null) return { kind: 'perform', target, ready, basis: over };
  const claim = await action.claim(target);
  if (claim.kind === 'claim') return { kind: 'claim', target, ready, draft: claim.draft };
  await action.discard(ready);
  return refused(claim);
}

async function verifyTarget<Target, Ready, Outcome>(
  place: ActionContext,
  action: Action<Target, Ready, Outcome>,
  target: Target,
): Promise<Ending<Refused> | null> {
  const refusal = await action.verify(target);
  return refusal === null ? null : endWithRefusal(place, action, target, refusal);
}

/** A claim was pushed, but no outcome was recorded: check first what happened. */
async function resumeEarlierClaim<Target, Ready, Outcome>(
  place: ActionContext,
  action: Action<Target, Ready, Outcome>,
  target: Target,
): Promise<Ending<Outcome | Refused> | Exclude<ClaimBasis, { kind: 'claimed' }>> {
  const seen = await action.checkEarlierClaim(target);
  if (seen.kind === 'over') return seen.ending;
  if (seen.kind === 'under-way') return { kind: 'begun-before', refusal: null };
  const refused = await verifyTarget(place, action, target);
  if (seen.kind === 'waits' && refused !== null) return { kind: 'begun-before', refusal: refused };
  return refused ?? (seen.kind === 'waits' ? null : seen.bar) ?? { kind: 'claimed-before' };
}

function endWithRefusal<Target, Ready, Outcome>(
  place: ActionContext,
  action: Action<Target, Ready, Outcome>,
  target: Target,
  refusal: Refusal,
): Ending<Refused> {
  return { draft: action.recordRefusal(target, refusal), outcome: redactRefusal(place, refusal) };
}

function redactRefusal({ redact }: ActionContext, { code, why }: Refusal): Refused {
  return { kind: 'refused', code, why: redact(why) };
}

/** Records how the action ended, unless another process has recorded an end in the meantime. */
async function recordEnding<Target, Ready, Outcome>(
  place: ActionContext,
  action: Action<Target, Ready, Outcome>,
  { draft, outcome }: Ending<Outcome | Refused>,
): Promise<Outcome | Refused> {
  if (draft === null) return outcome;
  const recorded = await recordDecision(recordWriter(place), () =>
    action.find().kind === 'found' ? [{ run: place.file, drafts: [draft] }] : [],
  );
  // The outcome is not in the record yet: the next try checks for it and finds it.
  if (recorded.kind === 'refused') throw notRecordedError(draft, 'could not be recorded', recorded);
  return outcome;
}

function recordWriter({ record, now }: ActionContext): Writer {
  return { store: record, lab: { now } };
}

function notRecordedError({ type }: EventDraft, what: string, recorded: Recorded): GitError {
  return new GitError('failed', `${type} ${what}: ${'message' in recorded ? recorded.message : recorded.kind}`);
}

/** A text for an event: without secrets, and at most `messageCharactersMax` long. */
export function redactAndCut({ redact }: Pick<ActionContext, 'redact'>, text: string): string {
  return cutText(redact(text), limits.messageCharactersMax);
}
