/**
 * `--lane rental --auto`: plays the people of a rental, from `/rent` through a crash and an outbid machine to the seal.
 */

import type { Instance } from '../../packages/playground/vast/instance.ts';
import type { VastServer } from '../../packages/playground/vast/server.ts';
import { type LogbookEntry, readLogbook } from '../logbook-events.ts';
import type { OpenedLab } from '../open-lab.ts';
import { commentAs, openIssue, shownApprovalLine } from '../person.ts';
import type { PlayResult, StageReport } from '../play.ts';
import { createReach, findEvent, findRun, NotReached } from '../reach.ts';
import { RENTAL_LANE } from './market.ts';

const RENT =
  '/rent gpu="RTX 4090" hours=1 cap="1 USD" price="$0.50" reason="does the small model still train at this length?"';
const READING_MS = 1_500;
/** The attempt that loses its machine. */
const TAKEN = 2;

type Story = { readonly lab: OpenedLab; readonly vast: VastServer; readonly report: (stage: StageReport) => void };

/** Ada requests, mira approves. The first job runs out of memory, the second loses its machine, the third completes. */
export async function playRental(story: Story): Promise<PlayResult> {
  const { lab, vast, report } = story;
  const issue = await openIssue(lab.world, 'ada', {
    title: 'Long context on a rented card',
    body: 'I need one card for an hour.',
  });
  await commentAs(lab.world, issue, RENT, 'ada');
  const reach = createReach(lab, RENTAL_LANE, report);
  try {
    const run = await reach('proposed', (runs) => findRun(runs, issue));
    const events = async (): Promise<readonly LogbookEntry[]> => (await readLogbook(lab.world)).get(run) ?? [];
    const line = await reach('gated', () => shownApprovalLine(lab.world, issue));
    await new Promise((resolve) => setTimeout(resolve, READING_MS));
    await commentAs(lab.world, issue, line);
    await reach('approved', async () => findEvent(await events(), 'approved'));
    await reach('ordered', async () => findEvent(await events(), 'ordered'));
    await reach('submitted', async () => findEvent(await events(), 'submitted'));
    await reach('stepping', async () => {
      const entries = await events();
      // The job must not finish before its machine is taken, even if the watch is slow to observe a step.
      await pauseWhenStepping(findMachine(vast, entries));
      return findStepping(entries, TAKEN);
    });
    const machine = findMachine(vast, await events());
    if (machine === null) throw new NotReached('no-machine-runs');
    // A higher bid takes the machine away, as it can at any time.
    vast.account.happen(machine, 'outbid');
    await reach('ended', async () => findSuccess(await events()));
    await reach('ended', async () => (vast.account.list().length === 0 ? true : null));
    await reach('ended', async () => findEvent(await events(), 'tear-down-ended', 3));
    await commentAs(lab.world, issue, '/seal');
    await reach('sealed', async () => findEvent(await events(), 'sealed'));
    return { ok: true, run };
  } catch (error) {
    if (error instanceof NotReached) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Whether a step of this attempt was observed. */
function findStepping(events: readonly LogbookEntry[], attempt: number): true | null {
  const isStepping = events.some(
    ({ type, data }) => type === 'observed' && data['attempt'] === attempt && Number(data['step'] ?? 0) > 0,
  );
  return isStepping ? true : null;
}

function findSuccess(events: readonly LogbookEntry[]): true | null {
  return events.some(({ type, data }) => type === 'ended' && data['status'] === 'SUCCEEDED') ? true : null;
}

/** The machine of the attempt that loses it, while it runs; the machine of the previous attempt may still exist. */
function findMachine({ account }: VastServer, events: readonly LogbookEntry[]): Instance | null {
  const submitted = events.find(({ type, data }) => type === 'submitted' && data['attempt'] === TAKEN);
  const jobId = submitted?.data['jobId'];
  if (typeof jobId !== 'string') return null;
  return account.list().find(({ actual, label }) => actual === 'running' && label?.endsWith(`:${jobId}`)) ?? null;
}

/** Pauses its processes after the first step; the account still shows a running machine. */
async function pauseWhenStepping(machine: Instance | null): Promise<void> {
  const container = machine?.container ?? null;
  if (container === null) return;
  const log = await container.log();
  if (/Progress on:train [1-9]/.test(log.toString('latin1'))) container.signal('SIGSTOP');
}
