/** How a ferry ends: failed, stopped, slower than it was, or in a way that nobody knows; and what each end takes to close. */

import { describe, expect, it } from 'vitest';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, eventsOf, playFerry, propose, seal, stateOf, until } from '../support/play.ts';
import { answersTo, bodyOf, SHORT_FERRY, saidTwice, say, told } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const OUT_OF_MEMORY =
  'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.';

type Launched = {
  readonly lab: VirtualLab;
  readonly run: string;
  readonly pull: number;
  readonly issue: number;
};

async function launched(options: VirtualLabOptions = {}): Promise<Launched> {
  const lab = await openVirtualLab({ ...options, ferry: { ...SHORT_FERRY, ...options.ferry } });
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await until(lab, 'the launch', async () => (await stateOf(lab, proposed.run))?.submission !== null, {
    stepMs: 5_000,
    limitMs: 60 * MINUTE,
  });
  return { lab, ...proposed };
}

async function ended(lab: VirtualLab, run: string): Promise<void> {
  await until(lab, 'the end', async () => (await stateOf(lab, run))?.end !== null, { stepMs: MINUTE });
  await lab.clock.advance(MINUTE);
}

async function tags(lab: VirtualLab): Promise<readonly string[]> {
  // The marks of decisions stand beside them.
  return [...(await lab.store.refs('refs/tags/')).keys()].filter((ref) => !ref.includes('/mark-'));
}

/** The pull request that carries the closure of a run. */
function closureOf(
  lab: VirtualLab,
  run: string,
): { readonly body: string; readonly labels: readonly string[] } | undefined {
  return Object.values(lab.world.state.issues).find(
    (issue) => issue.pull?.headRef === `ferrybot/closure/${run}`,
  );
}

const FAILS = { failAt: { step: 900, line: OUT_OF_MEMORY, exitCode: 1 } };

describe('a job that waits and does not hear its stop', () => {
  it('is asked again, and a person is told once that nothing shows it to have stopped', async () => {
    const script = (): JobScript => ({
      ...ferryScript(SHORT_FERRY),
      pendingMs: 40 * MINUTE,
      ignoresStop: true,
    });
    const { lab, run, issue } = await launched({ script });
    await say(lab, 'ada', issue, '/stop');
    await lab.clock.advance(3 * MINUTE);
    expect((await stateOf(lab, run))?.end).toBeNull();
    const incidents = told(lab, 'incident');
    expect(incidents).toEqual([expect.stringMatching(/the job is still PENDING, minutes after the stop/)]);
    await lab.clock.advance(3 * MINUTE);
    expect(told(lab, 'incident')).toEqual(incidents);
    await lab.close();
  });
});

describe('a job that fails', () => {
  it.each([{ command: '/seal' }, { command: '/ack' }])(
    'is closed by $command, without a tag, log-only',
    async ({ command }) => {
      const { lab, run, issue } = await launched({ ferry: FAILS });
      await ended(lab, run);
      const state = await stateOf(lab, run);
      expect(state?.end).toMatchObject({ status: 'FAILED', exitCode: 1, signatures: ['resource-exhausted'] });
      expect(told(lab, 'ended')).toEqual([expect.stringMatching(/FAILED/)]);
      expect(told(lab, 'incident')).toEqual([expect.stringContaining('The log shows a failure signature')]);
      const comment = await say(lab, 'mira', issue, command);
      await lab.clock.advance(2 * MINUTE);
      expect(answersTo(lab, comment)).toEqual([expect.stringContaining('closed without a tag')]);
      expect((await stateOf(lab, run))?.closed?.outcome).toBe('failed');
      expect(await tags(lab)).toEqual([]);
      expect(closureOf(lab, run)?.labels).toEqual(
        expect.arrayContaining(['ferry', 'ferry-daily', 'ferry-log-only']),
      );
      expect(closureOf(lab, run)?.labels).not.toContain('ferry-sealed');
      expect(saidTwice(lab)).toEqual([]);
      await lab.close();
    },
  );

  it('reports its end in the form that the policy wants', async () => {
    const { lab, run } = await launched({ ferry: FAILS });
    await ended(lab, run);
    const [terminal] = told(lab, 'ended');
    for (const part of [
      /^Final status: FAILED$/m,
      /job id: ferrybot-/,
      /^W&B link: https:\/\/wandb\.ai\//m,
      /^Final eval summary: eval\/loss/m,
      /^Experiment link: /m,
      /decision: no victory; find the cause \(resource-exhausted\)/,
      /\| status \| `FAILED` \| `SUCCEEDED` \|/,
    ]) {
      expect(terminal).toMatch(part);
    }
    await lab.close();
  });
});

