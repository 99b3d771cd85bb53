/** The gates of ferries: what a change is, what its pull request declares, and how much may change at once. */

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
import { assertNever } from '../../domain/values.ts';
import { cannotTell, defineGate, type GateFacts, given, type Judgement, judging } from '../../gates/gate.ts';
import { canBePutBack, largeStep } from './edit.ts';
import { type FerryLane, ferryLane, fixableOf, mayChange } from './settings.ts';

type Scale = NonNullable<FerryLane['scale']>;

/** Tells what a file would train in this lane; null where the lane says nothing of its scale. */
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
    const value =
      typeof factor === 'number' ? factor : numberIn(knobs.find(({ path }) => path === factor)?.value);
    if (value === null) return { kind: 'unknown', why: `the experiment has no number at ${factor}` };
    tokens *= value;
  }
  return { kind: 'known', parameters, flops: trainingFlops(parameters, tokens) };
}

/** How far the run is from what the lane is for, in per cent of it: negative is less. */
function offTarget(flops: number, { flops: target }: Scale): number {
  return ((flops - Number(target)) / Number(target)) * 100;
}

function numberIn(source: string | undefined): number | null {
  const value = Number(source?.replaceAll('_', '') ?? '');
  return Number.isFinite(value) && value > 0 ? value : null;
}

/**
 * Only the configured files change, so that the diff stays small and intentional (policy DF-10). Once an attempt has
 * failed, a fix of it may go further, as far as the lab says (policy DF-26).
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

/** What changes is known for what it is; a structural change cannot be counted, so nobody can have reviewed its knobs. */
// Against the target branch and against the pass that it starts from: people read both.
export const deltaReadable = defineGate(
  'delta-readable',
  ({ change }) =>
    given(change, (value) => {
      const judged = judge(value.delta);
      return judged.outcome === 'pass' && changesIn(newDelta(value)) === null
        ? judge(newDelta(value))
        : judged;
    }),
  { readsSettings: true },
);

/** Null where more than settings changes: `delta-readable` says so, and the other gates cannot tell. */
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

/** The PR's before/after table says exactly what the files say (policy DF-18). */
export const deltaDeclared = defineGate(
  'delta-declared',
  ({ change, body }, { block, pass }) =>
    given(change, ({ delta }) => {
      const changes = changesIn(delta);
      if (changes === null) return UNCOUNTABLE;
      return given(body, (value) => {
        const first = value.mismatches[0];
        if (first !== undefined)
          return block(first.kind, 'author', { knob: first.knob, row: first.row ?? '' });
        if (!value.hasDeltaTable && changes.length > 0) return block('no-table', 'author');
        return pass('declared', { knobs: changes.length });
      });
    }),
  { readsSettings: true },
);

/** Usually one or two knobs are new (policy DF-01), each by a small step that can be put back (DF-41). Guidance, not a law: warnings unless the lab says block. */
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
      // What blocks is said before what warns.
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

/** The model's scale stays as it ran last unless a person asked for the change by name (policy DF-11), and what the run spends is what the lane is for (policy DF-38). */
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

/** A run that is far from what its lane is for needs somebody who asked, like a knob of the scale. */
function sizeAgainst(size: ModelSize | null, { scale }: FerryLane): Judgement {
  if (size === null || scale === null) return scaleStableAnswer.pass('unchanged');
  if (size.kind === 'unknown')
    return scaleStableAnswer.block('not-computed', 'maintainer', { why: size.why });
  const percent = offTarget(size.flops, scale);
  const flops = size.flops.toExponential(1).replace('+', '');
  // rule DF-38
  return Math.abs(percent) > scale.tolerancePercent
    ? scaleStableAnswer.block('off-target', 'maintainer', {
        flops,
        target: scale.flops,
        percent: `${percent > 0 ? '+' : ''}${percent.toFixed(0)}`,
        tolerance: String(scale.tolerancePercent),
      })
    : scaleStableAnswer.pass('unchanged', { parameters: scale.parameters, flops, target: scale.flops });
}

/** By its path, or by its bare name wherever it stands. */
function isScale(change: KnobChange, scaleKnobs: readonly string[]): boolean {
  return scaleKnobs.includes(change.path) || scaleKnobs.includes(change.knob);
}

/** A person's request names the knob as a word of its own: `lr` is not asked for by somebody who wrote `lr_schedule`. */
function isAskedFor(change: KnobChange, { requestedBy, objective, request }: GateFacts['proposal']): boolean {
  if (requestedBy === null) return false;
  // With /propose it is asked for at the value that was said; another value is somebody else's idea.
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

/** The PR names one risk level, low, medium or high (policy DF-17). */
export const riskPresent = defineGate('risk-present', ({ body }, { block, pass }) =>
  given(body, ({ risk }) => (risk === null ? block('missing', 'author') : pass('present', { risk }))),
);

/** The PR links the last ferry's issue, PR or run, or says that there is none (policy DF-15). */
export const lastFerryLinked = defineGate('last-ferry-linked', ({ body }, { block, pass }) =>
  given(body, ({ linksLastFerry }) => (linksLastFerry ? pass('linked') : block('missing', 'author'))),
);
