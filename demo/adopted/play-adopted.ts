/**
 * `--lane adopted --auto`: plays the people of a job that ada started manually, from `/watch` through its bug to the
 * seal.
 */

import { type LogbookEntry, readLogbook } from '../logbook-events.ts';
import type { OpenedLab } from '../open-lab.ts';
import { commentAs, openIssue, type Speaker, shownApprovalLine } from '../person.ts';
import type { PlayResult, StageReport } from '../play.ts';
import { createReach, findEvent, findRun, NotReached } from '../reach.ts';
import { ownJobs } from '../seed-lab.ts';
import { ADOPTED_LANE, SWEEP } from './lane.ts';

const READING_MS = 1_500;

/**
 * Mira adopts the job and hands its watch to ada. The bug crashes the job, ravi approves the fix, and the next attempt
 * succeeds.
 */
export async function playAdopted(lab: OpenedLab, report: (stage: StageReport) => void): Promise<PlayResult> {
  const { jobId, cluster, experiment } = await ownJobs(lab.folder, lab.world, SWEEP)('ada');
  const issue = await openIssue(lab.world, 'ada', {
    title: `A job of mine: ${jobId}`,
    body: `I have started \`${jobId}\` on \`${cluster}\` by hand. Can somebody have an eye on it?`,
    labels: ['experiment'],
  });
  const post = (who: Speaker, line: string): Promise<void> => commentAs(lab.world, issue, line, who);
  await post('mira', `/watch job=${jobId} cluster=${cluster} experiment=${experiment}`);
  const reach = createReach(lab, ADOPTED_LANE, report);
  try {
    const run = await reach('proposed', (runs) => findRun(runs, issue));
    const events = async (): Promise<readonly LogbookEntry[]> => (await readLogbook(lab.world)).get(run) ?? [];
    const answered = async (who: Speaker, line: string): Promise<void> => {
      const before = count(await events(), 'command-answered');
      await post(who, line);
      await reach('proposed', async () => findEvent(await events(), 'command-answered', before + 1));
    };
    await reach('proposed', async () => findEvent(await events(), 'described'));
    await read();
    await answered('mira', '/accept');
    await answered('mira', '/handoff @ada');
    await answered('ada', '/accept');
    await reach('proposed', async () => findEvent(await events(), 'ended'));
    const fix = await reach('proposed', async () => fixIn(await events()));
    const line = await reach('gated', async () =>
      gatedAt(await events()) === fix ? shownApprovalLine(lab.world, issue) : null,
    );
    await read();
    await post('ravi', line);
    await reach('approved', async () => findEvent(await events(), 'approved'));
    await reach('ordered', async () => findEvent(await events(), 'ordered'));
    await reach('submitted', async () => findEvent(await events(), 'submitted'));
    await reach('stepping', async () => stepping(await events()));
    await reach('ended', async () => succeeded(await events()));
    await post('mira', '/seal');
    await reach('sealed', async () => findEvent(await events(), 'sealed'));
    return { ok: true, run };
  } catch (error) {
    if (error instanceof NotReached) return { ok: false, reason: error.message };
    throw error;
  }
}

/** The time that a person takes to read a comment. */
async function read(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, READING_MS));
}

function count(events: readonly LogbookEntry[], type: string): number {
  return events.filter((event) => event.type === type).length;
}

/** The commit that fixes the bug. */
function fixIn(events: readonly LogbookEntry[]): string | null {
  const made = events.find(({ type, data }) => type === 'incident' && data['code'] === 'fix-made');
  const detail = made?.data['detail'] as { readonly commit?: string } | undefined;
  return detail?.commit ?? null;
}

function gatedAt(events: readonly LogbookEntry[]): string | null {
  return String(events.findLast(({ type }) => type === 'gated')?.data['commit'] ?? '') || null;
}

/** A step of the launched attempt, not of the adopted job. */
function stepping(events: readonly LogbookEntry[]): true | null {
  const isStepping = events.some(
    ({ type, data }) => type === 'observed' && data['attempt'] === 2 && Number(data['step'] ?? 0) > 0,
  );
  return isStepping ? true : null;
}

function succeeded(events: readonly LogbookEntry[]): true | null {
  return events.some(({ type, data }) => type === 'ended' && data['status'] === 'SUCCEEDED') ? true : null;
}