describe('a job that is stopped', () => {
  it('reaches the engine within a minute and is sealed only with a reason', async () => {
    const { lab, run, issue } = await launched();
    await lab.clock.advance(10 * MINUTE);
    const stop = await say(lab, 'ada', issue, '/stop');
    const asked = lab.clock.now();
    const jobId = (await stateOf(lab, run))?.submission?.jobId ?? '';
    await until(lab, 'the stop', async () => isStopped(await lab.engine.observe(jobId, null)), {
      stepMs: 1_000,
    });
    expect(lab.clock.now() - asked).toBeLessThanOrEqual(MINUTE);
    expect(answersTo(lab, stop)).toEqual([expect.stringContaining('stop asked for by ada')]);
    await ended(lab, run);
    expect((await stateOf(lab, run))?.end?.status).toBe('STOPPED');
    const bare = await say(lab, 'mira', issue, '/seal');
    expect(answersTo(lab, bare)).toEqual([expect.stringContaining('/seal accept="…"')]);
    expect(await tags(lab)).toEqual([]);
    const reason = await say(lab, 'mira', issue, '/seal accept="stopped on purpose, the curve is clear"');
    await lab.clock.advance(2 * MINUTE);
    expect(answersTo(lab, reason)).toEqual([expect.stringContaining('sealed with the tag')]);
    expect((await stateOf(lab, run))?.seal).toMatchObject({
      verdict: 'accepted',
      accept: 'stopped on purpose, the curve is clear',
    });
    expect(await tags(lab)).toEqual([`refs/tags/ferry/daily/20261121/${run}`]);
    expect(saidTwice(lab)).toEqual([]);
    await lab.close();
  });

  it('is closed without a tag where its result does not count, by who may seal, and the lane goes on', async () => {
    const { lab, run, issue } = await launched();
    await say(lab, 'ada', issue, '/stop');
    await ended(lab, run);
    const seen = await say(lab, 'ada', issue, '/ack');
    expect(answersTo(lab, seen)).toEqual([
      expect.stringContaining('you have seen that the run ended STOPPED'),
    ]);
    const busy = await say(lab, 'mira', issue, '/propose learning_rate=4e-3');
    expect(answersTo(lab, busy)).toEqual([expect.stringContaining('Its card says how it is ended')]);
    const writer = await say(lab, 'ada', issue, '/ack reject="too short"');
    expect(answersTo(lab, writer)).toEqual([expect.stringContaining('it takes maintain permission')]);
    const rejected = await say(lab, 'mira', issue, '/ack reject="too short to tell"');
    await lab.clock.advance(2 * MINUTE);
    expect(answersTo(lab, rejected)).toEqual([expect.stringContaining('its result does not count')]);
    expect((await stateOf(lab, run))?.closed).toMatchObject({
      outcome: 'stopped',
      reason: 'too short to tell',
    });
    expect(told(lab, 'closed')).toEqual([expect.stringContaining('Reason: too short to tell')]);
    expect(closureOf(lab, run)?.labels).not.toContain('ferry-sealed');
    expect(await tags(lab)).toEqual([]);
    const next = await propose(lab, `${run}-2`);
    expect((await stateOf(lab, next.run))?.proposal.interval.lastRun).toBe(run);
    expect(saidTwice(lab)).toEqual([]);
    await lab.close();
  });

  it('before the launch takes the order back', async () => {
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
    const stop = await say(lab, 'ada', pull, '/stop');
    expect(answersTo(lab, stop)).toEqual([expect.stringContaining('this run will not launch')]);
    letGo();
    await lab.clock.advance(60 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect((await stateOf(lab, run))?.order?.status).toBe('void');
    await lab.close();
  });
});

describe('a job that got worse', () => {
  it('fails the verdict against sealed history and is sealed only with a reason', async () => {
    const ferry = { ...SHORT_FERRY, lossOffset: 0 };
    const lab = await openVirtualLab({ ferry });
    const first = await playFerry(lab);
    ferry.lossOffset = 2;
    const { run, pull, issue } = await propose(lab, `${first.run}-2`);
    await approve(lab, 'mira', pull);
    await ended(lab, run);
    expect((await stateOf(lab, run))?.end?.status).toBe('SUCCEEDED');
    expect(told(lab, 'ended').at(-1)).toMatch(/fail/i);
    const bare = await say(lab, 'mira', issue, '/seal');
    expect(answersTo(lab, bare)).toEqual([expect.stringMatching(/verdict is \*fail\*/)]);
    const reason = await say(lab, 'mira', issue, '/seal accept="a new baseline: the data changed"');
    await lab.clock.advance(2 * MINUTE);
    expect(answersTo(lab, reason)).toEqual([expect.stringContaining('sealed with the tag')]);
    expect((await stateOf(lab, run))?.seal?.verdict).toBe('accepted');
    await lab.close();
  });

  it('fails a job that ended well before its last step', async () => {
    const lab = await openVirtualLab({ ferry: { ...SHORT_FERRY, steps: 900 } });
    const { run, pull, issue } = await propose(lab);
    await approve(lab, 'mira', pull);
    await ended(lab, run);
    const bare = await say(lab, 'mira', issue, '/seal');
    expect(answersTo(lab, bare)).toEqual([expect.stringContaining('not sealed')]);
    await lab.close();
  });
});

describe('answers of the engine that are lost', () => {
  it('submits once and adopts the job that it finds', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull, issue } = await propose(lab);
    lab.engine.loseNextAnswer('submit');
    await approve(lab, 'mira', pull);
    await ended(lab, run);
    const state = await stateOf(lab, run);
    expect(lab.engine.startCount()).toBe(1);
    expect(state?.submission?.adopted).toBe(true);
    await seal(lab, run, issue);
    expect(saidTwice(lab)).toEqual([]);
    await lab.close();
  });

  it('takes a look without an answer for unknown, never for the end', async () => {
    const { lab, run, issue } = await launched();
    await lab.clock.advance(3 * MINUTE);
    lab.engine.loseNextAnswer('observe');
    await lab.clock.advance(11 * MINUTE);
    const statuses = (await eventsOf(lab, run)).flatMap((event) =>
      event.type === 'observed' ? [event.data.status] : [],
    );
    expect(statuses).toContain('UNKNOWN');
    expect((await stateOf(lab, run))?.end).toBeNull();
    await ended(lab, run);
    expect((await stateOf(lab, run))?.end?.status).toBe('SUCCEEDED');
    await seal(lab, run, issue);
    await lab.close();
  });

  it('never starts again what an engine that begins anew may have started before', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    lab.engine.loseNextAnswer('submit');
    await approve(lab, 'mira', pull);
    expect((await stateOf(lab, run))?.order?.status).toBe('claimed');
    lab.engine.forgetEverything();
    await lab.clock.advance(60 * MINUTE);
    const state = await stateOf(lab, run);
    expect(lab.engine.startCount()).toBe(1);
    expect(state?.submission).toBeNull();
    expect(state?.incidents.map((incident) => incident.code)).toContain('submit-unknown');
    await lab.close();
  });

  it('says once that the engine forgot the job, and concludes nothing', async () => {
    const { lab, run, issue } = await launched();
    await lab.clock.advance(3 * MINUTE);
    lab.engine.forgetEverything();
    await lab.clock.advance(3 * 60 * MINUTE);
    const state = await stateOf(lab, run);
    expect(state?.incidents.map((incident) => incident.code)).toEqual(['engine-state-lost']);
    expect(told(lab, 'incident')).toEqual([
      expect.stringContaining('The engine does not know the job any more'),
    ]);
    expect(state?.end).toBeNull();
    expect(state?.observation?.status).toBe('UNKNOWN');
    expect(lab.engine.startCount()).toBe(1);
    const status = await say(lab, 'mira', issue, '/seal');
    expect(answersTo(lab, status)).toEqual([expect.stringContaining('the run has not ended')]);
    expect(bodyOf(lab, issue)).not.toBe('');
    await lab.close();
  });
});

function isStopped(found: Awaited<ReturnType<VirtualLab['engine']['observe']>>): boolean {
  return found.kind === 'found' && found.status === 'STOPPED';
}
