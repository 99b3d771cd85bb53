/** Chooses what the next ferry changes: one configured candidate that is due, and a value that was not tried recently. */

import type { Knob } from '../../delta/config-delta.ts';
import type { Bucket } from '../../domain/launch/change-facts.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { addDays } from '../../domain/values.ts';
import { type Edit, findLargeStep, isSameValueText, type Steps } from './edit.ts';
import { type FerryLane, RISKS } from './settings.ts';

/** A knob that ferrybot may change, from the config. `values` are tried in order. */
export type Candidate = FerryLane['candidates'][number];

/** Whether a change validates the pipeline or explores the model. */
export type Signal = NonNullable<Candidate['signal']>;

/** The configured signal; without one, `exploration` for architecture or high risk, else `validation` (policy DF-37). */
export function candidateSignal({ signal, bucket, risk }: Pick<Candidate, 'signal' | 'bucket' | 'risk'>): Signal {
  return signal ?? (bucket === 'architecture' || risk === 'high' ? 'exploration' : 'validation');
}

/** An earlier ferry. `changes` is its recorded delta; `candidate` is the id of its candidate, null if it had none. */
export type RecentFerry = {
  readonly date: string;
  readonly candidate: string | null;
  readonly changes: readonly {
    readonly path: string;
    readonly before: string | null;
    readonly after: string | null;
    readonly bucket: string | null;
  }[];
  readonly outcome: 'passed' | 'accepted' | 'failed' | 'stopped' | 'not-launched' | 'unknown';
};

export type ChoiceInput = {
  readonly candidates: readonly Candidate[];
  /** The knobs of the experiment file on the target branch. */
  readonly knobs: readonly Knob[];
  readonly recent: readonly RecentFerry[];
  /** Calendar date, UTC. */
  readonly today: string;
  /** A value tried within this many days is not tried again. */
  readonly memoryDays: number;
  readonly objective: Objective;
  /** The largest small step; larger steps are not chosen. */
  readonly steps: Steps;
};

/** Why a candidate was skipped; the rationale shows it to the lab. */
export type SkippedCandidate = {
  readonly id: string;
  readonly why: 'path-missing' | 'all-values-recent' | 'step-too-large';
};

/** Why this candidate is due today. The dates are the last launch with this bucket and this candidate; null = none recorded. */
export type ChoiceRationale = {
  readonly before: string;
  readonly after: string;
  readonly bucket: Bucket;
  readonly signal: Signal;
  readonly bucketLastTried: string | null;
  readonly candidateLastTried: string | null;
  readonly skipped: readonly SkippedCandidate[];
};

export type CandidateChoice =
  | {
      readonly kind: 'proposal';
      readonly edits: readonly Edit[];
      readonly candidate: Candidate;
      readonly risk: Candidate['risk'];
      readonly rationale: ChoiceRationale;
    }
  /** Runs the same configuration again on purpose; only a declared regression check may do so (policy DF-13). */
  | { readonly kind: 'identical-rerun' }
  | {
      readonly kind: 'none';
      readonly reason: 'no-candidates' | 'nothing-due';
      readonly skipped: readonly SkippedCandidate[];
    };

/**
 * Deterministic order: validation before exploration (policy DF-37), the least recently tried bucket, the least recently tried
 * candidate, the lower risk, the order of the config. Only one knob changes, so that a changed result has one cause.
 */
export function chooseCandidate(input: ChoiceInput): CandidateChoice {
  if (input.objective.kind === 'regression') return { kind: 'identical-rerun' };
  const options: CandidateOption[] = [];
  const skipped: SkippedCandidate[] = [];
  for (const candidate of input.candidates) {
    const knob = input.knobs.find((one) => one.path === candidate.path);
    const fresh = knob === undefined ? [] : listUntriedValues(candidate, knob, input);
    const after = fresh.find((value) => knob !== undefined && isSmallStep(knob, value, input.steps));
    if (knob === undefined) skipped.push({ id: candidate.id, why: 'path-missing' });
    else if (after === undefined)
      skipped.push({ id: candidate.id, why: fresh.length > 0 ? 'step-too-large' : 'all-values-recent' });
    else options.push({ candidate, before: knob.value, after, ...findLastTried(candidate, input.recent) });
  }
  // rule DF-12
  const [best] = options.toSorted(compareUrgency);
  if (best === undefined)
    return { kind: 'none', reason: input.candidates.length === 0 ? 'no-candidates' : 'nothing-due', skipped };
  const { candidate, before, after, bucketLastTried, candidateLastTried } = best;
  return {
    kind: 'proposal',
    edits: [{ path: candidate.path, after }],
    candidate,
    risk: candidate.risk,
    rationale: {
      before,
      after,
      bucket: candidate.bucket,
      signal: candidateSignal(candidate),
      bucketLastTried,
      candidateLastTried,
      skipped,
    },
  };
}

type CandidateOption = {
  readonly candidate: Candidate;
  readonly before: string;
  readonly after: string;
  readonly bucketLastTried: string | null;
  readonly candidateLastTried: string | null;
};

const SIGNALS: readonly Signal[] = ['validation', 'exploration'];

function isSmallStep({ knob, path, value: before }: Knob, after: string, steps: Steps): boolean {
  return findLargeStep([{ knob, path, before, after }], steps) === null;
}

// The sort is stable, so equal candidates keep the order of the config.
function compareUrgency(left: CandidateOption, right: CandidateOption): number {
  return (
    // rule DF-37
    SIGNALS.indexOf(candidateSignal(left.candidate)) - SIGNALS.indexOf(candidateSignal(right.candidate)) ||
    // rule DF-35
    (left.bucketLastTried ?? '').localeCompare(right.bucketLastTried ?? '') ||
    (left.candidateLastTried ?? '').localeCompare(right.candidateLastTried ?? '') ||
    RISKS.indexOf(left.candidate.risk) - RISKS.indexOf(right.candidate.risk)
  );
}

// A recent change's `before` is not fresh either: writing it back would revert that ferry by accident.
function listUntriedValues(
  candidate: Candidate,
  knob: Knob,
  { recent, today, memoryDays }: ChoiceInput,
): readonly string[] {
  const since = addDays(today, -memoryDays);
  const remembered = recent.flatMap((ferry) =>
    ferry.changes
      .filter((change) => change.path === candidate.path)
      .flatMap((change) => {
        const isRecent = ferry.date >= since;
        const tried = isRecent || ferry.outcome === 'failed' ? [change.after] : [];
        return isRecent ? [...tried, change.before] : tried;
      }),
  );
  return candidate.values.filter(
    (value) =>
      !isSameValueText(value, knob.value) && !remembered.some((old) => old !== null && isSameValueText(old, value)),
  );
}

function findLastTried(
  candidate: Candidate,
  recent: readonly RecentFerry[],
): Pick<CandidateOption, 'bucketLastTried' | 'candidateLastTried'> {
  const newestDate = (ferries: readonly RecentFerry[]): string | null =>
    ferries
      .map((ferry) => ferry.date)
      .sort()
      .at(-1) ?? null;
  const launched = recent.filter((ferry) => ferry.outcome !== 'not-launched');
  return {
    bucketLastTried: newestDate(
      launched.filter((ferry) => ferry.changes.some((change) => change.bucket === candidate.bucket)),
    ),
    candidateLastTried: newestDate(
      launched.filter(
        (ferry) => ferry.candidate === candidate.id || ferry.changes.some((change) => change.path === candidate.path),
      ),
    ),
  };
}
