/** Rules of the daily ferry and its watch that cross rooms, or that no single test of a room states. */

import { describe, expect, it } from 'vitest';
import type { GateId, Verdict } from '../../src/domain/launch/verdict.ts';
import { allPass } from '../../src/domain/launch/verdict.ts';
import { addMs, known, unknown } from '../../src/domain/values.ts';
import type { GateFacts } from '../../src/gates/gate.ts';
import { evaluateGates } from '../../src/gates/run-gates.ts';
import { decideOrder } from '../../src/run/decide-launch.ts';
import { listPublications } from '../../src/run/publications.ts';
import { reconcile } from '../../src/run/reconcile.ts';
import { NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { buildEvents } from '../../src/watch/observation.ts';
import type { Poll } from '../../src/watch/poll.ts';
import { gateFacts, LANE, PROPOSAL } from '../gates/sample-facts.ts';
import { CONFIG, cacheOfDone, evaluateGatesOn, reconcileInput, runWithGates } from '../run/parts.ts';
import { buildPoll, foundJob } from '../support/look.ts';
import { alice, bob } from '../support/run-drafts.ts';
import {
  aBody,
  aChange,
  aPull,
  aWorkflowRun,
  instant,
  knownWorkflowRuns,
  NOON,
  someFacts,
} from '../support/run-facts.ts';
import { aManifest } from '../support/run-parts.ts';

/** Built by each test, so that a gate which blocks fails the tests and not the file. */
const submitted = () => runWithGates().approved(bob).ordered().submitted();

function verdict(gate: GateId, facts: Partial<GateFacts> = {}): Verdict | undefined {
  return evaluateGates(gateFacts(facts)).find((one) => one.gate === gate);
}

function changing(...knobs: readonly string[]): Partial<GateFacts> {
  const changes = knobs.map((knob) => ({ knob, path: `x.${knob}`, before: '1', after: '2', bucket: null, line: 1 }));
  return { change: known(aChange({ delta: { kind: 'knobs', changes } })) };
}

describe('the change', () => {
  // rule DF-01
  it('of three knobs is a warning, and blocks only if the lab configures that', () => {
    const many = changing('a', 'b', 'c');
    expect(verdict('budget', changing('a', 'b'))?.outcome).toBe('pass');
    expect(verdict('budget', many)?.outcome).toBe('warn');
    expect(allPass(evaluateGates(gateFacts(many)))).toBe(true);
    const strict: typeof LANE = { ...LANE, budget: { knobs: 2, enforce: 'block' } };
    expect(allPass(evaluateGates(gateFacts({ ...many, lane: strict })))).toBe(false);
    expect(CONFIG.lane.budget).toEqual({ knobs: 2, enforce: 'warn' });
  });

  // rule DF-11
  it('of the scale passes only when a person requested it by name', () => {
    const scaled = changing('hidden_dim');
    const asking = { ...PROPOSAL, objective: { kind: 'integration', text: 'raise hidden_dim' } } as const;
    expect(verdict('scale-stable', scaled)?.outcome).toBe('fail');
    expect(verdict('scale-stable', { ...scaled, proposal: asking })?.outcome).toBe('fail');
    const asked = { ...scaled, proposal: { ...asking, requestedBy: alice } };
    expect(verdict('scale-stable', asked)?.outcome).toBe('pass');
    const otherwise = { kind: 'integration', text: 'raise hidden_dim_ratio' } as const;
    const unnamed = { ...asked, proposal: { ...asked.proposal, objective: otherwise } };
    expect(verdict('scale-stable', unnamed)?.outcome).toBe('fail');
  });

  // rule DF-13
  it('that is empty passes only to confirm a declared regression', () => {
    const same = { change: known(aChange({ delta: { kind: 'none' } })) };
    const declared = (objectiveKind: 'integration' | 'regression' | null): Partial<GateFacts> => ({
      ...same,
      body: known(aBody({ objectiveKind })),
    });
    expect(verdict('identical-rerun', declared('regression'))?.outcome).toBe('pass');
    for (const kind of ['integration', null] as const)
      expect(verdict('identical-rerun', declared(kind))?.outcome).toBe('fail');
  });
});

describe('before a launch', () => {
  // rule DF-23
  it("the pull request must target the lane's branch, main by default", () => {
    expect(CONFIG.lane.targetBranch).toBe('main');
    expect(verdict('target-branch')?.outcome).toBe('pass');
    expect(verdict('target-branch', { pull: known(aPull({ baseBranch: 'dev' })) })?.outcome).toBe('fail');
  });

  // rule DF-14
  it('the run name must contain the date, both as proposed and as launched', () => {
    expect(verdict('run-name-dated')?.outcome).toBe('pass');
    const undated = { proposal: { ...PROPOSAL, runName: 'daily-125m' } };
    const yesterdays = { manifest: known(aManifest({ runName: 'daily-125m-2026-11-20' })) };
    expect(verdict('run-name-dated', undated)?.outcome).toBe('fail');
    expect(verdict('run-name-dated', yesterdays)?.outcome).toBe('fail');
  });

  // rule DF-19
  it('every precondition of the checklist must be present and ticked', () => {
    const boxes = aBody().boxes;
    const [first] = LANE.checklist.preconditions;
    const open = boxes.map((box) => (box.text === first ? { ...box, checked: false } : box));
    expect(boxes.map(({ text }) => text)).toContain(first);
    expect(verdict('preconditions')?.outcome).toBe('pass');
    expect(verdict('preconditions', { body: known(aBody({ boxes: open })) })).toMatchObject({
      outcome: 'fail',
      code: 'box-open',
    });
    expect(verdict('preconditions', { body: known(aBody({ boxes: [] })) })).toMatchObject({
      outcome: 'fail',
      code: 'box-open',
    });
  });

  // rule DF-33
  it('the ferry issue must have an update after the last change', () => {
    const toldAt = known(NOON);
    const changed = (at: string): Partial<GateFacts> => ({
      issueChangedAt: toldAt,
      change: known(aChange({ headAt: instant(at) })),
    });
    expect(verdict('issue-updated', changed('2026-11-21T11:59:00.000Z'))?.outcome).toBe('pass');
    expect(verdict('issue-updated', changed('2026-11-21T12:01:00.000Z'))).toMatchObject({
      outcome: 'fail',
      code: 'issue-older',
    });
    expect(verdict('issue-updated', { issueChangedAt: unknown('away') })?.outcome).toBe('unknown');
  });

  // rule DF-34
  it('an approval for one cluster launches nothing once the lane names another', () => {
    const { state } = runWithGates().approved(bob);
    const moved = { ...CONFIG, clusters: { ...CONFIG.clusters, other: CONFIG.clusters['local'] } };
    const config = { ...moved, lane: { ...CONFIG.lane, cluster: 'other' } } as typeof CONFIG;
    const on = (given: typeof CONFIG): Verdict | undefined =>
      evaluateGatesOn(state, someFacts(), given).verdicts.find(({ gate }) => gate === 'cluster-matches');
    expect(on(CONFIG)).toMatchObject({ outcome: 'pass', found: { cluster: 'local' } });
    expect(on(config)).toMatchObject({ outcome: 'fail', found: { found: 'local', wanted: 'other' } });
  });

  it('a ticked box is no approval: without a command no order is issued', () => {
    const boxes = aBody().boxes.map((box) => ({ ...box, checked: true }));
    const facts = someFacts({ body: known(aBody({ boxes })) });
    const order = (run: ReturnType<typeof submitted>) =>
      decideOrder({ ...reconcileInput(run, facts), gated: evaluateGatesOn(run.state, facts) });
    expect(order(runWithGates(facts))).toBeNull();
    expect(order(runWithGates(facts).approved(bob))).not.toBeNull();
  });

  // rule DF-22
  it('the optional Discord update blocks nothing', () => {
    const discord = { text: 'optional/manual Discord update posted', checked: false, line: 5 };
    const boxes = [...aBody().boxes, discord];
    const lane = { ...LANE, checklist: CONFIG.lane.checklist };
    expect(allPass(evaluateGates(gateFacts({ body: known(aBody({ boxes })), lane })))).toBe(true);
  });
});

describe('the threads', () => {
  // rule DF-07
  it('launch, first eval, incidents, end and seal are posted in the ferry issue', () => {
    const life = submitted()
      .observed({ evals: { 'eval/loss': '4' } })
      .incident('engine-unreadable');
    const told = listPublications(life.ended().sealed(bob).state).filter((one) => one.kind !== 'answer');
    expect(told.map((one) => one.kind)).toEqual(['incident', 'launch', 'tracker', 'first-eval', 'ended', 'sealed']);
    expect(new Set(told.map((one) => one.thread))).toEqual(new Set([life.state.proposal.issue]));
  });

  // rule DF-20
  it('the boxes of approval and watch are ticked from the record, after the watch has observed', () => {
    expect(tickedBody(submitted().dispatched('watch', 'local'))).toBeNull();
    expect(tickedBody(submitted().dispatched('watch', 'local').observed())).toContain(
      '- [x] human approval\n- [x] monitoring loop started\n',
    );
  });
});

/** The body as the bot edits it after all other posts, or null if the bot does not edit it. */
function tickedBody(run: ReturnType<typeof submitted>): string | null {
  const keys: string[] = [];
  // Control posts what the watch recorded after a minute.
  const now = addMs(instant(run.state.head.at), 60_000);
  const facts = someFacts(knownWorkflowRuns(aWorkflowRun()));
  for (let round = 0; round < 20; round += 1) {
    const { step } = reconcile(reconcileInput(run, facts, { memory: cacheOfDone(...keys), now }));
    if (step?.kind !== 'perform') return null;
    if (step.effect.kind === 'edit-issue' && step.effect.body !== null) return step.effect.body;
    keys.push(step.key);
  }
  throw new Error('it never came to rest');
}

describe('the watch', () => {
  const look = (job: Poll['job']): Poll =>
    buildPoll({
      job,
      log: { ...NO_LOG_FACTS, step: { value: 5155, exact: true }, exactTotal: 5155, firstStepCompleted: true },
      metrics: { global_step: '5155' },
    });

  // rule ML-12
  it('never takes the last step for the end: only the engine reports the end of a job', () => {
    const types = (job: Poll['job']) => buildEvents(submitted().state, look(job)).map((event) => event.type);
    expect(types(foundJob('RUNNING'))).not.toContain('ended');
    expect(types({ kind: 'absent', session: null })).not.toContain('ended');
    expect(types(foundJob('SUCCEEDED'))).toContain('ended');
  });
});
