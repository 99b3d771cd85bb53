/** Each detector by its rule: at its bound, just before it, and silent without its evidence. */

import { describe, expect, it } from 'vitest';
import { addValue, type Evidence, NO_SERIES, SERIES_LAWS, type Series } from '../../src/detectors/detector.ts';
import { SPEED_LAW } from '../../src/detectors/progress.ts';
import { DETECTORS } from '../../src/detectors/registry.ts';
import { DETECTOR_IDS, type DetectorId } from '../../src/domain/failure-class.ts';
import { brandAs, type Instant, isInstant } from '../../src/domain/values.ts';

const MINUTE = 60_000;
const at = (minutes: number): Instant => brandAs(Date.UTC(2026, 10, 20) + minutes * MINUTE, isInstant);

/** A healthy observation ten hours after the start of the job. */
const healthy: Evidence = {
  at: at(600),
  status: 'RUNNING',
  isLogRead: true,
  pendingSince: null,
  runningSince: at(0),
  step: { value: 900, exact: true },
  hasTrained: true,
  moved: { at: at(595), longestGapMs: 10 * MINUTE, observations: 30 },
  secondsPerStep: 2,
  isBusy: false,
  series: {},
  isLossMissing: false,
  speed: NO_SERIES,
  speedNow: null,
  speedBefore: null,
  speedFloor: SPEED_LAW.factor,
  slowSince: at(560),
  use: null,
  replayed: null,
  saved: null,
  savingSince: null,
  evaluated: null,
  logGrewAt: null,
  isStoreRead: null,
  unstored: null,
  saveEveryMs: null,
  steppingSince: at(5),
  engine: {},
  tracker: null,
  config: [],
  past: [],
  lane: null,
  objective: null,
  disk: null,
  artefacts: { checkpoint: null, metrics: null, work: false },
};

const evaluated = (minutes: number, gap: number, looks: number) => ({
  at: at(minutes),
  longestGapMs: gap * MINUTE,
  observations: looks,
});

const unstored = (answers: number) => ({ step: 400, newest: 200, since: at(560), answers });

function judged(id: DetectorId, change: Partial<Evidence>): string {
  const detector = DETECTORS.find((one) => one.id === id);
  if (detector === undefined) throw new Error(`no detector ${id}`);
  const found = detector.judge({ ...healthy, ...change });
  return found.kind === 'cannot-tell' ? `cannot tell: ${found.missing}` : found.kind;
}

/** A series of values, one per step from `from` on. */
function course(name: keyof typeof SERIES_LAWS, ...parts: readonly (readonly [number, number])[]): Series {
  let [series, step]: [Series, number] = [NO_SERIES, 0];
  for (const [count, value] of parts)
    for (let index = 0; index < count; index += 1) {
      step += 1;
      series = addValue(series, SERIES_LAWS[name], value, step);
    }
  return series;
}

/** Alternates like a loss with noise: up and down from one step to the next. */
function swings(steps: number, by: number): readonly (readonly [number, number])[] {
  return Array.from({ length: steps }, (_, index) => [1, index % 2 === 0 ? by : -by] as const);
}

/** Moves a hundredth of the way with each step. */
function climb(from: number, to: number): readonly (readonly [number, number])[] {
  return Array.from({ length: 100 }, (_, index) => [1, from + ((to - from) * (index + 1)) / 100] as const);
}

function speeds(...values: readonly number[]): Series {
  return values.reduce((series, value) => addValue(series, SPEED_LAW, value, null), NO_SERIES);
}

const pair = (step: number, before: number, difference: number, resolution: number) => ({
  step,
  before,
  after: before + difference,
  resolution,
});
const tracked = (
  intended: string,
  logged: readonly string[],
  said: Partial<NonNullable<NonNullable<Evidence['tracker']>['trackedRun']>> | null = null,
) => ({ intended, logged, trackedRun: said === null ? null : { ...UNSAID, ...said } });
const UNSAID = { identity: 'hero', name: 'hero', step: null, rowAt: null, heartbeatAt: null };
/** At step 900 by its log and at 800 by its tracker, with a tracker row from an hour before the last step. */
const frozen = (said: Partial<NonNullable<NonNullable<Evidence['tracker']>['trackedRun']>>) => ({
  tracker: tracked('hero', ['hero'], { step: 800, rowAt: at(535), heartbeatAt: at(535), ...said }),
});
const trace = (loss: string) => [{ step: 900, loss }];
const failed = (lastStep: number) => ({ status: 'FAILED' as const, lastStep, endedAt: null });

