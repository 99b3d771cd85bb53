/**
 * Comments on a running rental: few if all is well, and an alert as soon as an observation shows a problem
 * from the policy.
 */

import { describe, expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, readState, until } from '../support/play.ts';
import { openIssue, openRentalLab, rentalRunName } from '../support/rental.ts';
import { listAnswersTo, listBotComments, listBotTexts, postComment, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const HOURS = { ...SHORT_FERRY, runName: 'rental_2026-11-21', durationMs: 4 * 3_600_000 };
const RENT = '/rent gpu="RTX 4090" hours=6 cap="3 USD" reason="does the long context still train?"';

/** A launched rental with this job. */
async function launched(
  script: JobScript,
): Promise<{ readonly lab: VirtualLab; readonly run: string; readonly issue: number }> {
  const lab = await openRentalLab([], { script: () => script });
  const issue = await openIssue(lab, 'ada');
  await postComment(lab, 'ada', issue, RENT);
  const run = rentalRunName(lab, issue);
  await approve(lab, 'mira', issue, run);
  await until(lab, 'a submission', async () => (await readState(lab, run))?.submission != null);
  return { lab, run, issue };
}

async function ended(lab: VirtualLab, run: string): Promise<void> {
  await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: 60_000 });
  await lab.clock.advance(60_000);
}

/** All comments on the run, with its current card. */
function said(lab: VirtualLab): string {
  return listBotComments(lab)
    .map(({ text }) => text)
    .join('\n');
}

/** The card of this run only. */
function cardOf(lab: VirtualLab, run: string): string {
  return listBotComments(lab).find((one) => one.kind === 'card' && one.run === run)?.text ?? '';
}

/** The alarms in the record. */
async function alarms(lab: VirtualLab, run: string): Promise<readonly string[]> {
  const { incidents } = (await readState(lab, run)) ?? { incidents: [] };
  return filterIncidents(incidents, 'run-alarm').map(({ detail }) => detail.detector);
}

describe('a rental without problems', () => {
  // rules VA-10, VA-13
  it('shows one status line on request, posts a comment for each milestone, and shows no log lines', async () => {
    const { lab, run, issue } = await launched(ferryScript(HOURS));
    await until(lab, 'half of it', async () => ((await readState(lab, run))?.observation?.step ?? 0) > 600, {
      stepMs: 60_000,
    });
    expect(cardOf(lab, run)).toMatch(
      /`\d{4}-\d\d-\d\dT\d\d:\d\dZ stepping ~\d+\/1200 [^`]* gpu=- mem=- eval\/loss=[\d.]+ watch [^`]*`/,
    );
    const asked = await postComment(lab, 'ada', issue, '/status');
    await lab.clock.advance(60_000);
    const [status] = listAnswersTo(lab, asked);
    await ended(lab, run);
    expect(cardOf(lab, run)).not.toContain('mem=');
    expect(status).toMatch(
      /`\d{4}-\d\d-\d\dT\d\d:\d\dZ stepping ~\d+\/1200 [\d.]+s\/step gpu=- mem=- eval\/loss=[\d.]+ watch \d{4}-\d\d-\d\dT\d\d:\d\dZ`/,
    );
    const kinds = listBotComments(lab).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'incident')).toEqual([]);
    expect(kinds.length).toBeLessThan(10);
    expect(said(lab)).not.toContain('Progress on:train');
    expect(said(lab)).not.toContain('of its log');
    await lab.close();
  });
});

describe('an alert on a running rental', () => {
  // rule VA-16
  it.each([
    'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 2147483648 bytes',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.',
    'RuntimeError: CUDA_ERROR_NVLINK_UNCORRECTABLE',
  ])('is raised for an error in the log of a job that continues, with the line: %s', async (line) => {
    const whole = ferryScript({ ...HOURS, hangAt: 200 });
    const lastMs = whole.lines.at(-1)?.atMs ?? 0;
    const lines = [...whole.lines, { atMs: lastMs + 1_000, text: line }];
    const { lab, run } = await launched({ ...whole, lines });
    await until(lab, 'the alert', () => listBotTexts(lab, 'incident').length > 0, { limitMs: 7_200_000 });
    expect((await readState(lab, run))?.end).toBeNull();
    expect(listBotTexts(lab, 'incident')[0]).toContain(line.slice(0, 40));
    await lab.close();
  });

  // rule VA-19
  it('is raised for an objective that worsens from its first eval on, with its numbers', async () => {
    const whole = ferryScript({ ...HOURS, evalEverySteps: 200 });
    let evals = 0;
    const lines = whole.lines.map((one) => {
      if (!one.text.includes('Evaluated step')) return one;
      evals += 1;
      return { ...one, text: one.text.replace(/eval\/loss=[\d.]+/, `eval/loss=${4 + evals}.00000`) };
    });
    const { lab, run } = await launched({ ...whole, lines });
    await until(lab, 'the alert', async () => (await alarms(lab, run)).length > 0, {
      limitMs: 10_800_000,
      stepMs: 60_000,
    });
    expect(await alarms(lab, run)).toEqual(['regression']);
    expect((await readState(lab, run))?.end).toBeNull();
    expect(listBotTexts(lab, 'incident')[0]).toMatch(/eval\/loss [67] is worse than the 5 of its first eval/);
    await lab.close();
  });

  // rule VA-18
  it("is raised for a pace far below the run's earlier pace", async () => {
    const fast = ferryScript({ ...HOURS, durationMs: 2 * 3_600_000 });
    const slow = ferryScript({ ...HOURS, durationMs: 12 * 3_600_000 });
    const lines = [
      ...fast.lines.filter(({ atMs }) => atMs < 3_600_000),
      ...slow.lines
        .filter(({ atMs }) => atMs >= 6 * 3_600_000)
        .map((one) => ({ ...one, atMs: one.atMs - 5 * 3_600_000 })),
    ];
    const { lab, run } = await launched({ ...fast, lines, endAtMs: 5 * 3_600_000 });
    await lab.clock.advance(3_600_000);
    expect(await alarms(lab, run)).toEqual([]);
    await until(lab, 'the alert', async () => (await alarms(lab, run)).length > 0, {
      limitMs: 10_800_000,
      stepMs: 60_000,
    });
    expect(await alarms(lab, run)).toEqual(['throughput-collapse']);
    await lab.close();
  });
});
