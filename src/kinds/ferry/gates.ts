/** The gates of ferries: what a change is, what its pull request declares, and how much may change in one ferry. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { readKnobs } from '../../delta/config-delta.ts';
import { figure } from '../../domain/figures.ts';
import {
  type Delta,
  type ExperimentFile,
  type KnobChange,
  type ModelSize,
  newDelta,
  trainingFlops,
} from '../../domain/launch/change-facts.ts';
import { assertNever } from '../../domain/values.ts';
import { cannotTell, defineGate, type GateFacts, given, type Judgement, judging } from '../../gates/gate.ts';
import { canBePutBack, largeStep } from './edit.ts';
import { type FerryLane, ferryLane, fixableOf, mayChange } from './settings.ts';

type Scale = NonNullable<FerryLane['scale']>;

/** Returns a function that computes the training size of a file in this lane; null if the lane configures no scale. */
export function sizeOf(lane: LaneConfig): ((file: ExperimentFile) => ModelSize) | null {
  const { scale } = ferryLane(lane);
  return scale === null ? null : (file) => sizeIn(file, scale, lane.environment);
}

function sizeIn(file: ExperimentFile, scale: Scale, environment: LaneConfig['environment']): ModelSize {
  const parameters = Number(scale.parameters);
  if (scale.flopsVariable !== null) {
    const flops = numberIn(environment[scale.flopsVariable]);
    return flops === null
      ? { kind: 'unknown', why: `the lane's environment has no number ${scale.flopsVariable}` }
      : { kind: 'known', parameters, flops };
  }
  const knobs = readKnobs(file);
  let tokens = 1;
  for (const factor of scale.tokens ?? []) {
    const value = typeof factor === 'number' ? factor : numberIn(knobs.find(({ path }) => path === factor)?.value);
    if (value === null) return { kind: 'unknown', why: `the experiment has no number at ${factor}` };
    tokens *= value;
  }
  return { kind: 'known', parameters, flops: trainingFlops(parameters, tokens) };
}

/** Deviation from the lane's target FLOPs in per cent; negative means fewer. */
function offTarget(flops: number, { flops: target }: Scale): number {
  return ((flops - Number(target)) / Number(target)) * 100;
}

function numberIn(source: string | undefined): number | null {
  const value = Number(source?.replaceAll('_', '') ?? '');
  return Number.isFinite(value) && value > 0 ? value : null;
}

/**
 * Only the configured files may change, so that the diff stays small and intentional (policy DF-10). After a failed
 * attempt, a fix may also change the files that the lab allows for fixes (policy DF-26).
 */
export const scope = defineGate(
  'scope',
  ({ change, lane, fixOf }, { block, pass }) =>
    given(change, ({ changedPaths }) => {
      const ferry = ferryLane(lane);
      const outside = changedPaths.filter((path) => !mayChange(ferry, path, fixOf !== null));
      const [first] = outside;
      const files = changedPaths.length;
      const count = outside.length;
      const fix = fixOf === null ? { may: [] } : { attempt: fixOf, may: fixableOf(ferry) };
      return first === undefined
        ? pass('inside', { files, ...fix })
        : block('outside', 'author', { first, count, ...fix });
    }),
  { readsSettings: true },
);

const deltaReadableAnswer = judging('delta-readable');

/** The delta must consist of countable settings: people cannot review the knobs of a structural change. */
// Judges the delta against the target branch and the delta against the pass, because people read both.
export const deltaReadable = defineGate(
  'delta-readable',
  ({ change }) =>
    given(change, (value) => {
      const judged = judge(value.delta);
      return judged.outcome === 'pass' && changesIn(newDelta(value)) === null ? judge(newDelta(value)) : judged;
    }),
  { readsSettings: true },
);

/** Null if more than settings changes: `delta-readable` blocks it, and the other gates cannot decide. */
export function changesIn(delta: Delta): readonly KnobChange[] | null {
  if (delta.kind === 'none') return [];
  return delta.kind === 'knobs' ? delta.changes : null;
}

const UNCOUNTABLE = cannotTell('the delta itself cannot be read');

function judge(delta: Delta): Judgement {
  switch (delta.kind) {
    case 'none':
    case 'knobs':
      return deltaReadableAnswer.pass('countable', { knobs: changesIn(delta)?.length ?? 0 });
    case 'structural': {
      const { line, side, statement } = delta;
      return deltaReadableAnswer.block('structural', 'author', { line, side, statement });
    }
    case 'unparsable': {
      const { line, side, message } = delta;
      return deltaReadableAnswer.block('unparsable', 'author', { line, side, message });
    }
    default:
      return assertNever(delta);
  }
}

/** The before/after table of the PR must match the files exactly (policy DF-18). */
export const deltaDeclared = defineGate(
  'delta-declared',
  ({ change, body }, { block, pass }) =>
    given(change, ({ delta }) => {
      const changes = changesIn(delta);
      if (changes === null) return UNCOUNTABLE;
      return given(body, (value) => {
        const first = value.mismatches[0];
        if (first !== undefined) return block(first.kind, 'author', { knob: first.knob, row: first.row ?? '' });
        if (!value.hasDeltaTable && changes.length > 0) return block('no-table', 'author');
        return pass('declared', { knobs: changes.length });
      });
    }),
  { readsSettings: true },
);

