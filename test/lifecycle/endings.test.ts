/** How a ferry ends: failed, stopped, slower than before, or unknown; and what is needed to close it. */

import { describe, expect, it } from 'vitest';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import {
  approve,
  type Ferry,
  playFerry,
  propose,
  readEventsOf,
  readState,
  seal,
  until,
  untilState,
} from '../support/play.ts';
import { listAnswerCodes, postedEvents } from '../support/recorded.ts';
import { listBotTexts, listRepeatedComments, MINUTE, postComment, readBody, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const OUT_OF_MEMORY =
  'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.';

async function launched(options: VirtualLabOptions = {}): Promise<Ferry> {
  const lab = await openVirtualLab({ ...options, ferry: { ...SHORT_FERRY, ...options.ferry } });
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await untilState(lab, proposed.run, (state) => state.submission !== null, { stepMs: 5_000, limitMs: 60 * MINUTE });
  return { lab, ...proposed };
}

async function ended(lab: VirtualLab, run: string): Promise<void> {
  await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null, { stepMs: MINUTE });
  await lab.clock.advance(MINUTE);
}

async function tags(lab: VirtualLab): Promise<readonly string[]> {
  // The tags that mark decisions are in the same namespace.
  return [...(await lab.store.refs('refs/tags/')).keys()].filter((ref) => !ref.includes('/ferrybot-mark-'));
}

/** The pull request with the closure of a run. */
function closureOf(
  lab: VirtualLab,
  run: string,
): { readonly body: string; readonly labels: readonly string[] } | undefined {
  return Object.values(lab.world.state.issues).find((issue) => issue.pull?.headRef === `ferrybot/closure/${run}`);
}

const FAILS = { failAt: { step: 900, line: OUT_OF_MEMORY, exitCode: 1 } };

describe('a pending job that ignores its stop', () => {
  it('is asked to stop again, and one incident reports that the stop is unconfirmed', async () => {
    const script = (): JobScript => ({ ...ferryScript(SHORT_FERRY), pendingMs: 40 * MINUTE, ignoresStop: true });
    const { lab, run, issue } = await launched({ script });
    await postComment(lab, 'ada', issue, '/stop');
    await lab.clock.advance(3 * MINUTE);
    expect((await readState(lab, run))?.end).toBeNull();
    expect(await postedEvents(lab, 'incident')).toEqual(['stop-unconfirmed']);
    await lab.clock.advance(3 * MINUTE);
    expect(await postedEvents(lab, 'incident')).toEqual(['stop-unconfirmed']);
    await lab.close();
  });
});

describe('a job that fails', () => {
  it.each([{ command: '/seal' }, { command: '/ack' }])(
    'is closed by $command without a tag, labelled as log-only',
    async ({ command }) => {
      const { lab, run, issue } = await launched({ ferry: FAILS });
      await ended(lab, run);
      const state = await readState(lab, run);
      expect(state?.end).toMatchObject({ status: 'FAILED', exitCode: 1, signatures: ['resource-exhausted'] });
      expect(listBotTexts(lab, 'ended')).toHaveLength(1);
      expect(await postedEvents(lab, 'incident')).toEqual(['failure-signature']);
      const comment = await postComment(lab, 'mira', issue, command);
      await lab.clock.advance(2 * MINUTE);
      expect(await listAnswerCodes(lab, comment)).toEqual(['closed']);
      expect((await readState(lab, run))?.closed?.outcome).toBe('failed');
      expect(await tags(lab)).toEqual([]);
      expect(closureOf(lab, run)?.labels).toEqual(expect.arrayContaining(['ferry', 'ferry-daily', 'ferry-log-only']));
      expect(closureOf(lab, run)?.labels).not.toContain('ferry-sealed');
      expect(listRepeatedComments(lab)).toEqual([]);
      await lab.close();
    },
  );
});

describe('a /stop', () => {
  it('reaches the engine within a minute, and the stopped run is sealed only with a reason', async () => {
    const { lab, run, issue } = await launched();
    await lab.clock.advance(10 * MINUTE);
    const stop = await postComment(lab, 'ada', issue, '/stop');
    const asked = lab.clock.now();
    const jobId = (await readState(lab, run))?.submission?.jobId ?? '';
    await until(lab, 'the stop', async () => isStopped(await lab.engine.observe(jobId, null)), { stepMs: 1_000 });
    expect(lab.clock.now() - asked).toBeLessThanOrEqual(MINUTE);
    expect(await listAnswerCodes(lab, stop)).toEqual(['stop-requested']);
    await ended(lab, run);
    expect((await readState(lab, run))?.end?.status).toBe('STOPPED');
    const bare = await postComment(lab, 'mira', issue, '/seal');
    expect(await listAnswerCodes(lab, bare)).toEqual(['seal-needs-accept']);
    expect(await tags(lab)).toEqual([]);
    const reason = await postComment(lab, 'mira', issue, '/seal accept="stopped on purpose, the curve is clear"');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, reason)).toEqual(['sealed']);
    expect((await readState(lab, run))?.seal).toMatchObject({
      verdict: 'accepted',
      accept: 'stopped on purpose, the curve is clear',
    });
    expect(await tags(lab)).toEqual([`refs/tags/ferry/daily/20261121/${run}`]);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('lets a person who may seal reject the result without a tag, and the lane continues', async () => {
    const { lab, run, issue } = await launched();
    await postComment(lab, 'ada', issue, '/stop');
    await ended(lab, run);
    const seen = await postComment(lab, 'ada', issue, '/ack');
    expect(await listAnswerCodes(lab, seen)).toEqual(['acknowledged']);
    const busy = await postComment(lab, 'mira', issue, '/propose learning_rate=4e-3');
    expect(await listAnswerCodes(lab, busy)).toEqual(['propose-busy']);
    const writer = await postComment(lab, 'ada', issue, '/ack reject="too short"');
    expect(await listAnswerCodes(lab, writer)).toEqual(['not-permitted']);
    const rejected = await postComment(lab, 'mira', issue, '/ack reject="too short to tell"');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, rejected)).toEqual(['closed']);
    expect((await readState(lab, run))?.closed).toMatchObject({ outcome: 'rejected', reason: 'too short to tell' });
    expect(listBotTexts(lab, 'closed')).toHaveLength(1);
    expect(closureOf(lab, run)?.labels).not.toContain('ferry-sealed');
    expect(await tags(lab)).toEqual([]);
    const next = await propose(lab, `${run}-2`);
    expect((await readState(lab, next.run))?.proposal.interval.lastRun).toBe(run);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('before the launch cancels the order', async () => {
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const lab = await openVirtualLab({
      ferry: SHORT_FERRY,
      beforeJob: async (mode) => (mode === 'launch' ? gate : undefined),
    });
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull);
    const stop = await postComment(lab, 'ada', pull, '/stop');
    expect(await listAnswerCodes(lab, stop)).toEqual(['stop-before-launch']);
    letGo();
    await lab.clock.advance(60 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect((await readState(lab, run))?.order?.status).toBe('void');
    await lab.close();
  });
});

