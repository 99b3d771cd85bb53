/** A rental as its people live it: from `/rent` in somebody's issue over a crash to a smaller batch. Its machines are played in rented.test.ts. */

import { describe, expect, it } from 'vitest';
import { incidentsWith } from '../../src/domain/incidents.ts';
import type { JobScript } from '../support/ferry-script.ts';
import { openGates } from '../support/own-pull.ts';
import { approve, eventsOf, stateOf, until, untilState } from '../support/play.ts';
import { openIssue, openRentalLab, runOf } from '../support/rental.ts';
import { answersTo, botComments, fileOf, saidTwice, say, told } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const OUT_OF_MEMORY =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB';
const RENT = '/rent gpu="RTX 4090" hours=6 cap="3 USD" reason="does the long context still train?"';

/** Ada asks in an issue of her own; its gates are green. */
async function rented(
  lab: VirtualLab,
  command = RENT,
): Promise<{ readonly run: string; readonly issue: number }> {
  const issue = await openIssue(lab, 'ada');
  await say(lab, 'ada', issue, command);
  const run = runOf(lab, issue);
  await untilState(lab, run, (state) => state.gate != null, { limitMs: 3_600_000 });
  return { run, issue };
}

async function ended(lab: VirtualLab, run: string, attempt: number): Promise<void> {
  await until(lab, `the end of attempt ${attempt}`, async () =>
    (await eventsOf(lab, run)).some(
      ({ type, data }) => type === 'ended' && 'attempt' in data && data.attempt === attempt,
    ),
  );
  await lab.clock.advance(300_000);
}

describe('/rent', () => {
  // rules VA-02, VA-20, VA-21
  it('makes the issue a run, whose card says what is rented for how much; a crash for want of memory has it started with a smaller batch, and says so', async () => {
    const lab = await openRentalLab([{ line: OUT_OF_MEMORY, step: 5 }]);
    const { run, issue } = await rented(lab);
    const state = await stateOf(lab, run);
    expect(state === null ? null : openGates(state)).toEqual([]);
    expect(state?.gate?.manifest?.envelope).toMatchObject({
      restarts: 3,
      reductions: ['--batch-size 16', '--batch-size 8'],
      rental: { dollarsPerHourMax: '0.50', dollarsMax: '3', hoursMax: 6 },
    });
    expect(JSON.parse(state?.gate?.manifest?.policy['lane.launcher'] ?? '{}')).toMatchObject({
      gpu: 'RTX 4090',
      hoursMax: 6,
    });
    const card = botComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
    expect(card).toContain('at most $0.50 an hour and 6 hours');
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 2);
    const commands = (await eventsOf(lab, run)).flatMap((event) =>
      event.type === 'submitted' ? [event.data.command.slice(-2)] : [],
    );
    expect(commands).toEqual([
      ['--batch-size', '32'],
      ['--batch-size', '16'],
    ]);
    const [reduced] = told(lab, 'incident').filter((text) => text.includes('smaller config'));
    expect(reduced).toContain('attempt 2 starts with the smaller config `--batch-size 16`');
    expect((await stateOf(lab, run))?.end).toMatchObject({ attempt: 2, status: 'SUCCEEDED' });
    expect(saidTwice(lab)).toEqual([]);
    await lab.close();
  });

  // rule VA-24
  it('is stopped by nobody but its ladder: when nothing smaller is left, a person is asked', async () => {
    const dying = { line: OUT_OF_MEMORY, step: 5 };
    const lab = await openRentalLab([dying, dying, dying, dying]);
    const { run, issue } = await rented(lab);
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 3);
    await lab.clock.advance(3_600_000);
    const last = (await eventsOf(lab, run)).filter(({ type }) => type === 'submitted');
    const sizes = last.flatMap((event) => (event.type === 'submitted' ? [event.data.command.at(-1)] : []));
    expect(sizes).toEqual(['32', '16', '8']);
    const state = await stateOf(lab, run);
    const seen = incidentsWith(state?.incidents ?? [], 'failure-signature');
    expect(seen.map(({ detail }) => `${detail.signature} ${detail.response}`)).toEqual([
      'cuda-out-of-memory reduce',
      'cuda-out-of-memory reduce',
      'cuda-out-of-memory escalate',
    ]);
    expect(told(lab, 'incident').join()).toContain('not started again');
    await lab.close();
  });

  it('is another training with each smaller batch: steps that are made again with it are no mismatch, and the ladder goes on', async () => {
    let losses = 2;
    const script = (): JobScript => {
      losses += 0.1;
      const steps = Array.from({ length: 40 }, (_, index) => ({
        atMs: 60_000 + 1_000 * index,
        text: `step ${index + 1} loss ${(losses + 1 / (index + 1)).toFixed(5)}`,
      }));
      const lines = [...steps, { atMs: 100_000, text: OUT_OF_MEMORY }];
      return { pendingMs: 0, lines, endAtMs: 101_000, exitCode: 1, metrics: [] };
    };
    const lab = await openRentalLab([], { script });
    const { run, issue } = await rented(lab);
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 3);
    const { incidents = [] } = (await stateOf(lab, run)) ?? {};
    const alarms = incidentsWith(incidents, 'run-alarm').map(({ detail }) => detail.detector);
    expect(alarms).not.toContain('resume-mismatch');
    await lab.close();
  });
});

/** What the ladder did, in order, as its record and the comments say. */
async function rungs(lab: VirtualLab, run: string): Promise<readonly string[]> {
  const { incidents } = (await stateOf(lab, run)) ?? { incidents: [] };
  return incidents.flatMap((one) => {
    if (one.code === 'rung-taken') return [`${one.detail.rung} after ${one.detail.failure}`];
    if (one.code === 'attempt-goes-on') return [`beyond ${one.detail.beyond}`];
    return one.code === 'relaunch-refused' ? [`asks: ${one.detail.reason}`] : [];
  });
}

