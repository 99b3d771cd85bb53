/**
 * A rental from `/rent` in an issue to a restart with a smaller batch after a crash. rented.test.ts covers
 * its machines.
 */

import { describe, expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import type { JobScript } from '../support/ferry-script.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, readEventsOf, readState, until, untilState } from '../support/play.ts';
import { openIssue, openRentalLab, rentalRunName } from '../support/rental.ts';
import {
  listAnswersTo,
  listBotComments,
  listBotTexts,
  listRepeatedComments,
  postComment,
  readBranchFile,
} from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const OUT_OF_MEMORY =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB';
const RENT = '/rent gpu="RTX 4090" hours=6 cap="3 USD" reason="does the long context still train?"';

/** Ada requests it in her own issue; the gates pass. */
async function rented(lab: VirtualLab, command = RENT): Promise<{ readonly run: string; readonly issue: number }> {
  const issue = await openIssue(lab, 'ada');
  await postComment(lab, 'ada', issue, command);
  const run = rentalRunName(lab, issue);
  await untilState(lab, run, (state) => state.gate != null, { limitMs: 3_600_000 });
  return { run, issue };
}

async function ended(lab: VirtualLab, run: string, attempt: number): Promise<void> {
  await until(lab, `the end of attempt ${attempt}`, async () =>
    (await readEventsOf(lab, run)).some(
      ({ type, data }) => type === 'ended' && 'attempt' in data && data.attempt === attempt,
    ),
  );
  await lab.clock.advance(300_000);
}

describe('/rent', () => {
  // rules VA-02, VA-20, VA-21
  it('creates a run with the rental terms on the card, and restarts an out-of-memory crash with a smaller batch', async () => {
    const lab = await openRentalLab([{ line: OUT_OF_MEMORY, step: 5 }]);
    const { run, issue } = await rented(lab);
    const state = await readState(lab, run);
    expect(state === null ? null : listOpenGates(state)).toEqual([]);
    expect(state?.gate?.manifest?.envelope).toMatchObject({
      restarts: 3,
      reductions: ['--batch-size 16', '--batch-size 8'],
      rental: { dollarsPerHourMax: '0.50', dollarsMax: '3', hoursMax: 6 },
    });
    expect(JSON.parse(state?.gate?.manifest?.policy['lane.launcher'] ?? '{}')).toMatchObject({
      gpu: 'RTX 4090',
      hoursMax: 6,
    });
    const card = listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
    expect(card).toContain('at most $0.50 an hour and 6 hours');
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 2);
    const commands = (await readEventsOf(lab, run)).flatMap((event) =>
      event.type === 'submitted' ? [event.data.command.slice(-2)] : [],
    );
    expect(commands).toEqual([
      ['--batch-size', '32'],
      ['--batch-size', '16'],
    ]);
    const [reduced] = listBotTexts(lab, 'incident').filter((text) => text.includes('smaller config'));
    expect(reduced).toContain('attempt 2 starts with the smaller config `--batch-size 16`');
    expect((await readState(lab, run))?.end).toMatchObject({ attempt: 2, status: 'SUCCEEDED' });
    const [crashed, passed] = listBotTexts(lab, 'ended');
    expect(crashed).toContain(
      'Recommendation: nothing; ferrybot starts the next attempt with the smaller config `--batch-size 16`.',
    );
    // A restart and a destroyed machine are no failures.
    expect(passed).toContain('Notable failures and fixes');
    expect(passed).not.toMatch(/is started again|was destroyed|has got further/);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  // rule VA-24
  it('asks a person when no smaller batch is left', async () => {
    const dying = { line: OUT_OF_MEMORY, step: 5 };
    const lab = await openRentalLab([dying, dying, dying, dying]);
    const { run, issue } = await rented(lab);
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 3);
    await lab.clock.advance(3_600_000);
    const last = (await readEventsOf(lab, run)).filter(({ type }) => type === 'submitted');
    const sizes = last.flatMap((event) => (event.type === 'submitted' ? [event.data.command.at(-1)] : []));
    expect(sizes).toEqual(['32', '16', '8']);
    const state = await readState(lab, run);
    const seen = filterIncidents(state?.incidents ?? [], 'failure-signature');
    expect(seen.map(({ detail }) => `${detail.signature} ${detail.response}`)).toEqual([
      'cuda-out-of-memory reduce',
      'cuda-out-of-memory reduce',
      'cuda-out-of-memory escalate',
    ]);
    expect(listBotTexts(lab, 'incident').join()).toContain('not started again');
    await lab.close();
  });

  it('treats each smaller batch as a new training: repeated steps with other losses raise no alarm', async () => {
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
    const { incidents = [] } = (await readState(lab, run)) ?? {};
    const alarms = filterIncidents(incidents, 'run-alarm').map(({ detail }) => detail.detector);
    expect(alarms).not.toContain('resume-mismatch');
    await lab.close();
  });
});

/** The ladder's steps in order, according to the record. */
async function rungs(lab: VirtualLab, run: string): Promise<readonly string[]> {
  const { incidents } = (await readState(lab, run)) ?? { incidents: [] };
  return incidents.flatMap((one) => {
    if (one.code === 'rung-taken') return [`${one.detail.rung} after ${one.detail.failure}`];
    if (one.code === 'attempt-goes-on') return [`beyond ${one.detail.beyond}`];
    return one.code === 'relaunch-refused' ? [`asks: ${one.detail.reason}`] : [];
  });
}

async function commandsOf(lab: VirtualLab, run: string): Promise<readonly (readonly string[])[]> {
  return (await readEventsOf(lab, run)).flatMap((event) => (event.type === 'submitted' ? [event.data.command] : []));
}

describe('the ladder of restarts', () => {
  const MISFIT = 'ImportError: numpy.core.multiarray failed to import';
  const BROKEN = 'ConnectionResetError: [Errno 104] Connection reset by peer';

  // rule VA-22
  it('installs an approved repair, and verifies it when the attempt gets further than the last one', async () => {
    const lab = await openRentalLab([{ line: MISFIT, step: 300 }]);
    const { run, issue } = await rented(lab, `${RENT} repairs="numpy==1.26.4 NCCL_P2P_DISABLE=1"`);
    expect((await readState(lab, run))?.gate?.manifest?.envelope.repairs).toEqual([
      'numpy==1.26.4',
      'NCCL_P2P_DISABLE=1',
    ]);
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 2);
    const [first = [], second = []] = await commandsOf(lab, run);
    const install = `python3 -m pip install --quiet 'numpy==1.26.4' && exec "$@"`;
    const at = second.indexOf('sh');
    expect(second.slice(at)).toEqual(['sh', '-c', install, 'sh', ...first.slice(at)]);
    expect(await rungs(lab, run)).toEqual(['repair after dependency', expect.stringMatching(/^beyond [12]\d\d$/)]);
    const said = listBotTexts(lab, 'incident').join();
    expect(said).toContain('attempt 2 starts with `numpy==1.26.4`');
    expect(said).toContain('attempt 1 had reached step ');
    await lab.close();
  });

  // rule VA-23
  it('goes one rung higher if a rerun failed the same way, and asks a person after the last rung', async () => {
    const dying = { line: BROKEN, step: 5 };
    const lab = await openRentalLab([dying, dying, dying, dying]);
    const { run, issue } = await rented(lab);
    await approve(lab, 'mira', issue, run);
    await ended(lab, run, 3);
    await lab.clock.advance(3_600_000);
    expect(await rungs(lab, run)).toEqual(['rerun after network', 'other-machine after network', 'asks: same-failure']);
    expect(await commandsOf(lab, run)).toHaveLength(3);
    await lab.close();
  });

  it('starts from its first rung again if an attempt got further before the same failure', async () => {
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
it('the logbook and the card of a rental show instance, command, kill criteria and tear-down', async () => {
  const lab = await openRentalLab();
  const { run, issue } = await rented(lab);
  const logbook = () => readBranchFile(lab, 'ferrybot/logbook', `runs/2026/11/${run}/logbook.md`);
  await lab.clock.advance(60_000);
  expect(await logbook()).toContain('- Stop/escalation criteria: a loss above 5 after step 600');
  const card = listBotTexts(lab, 'card').at(-1);
  for (const words of ['a loss above 5 after step 600', 'keep training alive', '--batch-size 32'])
    expect(card).toContain(words);
  await approve(lab, 'mira', issue, run);
  await until(lab, 'a submission', async () => (await readState(lab, run))?.submission != null);
  await lab.clock.advance(60_000);
  const { jobId, command } = (await readState(lab, run))?.submission ?? {};
  expect(await logbook()).toContain(`- \`${jobId}\`\n`);
  expect(await logbook()).toContain(`- Command: \`${command?.join(' ')}\``);
  await lab.close();
});

describe('a user who requests a rental', () => {
  it('cannot approve its launch', async () => {
    const lab = await openRentalLab();
    // Mira may approve launches, but here she is the requester.
    const issue = await openIssue(lab, 'ada');
    await postComment(lab, 'mira', issue, RENT);
    const run = rentalRunName(lab, issue);
    const asked = await approve(lab, 'mira', issue, run);
    await lab.clock.advance(600_000);
    expect(listAnswersTo(lab, asked)[0]).toContain('this change is yours');
    expect((await readState(lab, run))?.order).toBeNull();
    await lab.close();
  });

  it("fails a gate if the request exceeds the lab's limits", async () => {
    const lab = await openRentalLab();
    const { run } = await rented(lab, RENT.replace('hours=6', 'hours=48').replace('cap="3 USD"', 'price="$2.50"'));
    const verdicts = (await readState(lab, run))?.gate?.verdicts ?? [];
    expect(verdicts.find(({ gate }) => gate === 'machine-fits')).toMatchObject({
      outcome: 'fail',
      code: 'beyond-lab',
      found: { beyond1: 'dollarsPerHourMax 2.50, at most 0.50', beyond2: 'hoursMax 48, at most 24' },
    });
    await lab.close();
  });

  it('is refused in a thread that has a run, and works in another issue when this run is over, as the answers say', async () => {
    const lab = await openRentalLab();
    const { issue } = await rented(lab);
    const again = await postComment(lab, 'ada', issue, RENT);
    await lab.clock.advance(60_000);
    expect(listAnswersTo(lab, again)[0]).toContain('this thread has a run already');
    expect(listAnswersTo(lab, again)[0]).toContain('When this run is over, comment in another issue.');
    const other = await openIssue(lab, 'ada');
    const there = await postComment(lab, 'ada', other, RENT);
    await lab.clock.advance(60_000);
    expect(listAnswersTo(lab, there)[0]).toContain(`To withdraw it, close #${issue}.`);
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'closed' });
    await lab.clock.advance(60_000);
    await postComment(lab, 'ada', other, RENT);
    await untilState(lab, rentalRunName(lab, other), (state) => state.gate !== null, { limitMs: 3_600_000 });
    await lab.close();
  });
});