describe('a job that got worse', () => {
  it('fails the verdict against sealed runs, and is sealed only with a reason', async () => {
    const ferry = { ...SHORT_FERRY, lossOffset: 0 };
    const lab = await openVirtualLab({ ferry });
    const first = await playFerry(lab);
    ferry.lossOffset = 2;
    const { run, pull, issue } = await propose(lab, `${first.run}-2`);
    await approve(lab, 'mira', pull);
    await ended(lab, run);
    expect((await readState(lab, run))?.end?.status).toBe('SUCCEEDED');
    expect(listBotTexts(lab, 'ended').at(-1)).toMatch(/fail/i);
    const bare = await postComment(lab, 'mira', issue, '/seal');
    expect(await listAnswerCodes(lab, bare)).toEqual(['seal-needs-accept']);
    const reason = await postComment(lab, 'mira', issue, '/seal accept="a new baseline: the data changed"');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, reason)).toEqual(['sealed']);
    expect((await readState(lab, run))?.seal?.verdict).toBe('accepted');
    await lab.close();
  });

  it('needs a reason for its seal if it ended well before its last step', async () => {
    const lab = await openVirtualLab({ ferry: { ...SHORT_FERRY, steps: 900 } });
    const { run, pull, issue } = await propose(lab);
    await approve(lab, 'mira', pull);
    await ended(lab, run);
    const bare = await postComment(lab, 'mira', issue, '/seal');
    expect(await listAnswerCodes(lab, bare)).toEqual(['seal-needs-accept']);
    await lab.close();
  });
});

describe('lost responses of the engine', () => {
  it('make an observation UNKNOWN, which never counts as the end', async () => {
    const { lab, run, issue } = await launched();
    await lab.clock.advance(3 * MINUTE);
    lab.engine.loseNextAnswer('observe');
    await lab.clock.advance(11 * MINUTE);
    const statuses = (await readEventsOf(lab, run)).flatMap((event) =>
      event.type === 'observed' ? [event.data.status] : [],
    );
    expect(statuses).toContain('UNKNOWN');
    expect((await readState(lab, run))?.end).toBeNull();
    await ended(lab, run);
    expect((await readState(lab, run))?.end?.status).toBe('SUCCEEDED');
    await seal(lab, run, issue);
    await lab.close();
  });

  it('never lead to a second start of a job that the engine may have started before it lost its state', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    lab.engine.loseNextAnswer('submit');
    await approve(lab, 'mira', pull);
    expect((await readState(lab, run))?.order?.status).toBe('claimed');
    lab.engine.forgetEverything();
    await lab.clock.advance(60 * MINUTE);
    const state = await readState(lab, run);
    expect(lab.engine.startCount()).toBe(1);
    expect(state?.submission).toBeNull();
    expect(state?.incidents.map((incident) => incident.code)).toContain('submit-unknown');
    await lab.close();
  });

  it('lead to one incident if the engine forgot the job, and to no conclusion', async () => {
    const { lab, run, issue } = await launched();
    await lab.clock.advance(3 * MINUTE);
    lab.engine.forgetEverything();
    await lab.clock.advance(3 * 60 * MINUTE);
    const state = await readState(lab, run);
    expect(await postedEvents(lab, 'incident')).toEqual(['engine-state-lost']);
    expect(state?.end).toBeNull();
    expect(state?.observation?.status).toBe('UNKNOWN');
    expect(lab.engine.startCount()).toBe(1);
    const status = await postComment(lab, 'mira', issue, '/seal');
    expect(await listAnswerCodes(lab, status)).toEqual(['not-now']);
    expect(readBody(lab, issue)).not.toBe('');
    await lab.close();
  });
});

function isStopped(found: Awaited<ReturnType<VirtualLab['engine']['observe']>>): boolean {
  return found.kind === 'found' && found.status === 'STOPPED';
}