async function commandsOf(lab: VirtualLab, run: string): Promise<readonly (readonly string[])[]> {
  return (await eventsOf(lab, run)).flatMap((event) =>
    event.type === 'submitted' ? [event.data.command] : [],
  );
}

describe('the ladder', () => {
  const MISFIT = 'ImportError: numpy.core.multiarray failed to import';
  const BROKEN = 'ConnectionResetError: [Errno 104] Connection reset by peer';

  // rule VA-22
  it('repairs what the job runs on, with what was approved, and has verified it once it is further', async () => {
    const lab = await openRentalLab([{ line: MISFIT, step: 300 }]);
    const { run, issue } = await rented(lab, `${RENT} repairs="numpy==1.26.4 NCCL_P2P_DISABLE=1"`);
    expect((await stateOf(lab, run))?.gate?.manifest?.envelope.repairs).toEqual([
      'numpy==1.26.4',
      'NCCL_P2P_DISABLE=1',
    ]);
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 2);
    const [first = [], second = []] = await commandsOf(lab, run);
    const install = `python3 -m pip install --quiet 'numpy==1.26.4' && exec "$@"`;
    const at = second.indexOf('sh');
    expect(second.slice(at)).toEqual(['sh', '-c', install, 'sh', ...first.slice(at)]);
    expect(await rungs(lab, run)).toEqual([
      'repair after dependency',
      expect.stringMatching(/^beyond [12]\d\d$/),
    ]);
    const said = told(lab, 'incident').join();
    expect(said).toContain('attempt 2 starts with `numpy==1.26.4`');
    expect(said).toContain('attempt 1 had reached step ');
    await lab.close();
  });

  // rule VA-23
  it('climbs one step where the same again has not helped, and ends with a person where that has not either', async () => {
    const dying = { line: BROKEN, step: 5 };
    const lab = await openRentalLab([dying, dying, dying, dying]);
    const { run, issue } = await rented(lab);
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 3);
    await lab.clock.advance(3_600_000);
    expect(await rungs(lab, run)).toEqual([
      'rerun after network',
      'other-machine after network',
      'asks: same-failure',
    ]);
    expect(await commandsOf(lab, run)).toHaveLength(3);
    await lab.close();
  });

  it('begins at its foot again where an attempt got further before the same happened', async () => {
    const lab = await openRentalLab([
      { line: BROKEN, step: 300 },
      { line: BROKEN, step: 900 },
    ]);
    const { run, issue } = await rented(lab);
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 3);
    expect(await rungs(lab, run)).toEqual([
      'rerun after network',
      expect.stringMatching(/^beyond [12]\d\d$/),
      'rerun after network',
      expect.stringMatching(/^beyond [78]\d\d$/),
    ]);
    await lab.close();
  });
});

// rule VA-08
it('has the instance, command, kill criteria and tear-down in the logbook and on the card', async () => {
  const lab = await openRentalLab();
  const { run, issue } = await rented(lab);
  const logbook = () => fileOf(lab, 'ferrybot/logbook', `runs/2026/11/${run}/logbook.md`);
  await lab.clock.advance(60_000);
  expect(await logbook()).toContain('- Stop/escalation criteria: a loss above 5 after step 600');
  const card = told(lab, 'card').at(-1);
  for (const words of ['a loss above 5 after step 600', 'keep training alive', '--batch-size 32'])
    expect(card).toContain(words);
  await approve(lab, 'mira', issue, run);
  await until(lab, 'a submission', async () => (await stateOf(lab, run))?.submission != null);
  await lab.clock.advance(60_000);
  const { jobId, command } = (await stateOf(lab, run))?.submission ?? {};
  expect(await logbook()).toContain(`- \`${jobId}\`\n`);
  expect(await logbook()).toContain(`- Command: \`${command?.join(' ')}\``);
  await lab.close();
});

describe('who rents', () => {
  it('approves neither the launch nor the spend', async () => {
    const lab = await openRentalLab();
    // Mira may approve, and asks herself.
    const issue = await openIssue(lab, 'ada');
    await say(lab, 'mira', issue, RENT);
    const run = runOf(lab, issue);
    const asked = await approve(lab, 'mira', issue, run);
    await lab.clock.advance(600_000);
    expect(answersTo(lab, asked)[0]).toContain('this change is yours');
    expect((await stateOf(lab, run))?.order).toBeNull();
    await lab.close();
  });

  it('beyond what the lab rents, is told so, and nothing is ordered', async () => {
    const lab = await openRentalLab();
    const { run } = await rented(
      lab,
      RENT.replace('hours=6', 'hours=48').replace('cap="3 USD"', 'price="$2.50"'),
    );
    const verdicts = (await stateOf(lab, run))?.gate?.verdicts ?? [];
    expect(verdicts.find(({ gate }) => gate === 'machine-fits')).toMatchObject({
      outcome: 'fail',
      code: 'beyond-lab',
      found: { beyond1: 'dollarsPerHourMax 2.50, at most 0.50', beyond2: 'hoursMax 48, at most 24' },
    });
    await lab.close();
  });

  it('in a thread where nothing can be rented, hears why', async () => {
    const lab = await openRentalLab();
    const { run, issue } = await rented(lab);
    const again = await say(lab, 'ada', issue, RENT);
    await lab.clock.advance(60_000);
    expect(answersTo(lab, again)[0]).toContain('this thread has a run already');
    expect(run).toContain('rental-gpu');
    await lab.close();
  });
});
