/**
 * The one pipeline of every claimed act on the world: found in the verified record, verified on facts of this moment,
 * prepared, claimed by a push, performed with a capability, looked back at, recorded (docs/decisions/0121-change-the-world-through-one-pipeline.md).
 */

import { GitError } from '../domain/git.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { cutText, type Instant, invariant, type RunId } from '../domain/values.ts';
import { type Recorded, type RecordPort, transact, type Writer } from '../logbook/append.ts';
import type { OwnClaim } from './mint.ts';

/** `standing`: it stays as it is, and another look may find it otherwise; `ending`: it is not carried out any more. */
export type Refusal = {
  readonly kind: 'refused';
  readonly code: string;
  readonly why: string;
  readonly effect: 'standing' | 'ending';
};

/** How it ended: what is recorded of that, and what the process says. */
export type Ending<Outcome> = { readonly draft: EventDraft | null; readonly outcome: Outcome };

export type Refused = { readonly kind: 'refused'; readonly code: string; readonly why: string };

/**
 * What a look finds of an act that was claimed before. `not-begun`: it may be performed under that claim, once it is
 * verified anew and unless `bar` says otherwise. `waits`: it may have begun and may not, so the same holds, but where it is
 * refused what has begun is taken up all the same.
 */
export type LookBack<Outcome> =
  | { readonly kind: 'over'; readonly ending: Ending<Outcome | Refused> }
  | { readonly kind: 'under-way' }
  | { readonly kind: 'waits' }
  | { readonly kind: 'not-begun'; readonly bar: Ending<Refused> | null };

/**
 * Under which claim it is performed. `begun-before`: by a process before this one, so that nothing may be begun now;
 * `otherwise` is how it ends where that has not begun after all, and would be refused.
 */
export type Under =
  | { readonly kind: 'claimed'; readonly claim: OwnClaim }
  | { readonly kind: 'claimed-before' }
  | { readonly kind: 'begun-before'; readonly otherwise: Ending<Refused> | null };

export type Found<Target> = {
  readonly kind: 'found';
  readonly target: Target;
  readonly isClaimed: boolean;
};

/** One kind of act. No method throws for an expected outcome, and none but `perform` changes anything outside. */
export type Action<Target, Ready, Outcome> = {
  /** What the record as it was read last has of it; what is not there, or over, is refused. */
  readonly find: () => Found<Target> | Refusal;
  /** Everything that it rests on, read and judged now. */
  readonly verify: (target: Target) => Promise<Refusal | null>;
  /** Looks at the target, and makes ready what is needed for it. */
  readonly prepare: (target: Target) => Promise<{ readonly kind: 'ready'; readonly ready: Ready } | Refusal>;
  /** What is pushed before anything is called. */
  readonly claim: (
    target: Target,
  ) => Promise<{ readonly kind: 'claim'; readonly draft: EventDraft } | Refusal>;
  readonly perform: (target: Target, ready: Ready, under: Under) => Promise<Ending<Outcome | Refused>>;
  readonly lookBack: (target: Target) => Promise<LookBack<Outcome>>;
  /** What is recorded of a refusal, if anything. */
  readonly refused: (target: Target, refusal: Refusal) => EventDraft | null;
  /** Takes back what `prepare` made, where it is not used. */
  readonly discard: (ready: Ready) => Promise<void>;
};

/** Where the pipeline runs. */
export type Place = {
  readonly record: RecordPort;
  /** The file of the record that the act stands in. */
  readonly file: RunId | 'journal';
  /** Why nothing may be done on the record as it was read last; null: it verifies. */
  readonly fault: () => Refusal | null;
  readonly now: () => Instant;
  readonly redact: (text: string) => string;
};

/** Carries out one act. Every refusal has its code; nothing is called before the claim was pushed. */
export async function carryOut<Target, Ready, Outcome>(
  place: Place,
  action: Action<Target, Ready, Outcome>,
): Promise<Outcome | Refused> {
  const { file } = place;
  let step = null as Next<Target, Ready, Outcome> | null;
  const claimed = await transact(writerOf(place), async () => {
    // Somebody else wrote first: what was made ready for the lost claim is of no use.
    if (step?.kind === 'claim') await action.discard(step.ready);
    step = await nextStep(place, action);
    return step.kind === 'claim' ? [{ run: file, drafts: [step.draft] }] : [];
  });
  invariant(step !== null, 'action-undecided');
  if (step.kind === 'end') return end(place, action, step.ending);
  const { target, ready } = step;
  if (step.kind === 'perform') return end(place, action, await action.perform(target, ready, step.under));
  const seq = claimed.kind === 'recorded' ? claimed.seqs.get(file)?.[0] : undefined;
  // Read once more behind the claim: a branch that was put back under it is told by its marks.
  if (seq !== undefined) await place.record.load();
  const lost = place.fault();
  if (seq !== undefined && lost === null)
    return end(place, action, await action.perform(target, ready, { kind: 'claimed', claim: { seq } }));
  await action.discard(ready);
  if (lost !== null) return told(place, lost);
  throw notRecorded(step.draft, 'could not be pushed, so nothing was called', claimed);
}

