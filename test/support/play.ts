/** Plays a ferry on virtual time: waits for a stage, comments, advances the clock. */

import { runFolders } from '../../packages/playground/git/logbook-text.ts';
import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import { readPath } from '../../packages/playground/git/store/memory-remote.ts';
import type { Person } from '../../packages/playground/world/seed.ts';
import type { LogbookEvent } from '../../src/domain/logbook/define.ts';
import { foldEvents } from '../../src/domain/logbook/fold.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { memoize } from '../../src/domain/values.ts';
import { completeEvent, decodeLine, splitLines } from '../../src/logbook/chain.ts';
import { eventsPath } from '../../src/logbook/segments.ts';
import { findShownApprovalLine, requireApprovalLine } from './approve.ts';
import { postComment } from './talk.ts';
import type { VirtualLab } from './virtual-lab.ts';

/** What reading a logbook needs of a lab, virtual or real. */
export type WithStore = { readonly store: GitStore };

/** A proposed ferry with its lab. */
export type Ferry = Awaited<ReturnType<typeof propose>> & { readonly lab: VirtualLab };

const LOGBOOK = 'refs/heads/ferrybot/logbook';

/** The raw text of a run's events from all of its files; empty if there are none. */
export async function logbookText(lab: WithStore, run: string): Promise<string> {
  return (await logbookParts(lab, run)).map(([, text]) => text).join('');
}

/**
 * The folder of a run on the logbook branch; for an unknown run, one in the month in which the test labs
 * start.
 */
export async function runFolder(lab: WithStore, run: string): Promise<string> {
  const head = (await lab.store.refs(LOGBOOK)).get(LOGBOOK);
  const folders = head === undefined ? [] : await runFolders(lab.store, head);
  return folders.find((folder) => folder.endsWith(`/${run}`)) ?? `runs/2026/11/${run}`;
}

/** The files of a run's events in order. */
export async function logbookParts(
  lab: WithStore,
  run: string,
): Promise<readonly (readonly [path: string, text: string])[]> {
  const head = (await lab.store.refs(LOGBOOK)).get(LOGBOOK);
  const parts: [string, string][] = [];
  if (head === undefined) return parts;
  const folder = run === 'journal' ? run : await runFolder(lab, run);
  for (let part = 1; ; part += 1) {
    const path = eventsPath(folder, part);
    const bytes = await readPath(lab.store, head, path);
    if (bytes === null) break;
    parts.push([path, Buffer.from(bytes).toString('utf8')]);
  }
  return parts;
}

/** The decoded events of a run. */
export async function readEventsOf(lab: WithStore, run: string): Promise<readonly LogbookEvent[]> {
  return parseEventsOnce(await logbookText(lab, run));
}

/** A waiting test reads many times between two events, and equal texts have equal events. */
const parseEventsOnce = memoize(
  (text: string) =>
    splitLines(text).whole.map((line) => {
      const framed = decodeLine(line);
      if (!framed.ok) throw new Error(framed.error);
      const event = completeEvent(framed.value);
      if (!event.ok) throw new Error(event.error);
      return event.value;
    }),
  (text) => text,
);

/** The folded state of a run, or null before its proposal. */
export async function readState(lab: WithStore, run: string): Promise<RunState | null> {
  const folded = foldEvents(await readEventsOf(lab, run));
  if (!folded.ok) throw new Error(`illegal: ${folded.error.rule}`);
  return folded.value;
}

/** Advances the clock in steps until `done`, or throws after `limitMs` of virtual time with the bot's log. */
export async function until(
  lab: VirtualLab,
  what: string,
  done: () => Promise<boolean> | boolean,
  options: { readonly stepMs?: number; readonly limitMs?: number } = {},
): Promise<void> {
  const { stepMs = 30_000, limitMs = 8 * 3_600_000 } = options;
  for (let spent = 0; spent <= limitMs; spent += stepMs) {
    if (await done()) return;
    await lab.clock.advance(stepMs);
  }
  throw new Error(`${what} did not happen; the log ends:\n${lab.log.slice(-12).join('\n')}`);
}

/** The same until `done` is true for the folded state of a run. */
export function untilState(
  lab: VirtualLab,
  run: string,
  done: (state: RunState) => boolean,
  options: Parameters<typeof until>[3] = {},
): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const state = await readState(lab, run);
    return state !== null && done(state);
  };
  return until(lab, `${done} of ${run}`, isDone, options);
}

/** Id of the run of the clock's day. */
export function todaysRun(lab: VirtualLab): string {
  return `ferry-daily-${new Date(lab.clock.now()).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/**
 * Proposes today's ferry (`run` names a second one of the day) and waits until its gates pass; repeats a
 * crashed workflow, as a person would.
 */
export async function propose(
  lab: VirtualLab,
  run = todaysRun(lab),
): Promise<{ readonly run: string; readonly pull: number; readonly issue: number }> {
  await lab.dispatchDaily();
  let again = 0;
  await until(lab, `the proposal of ${run}`, async () => {
    const state = await readState(lab, run);
    if (state?.gate !== undefined && state.gate !== null && state.gate.digest !== null) return true;
    again += 1;
    if (again % 10 === 0 && state === null) await lab.dispatchDaily();
    return false;
  });
  const state = await readState(lab, run);
  if (state === null) throw new Error('the run is gone again');
  return { run, pull: state.proposal.pull, issue: state.proposal.issue };
}

/** Waits until the card asks for an approval, and posts its line in the thread. Returns the comment's id. */
export async function approve(lab: VirtualLab, who: Person, thread: number, run?: string): Promise<number> {
  await until(lab, 'a card that asks for an approval', () => findShownApprovalLine(lab, run) !== null, {
    stepMs: 5_000,
    limitMs: 3 * 3_600_000,
  });
  return postComment(lab, who, thread, requireApprovalLine(lab, run));
}

/** The maintainer approves, and the clock advances until the job has ended. */
export async function approveAndFinish(lab: VirtualLab, run: string, pull: number): Promise<void> {
  await approve(lab, 'mira', pull, run);
  await finish(lab, run);
}

/** Advances the clock until the job of an approved run has ended. */
export async function finish(lab: VirtualLab, run: string): Promise<void> {
  await until(lab, `the launch of ${run}`, async () => (await readState(lab, run))?.submission !== null, {
    stepMs: 5_000,
    limitMs: 3 * 3_600_000,
  });
  await until(lab, `the end of ${run}`, async () => (await readState(lab, run))?.end !== null, {
    stepMs: 60_000,
    limitMs: 12 * 3_600_000,
  });
}

/** The maintainer seals, and the clock advances until the run is sealed. */
export async function seal(lab: VirtualLab, run: string, issue: number): Promise<void> {
  await lab.as('mira', 'POST', `/issues/${issue}/comments`, { body: '/seal' });
  await until(lab, `the seal of ${run}`, async () => (await readState(lab, run))?.seal !== null, {
    stepMs: 5_000,
    limitMs: 3 * 3_600_000,
  });
}

/** From proposal to seal. */
export async function playFerry(
  lab: VirtualLab,
): Promise<{ readonly run: string; readonly pull: number; readonly issue: number }> {
  const proposed = await propose(lab);
  await approveAndFinish(lab, proposed.run, proposed.pull);
  await seal(lab, proposed.run, proposed.issue);
  await lab.clock.advance(120_000);
  return proposed;
}
