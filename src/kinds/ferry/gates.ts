/** The gates of ferries: what a change is, what its pull request declares, and how much may change in one ferry. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { readKnobs } from '../../delta/config-delta.ts';
import {
  type Delta,
  type ExperimentFile,
  type KnobChange,
  type ModelSize,
  newDelta,
  trainingFlops,
} from '../../domain/launch/change-facts.ts';
import { isPathCovered } from '../../domain/launch/manifest.ts';
import { assertNever, formatNumber } from '../../domain/values.ts';
import { cannotTell, defineGate, type GateFacts, ifKnown, type Judgement, judgements } from '../../gates/gate.ts';
import { findLargeStep, isRevertible } from './edit.ts';
import { type FerryLane, ferryLane, listFixablePaths } from './settings.ts';

type Scale = NonNullable<FerryLane['scale']>;

/** Returns a function that computes the training size of a file in this lane; null if the lane configures no scale. */
export function sizeReader(lane: LaneConfig): ((file: ExperimentFile) => ModelSize) | null {
  const { scale } = ferryLane(lane);
  return scale === null ? null : (file) => computeSize(file, scale, lane.environment);
}

function computeSize(file: ExperimentFile, scale: Scale, environment: LaneConfig['environment']): ModelSize {
  const parameters = Number(scale.parameters);
  if (scale.flopsVariable !== null) {
    const flops = parseNumber(environment[scale.flopsVariable]);
    return flops === null
      ? { kind: 'unknown', why: `the lane's environment has no number ${scale.flopsVariable}` }
      : { kind: 'known', parameters, flops };
  }
  const knobs = readKnobs(file);
  let tokens = 1;
  for (const factor of scale.tokens ?? []) {
    const value = typeof factor === 'number' ? factor : parseNumber(knobs.find(({ path }) => path === factor)?.value);
    if (value === null) return { kind: 'unknown', why: `the experiment has no number at ${factor}` };
    tokens *= value;
  }
  return { kind: 'known', parameters, flops: trainingFlops(parameters, tokens) };
}

/** Deviation from the lane's target FLOPs in per cent; negative means fewer. */
function targetDeviation(flops: number, { flops: target }: Scale): number {
  return ((flops - Number(target)) / Number(target)) * 100;
}

function parseNumber(source: string | undefined): number | null {
  const value = Number(source?.replaceAll('_', '') ?? '');
  return Number.isFinite(value) && value > 0 ? value : null;
}

/**
 * Only the configured files may change, so that the diff stays small and intentional (policy DF-10). After a failed
 * attempt, a fix may also change the files that the lab allows for fixes (policy DF-26).
 */
export const scopeGate = defineGate(
  'scope',
  ({ change, lane, fixOf }, { block, pass }) =>
    ifKnown(change, ({ changedPaths }) => {
      const ferry = ferryLane(lane);
      const outside = changedPaths.filter((path) => !isPathAllowed(ferry, path, fixOf !== null));
      const [first] = outside;
      const files = changedPaths.length;
      const count = outside.length;
      const fix = fixOf === null ? { may: [] } : { attempt: fixOf, may: listFixablePaths(ferry) };
      return first === undefined
        ? pass('inside', { files, ...fix })
        : block('outside', 'author', { first, count, ...fix });
    }),
  { readsSettings: true },
);

const deltaReadableAnswer = judgements('delta-readable');

/** The delta must consist of countable settings: people cannot review the knobs of a structural change. */
// Judges the delta against the target branch and the delta against the pass, because people read both.
export const deltaReadableGate = defineGate(
  'delta-readable',
  ({ change }) =>
    ifKnown(change, (value) => {
      const judged = judgeDelta(value.delta);
      return judged.outcome === 'pass' && listChanges(newDelta(value)) === null ? judgeDelta(newDelta(value)) : judged;
    }),
  { readsSettings: true },
);

/** Null if more than settings changes: `delta-readable` blocks it, and the other gates cannot decide. */
export function listChanges(delta: Delta): readonly KnobChange[] | null {
  if (delta.kind === 'none') return [];
  return delta.kind === 'knobs' ? delta.changes : null;
}

const UNCOUNTABLE = cannotTell('the delta itself cannot be read');

