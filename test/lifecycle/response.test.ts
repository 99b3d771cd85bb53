/**
 * After a failure, recoverable causes are restarted within the approved limits; everything else needs a
 * person.
 */

import { describe, expect, it } from 'vitest';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, type Ferry, propose, readEventsOf, readState, seal, until } from '../support/play.ts';
import { commentAndReadCode, postedEvents } from '../support/recorded.ts';
import { listBotComments, listBotTexts, listRepeatedComments, MINUTE, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const OUT_OF_MEMORY =
  'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.';
const NETWORK = 'OSError: [Errno 101] Network is unreachable';
const DISK = 'OSError: [Errno 28] No space left on device';
const PREEMPTED = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';

type Died = { readonly line: string; readonly step?: number };
/** A lab with first attempts that fail like this, one each; later attempts succeed. */
function openLab(
  deaths: readonly Died[],
  restartsMax = 1,
  otherwise: (text: string) => string = (text) => text,
): Promise<VirtualLab> {
  let started = 0;
  const script = (): JobScript => {
    const died = deaths[started];
    started += 1;
    return ferryScript({
      ...SHORT_FERRY,
      failAt: died === undefined ? null : { step: died.step ?? 100, line: died.line, exitCode: 1 },
    });
  };
  const config = (text: string) => otherwise(text.replace('restartsMax: 1', `restartsMax: ${restartsMax}`));
  return openVirtualLab({ script, config });
}

/** One approval and no other comment until the attempt has ended and the reaction to it is posted. */
async function play(lab: VirtualLab, attempt = 1): Promise<Ferry> {
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await ended(lab, proposed.run, attempt);
  return { lab, ...proposed };
}

async function ended(lab: VirtualLab, run: string, attempt: number): Promise<void> {
  await until(lab, `the end of attempt ${attempt}`, async () =>
    (await readEventsOf(lab, run)).some(
      ({ type, data }) => type === 'ended' && 'attempt' in data && data.attempt === attempt,
    ),
  );
  await lab.clock.advance(5 * MINUTE);
}

function card(lab: VirtualLab): string {
  return listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
}

describe('a failed job with a recoverable cause', () => {
  // rule ML-34
  it('is restarted after a preemption with the same manifest, commit, output root and approval', async () => {
    const { lab, run, issue } = await play(await openLab([{ line: PREEMPTED }]));
    const events = await readEventsOf(lab, run);
    const orders = events.flatMap((event) => (event.type === 'ordered' ? [event.data.order] : []));
    const [first, second] = orders;
    expect(orders).toHaveLength(2);
    expect(second).toMatchObject({
      attempt: 2,
      parent: { run, attempt: 1 },
      digest: first?.digest,
      commit: first?.commit,
      approvals: first?.approvals,
    });
    await ended(lab, run, 2);
    expect((await readState(lab, run))?.end).toMatchObject({ attempt: 2, status: 'SUCCEEDED' });
    await seal(lab, run, issue);
    expect((await readState(lab, run))?.seal?.verdict).toBe('pass');
    expect(lab.engine.startCount()).toBe(2);
    expect(listBotTexts(lab, 'ended')[0]).toContain('ferrybot starts the next attempt unchanged');
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it.each([
    ['a signal of unknown origin', 'Received SIGTERM, shutting down'],
    ['a wait for other hosts', 'waiting for commit barrier of step 25000: 14/16 hosts'],
  ])('is not restarted if its log shows only %s', async (_, line) => {
    const failed = await play(await openLab([{ line }], 2));
    expect((await readState(failed.lab, failed.run))?.end?.diagnosis).toMatchObject({
      class: 'unknown',
      confidence: 'low',
    });
    expect(await starts(failed)).toBe(1);
    expect(await postedEvents(failed.lab, 'incident')).toContain('relaunch-refused: not-recoverable');
    await failed.lab.close();
  });

  it('is not restarted if the approval allows no restarts, and an incident asks a person', async () => {
    const { lab, run } = await play(await openLab([{ line: PREEMPTED }], 0));
    await lab.clock.advance(60 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    expect((await readState(lab, run))?.end?.diagnosis?.class).toBe('preempted');
    expect(await postedEvents(lab, 'incident')).toContain('relaunch-refused: no-restarts-left');
    expect(card(lab)).not.toContain('is started again');
    await lab.close();
  });
});

describe('a budget for preemptions', () => {
  const withBudget = (preemptions: number, restarts: number) => (text: string) =>
    text
      .replace(/restartsMax: \d+/, `restartsMax: ${restarts}`)
      .replace('preemptionsMax: null', `preemptionsMax: ${preemptions}`);
  const at = (step: number): Died => ({ step, line: PREEMPTED });

  it('is used for preemptions with progress, and leaves the restarts for other failures', async () => {
    const failed = await play(await openLab([at(400), at(600), at(900)], 0, withBudget(2, 0)));
    expect(await starts(failed)).toBe(3);
    expect(await postedEvents(failed.lab, 'incident')).toContain('relaunch-refused: no-restarts-left');
    await failed.lab.close();
  });

  it('is not used for an attempt that came no further', async () => {
    const failed = await play(await openLab([at(600), at(500)], 0, withBudget(9, 0)));
    expect(await starts(failed)).toBe(2);
    await failed.lab.close();
  });

  it('is not used for another failure', async () => {
    const failed = await play(await openLab([at(400), { step: 600, line: NETWORK }], 0, withBudget(9, 0)));
    expect(await starts(failed)).toBe(2);
    expect(await postedEvents(failed.lab, 'incident')).toContain('relaunch-refused: no-restarts-left');
    await failed.lab.close();
  });
});

describe('unknownFailure: restart-once', () => {
  const once = (text: string): string =>
    text.replace(/restartsMax: \d+/, 'restartsMax: 5').replace('unknownFailure: ask', 'unknownFailure: restart-once');

  it('starts the run again once, and then asks a person', async () => {
    const unknown = { line: 'Received SIGTERM, shutting down' };
    const failed = await play(await openLab([unknown, { ...unknown, step: 900 }], 5, once));
    expect(await starts(failed)).toBe(2);
    expect(await postedEvents(failed.lab, 'incident')).toContain('relaunch-refused: same-failure');
    await failed.lab.close();
  });
});

describe('a STOPPED job', () => {
  /** Stops the job on the cluster ten minutes after its start. */
  async function stoppedOnTheCluster(by?: string): Promise<Ferry> {
    const lab = await openLab([]);
    const proposed = await propose(lab);
    await approve(lab, 'mira', proposed.pull);
    await until(lab, 'the launch', async () => (await readState(lab, proposed.run))?.submission != null);
    await lab.clock.advance(10 * MINUTE);
    lab.engine.stopNow((await readState(lab, proposed.run))?.submission?.jobId ?? '', by);
    await ended(lab, proposed.run, 1);
    return { lab, ...proposed };
  }

  it('is restarted if the cluster does not report who stopped it', async () => {
    const stopped = await stoppedOnTheCluster();
    expect(await starts(stopped)).toBe(2);
    await stopped.lab.close();
  });

  it('is restarted only by a person if the cluster reports who stopped it', async () => {
    const stopped = await stoppedOnTheCluster('uid 1000');
    const { lab, run, issue } = stopped;
    expect(await starts(stopped)).toBe(1);
    expect(await postedEvents(lab, 'incident')).toContain('relaunch-refused: stopped-by');
    expect(await commentAndReadCode(stopped.lab, 'mira', issue, '/relaunch')).toBe('relaunch-asked');
    expect(await starts(stopped)).toBe(2);
    expect((await readState(lab, run))?.end).toMatchObject({ attempt: 2, status: 'SUCCEEDED' });
    await lab.close();
  });
});

async function starts({ lab }: Ferry): Promise<number> {
  await lab.clock.advance(60 * MINUTE);
  return lab.engine.startCount();
}

describe('a repeated failure', () => {
  // rules HR-43, ML-33
  it('is reported after one restart and not restarted again, whatever the approval allows', async () => {
    const failed = await play(await openLab([{ line: NETWORK }, { line: NETWORK, step: 300 }], 5), 2);
    expect(await starts(failed)).toBe(2);
    expect(await postedEvents(failed.lab, 'incident')).toContain('relaunch-refused: same-failure');
    await failed.lab.close();
  });

  it('does not count for a preemption after further progress, and counts without progress', async () => {
    const deaths = [200, 500, 500].map((step) => ({ line: PREEMPTED, step }));
    const failed = await play(await openLab(deaths, 5), 3);
    expect(await starts(failed)).toBe(3);
    expect(await postedEvents(failed.lab, 'incident')).toContain('relaunch-refused: same-failure');
    await failed.lab.close();
  });

  it("does not count if the lane's previous run was preempted too", async () => {
    const failed = await play(await openLab([{ line: PREEMPTED }, { line: PREEMPTED }, { line: PREEMPTED }]), 2);
    const { lab, issue } = failed;
    await commentAndReadCode(failed.lab, 'mira', issue, '/ack');
    await lab.clock.advance(24 * 60 * MINUTE);
    const next = await propose(lab);
    await approve(lab, 'mira', next.pull, next.run);
    await ended(lab, next.run, 2);
    expect((await readState(lab, next.run))?.end).toMatchObject({ attempt: 2, status: 'SUCCEEDED' });
    await lab.close();
  });

  // rule DF-27
  it("is reported without a restart if it ended the lane's previous run", async () => {
    const failed = await play(await openLab([{ line: NETWORK }, { line: NETWORK }, { line: NETWORK }]), 2);
    const { lab, issue } = failed;
    await commentAndReadCode(failed.lab, 'mira', issue, '/ack');
    await lab.clock.advance(24 * 60 * MINUTE);
    const next = await propose(lab);
    await approve(lab, 'mira', next.pull, next.run);
    await ended(lab, next.run, 1);
    expect(await starts(failed)).toBe(3);
    expect(await postedEvents(lab, 'incident')).toContain('relaunch-refused: same-in-lane');
    await lab.close();
  });
});

/** Gradients are fifty times larger from the middle of an attempt that is preempted at its end. */
function exploded(): JobScript {
  const script = ferryScript({ ...SHORT_FERRY, failAt: { step: 900, line: PREEMPTED, exitCode: 1 } });
  const [first, last] = [SHORT_FERRY.compileMs, script.endAtMs];
  const lines = Array.from({ length: 80 }, (_, index) => ({
    atMs: Math.round(first + ((last - first) * (index + 1)) / 82),
    text: `trainer step=${(index + 1) * 10} loss=3.1${index % 10} grad_norm=${index < 40 ? '1.0' : '52.0'}`,
  }));
  return { ...script, lines: [...script.lines, ...lines].toSorted((a, b) => a.atMs - b.atMs) };
}

describe('an attempt with unstable gradients before its preemption', () => {
  // rule HR-44
  it("is not restarted automatically, but by a person's /relaunch", async () => {
    let started = 0;
    const script = (): JobScript => {
      started += 1;
      return started === 1 ? exploded() : ferryScript(SHORT_FERRY);
    };
    const failed = await play(await openVirtualLab({ script }));
    const { lab, issue } = failed;
    expect(await starts(failed)).toBe(1);
    expect(await postedEvents(lab, 'incident')).toContain('relaunch-refused: unstable');
    await commentAndReadCode(failed.lab, 'mira', issue, '/relaunch reason="the norm is of the new layer"');
    expect(await starts(failed)).toBe(2);
    await lab.close();
  });
});

describe('a restarted attempt', () => {
  it('without further progress is the last one, even with another failure', async () => {
    const deaths = [
      { line: PREEMPTED, step: 400 },
      { line: NETWORK, step: 200 },
    ];
    const failed = await play(await openLab(deaths, 5), 2);
    expect(await starts(failed)).toBe(2);
    expect(await postedEvents(failed.lab, 'incident')).toContain('relaunch-refused: no-progress');
    await failed.lab.close();
  });

  it('with further progress is restarted after another failure', async () => {
    const deaths = [
      { line: PREEMPTED, step: 200 },
      { line: NETWORK, step: 500 },
    ];
    const failed = await play(await openLab(deaths, 5), 3);
    expect((await readState(failed.lab, failed.run))?.end).toMatchObject({ attempt: 3, status: 'SUCCEEDED' });
    await failed.lab.close();
  });
});

describe('a failure that needs a person', () => {
  // rules HR-60, ML-27
  it('is never restarted with the same manifest if memory ran out, not even by /relaunch', async () => {
    const failed = await play(await openLab([{ line: OUT_OF_MEMORY }], 5));
    expect(await commentAndReadCode(failed.lab, 'mira', failed.issue, '/relaunch')).toBe('relaunch-never');
    expect(await starts(failed)).toBe(1);
    await failed.lab.close();
  });

  it('is restarted within the approved restarts by a /relaunch of a person who may stop jobs', async () => {
    const failed = await play(await openLab([{ line: DISK }]));
    const { lab, run, issue } = failed;
    expect(await starts(failed)).toBe(1);
    expect(card(lab)).toContain('`/relaunch`');
    expect(await commentAndReadCode(failed.lab, 'sol', issue, '/relaunch')).toBe('not-permitted');
    expect(await commentAndReadCode(failed.lab, 'ravi', issue, '/relaunch')).toBe('not-permitted');
    expect(lab.engine.startCount()).toBe(1);
    expect(await commentAndReadCode(failed.lab, 'ada', issue, '/relaunch reason="the disk is empty"')).toBe(
      'relaunch-asked',
    );
    await ended(lab, run, 2);
    expect((await readState(lab, run))?.end).toMatchObject({ attempt: 2, status: 'SUCCEEDED' });
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('is restarted beyond the approved restarts only after a new approval', async () => {
    const failed = await play(await openLab([{ line: DISK }, { line: DISK }], 0));
    const { lab, run, issue } = failed;
    expect(await commentAndReadCode(failed.lab, 'mira', issue, '/relaunch')).toBe('approval-line-needed');
    const line = /\/relaunch [0-9a-f]{32}/.exec(listBotTexts(lab, 'answer').at(-1) ?? '')?.[0] ?? '';
    expect(line).not.toBe('');
    expect(await commentAndReadCode(failed.lab, 'mira', issue, `/relaunch ${'a'.repeat(32)}`)).toBe(
      'approval-line-needed',
    );
    expect(await commentAndReadCode(failed.lab, 'ada', issue, line)).toBe('not-permitted');
    expect(lab.engine.startCount()).toBe(1);
    expect(await commentAndReadCode(failed.lab, 'mira', issue, line)).toBe('relaunch-asked');
    await ended(lab, run, 2);
    expect(lab.engine.startCount()).toBe(2);
    // One approval allows one attempt.
    expect(await commentAndReadCode(failed.lab, 'ada', issue, '/relaunch')).toBe('not-permitted');
    expect(await starts(failed)).toBe(2);
    await lab.close();
  });
});

const CONCERNS_ALL: readonly (readonly [string, string])[] = [
  ['the whole cluster', 'ray.exceptions.OwnerDiedError: the owner of the object died'],
  ['a quota', "Quota limit 'TPUV4PerProject' has been exceeded. Limit: 32 in region us-central2."],
  ['unstable memory', 'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.'],
];

// rule DF-28
it.each(CONCERNS_ALL)('reports a failure of %s without advice to retry, and starts nothing', async (_, line) => {
  const failed = await play(await openLab([{ line }], 5));
  const { lab } = failed;
  expect(listBotTexts(lab, 'incident')).toHaveLength(1);
  expect(listBotTexts(lab, 'incident')[0]).not.toMatch(/retry|try it again/);
  expect(await starts(failed)).toBe(1);
  expect(listBotTexts(lab, 'incident')).toHaveLength(1);
  await lab.close();
});
