/** --auto: plays the person through a ferry, stage by stage, and reports the duration and cost of each. */

import { type LogbookEntry, readJournal, readLogbook } from './logbook-events.ts';
import { type OpenedLab, watchBroken } from './open-lab.ts';
import { asMaintainer, commentAs, hasCommented, type Speaker, shownApprovalLine } from './person.ts';
import { findDeadEnd, findOpenQuestion, reachedStages, STAGES, type Stage } from './stages.ts';
import { type BotUsage, botUsage, usageSince } from './usage.ts';

export type StageReport = {
  readonly day: number;
  readonly lane: string;
  readonly stage: Stage;
  readonly seconds: number;
  readonly requests: Omit<BotUsage, 'contentWrites'>;
  readonly contentWrites: number;
};

export type PlayResult = { readonly ok: true; readonly run: string } | { readonly ok: false; readonly reason: string };

const POLL_MS = 200;
/** A person reads before an approval. */
const READING_MS = 1_500;
/** A stage that takes longer counts as failed. This includes a watch that waits for the lease of a dead one. */
const STAGE_TIMEOUT_MS = 300_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Today's run in a lane. */
function todaysRunName(lab: OpenedLab, lane: string): string {
  return `ferry-${lane}-${new Date(lab.clock.now()).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** Starts the workflow that proposes, if one of these lanes has no ferry for today. */
export async function proposeDay(lab: OpenedLab, lanes: readonly string[]): Promise<void> {
  const logbook = await readLogbook(lab.world);
  if (lanes.some((lane) => !logbook.has(todaysRunName(lab, lane))))
    await asMaintainer(lab.world, 'POST', '/actions/workflows/ferrybot-daily.yml/dispatches', { ref: 'main' });
}

/**
 * Plays one day of a lane: approval, launch, end, seal, and the merge of the closure. The cost of parallel lanes is
 * reported together.
 */
export async function playDay(
  lab: OpenedLab,
  { day, lane, begunAt }: { readonly day: number; readonly lane: string; readonly begunAt: number },
  report: (stage: StageReport) => void,
): Promise<PlayResult> {
  const run = todaysRunName(lab, lane);
  let usage = botUsage(lab.world);
  let since = performance.now();
  for (const stage of STAGES) {
    const outcome = await waitForStage(lab, run, { stage, lane, begunAt });
    if (outcome !== null) return { ok: false, reason: outcome };
    const now = botUsage(lab.world);
    const { contentWrites, ...requests } = usageSince(usage, now);
    report({ day, lane, stage, seconds: Math.round((performance.now() - since) / 100) / 10, requests, contentWrites });
    usage = now;
    since = performance.now();
    await performStage(lab, run, stage);
  }
  return { ok: true, run };
}

/** Moves the playground's clock to the same time of the next day. */
export function nextDay(lab: OpenedLab): void {
  lab.clock.advance(DAY_MS);
}

/** Waits for a stage; null when it is reached, otherwise the reason why it cannot be. */
async function waitForStage(
  lab: OpenedLab,
  run: string,
  { stage, lane, begunAt }: { readonly stage: Stage; readonly lane: string; readonly begunAt: number },
): Promise<string | null> {
  const until = performance.now() + STAGE_TIMEOUT_MS;
  const broken = watchBroken(lab);
  while (performance.now() < until) {
    const events = (await readLogbook(lab.world)).get(run) ?? [];
    if (reachedStages(events).has(stage)) return null;
    const question = events.length === 0 ? findOpenQuestion(await readJournal(lab.world), lane) : null;
    if (question !== null) await postComment(lab, question, '/propose objective="integration"', 'ada');
    const dead = findDeadEnd(events) ?? failedWorkflow(lab, run, events, begunAt);
    if (dead !== null) return dead;
    if (broken() !== null) return broken();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return `no-${stage}-in-time`;
}

/**
 * A failed workflow run reports an error earlier than a timeout. A run from before a killed program does not count:
 * ferrybot dispatches it again.
 */
function failedWorkflow(
  lab: OpenedLab,
  run: string,
  events: readonly LogbookEntry[],
  startedAt: number,
): string | null {
  const isProposed = events.length > 0;
  const failed = Object.values(lab.world.state.runs).find(
    (row) =>
      row.conclusion === 'failure' &&
      row.createdAtMs >= startedAt &&
      (row.path.includes('ferrybot-launch')
        ? row.displayTitle.includes(run)
        : !isProposed && row.path.includes('ferrybot-daily')),
  );
  return failed === undefined ? null : `workflow-failed-${failed.id}`;
}

/** The person's action at a stage. */
async function performStage(lab: OpenedLab, run: string, stage: Stage): Promise<void> {
  const events = (await readLogbook(lab.world)).get(run) ?? [];
  const proposed = events.find((event) => event.type === 'proposed')?.data;
  const pull = Number(proposed?.['pull']);
  const issue = Number(proposed?.['issue']);
  if (stage === 'gated' && !reachedStages(events).has('approved')) {
    const line = await waitForApprovalLine(lab, pull);
    // The next wait for a stage reports why the lab is broken.
    if (line === null) return;
    await new Promise((resolve) => setTimeout(resolve, READING_MS));
    await postComment(lab, pull, line);
  }
  if (stage === 'ended' && !reachedStages(events).has('sealed')) await postComment(lab, issue, '/seal');
  if (stage === 'sealed') await mergeClosure(lab, events);
}

/** The approval line on the card, which appears shortly after the gates have been recorded; null if the lab breaks before. */
async function waitForApprovalLine(lab: OpenedLab, thread: number): Promise<string | null> {
  const until = performance.now() + STAGE_TIMEOUT_MS;
  const broken = watchBroken(lab);
  while (performance.now() < until) {
    const line = await shownApprovalLine(lab.world, thread);
    if (line !== null || broken() !== null) return line;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`no card in #${thread} asks for an approval`);
}

async function postComment(lab: OpenedLab, thread: number, body: string, login: Speaker = 'mira'): Promise<void> {
  if (!(await hasCommented(lab.world, thread, body, login))) await commentAs(lab.world, thread, body, login);
}

/** Maintainers review the closure PR, which changes only the log, and merge it: tomorrow's log continues from it. */
async function mergeClosure(lab: OpenedLab, events: readonly LogbookEntry[]): Promise<void> {
  const closure = Number(events.find((event) => event.type === 'sealed')?.data['closurePull']);
  const pull = (await asMaintainer(lab.world, 'GET', `/pulls/${closure}`)) as { readonly state: string };
  if (pull.state === 'open') await asMaintainer(lab.world, 'PUT', `/pulls/${closure}/merge`, {});
}
