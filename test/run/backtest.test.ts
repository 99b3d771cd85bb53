/**
 * Replays recorded ferries under a changed config: which decisions change, which do not, and which the
 * record cannot decide.
 */

import { describe, expect, it } from 'vitest';
import type { ChangeFacts, Delta } from '../../src/domain/launch/change-facts.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import type { Verdict } from '../../src/domain/launch/verdict.ts';
import type { EventDataByType } from '../../src/domain/logbook/define.ts';
import { type Backtest, listDifferences } from '../../src/domain/past-runs.ts';
import { known, unknown } from '../../src/domain/values.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import { backtestTitle, renderBacktest } from '../../src/render/check.ts';
import { factsToRecord, runBacktest } from '../../src/run/backtest/backtest.ts';
import type { LabConfig } from '../../src/run/lane.ts';
import { budget } from '../gates/case-parts.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob, digestOf, toSha } from '../support/run-drafts.ts';
import { aBody, aChange, aCheck, aPull, instant } from '../support/run-facts.ts';
import { aConfig, aManifest, verdictsWith } from '../support/run-parts.ts';

type Lane = (typeof CONFIG)['lane'];
type Approvals = LabConfig['approvals'];

const CONFIG = aConfig();
const withLane = (change: Partial<Lane>): LabConfig => ({ ...CONFIG, lanes: { daily: { ...CONFIG.lane, ...change } } });
const withApprovals = (change: Partial<Approvals>): LabConfig => ({
  ...CONFIG,
  approvals: { ...CONFIG.approvals, ...change },
});

const POLICY: Manifest['policy'] = {
  'approvals.permission': 'maintain',
  'approvals.users': '',
  'approvals.quorum': '1',
  'approvals.quorumByCost': '',
  'approvals.onePersonIsEnough': 'false',
  'lane.experiment': 'experiments/ferries/daily.py',
  'lane.targetBranch': 'main',
  'lane.scope': 'experiments/ferries/daily.py',
  'lane.requiredChecks': 'all',
};
const MANIFEST = aManifest({ policy: POLICY });
const FACTS = { pull: known(aPull()), change: known(aChange()), body: known(aBody()), checks: known([aCheck()]) };
/** An evaluation with the facts that the gates read, as control records them. */
const look = (change: Partial<Manifest> = {}): Partial<EventDataByType['gated']> => {
  const manifest = { ...MANIFEST, ...change };
  return { manifest, digest: canonicalDigest(manifest, digestOf), ...factsToRecord(FACTS) };
};
const lookAt = (change: Partial<ChangeFacts>): Partial<EventDataByType['gated']> => ({
  ...look(),
  ...factsToRecord({ ...FACTS, change: known(aChange(change)) }),
});
const lookWith = (run: RunBuilder, ...verdicts: readonly Verdict[]): Partial<EventDataByType['gated']> => ({
  ...look(),
  verdicts: verdictsWith(run.state.proposal, ...verdicts),
});
const verdict = (
  gate: Verdict['gate'],
  outcome: Verdict['outcome'],
  code: string,
  found: Verdict['found'] = {},
): Verdict => ({ gate, outcome, code, found, remedyBy: 'author' });

const sealedRun = aRun()
  .gated(look())
  .shown()
  .approved(alice, 'named')
  .ordered()
  .submitted()
  .observed()
  .ended()
  .sealed(bob);

/** The decisions that change, one line each. */
const said = (result: Backtest): readonly string[] =>
  result.runs.flatMap((run) =>
    listDifferences(run).map(({ decision, subject, from, to, why }) =>
      [decision, ...(decision === 'gate' ? [subject] : []), `${from} -> ${to}`, `(${why})`].join(' '),
    ),
  );
const replay = (run: RunBuilder, config: LabConfig): readonly string[] => said(runBacktest([run.events], config));

describe('replaying with the same config', () => {
  it('repeats every decision', () => {
    const result = runBacktest([sealedRun.events], CONFIG);
    expect(said(result)).toEqual([]);
    expect(result).toMatchObject({ changed: 0, unknown: 0 });
    expect(result.decisions).toBeGreaterThan(20);
  });
});

/** Other files are read under other settings. */
const OF_THE_CHANGE = [
  'freshness',
  'scope',
  'delta-readable',
  'delta-declared',
  'budget',
  'scale-stable',
  'identical-rerun',
  'run-name-dated',
  'cost-budget',
  'manifest-complete',
];

