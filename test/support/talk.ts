/** People's comments and actions on GitHub in tests, and ferrybot's comments as a person reads them. */

import { z } from 'zod';
import { readPath } from '../../packages/playground/git/store/memory-remote.ts';
import type { Person } from '../../packages/playground/world/seed.ts';
import { readMarker } from '../../src/domain/marker.ts';
import type { VirtualLab } from './virtual-lab.ts';

/** Milliseconds of virtual time. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Half an hour of virtual time with the policy's intervals: every event occurs, and it takes a second. */
export const SHORT_FERRY = {
  steps: 1_200,
  durationMs: 30 * 60_000,
  compileMs: 60_000,
  evalEverySteps: 400,
  checkpointEverySteps: 400,
};

const numbered = z.object({ id: z.number() });
const filed = z.object({ sha: z.string(), content: z.string() });

/** The next morning at six, after a night without events. */
export async function nextMorning({ clock }: VirtualLab): Promise<void> {
  await clock.skip(Math.ceil(clock.now() / DAY) * DAY + 6 * HOUR - clock.now());
}

/** ada, mira's colleague, opens an experiment issue; returns its number. */
export async function openExperiment(lab: VirtualLab, title = 'Try cosine'): Promise<number> {
  const issue = { title, body: 'Why not?', labels: ['experiment'] };
  return z.object({ number: z.number() }).parse(await lab.as('ada', 'POST', '/issues', issue)).number;
}

/** Posts a comment, lets the bot do what takes no time, and returns the comment's id. */
export async function postComment(lab: VirtualLab, who: Person, thread: number, body: string): Promise<number> {
  return numbered.parse(await lab.as(who, 'POST', `/issues/${thread}/comments`, { body })).id;
}

/** One comment by ferrybot: `text` is the source without the marker line. */
export type BotComment = {
  readonly id: number;
  readonly thread: number;
  readonly run: string;
  readonly kind: string;
  readonly key: string;
  readonly source: string;
  readonly text: string;
};

/** Every comment by ferrybot, oldest first. */
export function listBotComments(lab: Pick<VirtualLab, 'world'>): readonly BotComment[] {
  return Object.values(lab.world.state.comments).flatMap((comment) => {
    const marker = readMarker(comment.body);
    if (marker === null || lab.world.state.users[comment.authorId]?.type !== 'Bot') return [];
    const { id, issueNumber: thread, body: source } = comment;
    const { run, kind, key } = marker;
    return [{ id, thread, run, kind, key, source, text: source.slice(source.indexOf('\n') + 1) }];
  });
}

/** ferrybot's comments of one kind. */
export function listBotTexts(lab: VirtualLab, kind: string): readonly string[] {
  return listBotComments(lab)
    .filter((comment) => comment.kind === kind)
    .map((comment) => comment.text);
}

/** The answers to one comment of a person: none, or one. */
export function listAnswersTo(lab: VirtualLab, comment: number): readonly string[] {
  return listBotComments(lab)
    .filter(({ kind, key }) => kind === 'answer' && key === `comment-${comment}`)
    .map(({ text }) => text);
}

/** Kinds and keys of comments that were posted more than once, which must not happen. */
export function listRepeatedComments(lab: Pick<VirtualLab, 'world'>): readonly string[] {
  const names = listBotComments(lab).map(({ run, kind, key }) => `${run} ${kind} ${key}`);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** A file at the tip of a branch, or null. */
export async function readBranchFile(lab: VirtualLab, branch: string, path: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const tip = (await lab.store.refs(ref)).get(ref);
  const bytes = tip === undefined ? null : await readPath(lab.store, tip, path);
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

/** A person's commit of one file on a branch; it sends webhooks like any push. */
export async function pushFile(
  lab: VirtualLab,
  who: Person,
  branch: string,
  path: string,
  text: string,
): Promise<void> {
  const content = Buffer.from(text).toString('base64');
  for (let attempt = 1; ; attempt += 1) {
    const there = await readBranchFile(lab, branch, path);
    const sha =
      there === null ? {} : { sha: filed.parse(await lab.as(who, 'GET', `/contents/${path}?ref=${branch}`)).sha };
    try {
      await lab.as(who, 'PUT', `/contents/${path}`, { message: `Change ${path}`, content, branch, ...sha });
      return;
    } catch (error) {
      // The bot pushed in between: a person reads the file again.
      if (attempt === 3 || !(error instanceof Error) || !error.message.includes(': 409 ')) throw error;
    }
  }
}

/** Edits the experiment file on a ferry's branch. */
export async function pushExperiment(lab: VirtualLab, run: string, edit: (text: string) => string): Promise<void> {
  const branch = `ferrybot/proposal/${run}`;
  const path = 'experiments/ferries/daily.py';
  const text = await readBranchFile(lab, branch, path);
  if (text === null) throw new Error(`${path} is not on ${branch}`);
  await pushFile(lab, 'ada', branch, path, edit(text));
}

/** Holds back jobs of one mode until they are released: a runner that is offline for a while. */
export function holdJobs(mode: string): {
  readonly beforeJob: (mode: string) => Promise<void>;
  readonly waiting: () => number;
  readonly letGo: () => void;
} {
  const doors: (() => void)[] = [];
  let isOpen = false;
  return {
    beforeJob: (asked) =>
      asked !== mode || isOpen ? Promise.resolve() : new Promise((resolve) => doors.push(resolve)),
    waiting: () => (isOpen ? 0 : doors.length),
    letGo: () => {
      isOpen = true;
      for (const open of doors) open();
    },
  };
}

/** The current text of an issue or pull request. */
export function readBody(lab: VirtualLab, number: number): string {
  const found = Object.values(lab.world.state.issues).find((issue) => issue.number === number);
  if (found === undefined) throw new Error(`there is no #${number}`);
  return found.body;
}

/** A person starts the launch workflow by hand. */
export async function dispatchLaunch(
  lab: VirtualLab,
  who: Person,
  inputs: { readonly run: string; readonly order: string },
  ref = 'main',
): Promise<void> {
  await lab.as(who, 'POST', '/actions/workflows/ferrybot-launch.yml/dispatches', { ref, inputs });
  await lab.clock.advance(1_000);
}

/** Runs of the launch workflow, oldest first. */
export function listLaunchRuns(lab: VirtualLab): readonly { readonly conclusion: string | null }[] {
  const { runs, workflows } = lab.world.state;
  return Object.values(runs).filter((run) => workflows[run.workflowId]?.path.endsWith('ferrybot-launch.yml'));
}