/** What follows from the record as it is now: it ends, it is performed under an earlier claim, or it has to be claimed. */
type Next<Target, Ready, Outcome> =
  | { readonly kind: 'end'; readonly ending: Ending<Outcome | Refused> }
  | { readonly kind: 'perform'; readonly target: Target; readonly ready: Ready; readonly under: Under }
  | { readonly kind: 'claim'; readonly target: Target; readonly ready: Ready; readonly draft: EventDraft };

async function nextStep<Target, Ready, Outcome>(
  place: Place,
  action: Action<Target, Ready, Outcome>,
): Promise<Next<Target, Ready, Outcome>> {
  const found = place.fault() ?? action.find();
  if (found.kind === 'refused') return { kind: 'end', ending: { draft: null, outcome: told(place, found) } };
  const { target } = found;
  const refused = (refusal: Refusal): Next<Target, Ready, Outcome> => ({
    kind: 'end',
    ending: refusing(place, action, target, refusal),
  });
  const before = found.isClaimed ? await begunBefore(place, action, target) : null;
  const over = before === null ? await verified(place, action, target) : before;
  if (over !== null && 'outcome' in over) return { kind: 'end', ending: over };
  const prepared = await action.prepare(target);
  if (prepared.kind === 'refused') return refused(prepared);
  const { ready } = prepared;
  if (over !== null) return { kind: 'perform', target, ready, under: over };
  const claim = await action.claim(target);
  if (claim.kind === 'claim') return { kind: 'claim', target, ready, draft: claim.draft };
  await action.discard(ready);
  return refused(claim);
}

async function verified<Target, Ready, Outcome>(
  place: Place,
  action: Action<Target, Ready, Outcome>,
  target: Target,
): Promise<Ending<Refused> | null> {
  const refusal = await action.verify(target);
  return refusal === null ? null : refusing(place, action, target, refusal);
}

/** A claim was pushed and nobody recorded what came of it: it is looked for first. */
async function begunBefore<Target, Ready, Outcome>(
  place: Place,
  action: Action<Target, Ready, Outcome>,
  target: Target,
): Promise<Ending<Outcome | Refused> | Exclude<Under, { kind: 'claimed' }>> {
  const seen = await action.lookBack(target);
  if (seen.kind === 'over') return seen.ending;
  if (seen.kind === 'under-way') return { kind: 'begun-before', otherwise: null };
  const refused = await verified(place, action, target);
  if (seen.kind === 'waits' && refused !== null) return { kind: 'begun-before', otherwise: refused };
  return refused ?? (seen.kind === 'waits' ? null : seen.bar) ?? { kind: 'claimed-before' };
}

function refusing<Target, Ready, Outcome>(
  place: Place,
  action: Action<Target, Ready, Outcome>,
  target: Target,
  refusal: Refusal,
): Ending<Refused> {
  return { draft: action.refused(target, refusal), outcome: told(place, refusal) };
}

function told({ redact }: Place, { code, why }: Refusal): Refused {
  return { kind: 'refused', code, why: redact(why) };
}

/** Records how it ended. Where somebody else has told the end meanwhile, theirs stands. */
async function end<Target, Ready, Outcome>(
  place: Place,
  action: Action<Target, Ready, Outcome>,
  { draft, outcome }: Ending<Outcome | Refused>,
): Promise<Outcome | Refused> {
  if (draft === null) return outcome;
  const recorded = await transact(writerOf(place), () =>
    action.find().kind === 'found' ? [{ run: place.file, drafts: [draft] }] : [],
  );
  // What has happened stands in no record yet: the next try looks for it and finds it.
  if (recorded.kind === 'refused') throw notRecorded(draft, 'could not be recorded', recorded);
  return outcome;
}

function writerOf({ record, now }: Place): Writer {
  return { store: record, lab: { now } };
}

function notRecorded({ type }: EventDraft, what: string, recorded: Recorded): GitError {
  return new GitError(
    'failed',
    `${type} ${what}: ${'message' in recorded ? recorded.message : recorded.kind}`,
  );
}

/** What stands in an event about it: without secrets, and no longer than people read. */
export function bounded({ redact }: Pick<Place, 'redact'>, text: string): string {
  return cutText(redact(text), limits.messageCharactersMax);
}
