/**
 * Cases that a hero run leaves to people: model bugs, ends that the engine does not report as success,
 * unmerged code.
 */

import { expect, it, onTestFinished } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { openCheckpointLab } from '../support/checkpoint-lab.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { ANSWERS, branchHead, formBody, HERO_LANE, openHeroIssue, openHeroLab } from '../support/hero-run.ts';
import { branchOff, listOpenGates } from '../support/own-pull.ts';
import { approve, approveAndFinish, finish, readState, until, untilState } from '../support/play.ts';
import { commentAndReadCode } from '../support/recorded.ts';
import { listBotComments, listBotTexts, listRepeatedComments, MINUTE, pushFile, SHORT_FERRY } from '../support/talk.ts';
import { TRACKER_KEY, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';
import { createWandbStandIn } from '../support/wandb-stand-in.ts';

const RUN = 'grug-moe-1e23-ep8';
const IN_THE_MODEL =
  'Traceback (most recent call last):\n  File "lib/smalllab/model.py", line 41, in attend\nTypeError: dot_general requires contracting dimensions to have the same shape, got (64,) and (128,).';

async function open(options: VirtualLabOptions = {}): Promise<VirtualLab> {
  const lab = await openHeroLab(options);
  onTestFinished(() => lab.close());
  return lab;
}

// rule HR-33
it('a hero run is not restarted after a bug in the model, and a notice mentions the DRI', async () => {
  const failAt = { step: 300, line: IN_THE_MODEL, exitCode: 1 };
  const lab = await open({ script: () => ferryScript({ ...SHORT_FERRY, failAt }) });
  const issue = await openHeroIssue(lab);
  await approveAndFinish(lab, RUN, issue);
  await lab.clock.advance(60 * MINUTE);
  expect(lab.engine.startCount()).toBe(1);
  const state = await readState(lab, RUN);
  expect(filterIncidents(state?.incidents ?? [], 'relaunch-refused')).toEqual([
    expect.objectContaining({ detail: expect.objectContaining({ reason: 'not-recoverable' }) }),
  ]);
  const page = listBotComments(lab).find(({ kind, text }) => kind === 'notice' && text.includes('needs a person'));
  expect(page?.text).toContain('@ada');
  expect(listRepeatedComments(lab)).toEqual([]);
});

// rule HR-64
it('a hero run cannot be sealed by any command unless its engine reports success', async () => {
  const failAt = { step: 300, line: IN_THE_MODEL, exitCode: 1 };
  const lab = await open({ script: () => ferryScript({ ...SHORT_FERRY, failAt }) });
  const issue = await openHeroIssue(lab);
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'a look', async () => (await readState(lab, RUN))?.observation != null);
  expect(await commentAndReadCode(lab, 'mira', issue, '/seal accept="it is good enough"')).toBe('not-now');
  await finish(lab, RUN);
  await lab.clock.advance(5 * MINUTE);
  expect(await commentAndReadCode(lab, 'mira', issue, '/seal accept="it is good enough"')).toBe('seal-failed');
  expect(await readState(lab, RUN)).toMatchObject({ seal: null, closed: null });
  await commentAndReadCode(lab, 'mira', issue, '/ack');
  expect(await readState(lab, RUN)).toMatchObject({ seal: null, closed: { outcome: 'failed' } });
  const tags = [...(await lab.store.refs('refs/tags/')).keys()];
  expect(tags.filter((tag) => tag.includes(RUN) && !tag.includes('ferrybot-mark-'))).toEqual([]);
});

// rule HR-13
it('the final step of a hero run is the one in its contract, not in the progress bar', async () => {
  const { lab, issue, save, close } = await openCheckpointLab({}, { 'Final step': '1300' });
  onTestFinished(close);
  // The progress bar counts to 1200, and the newest checkpoint is 1200 too.
  await save(1_200);
  expect(await commentAndReadCode(lab, 'mira', issue, '/seal')).toBe('seal-incomplete');
  expect((await readState(lab, RUN))?.seal).toBeNull();
});