describe('a gate', () => {
  const { delta } = aChange();
  const changes = delta.kind === 'knobs' ? delta.changes : [];
  const two: Delta = {
    kind: 'knobs',
    changes: changes.flatMap((one) => [one, { ...one, knob: 'warmup', path: 'f().warmup' }]),
  };
  const launched = 'launch launched -> not-launched';

  it.each<readonly [string, LabConfig, readonly string[]]>([
    [
      'a knob budget',
      withLane({ budget: { knobs: 1, enforce: 'block' } }),
      ['gate budget pass -> fail (over)', `${launched} (budget)`],
    ],
    [
      'a knob budget that only warns',
      withLane({ budget: { knobs: 1, enforce: 'warn' } }),
      ['gate budget pass -> warn (over)'],
    ],
    [
      'a smaller step',
      withLane({ steps: { factor: 1.01, knobs: {}, enforce: 'block' } }),
      ['gate budget pass -> fail (large-step)', `${launched} (budget)`],
    ],
    [
      'a cost budget',
      withLane({ costBudget: budget({ maxAcceleratorHours: '2.49' }) }),
      ['gate cost-budget pass -> fail (over)', `${launched} (cost-budget)`],
    ],
    ['a cost budget that the run keeps', withLane({ costBudget: budget({ maxAcceleratorHours: '2.50' }) }), []],
    [
      'a new scale knob',
      withLane({ scaleKnobs: ['warmup'] }),
      ['gate scale-stable pass -> fail (scale-changed)', `${launched} (scale-stable)`],
    ],
    [
      'another target branch',
      withLane({ targetBranch: 'release' }),
      [
        'gate target-branch pass -> fail (wrong-branch)',
        ...OF_THE_CHANGE.map((gate) => `gate ${gate} pass -> unknown (unreadable)`),
        `${launched} (target-branch)`,
      ],
    ],
    [
      'another name for runs',
      withLane({ runName: 'nightly-{date}' }),
      ['gate run-name-dated pass -> fail (wrong-name)', `${launched} (run-name-dated)`],
    ],
    ['a wider scope', withLane({ scope: ['experiments/ferries/daily.py', 'lib/a.py'] }), []],
    ['another scope', withLane({ scope: ['lib/a.py'] }), ['gate scope pass -> fail (outside)', `${launched} (scope)`]],
    ['no preconditions', withLane({ checklist: { preconditions: [] } }), []],
    [
      'another precondition',
      withLane({ checklist: { preconditions: ['data checked'] } }),
      ['gate preconditions pass -> fail (box-open)', `${launched} (preconditions)`],
    ],
    [
      'a required check by name',
      withLane({ requiredChecks: ['unit'] }),
      ['gate checks-green pass -> fail (missing)', `${launched} (checks-green)`],
    ],
    ['no required check', withLane({ requiredChecks: [] }), []],
    [
      'a folder that was not shipped',
      withLane({ ships: ['experiments', 'data'] }),
      [
        ...OF_THE_CHANGE.map((gate) => `gate ${gate} pass -> unknown (unreadable)`),
        'launch launched -> unknown (freshness)',
      ],
    ],
  ])('changes its result with %s', (_, config, expected) => {
    const run = aRun()
      .gated(lookAt({ delta: two }))
      .shown()
      .approved(alice, 'named')
      .ordered();
    expect(replay(run, config)).toEqual(expected);
  });

  it("counts the lane's launches of the week before in the cost budget", () => {
    const launched = (date: string): RunBuilder =>
      aRun({ date }).gated(look()).shown().approved(alice, 'named').ordered().claimed();
    const runs = [launched('2026-11-19'), launched('2026-11-21')].map((run) => run.events);
    const within = budget({ maxAcceleratorHours: '9', perWeek: '4.9' });
    expect(said(runBacktest(runs, withLane({ costBudget: within })))).toEqual([
      'gate cost-budget pass -> fail (over-period)',
      'launch launched -> not-launched (cost-budget)',
    ]);
    expect(said(runBacktest(runs, withLane({ costBudget: { ...within, perWeek: '5' } })))).toEqual([]);
  });

  it("judges freshness by the commit's age at the time of the evaluation", () => {
    const start = aRun();
    const behind = verdict('freshness', 'warn', 'fresh', { baseAt: '2026-11-20T20:00:00.000Z', later1: 'abc x' });
    const mergeBase = { mergeBase: toSha('older'), mergeBaseAt: instant('2026-11-20T20:00:00.000Z') };
    const later = { laterCommits: [{ sha: toSha('abc'), subject: 'x' }] };
    const run = start.gated({ ...lookWith(start, behind), ...lookAt({ ...mergeBase, ...later }) });
    expect(replay(run, CONFIG)).toEqual([]);
    expect(replay(run, withLane({ freshnessHours: 13 }))).toEqual(['gate freshness warn -> fail (stale)']);
  });

  it('is unknown under other settings when its facts are not recorded', () => {
    expect(factsToRecord({ ...FACTS, checks: unknown('GitHub is away') })).toEqual({});
    const many = aChange({ changedPaths: Array<string>(2_000).fill('experiments/a.py') });
    expect(factsToRecord({ ...FACTS, change: known(many) })).toEqual({});
    const { facts: _, ...without } = look();
    const run = aRun().gated(without).shown().approved(alice, 'named').ordered();
    const strict = replay(run, withLane({ budget: { knobs: 1, enforce: 'block' } }));
    expect(strict).toContain('gate budget pass -> unknown (unreadable)');
    expect(strict.at(-1)).toBe('launch launched -> unknown (target-branch)');
  });
});