/** Usually one or two knobs change (policy DF-01), by small reversible steps (DF-41). Only warns, unless the lab configures `block`. */
export const budget = defineGate(
  'budget',
  ({ change, lane }, { block, pass, warn }) =>
    given(change, (value) => {
      const delta = newDelta(value);
      const changes = changesIn(delta);
      if (changes === null) return UNCOUNTABLE;
      const { budget: most, steps } = ferryLane(lane);
      const found = { knobs: changes.length, most: most.knobs, against: value.base?.run };
      const isStrict = steps.enforce === 'block';
      const hold = isStrict ? block : warn;
      const large = largeStep(changes, steps);
      // rule DF-01
      const isOver = changes.length > most.knobs;
      // Report blocks before warnings.
      if (isOver && most.enforce === 'block') return block('over', 'author', found);
      if (isOver && !isStrict) return warn('over', 'author', found);
      if (large !== null) {
        const { before, after, knob } = large.change;
        const step = { knob, before: before ?? '', after: after ?? '', small: large.most };
        return hold('large-step', 'author', step);
      }
      if (!canBePutBack(delta)) return hold('leaves-more', 'author', { knobs: changes.length });
      return isOver ? warn('over', 'author', found) : pass('within', found);
    }),
  { readsSettings: true },
);

const scaleStableAnswer = judging('scale-stable');

/** The scale stays as in the last run unless a person named the change (policy DF-11); FLOPs match the lane's target (policy DF-38). */
export const scaleStable = defineGate(
  'scale-stable',
  ({ change, lane, proposal }) =>
    given(change, (value) => {
      const changes = changesIn(newDelta(value));
      if (changes === null) return UNCOUNTABLE;
      const scaled = changes.filter((one) => isScale(one, ferryLane(lane).scaleKnobs));
      const first = scaled[0];
      if (first === undefined) return sizeAgainst(value.size, ferryLane(lane));
      const unasked = scaled.find((one) => !isAskedFor(one, proposal));
      const { requestedBy } = proposal;
      if (unasked === undefined && requestedBy !== null)
        return scaleStableAnswer.pass('asked-for', {
          knob: first.knob,
          by: requestedBy.login,
          count: scaled.length,
        });
      const { knob, before, after } = unasked ?? first;
      return scaleStableAnswer.block('scale-changed', 'maintainer', {
        knob,
        before: before ?? '',
        after: after ?? '',
      });
    }),
  { readsSettings: true },
);

/** Blocks a run whose FLOPs are far from the lane's target, like an unrequested change of a scale knob. */
function sizeAgainst(size: ModelSize | null, { scale }: FerryLane): Judgement {
  if (size === null || scale === null) return scaleStableAnswer.pass('unchanged');
  if (size.kind === 'unknown') return scaleStableAnswer.block('not-computed', 'maintainer', { why: size.why });
  const percent = offTarget(size.flops, scale);
  const flops = size.flops.toExponential(1).replace('+', '');
  // rule DF-38
  return Math.abs(percent) > scale.tolerancePercent
    ? scaleStableAnswer.block('off-target', 'maintainer', {
        flops,
        target: scale.flops,
        percent: `${percent > 0 ? '+' : ''}${figure(percent)}`,
        tolerance: String(scale.tolerancePercent),
      })
    : scaleStableAnswer.pass('unchanged', { parameters: scale.parameters, flops, target: scale.flops });
}

/** Matches the path of a knob, or its bare name at any path. */
function isScale(change: KnobChange, scaleKnobs: readonly string[]): boolean {
  return scaleKnobs.includes(change.path) || scaleKnobs.includes(change.knob);
}

/** The request must contain the knob as a whole word: a request for `lr_schedule` is no request for `lr`. */
function isAskedFor(change: KnobChange, { requestedBy, objective, request }: GateFacts['proposal']): boolean {
  if (requestedBy === null) return false;
  // `/propose` requests one exact value; any other value is unrequested.
  if (request?.knobs.some(({ path, after }) => path === change.path && after === change.after)) return true;
  // rule DF-11
  return hasWord(objective.text, change.knob) || hasWord(objective.text, change.path);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text.charAt(at - 1)}${text.charAt(at + word.length)}`;
    if (!/\w/.test(around)) return true;
  }
  return false;
}

/** An identical rerun is allowed only to confirm a regression that the PR declares (policy DF-13). */
export const identicalRerun = defineGate(
  'identical-rerun',
  ({ change, body }, { block, pass }) =>
    given(change, (value) => {
      const changes = changesIn(newDelta(value));
      if (changes === null) return UNCOUNTABLE;
      if (changes.length > 0) return pass('something-changes');
      return given(body, ({ objectiveKind }) =>
        // rule DF-13
        objectiveKind === 'regression'
          ? pass('declared-regression')
          : block('identical-undeclared', 'author', { against: value.base?.run }),
      );
    }),
  { readsSettings: true },
);

/** The PR names one risk level: low, medium or high (policy DF-17). */
export const riskPresent = defineGate('risk-present', ({ body }, { block, pass }) =>
  given(body, ({ risk }) => (risk === null ? block('missing', 'author') : pass('present', { risk }))),
);

/** The PR links the last ferry's issue, PR or run, or declares that there is none (policy DF-15). */
export const lastFerryLinked = defineGate('last-ferry-linked', ({ body }, { block, pass }) =>
  given(body, ({ linksLastFerry }) => (linksLastFerry ? pass('linked') : block('missing', 'author'))),
);