function judgeDelta(delta: Delta): Judgement {
  switch (delta.kind) {
    case 'none':
    case 'knobs':
      return deltaReadableAnswer.pass('countable', { knobs: listChanges(delta)?.length ?? 0 });
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
export const deltaDeclaredGate = defineGate(
  'delta-declared',
  ({ change, body }, { block, pass }) =>
    ifKnown(change, ({ delta }) => {
      const changes = listChanges(delta);
      if (changes === null) return UNCOUNTABLE;
      return ifKnown(body, (value) => {
        const first = value.mismatches[0];
        if (first !== undefined) return block(first.kind, 'author', { knob: first.knob, row: first.row ?? '' });
        if (!value.hasDeltaTable && changes.length > 0) return block('no-table', 'author');
        return pass('declared', { knobs: changes.length });
      });
    }),
  { readsSettings: true },
);

/** Usually one or two knobs change (policy DF-01), by small reversible steps (DF-41). Only warns, unless the lab configures `block`. */
export const budgetGate = defineGate(
  'budget',
  ({ change, lane }, { block, pass, warn }) =>
    ifKnown(change, (value) => {
      const delta = newDelta(value);
      const changes = listChanges(delta);
      if (changes === null) return UNCOUNTABLE;
      const { budget: most, steps } = ferryLane(lane);
      const found = { knobs: changes.length, most: most.knobs, against: value.base?.run };
      const isStrict = steps.enforce === 'block';
      const hold = isStrict ? block : warn;
      const large = findLargeStep(changes, steps);
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
      if (!isRevertible(delta)) return hold('leaves-more', 'author', { knobs: changes.length });
      return isOver ? warn('over', 'author', found) : pass('within', found);
    }),
  { readsSettings: true },
);

const scaleStableAnswer = judgements('scale-stable');

/** The scale stays as in the last run unless a person named the change (policy DF-11); FLOPs match the lane's target (policy DF-38). */
export const scaleStableGate = defineGate(
  'scale-stable',
  ({ change, lane, proposal }) =>
    ifKnown(change, (value) => {
      const changes = listChanges(newDelta(value));
      if (changes === null) return UNCOUNTABLE;
      const scaled = changes.filter((one) => isScaleKnob(one, ferryLane(lane).scaleKnobs));
      const first = scaled[0];
      if (first === undefined) return judgeSize(value.size, ferryLane(lane));
      const unasked = scaled.find((one) => !isRequestedChange(one, proposal));
      const { requestedBy } = proposal;
      if (unasked === undefined && requestedBy !== null)
        return scaleStableAnswer.pass('asked-for', { knob: first.knob, by: requestedBy.login, count: scaled.length });
      const { knob, before, after } = unasked ?? first;
      return scaleStableAnswer.block('scale-changed', 'maintainer', { knob, before: before ?? '', after: after ?? '' });
    }),
  { readsSettings: true },
);

/** Blocks a run whose FLOPs are far from the lane's target, like an unrequested change of a scale knob. */
function judgeSize(size: ModelSize | null, { scale }: FerryLane): Judgement {
  if (size === null || scale === null) return scaleStableAnswer.pass('unchanged');
  if (size.kind === 'unknown') return scaleStableAnswer.block('not-computed', 'maintainer', { why: size.why });
  const percent = targetDeviation(size.flops, scale);
  const flops = size.flops.toExponential(1).replace('+', '');
  // rule DF-38
  return Math.abs(percent) > scale.tolerancePercent
    ? scaleStableAnswer.block('off-target', 'maintainer', {
        flops,
        target: scale.flops,
        percent: `${percent > 0 ? '+' : ''}${formatNumber(percent)}`,
        tolerance: String(scale.tolerancePercent),
      })
    : scaleStableAnswer.pass('unchanged', { parameters: scale.parameters, flops, target: scale.flops });
}

/** Matches the path of a knob, or its bare name at any path. */
function isScaleKnob(change: KnobChange, scaleKnobs: readonly string[]): boolean {
  return scaleKnobs.includes(change.path) || scaleKnobs.includes(change.knob);
}

/** The request must contain the knob as a whole word: a request for `lr_schedule` is no request for `lr`. */
function isRequestedChange(change: KnobChange, { requestedBy, objective, request }: GateFacts['proposal']): boolean {
  if (requestedBy === null) return false;
  // `/propose` requests one exact value; any other value is unrequested.
  if (request?.knobs.some(({ path, after }) => path === change.path && after === change.after)) return true;
  // rule DF-11
  return containsWord(objective.text, change.knob) || containsWord(objective.text, change.path);
}

function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text.charAt(at - 1)}${text.charAt(at + word.length)}`;
    if (!/\w/.test(around)) return true;
  }
  return false;
}

/** An identical rerun is allowed only to confirm a regression that the PR declares (policy DF-13). */
export const identicalRerunGate = defineGate(
  'identical-rerun',
  ({ change, body }, { block, pass }) =>
    ifKnown(change, (value) => {
      const changes = listChanges(newDelta(value));
      if (changes === null) return UNCOUNTABLE;
      if (changes.length > 0) return pass('something-changes');
      return ifKnown(body, ({ objectiveKind }) =>
        // rule DF-13
        objectiveKind === 'regression'
          ? pass('declared-regression')
          : block('identical-undeclared', 'author', { against: value.base?.run }),
      );
    }),
  { readsSettings: true },
);

/** The PR names one risk level: low, medium or high (policy DF-17). */
export const riskPresentGate = defineGate('risk-present', ({ body }, { block, pass }) =>
  ifKnown(body, ({ risk }) => (risk === null ? block('missing', 'author') : pass('present', { risk }))),
);

/** The PR links the last ferry's issue, PR or run, or declares that there is none (policy DF-15). */
export const lastFerryLinkedGate = defineGate('last-ferry-linked', ({ body }, { block, pass }) =>
  ifKnown(body, ({ linksLastFerry }) => (linksLastFerry ? pass('linked') : block('missing', 'author'))),
);

/** Whether a ferry may change this file: a file in `scope` or, for a fix after a failed attempt, in `fixScope`. */
function isPathAllowed({ scope, fixScope }: FerryLane, path: string, isFix: boolean): boolean {
  return scope.includes(path) || (isFix && fixScope.some((folder) => isPathCovered(folder, path)));
}