// rule HR-35
it('an unmerged commit is launched only if the contract names its branch and another person approves', async () => {
  const lab = await open();
  await branchOff(lab, 'ada', 'ada/moe');
  await pushFile(lab, 'ada', 'ada/moe', 'lib/moe.py', 'x = 1\n');
  const source = await branchHead(lab, 'ada/moe');
  const unnamed = { ...ANSWERS, 'Source SHA': source };
  const issue = await openHeroIssue(lab, { answers: unnamed });
  await untilState(lab, RUN, (state) => state.gate != null, { limitMs: 60 * MINUTE });
  const held = await readState(lab, RUN);
  expect(held === null ? null : listOpenGates(held)).toContain('authors-known unreadable');
  // There is no manifest that a person could approve.
  expect(held?.gate?.digest).toBeNull();
  await commentAndReadCode(lab, 'mira', issue, '/approve-launch');
  await lab.clock.advance(10 * MINUTE);
  expect(lab.engine.startCount()).toBe(0);
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: formBody({ ...unnamed, Branch: 'ada/moe' }) });
  await approveAndFinish(lab, RUN, issue);
  const launched = await readState(lab, RUN);
  expect(launched?.submission?.commit).toBe(source);
  expect(launched?.order?.manifest?.policy).toMatchObject({ 'contract.branch': 'given: ada/moe' });
  expect(launched?.approvals.map(({ actor }) => actor.login)).toContain('mira');
});

// rule HR-11
it('a hero run waits until the checkpoint retention is chosen, and the card only suggests the usual numbers', async () => {
  const lab = await open();
  const source = { 'Source SHA': await branchHead(lab) };
  const left = { 'Checkpoints kept for rollback': null, 'Temporary checkpoints every (minutes)': null };
  const issue = await openHeroIssue(lab, { answers: left });
  await until(lab, 'the card', () => listBotTexts(lab, 'card').join().includes(RUN), { limitMs: 60 * MINUTE });
  await lab.clock.advance(10 * MINUTE);
  expect(listBotTexts(lab, 'card').at(-1)).toMatch(/every 100000 steps, temporary ones every 15 minutes, and ten kept/);
  const held = await readState(lab, RUN);
  expect(held === null ? null : listOpenGates(held)).toContain('contract-complete retention-open');
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: formBody({ ...ANSWERS, ...source }) });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
  expect((await readState(lab, RUN))?.order?.manifest?.retention.keepTemporary).toBe(10);
});

it("a hero run waits until its contract's FLOP budget agrees with its parameters and tokens", async () => {
  const lab = await open();
  const source = { 'Source SHA': await branchHead(lab) };
  const issue = await openHeroIssue(lab, { answers: { 'FLOP budget': '1.9e20' } });
  await until(lab, 'the card', () => listBotTexts(lab, 'card').join().includes(RUN), { limitMs: 60 * MINUTE });
  await lab.clock.advance(10 * MINUTE);
  expect(listBotTexts(lab, 'card').at(-1)).toContain(
    'unclear: FLOP budget: one amount; six operations for each of its parameters and tokens are 1.88e18',
  );
  expect((await readState(lab, RUN))?.submission).toBeNull();
  const meant = { ...ANSWERS, ...source, 'FLOP budget': '1.9e18' };
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: formBody(meant) });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
});

// rule HR-27
it('each observation uses the approved tracker run, not the one that the log links to', async () => {
  const asked: string[] = [];
  const lab = await open({
    script: () => ferryScript({ ...SHORT_FERRY, runName: 'grug-of-yesterday' }),
    config: (text) =>
      `${text.trimEnd()}\n${HERO_LANE.replace(/tracker: .*/, 'tracker: { kind: wandb, entity: example-lab, project: ferries, keyFrom: TRACKER_KEY }')}`,
    trackerFetch: ({ clock, inFlight }) => {
      const began = clock.now();
      const { fetch } = createWandbStandIn({
        key: TRACKER_KEY,
        entity: 'example-lab',
        project: 'ferries',
        runOf: (id) => {
          asked.push(id);
          const now = clock.now();
          const global_step = Math.floor((now - began) / MINUTE);
          const row = { global_step, _timestamp: now / 1_000, 'train/loss': 3.25 };
          const heartbeatAt = new Date(now).toISOString();
          return { displayName: `${id} shown`, state: 'running', heartbeatAt, summaryMetrics: JSON.stringify(row) };
        },
      });
      return (input, init) => inFlight.track('W&B', () => fetch(input, init));
    },
  });
  const issue = await openHeroIssue(lab);
  await approveAndFinish(lab, RUN, issue);
  const state = await readState(lab, RUN);
  expect(new Set(asked)).toEqual(new Set([RUN]));
  expect(state?.observation?.tracker?.last).toMatchObject({
    identity: RUN,
    name: `${RUN} shown`,
    state: 'running',
    rowAt: expect.any(String),
    step: expect.any(Number),
    loss: '3.25',
  });
  const drift = filterIncidents(state?.incidents ?? [], 'run-alarm').filter(
    ({ detail }) => detail.detector === 'tracker-drift',
  );
  expect(drift).toHaveLength(1);
});