const objective = (first: number, before: number, now: number) =>
  ({ key: 'eval/loss', better: 'lower', first, before, now }) as const;
const LOW_TWICE = { percent: 3, idleObservations: 2, idleSince: at(590) };
const stoodSince = (minutes: number) => ({ at: at(minutes), longestGapMs: 0, observations: 9 });

type Case = readonly [DetectorId, string, Partial<Evidence>, string];
const CASES: readonly Case[] = [
  ['stalled-steps', 'moved ten minutes ago', { moved: { at: at(590), longestGapMs: 0, observations: 9 } }, 'quiet'],
  ['stalled-steps', 'two looks without a step', { moved: { at: at(581), longestGapMs: 0, observations: 9 } }, 'alarm'],
  [
    'stalled-steps',
    'half an hour at 83.3k, 18.8 s a step',
    {
      step: { value: 83_300, exact: false },
      secondsPerStep: 18.8,
      moved: { at: at(570), longestGapMs: 0, observations: 9 },
    },
    'quiet',
  ],
  [
    'stalled-steps',
    'a rounded bar of unknown rate',
    { step: { value: 83_300, exact: false }, secondsPerStep: null },
    'cannot tell: progress',
  ],
  [
    'stalled-steps',
    'a trainer that prints every half an hour',
    { moved: { at: at(545), longestGapMs: 30 * MINUTE, observations: 9 } },
    'quiet',
  ],
  [
    'stalled-steps',
    'an eval of forty minutes',
    { isBusy: true, moved: { at: at(560), longestGapMs: 0, observations: 9 } },
    'quiet',
  ],
  ['stalled-steps', 'a log that cannot be read', { isLogRead: false }, 'cannot tell: log'],
  ['stalled-steps', 'an engine that cannot be read', { status: 'UNKNOWN' }, 'cannot tell: engine'],
  ['stalled-start', '168 minutes', { hasTrained: false, at: at(168) }, 'quiet'],
  ['stalled-start', 'three hours', { hasTrained: false, at: at(180) }, 'alarm'],
  ['stalled-start', 'no log', { hasTrained: false, isLogRead: false }, 'cannot tell: log'],
  ['throughput-collapse', 'three slow looks', { speed: speeds(10, 10, 10, 10, 7, 7, 7) }, 'alarm'],
  ['throughput-collapse', 'two slow looks', { speed: speeds(10, 10, 10, 10, 7, 7) }, 'quiet'],
  ['throughput-collapse', 'dips', { speed: speeds(10, 10, 10, 7, 7, 10, 7, 7, 10) }, 'quiet'],
  ['throughput-collapse', 'a fifth slower', { speed: speeds(10, 10, 10, 10, 8, 8, 8, 8) }, 'quiet'],
  ['throughput-collapse', 'a slow start', { speed: speeds(3, 10, 10) }, 'cannot tell: speed'],
  ['nan', 'a loss that is none', { isLossMissing: true }, 'alarm'],
  ['nan', 'no loss', {}, 'cannot tell: loss'],
  ['loss-spike', 'ten steps half above', { series: { loss: course('loss', [100, 3], [10, 4.6]) } }, 'alarm'],
  ['loss-spike', 'nine steps half above', { series: { loss: course('loss', [100, 3], [9, 4.6], [1, 3]) } }, 'quiet'],
  ['loss-spike', 'long and smaller', { series: { loss: course('loss', [100, 3], [50, 4.3]) } }, 'quiet'],
  ['loss-spike', 'in the warm-up', { series: { loss: course('loss', [20, 3], [20, 9]) } }, 'quiet'],
  ['loss-spike', 'no loss', {}, 'cannot tell: loss'],
  [
    'loss-spike',
    'of a policy, of either sign',
    { series: { loss: course('loss', ...swings(60, 0.08), [10, 0.15]) } },
    'quiet',
  ],
  [
    'loss-spike',
    'of a policy, far beyond what it does',
    { series: { loss: course('loss', ...swings(60, 0.08), [10, 0.6]) } },
    'alarm',
  ],
  [
    'loss-divergence',
    'that climbs to half above',
    { series: { loss: course('loss', [100, 2], ...climb(2, 3.2)) } },
    'alarm',
  ],
  [
    'loss-divergence',
    'that climbs by a third',
    { series: { loss: course('loss', [100, 2], ...climb(2, 2.7)) } },
    'quiet',
  ],
  [
    'loss-divergence',
    'that is far above in the warm-up alone',
    { series: { loss: course('loss', [20, 1], [40, 4], [200, 2]) } },
    'quiet',
  ],
  [
    'loss-divergence',
    'of preferences, from nothing',
    { series: { loss: course('loss', [100, 0.1], ...climb(0.1, 0.4)) } },
    'quiet',
  ],
  ['loss-divergence', 'no loss', {}, 'cannot tell: loss'],
  ['gradient-norm', 'exploded', { series: { 'grad-norm': course('grad-norm', [100, 0.5], [10, 9]) } }, 'alarm'],
  [
    'gradient-norm',
    'four that are clipped',
    { series: { 'grad-norm': course('grad-norm', [100, 0.5], [4, 90], [1, 0.5]) } },
    'quiet',
  ],
  [
    'router-collapse',
    'entropy that falls',
    { series: { 'router-entropy': course('router-entropy', [100, 3], [10, 1]) } },
    'alarm',
  ],
  [
    'router-collapse',
    'a full expert',
    { series: { 'expert-load': course('expert-load', [100, 1.2], [10, 5]) } },
    'alarm',
  ],
  ['router-collapse', 'no router', {}, 'cannot tell: measures'],
  ['z-loss', 'thrice as large', { series: { 'z-loss': course('z-loss', [100, 0.01], [10, 0.04]) } }, 'alarm'],
  ['z-loss', 'twice as large', { series: { 'z-loss': course('z-loss', [100, 0.01], [10, 0.02]) } }, 'quiet'],
  ['resume-mismatch', 'the same steps', { replayed: [1, 2, 3].map((s) => pair(s, 3, 0.001, 0.0001)) }, 'quiet'],
  ['resume-mismatch', 'by 0.003', { replayed: [1, 2, 3].map((s) => pair(s, 3, 0.003, 0.0001)) }, 'alarm'],
  ['resume-mismatch', 'by 0.003 in three digits', { replayed: [1, 2, 3].map((s) => pair(s, 3, 0.003, 0.01)) }, 'quiet'],
  [
    'resume-mismatch',
    'by two per cent in three digits',
    { replayed: [1, 2, 3].map((s) => pair(s, 3, 0.06, 0.01)) },
    'alarm',
  ],
  ['resume-mismatch', 'in two digits', { replayed: [1, 2, 3].map((s) => pair(s, 3, 0.1, 0.1)) }, 'cannot tell: loss'],
  ['resume-mismatch', 'one step alone', { replayed: [pair(1, 3, 2, 0.0001)] }, 'cannot tell: loss'],
  [
    'checkpoint-stalled',
    'half an hour at ten minutes',
    { saveEveryMs: 10 * MINUTE, saved: { step: 1, at: at(570), longestGapMs: null } },
    'alarm',
  ],
  [
    'checkpoint-stalled',
    'a run that does not move',
    {
      saveEveryMs: 10 * MINUTE,
      saved: { step: 1, at: at(570), longestGapMs: null },
      moved: { at: at(560), longestGapMs: 0, observations: 9 },
    },
    'quiet',
  ],
  [
    'checkpoint-stalled',
    'as far apart as ever',
    { saved: { step: 1, at: at(520), longestGapMs: 60 * MINUTE } },
    'quiet',
  ],
  ['checkpoint-stalled', 'no interval', {}, 'cannot tell: checkpoints'],
  ['evals-stalled', 'three times the longest gap', { evaluated: evaluated(480, 40, 5) }, 'alarm'],
  ['evals-stalled', 'just less', { evaluated: evaluated(481, 40, 5) }, 'quiet'],
  ['evals-stalled', 'two evaluations so far', { evaluated: evaluated(300, 40, 2) }, 'cannot tell: evals'],
  [
    'evals-stalled',
    'a run that does not move either',
    { evaluated: evaluated(400, 40, 5), moved: { at: at(410), longestGapMs: 0, observations: 9 } },
    'quiet',
  ],
  ['stalled-start', 'lines that nobody can read', { hasTrained: false, logGrewAt: at(590) }, 'cannot tell: progress'],
  ['stalled-start', 'no new line for 19 min', { hasTrained: false, logGrewAt: at(581) }, 'alarm'],
  ['checkpoint-stalled', 'a write of an hour', { savingSince: at(540) }, 'alarm'],
  [
    'checkpoint-stalled',
    'a log that calls them saved, and a store that nobody can read',
    { saveEveryMs: 10 * MINUTE, saved: { step: 1, at: at(590), longestGapMs: null }, isStoreRead: false },
    'cannot tell: store',
  ],
  [
    'checkpoint-stalled',
    'a log that calls none saved for long, whatever the store would say',
    { saveEveryMs: 10 * MINUTE, saved: { step: 1, at: at(570), longestGapMs: null }, isStoreRead: false },
    'alarm',
  ],
  ['checkpoint-missing', 'at two answers', { isStoreRead: true, unstored: unstored(2) }, 'alarm'],
  ['checkpoint-missing', 'at one answer', { isStoreRead: true, unstored: unstored(1) }, 'quiet'],
  ['checkpoint-missing', 'all there', { isStoreRead: true }, 'quiet'],
  ['checkpoint-missing', 'a store that cannot be read', { isStoreRead: false }, 'cannot tell: store'],
  ['checkpoint-missing', 'a store that nobody asks', {}, 'cannot tell: store'],
  ['pending-long', 'half an hour', { status: 'PENDING', pendingSince: at(570) }, 'quiet'],
  ['pending-long', 'longer', { status: 'PENDING', pendingSince: at(569) }, 'alarm'],
  ['partial-allocation', 'three of four', { engine: { workersAsked: '4', workersReady: '3' } }, 'alarm'],
  ['partial-allocation', 'all four', { engine: { workersAsked: '4', workersReady: '4' } }, 'quiet'],
  ['partial-allocation', 'an engine that does not count', {}, 'cannot tell: engine'],
  ['wrong-topology', 'another type', { engine: { acceleratorAsked: 'v4-128', accelerator: 'v4-64' } }, 'alarm'],
  ['wrong-topology', 'fewer slices', { engine: { slicesAsked: '2', slices: '1' } }, 'alarm'],
  ['wrong-topology', 'the same', { engine: { acceleratorAsked: 'v4-128', accelerator: 'V4-128' } }, 'quiet'],
  ['wrong-topology', 'an engine that does not say', {}, 'cannot tell: engine'],
  ['tracker-drift', 'another run', { tracker: tracked('hero', ['hero', 'hero-old']) }, 'alarm'],
  ['tracker-drift', "an executor's hash", { tracker: tracked('daily', ['daily-5bbb39']) }, 'quiet'],
  [
    'tracker-drift',
    'an id that the tracker made up',
    { tracker: tracked('daily', ['x8k2lq0z']) },
    'cannot tell: tracker',
  ],
  ['tracker-drift', 'no link yet', { tracker: tracked('hero', []) }, 'cannot tell: tracker'],
  [
    'tracker-drift',
    'a made-up id that the tracker has under our name',
    { tracker: tracked('daily', ['x8k2lq0z'], { identity: 'x8k2lq0z', name: 'daily' }) },
    'quiet',
  ],
  [
    'tracker-drift',
    'another run by the tracker alone',
    { tracker: tracked('hero', [], { identity: 'hero-old' }) },
    'alarm',
  ],
  ['tracker-drift', 'nothing intended', {}, 'cannot tell: manifest'],
  ['tracker-frozen', 'nothing for an hour', frozen({}), 'alarm'],
  ['tracker-frozen', 'nothing for 59 min', frozen({ rowAt: at(536), heartbeatAt: at(536) }), 'quiet'],
  ['tracker-frozen', 'a heartbeat, as after a rollback', frozen({ heartbeatAt: at(589) }), 'quiet'],
  ['tracker-frozen', 'an old counter that is not passed', frozen({ step: 5_000 }), 'quiet'],
  [
    'tracker-frozen',
    'a bar that may be no further',
    { ...frozen({ step: 83_250 }), step: { value: 83_300, exact: false } },
    'quiet',
  ],
  ['tracker-frozen', 'called crashed and reporting', frozen({ rowAt: at(588), heartbeatAt: null }), 'quiet'],
  [
    'tracker-frozen',
    'a job that stands',
    { ...frozen({}), moved: { at: at(520), longestGapMs: 0, observations: 9 } },
    'quiet',
  ],
  ['tracker-frozen', 'nobody asks', {}, 'cannot tell: tracker'],
  ['tracker-frozen', 'a log that is dark', { ...frozen({}), isLogRead: false }, 'cannot tell: progress'],
  ['config-drift', 'another seed', { config: [{ name: 'seed', launched: '0', observed: '1' }] }, 'alarm'],
  ['config-drift', 'the same', { config: [{ name: 'seed', launched: '0', observed: '0' }] }, 'quiet'],
  ['config-drift', 'nothing to compare', {}, 'cannot tell: manifest'],
  ['flapping', 'one crash', { past: [failed(100)] }, 'quiet'],
  ['flapping', 'two at one step', { past: [failed(100), failed(104)] }, 'alarm'],
  ['flapping', 'two far apart', { past: [failed(100), failed(900)] }, 'quiet'],
  ['flapping', 'three anywhere', { past: [failed(100), failed(500), failed(900)] }, 'alarm'],
  ['flapping', 'the first attempt', {}, 'cannot tell: attempts'],
  ['low-utilisation', 'three looks', { use: { percent: 7, idleObservations: 3, idleSince: at(581) } }, 'alarm'],
  [
    'low-utilisation',
    'three looks within minutes',
    { use: { percent: 7, idleObservations: 3, idleSince: at(582) } },
    'quiet',
  ],
  ['low-utilisation', 'one look', { use: { percent: 7, idleObservations: 1, idleSince: at(500) } }, 'quiet'],
  ['low-utilisation', 'two looks without a step', { use: LOW_TWICE, moved: stoodSince(590) }, 'alarm'],
  ['low-utilisation', 'two looks, and a step', { use: LOW_TWICE, moved: stoodSince(591) }, 'quiet'],
  [
    'low-utilisation',
    'two looks without a step while a checkpoint is written',
    { use: LOW_TWICE, moved: stoodSince(590), isBusy: true },
    'quiet',
  ],
  ['low-utilisation', 'nobody says', {}, 'cannot tell: measures'],
  [
    'regression',
    'worse than all',
    { series: { loss: course('loss', [100, 3.2]) }, lane: ['3.0', '3.01', '2.99'].map(trace) },
    'alarm',
  ],
  [
    'regression',
    'as the worst',
    { series: { loss: course('loss', [100, 3.1]) }, lane: ['3.0', '3.1', '2.99'].map(trace) },
    'quiet',
  ],
  [
    'regression',
    'two runs',
    { series: { loss: course('loss', [100, 3.2]) }, lane: ['3.0', '3.0'].map(trace) },
    'cannot tell: lane',
  ],
  ['regression', 'an objective that rises', { objective: objective(3, 3.2, 3.4) }, 'alarm'],
  ['regression', 'the same eval twice', { objective: objective(3, 3.4, 3.4) }, 'cannot tell: lane'],
  ['regression', 'one eval that is worse', { objective: objective(3, 3.01, 3.4) }, 'cannot tell: lane'],
  [
    'regression',
    'one that is better the higher it is, and falls',
    { objective: { ...objective(0.6, 0.5, 0.4), better: 'higher' } },
    'alarm',
  ],
  ['regression', 'nobody knows the lane', {}, 'cannot tell: lane'],
  ['monitor-disk', 'full', { disk: { freeBytes: 100e6, totalBytes: 50e9 } }, 'alarm'],
  ['monitor-disk', 'enough', { disk: { freeBytes: 5e9, totalBytes: 50e9 } }, 'quiet'],
  ['monitor-disk', 'nobody says', {}, 'cannot tell: monitor'],
  ['green-no-op', 'no step', { status: 'SUCCEEDED', hasTrained: false }, 'alarm'],
  [
    'green-no-op',
    'no checkpoint',
    { status: 'SUCCEEDED', artefacts: { checkpoint: false, metrics: true, work: false } },
    'alarm',
  ],
  ['green-no-op', 'all there', { status: 'SUCCEEDED' }, 'quiet'],
  ['green-no-op', 'a log that cannot be read', { status: 'SUCCEEDED', isLogRead: false }, 'cannot tell: log'],
];

describe('a detector', () => {
  it.each(CASES)('%s: %s', (id, _, change, expected) => expect(judged(id, change)).toBe(expected));

  it('exists once for every id, and has a case that raises an alarm', () => {
    expect(DETECTORS.map(({ id }) => id)).toEqual(DETECTOR_IDS);
    const tried = CASES.filter(([, , , expected]) => expected === 'alarm').map(([id]) => id);
    expect([...new Set(tried)].toSorted()).toEqual([...DETECTOR_IDS].toSorted());
  });

  it('raises no alarm in a healthy observation', () => {
    expect(DETECTORS.filter(({ judge }) => judge(healthy).kind === 'alarm')).toEqual([]);
  });
});
