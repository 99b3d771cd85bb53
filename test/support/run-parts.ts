// The longer constants of a run in tests: a manifest, passing gates, and a lab's config.

import { readLabConfig } from '../../src/app/config-source.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { GATES, type GateId, type Verdict } from '../../src/domain/launch/verdict.ts';
import type { EventDataByType } from '../../src/domain/logbook/define.ts';
import { type FerryLane, ferryLane } from '../../src/kinds/ferry/settings.ts';
import { configOfLane, type LabConfig, type LaneScopedConfig } from '../../src/run/lane.ts';
import { keys } from '../logbook/sample-logbook.ts';

/** The manifest of the sample run; `change` replaces parts of it. */
export function aManifest(change: Partial<Manifest> = {}): Manifest {
  return {
    v: 1,
    lane: 'daily',
    runName: 'daily-125m-2026-11-21',
    repository: 'lab/models',
    trees: { experiments: '1'.repeat(40), lib: '2'.repeat(40) },
    delta: [
      {
        knob: 'learning_rate',
        path: 'train.SimpleTrainConfig().learning_rate',
        before: '3e-3',
        after: '6e-3',
        bucket: 'optimizer',
      },
    ],
    preconditions: [{ text: 'issue created/updated', checked: true }],
    cluster: 'local',
    command: ['FERRY_DATE=2026-11-21', 'python3', 'experiments/ferries/daily.py'],
    outputRoot: 'out/ferry-daily-20261121',
    tracker: { kind: 'wandb', entity: 'lab', project: 'ferries', runId: 'daily-125m-2026-11-21' },
    resume: { policy: 'never', initializeFrom: null },
    retention: { permanentEverySteps: null, temporaryEveryMinutes: null, keepTemporary: null },
    cost: { acceleratorHours: '2.5', source: 'config' },
    envelope: { restarts: 0, fixes: [], reductions: [] },
    policy: { 'approvals.quorum': '1' },
    ...change,
  };
}

/** Every gate's passing verdict, with the gates' own codes. */
export function passingVerdicts(proposal: EventDataByType['proposed']): readonly Verdict[] {
  const answers: Readonly<Partial<Record<GateId, readonly [string, Verdict['found']]>>> = {
    'target-branch': ['targets-branch', { branch: proposal.baseBranch }],
    'head-repository': ['same-repository', {}],
    'authors-known': ['named', {}],
    freshness: ['fresh', { base: '1'.repeat(12), baseAt: '2026-11-21T07:00:00.000Z', hoursMax: 24 }],
    'checks-green': ['green', { checks: 1 }],
    'config-valid': ['valid', {}],
    scope: ['inside', { files: 1 }],
    'delta-readable': ['countable', { knobs: 1 }],
    'delta-declared': ['declared', { knobs: 1 }],
    budget: ['within', { knobs: 1, most: 2 }],
    'scale-stable': ['unchanged', {}],
    'identical-rerun': ['something-changes', {}],
    'run-name-dated': ['dated', { runName: proposal.runName }],
    'risk-present': ['present', { risk: 'low' }],
    'last-ferry-linked': ['linked', {}],
    preconditions: ['ticked', { boxes: 1 }],
    'issue-updated': ['updated', { issue: proposal.issue }],
    'cluster-matches': ['lane-cluster', { cluster: 'local' }],
    'cost-budget': ['within', { cost: '2.5' }],
    'lane-free': ['free', {}],
    'not-held': ['free', {}],
    'manifest-complete': ['complete', {}],
  };
  return GATES.flatMap((gate): readonly Verdict[] => {
    const answer = answers[gate];
    return answer === undefined
      ? []
      : [{ gate, outcome: 'pass', code: answer[0], found: answer[1], remedyBy: 'anyone' }];
  });
}

/** The same with some verdicts replaced. */
export function verdictsWith(proposal: EventDataByType['proposed'], ...others: readonly Verdict[]): readonly Verdict[] {
  return passingVerdicts(proposal).map((verdict) => others.find((o) => o.gate === verdict.gate) ?? verdict);
}

/** A config with its ferry lane. */
export type FerryConfig = LaneScopedConfig & { readonly lane: FerryLane };

/** A small lab's config after defaults. */
export function aConfig(): FerryConfig {
  const reading = readLabConfig(JSON.stringify(CONFIG));
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading));
  return inLane(reading.config);
}

/** A config with its lane `daily`. */
export function inLane(config: LabConfig): FerryConfig {
  const scoped = configOfLane(config, 'daily');
  if (scoped === null) throw new Error('no lane daily');
  return { ...scoped, lane: ferryLane(scoped.lane) };
}

const CONFIG = {
  version: 1,
  git: { name: 'Lab automation', email: 'automation@lab.example' },
  keys: keys.map((key) => ({ ...key })),
  clusters: { local: { engine: 'local', acceleratorHoursPerRun: '2.5' } },
  lanes: {
    daily: {
      experiment: 'experiments/ferries/daily.py',
      cluster: 'local',
      runName: 'daily-125m-{date}',
      command: ['python3', 'experiments/ferries/daily.py'],
      environment: { FERRY_DATE: '{date}' },
      ships: ['experiments', 'lib'],
      scope: ['experiments/ferries/daily.py'],
      outputRoot: 'out/{run}',
      tracker: { kind: 'wandb', entity: 'lab', project: 'ferries' },
      finalStep: 5155,
      metrics: [
        { key: 'eval/loss', better: 'lower', tolerancePercent: '2' },
        { key: 'eval/paloma/macro_loss', better: 'lower', tolerancePercent: '2' },
      ],
    },
  },
};
