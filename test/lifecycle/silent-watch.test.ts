/**
 * A watch that is missing, hangs or crashes: a /stop still reaches the cluster, and the silence is reported.
 */

import { describe, expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { holdJobs, listBotTexts, listRepeatedComments, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

async function launched(options: VirtualLabOptions): Promise<{ lab: VirtualLab; run: string; issue: number }> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...options });
  const { run, pull, issue } = await propose(lab);
  await approve(lab, 'mira', pull);
  await untilState(lab, run, (state) => state.submission !== null, { stepMs: 5_000, limitMs: 60 * MINUTE });
  return { lab, run, issue };
}

const runsOf = (lab: VirtualLab, file: string): readonly { readonly conclusion: string | null }[] =>
  Object.values(lab.world.state.runs).filter((run) => run.path.endsWith(file));

async function isStopped(lab: VirtualLab, run: string): Promise<boolean> {
  const seen = await lab.engine.observe((await readState(lab, run))?.submission?.jobId ?? '', null);
  return seen.kind === 'found' && seen.status === 'STOPPED';
}

describe('a /stop', () => {
  it('reaches the job within a minute although the watch crashed while its lease is valid', async () => {
    let isDoomed = false;
    const { lab, run, issue } = await launched({
      atBoundary: (process, kind) => {
        if (isDoomed && process === 'watch' && kind === 'append') throw new Crash('the machine is gone');
      },
    });
    await lab.clock.advance(4 * MINUTE);
    expect((await readState(lab, run))?.observation).not.toBeNull();
    isDoomed = true;
    await until(lab, 'the death', async () => runsOf(lab, 'ferrybot-watch.yml')[0]?.conclusion === 'failure', {
      stepMs: 5_000,
    });
    await postComment(lab, 'ada', issue, '/stop');
    const asked = lab.clock.now();
    await until(lab, 'the stop', () => isStopped(lab, run), { stepMs: 1_000 });
    expect(lab.clock.now() - asked).toBeLessThanOrEqual(MINUTE);
    isDoomed = false;
    await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null, { stepMs: MINUTE });
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('reaches the job within a minute although the watch hangs and GitHub shows it in progress', async () => {
    const { lab, run, issue } = await launched({});
    await lab.clock.advance(4 * MINUTE);
    expect((await readState(lab, run))?.observation).not.toBeNull();
    lab.engine.hangNext('observe');
    // After its next observation was due, and before its lease expires.
    await lab.clock.advance(8 * MINUTE);
    const silent = (await readState(lab, run))?.observation?.seq;
    expect(runsOf(lab, 'ferrybot-watch.yml').map(({ conclusion }) => conclusion)).toEqual([null]);
    const asked = lab.clock.now();
    await lab.as('ada', 'POST', `/issues/${issue}/comments`, { body: '/stop' });
    expect((await readState(lab, run))?.observation?.seq).toBe(silent);
    await until(lab, 'the stop', () => isStopped(lab, run), { stepMs: 1_000 });
    expect(lab.clock.now() - asked).toBeLessThanOrEqual(MINUTE);
    expect(lab.clock.now() - asked).toBeGreaterThan(30_000);
    expect(runsOf(lab, 'ferrybot-stop.yml')).toHaveLength(1);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null, { stepMs: MINUTE });
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('needs a request: a manual start of the stop workflow stops nothing', async () => {
    const { lab, run } = await launched({});
    await lab.clock.advance(3 * MINUTE);
    await lab.as('ada', 'POST', '/actions/workflows/ferrybot-stop.yml/dispatches', { ref: 'main', inputs: { run } });
    await lab.clock.advance(MINUTE);
    expect(runsOf(lab, 'ferrybot-stop.yml').map(({ conclusion }) => conclusion)).toEqual(['failure']);
    expect(lab.log.filter((line) => line.startsWith('stop: no-stop'))).toHaveLength(1);
    expect(await isStopped(lab, run)).toBe(false);
    await lab.close();
  });
});

describe('a silent watch', () => {
  // rule HR-39
  it("is reported once, separately from the run's health, while its workflow run is queued", async () => {
    const held = holdJobs('watch');
    const { lab, run } = await launched({ beforeJob: held.beforeJob });
    await lab.clock.advance(4 * MINUTE);
    expect(listBotTexts(lab, 'incident')).toEqual([]);
    await lab.clock.advance(101 * MINUTE);
    expect(listBotTexts(lab, 'incident')).toEqual([expect.stringContaining('The watch has fallen silent')]);
    expect(listBotTexts(lab, 'incident')[0]).toContain('The job itself may be healthy.');
    const state = await readState(lab, run);
    expect(state?.incidents.map(({ code, role }) => `${role} ${code}`)).toEqual(['control monitor-stale']);
    expect(state?.end).toBeNull();
    // The second one is queued, so a third would not help.
    expect(runsOf(lab, 'ferrybot-watch.yml')).toHaveLength(2);
    held.letGo();
    await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null, { stepMs: MINUTE });
    expect((await readState(lab, run))?.end?.status).toBe('SUCCEEDED');
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('is reported and replaced if it hangs in an observation', async () => {
    const { lab, run } = await launched({ ferry: { ...SHORT_FERRY, durationMs: 3 * 60 * MINUTE } });
    await lab.clock.advance(4 * MINUTE);
    const seen = (await readState(lab, run))?.observation?.seq ?? 0;
    lab.engine.hangNext('observe');
    await lab.clock.advance(60 * MINUTE);
    expect(runsOf(lab, 'ferrybot-watch.yml')).toHaveLength(1);
    await until(lab, 'another watch', () => runsOf(lab, 'ferrybot-watch.yml').length > 1, { stepMs: MINUTE });
    expect((await readState(lab, run))?.incidents).toMatchObject([
      { code: 'monitor-stale', role: 'control', detail: { since: seen } },
    ]);
    expect(listBotTexts(lab, 'incident')[0]).toContain('nothing was recorded for 1.1 h');
    await lab.close();
  });

  it('is replaced within 45 minutes of its death without a server, although its lease is still valid', async () => {
    let digests = 0;
    let diedAt = 0;
    const { lab, run } = await launched({
      server: false,
      // The watch dies 24 minutes before a sweep, and its lease ends after that sweep.
      startMs: Date.UTC(2026, 10, 21, 5, 50),
      ferry: { ...SHORT_FERRY, durationMs: 3 * 60 * MINUTE },
      atBoundary: (process, kind, when) => {
        if (process !== 'watch' || kind !== 'append' || when !== 'after' || diedAt > 0) return;
        digests += 1;
        if (digests < 3) return;
        diedAt = lab.clock.now();
        throw new Crash('the machine is gone');
      },
    });
    await until(lab, 'the death', async () => diedAt > 0, { stepMs: MINUTE });
    const lease = (await readState(lab, run))?.observation?.lease.until ?? '';
    await until(lab, 'another watch', () => runsOf(lab, 'ferrybot-watch.yml').length > 1, { stepMs: MINUTE });
    expect(lab.clock.now() - diedAt).toBeLessThanOrEqual(45 * MINUTE);
    expect(lab.clock.now()).toBeLessThan(Date.parse(lease));
    await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null, { stepMs: MINUTE });
    expect(listBotTexts(lab, 'incident')).toEqual([]);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('is replaced within a minute when GitHub reports the end of its workflow run, and the new one takes the lease', async () => {
    let diedAt = 0;
    const { lab, run } = await launched({
      ferry: { ...SHORT_FERRY, durationMs: 3 * 60 * MINUTE },
      atBoundary: (process, kind, when) => {
        if (process !== 'watch' || kind !== 'append' || when !== 'after' || diedAt > 0) return;
        diedAt = lab.clock.now();
        throw new Crash('the machine is gone');
      },
    });
    await until(lab, 'the death', async () => diedAt > 0, { stepMs: MINUTE });
    const before = (await readState(lab, run))?.observation?.lease;
    await until(lab, 'another watch', () => runsOf(lab, 'ferrybot-watch.yml').length > 1, { stepMs: 5_000 });
    expect(lab.clock.now() - diedAt).toBeLessThanOrEqual(2 * MINUTE);
    const taken = async () => (await readState(lab, run))?.observation?.lease;
    await until(lab, 'its lease', async () => (await taken())?.holder !== before?.holder, { stepMs: MINUTE });
    // At its first check: the lease of the dead watch lasts 22 minutes longer.
    expect(lab.clock.now() - diedAt).toBeLessThanOrEqual(11 * MINUTE);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null, { stepMs: MINUTE });
    expect(listBotTexts(lab, 'incident')).toEqual([]);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('keeps its lease while a person starts another watch beside it', async () => {
    const { lab, run } = await launched({ ferry: { ...SHORT_FERRY, durationMs: 3 * 60 * MINUTE } });
    await until(lab, 'a look', async () => (await readState(lab, run))?.observation != null, { stepMs: MINUTE });
    const before = (await readState(lab, run))?.observation?.lease.holder;
    await lab.as('ada', 'POST', '/actions/workflows/ferrybot-watch.yml/dispatches', {
      ref: 'main',
      inputs: { cluster: 'us-central1' },
    });
    await lab.clock.advance(40 * MINUTE);
    expect(runsOf(lab, 'ferrybot-watch.yml')).toHaveLength(2);
    expect((await readState(lab, run))?.observation?.lease.holder).toBe(before);
    await lab.close();
  });
});
