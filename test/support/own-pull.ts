/** Users' own pull requests in tests: opened, labelled, and ferrybot's comments there. */

import type { Person } from '../../packages/playground/world/seed.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { readState, until } from './play.ts';
import { listAnswersTo, listBotComments, postComment, pushFile, readBranchFile, SHORT_FERRY } from './talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

export const FILE = 'experiments/ferries/daily.py';
export const LABEL = 'ferry-daily';

/** A description with every part that a launch needs, as Ada writes it. */
export const WHOLE = [
  'I want to know whether a longer warmup holds.',
  '### Last ferry references',
  'None: this is the first ferry.',
  '### Objective',
  'Integration: does a longer warmup hold?',
  '### Config delta and rationale',
  '| Knob | Before | After |',
  '| --- | --- | --- |',
  '| `warmup` | `100` | `80` |',
  '### Risk level',
  'low',
  '### Launch checklist',
  '- [ ] human approval',
  '- [x] issue created/updated',
  '- [ ] monitoring loop started',
]
  .join('\n\n')
  .replaceAll(/\|\n\n\|/g, '|\n|')
  .replaceAll(/\]( [^\n]*)\n\n- /g, ']$1\n- ');

export type OwnPullOptions = {
  readonly body?: string;
  readonly edit?: (text: string) => string;
  readonly draft?: boolean;
  readonly who?: Person;
  readonly branch?: string;
};

/** Opens a pull request from a user's branch that changes the experiment. */
export async function openOwnPull(lab: VirtualLab, opened: OwnPullOptions = {}): Promise<number> {
  const { body = WHOLE, edit = (text) => text.replace('warmup=100', 'warmup=80'), who = 'ada' } = opened;
  const branch = opened.branch ?? 'ada/warmup';
  await branchOff(lab, who, branch);
  await pushFile(lab, who, branch, FILE, edit((await readBranchFile(lab, 'main', FILE)) ?? ''));
  const pull = { title: 'A longer warmup', body, head: branch, base: 'main', draft: opened.draft ?? false };
  return ((await lab.as(who, 'POST', '/pulls', pull)) as { readonly number: number }).number;
}

export async function branchOff(lab: VirtualLab, who: Person, branch: string): Promise<void> {
  const main = (await lab.store.refs('refs/heads/main')).get('refs/heads/main');
  await lab.as(who, 'POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: main });
}

/** The playground cannot mark a draft as ready: this changes the row, and the next edit sends the webhook. */
export async function markReady({ world, as }: VirtualLab, pull: number): Promise<void> {
  for (const [key, row] of Object.entries(world.state.issues))
    if (row.number === pull && row.pull !== null)
      world.state.issues[key] = { ...row, pull: { ...row.pull, draft: false } };
  await as('ada', 'PATCH', `/pulls/${pull}`, { title: 'A longer warmup, ready' });
}

/** Sol, who may only read, forks the repository and opens a pull request from the fork. */
export async function openFromFork(lab: VirtualLab): Promise<number> {
  await branchOff(lab, 'ada', 'warmup');
  await pushFile(
    lab,
    'ada',
    'warmup',
    FILE,
    ((await readBranchFile(lab, 'main', FILE)) ?? '').replace('warmup=100', 'warmup=80'),
  );
  await lab.as('sol', 'POST', '/forks', {});
  const pull = { title: 'A longer warmup', body: WHOLE, head: 'sol:warmup', base: 'main' };
  return ((await lab.as('sol', 'POST', '/pulls', pull)) as { readonly number: number }).number;
}

export function addLabels(lab: VirtualLab, who: Person, pull: number, labels = [LABEL]): Promise<unknown> {
  return lab.as(who, 'POST', `/issues/${pull}/labels`, { labels });
}

export function ownRunName(pull: number, day = '20261121'): string {
  return `ferry-daily-${day}-pr${pull}`;
}

/** A lab in which Ada may approve too. */
export async function openLab(options: VirtualLabOptions = {}): Promise<VirtualLab> {
  return openVirtualLab({
    ferry: SHORT_FERRY,
    config: (text) => text.replace('permission: maintain', 'permission: write'),
    ...options,
  });
}

/** Advances the clock until the run's gates were evaluated, and returns its state. */
export async function readGates(open: VirtualLab, run: string) {
  await until(open, `the gates of ${run}`, async () => ((await readState(open, run))?.gate ?? null) !== null, {
    limitMs: 3 * 3_600_000,
  });
  const state = await readState(open, run);
  if (state === null) throw new Error(`${run} is gone`);
  return state;
}

/** The gates that block a launch, with their codes. */
export function listOpenGates(state: RunState): readonly string[] {
  return (state.gate?.verdicts ?? [])
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'unknown')
    .map(({ gate, code }) => `${gate} ${code}`);
}

/** ferrybot's comments in a pull request without a run. */
export function listBotCommentsIn(world: VirtualLab, pull: number): readonly string[] {
  return listBotComments(world)
    .filter(({ kind, thread }) => kind === 'own-pull' && thread === pull)
    .map(({ text }) => text);
}

export function countThreads(world: VirtualLab): number {
  return Object.keys(world.world.state.issues).length;
}

export async function commentAndReadAnswer(
  world: VirtualLab,
  who: Person,
  thread: number,
  text: string,
): Promise<string> {
  const comment = await postComment(world, who, thread, text);
  await until(world, `the answer to ${text}`, () => listAnswersTo(world, comment).length > 0);
  return listAnswersTo(world, comment).join('\n');
}