describe('an approval', () => {
  const run = aRun().gated(look()).shown().approved(alice, 'named').ordered();

  it('no longer reaches a larger quorum', () => {
    expect(replay(run, withApprovals({ quorum: 2 }))).toEqual([
      'quorum reached -> not-reached (1-of-2)',
      'launch launched -> not-launched (quorum)',
    ]);
  });

  it("no longer reaches the quorum that the run's cost requires", () => {
    const rows = (fromAcceleratorHours: string): LabConfig =>
      withApprovals({ quorumByCost: [{ fromAcceleratorHours, people: 2 }] });
    expect(replay(run, rows('2.5'))).toEqual([
      'quorum reached -> not-reached (1-of-2)',
      'launch launched -> not-launched (quorum)',
    ]);
    expect(replay(run, rows('2.51'))).toEqual([]);
  });

  it.each<Partial<Approvals>>([
    { permission: 'admin' },
    { users: [{ written: String(alice.id), ids: [alice.id] }] },
    { onePersonIsEnough: true },
  ])('is unknown when the set of approvers changes: %j', (approvals) => {
    expect(replay(run, withApprovals(approvals))).toEqual([
      'quorum reached -> unknown (0-of-1)',
      'launch launched -> unknown (quorum)',
    ]);
  });
});

describe('the verdict', () => {
  it('fails with a final step that was not reached, and is unknown with a missing metric', () => {
    expect(replay(sealedRun, withLane({ finalStep: 1_000_000 }))).toEqual(['verdict pass -> no-pass (fail)']);
    const metrics: Lane['metrics'] = [{ key: 'eval/zebra', better: 'lower', tolerancePercent: '1' }];
    expect(replay(sealedRun, withLane({ metrics }))).toEqual(['verdict pass -> unknown (unknown)']);
  });

  it('is judged against the ferries that were sealed before', () => {
    const day = (date: string, loss: string): RunBuilder =>
      aRun({ date })
        .gated(look())
        .shown()
        .approved(alice, 'named')
        .ordered()
        .submitted()
        .observed()
        .ended({ metrics: { 'eval/loss': loss } })
        .sealed(bob, { metrics: { 'eval/loss': loss } });
    const runs = [day('2026-11-22', '3.3'), day('2026-11-21', '3.0')].map((run) => run.events);
    const tolerance = (tolerancePercent: string): LabConfig =>
      withLane({ metrics: [{ key: 'eval/loss', better: 'lower', tolerancePercent }] });
    expect(said(runBacktest(runs, tolerance('5'))).filter((line) => line.startsWith('verdict'))).toEqual([
      'verdict pass -> no-pass (fail)',
    ]);
    expect(said(runBacktest(runs, tolerance('15'))).filter((line) => line.startsWith('verdict'))).toEqual([]);
  });
});

describe('the summary', () => {
  it('lists the decisions that change', () => {
    expect(
      renderBacktest(runBacktest([sealedRun.events], withApprovals({ permission: 'admin', quorum: 2 }))),
    ).toMatchSnapshot();
  });

  it('reports that no decision changes, or that no run is recorded', () => {
    expect(backtestTitle(runBacktest([sealedRun.events], CONFIG))).toMatch(
      /^\d+ decisions of 1 recorded run: no change under this config/,
    );
    expect(backtestTitle(runBacktest([], CONFIG))).toBe('No run is recorded to replay.');
  });
});
