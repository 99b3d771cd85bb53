// Steps and waits that several scenarios share.

import { readBranchFile } from '../support/talk.ts';
import { readable } from './forging.ts';
import { comment, findShownLine } from './honest.ts';
import type { Scene, Wants } from './scene.ts';

/** Time between two steps, with or without another user's move in it. */
export type Between = (ms: number) => Promise<void>;

export type Scenario = {
  readonly what: string;
  readonly wants?: Partial<Wants>;
  readonly act: (scene: Scene, between: Between) => Promise<void>;
};

/** Adds a harmless line to the experiment: the gates pass, and the digest changes. */
export async function pushComment(
  scene: Scene,
  by: 'ada' | 'noor' | 'workflow',
  path = 'experiments/ferries/daily.py',
): Promise<boolean> {
  const text = (await readBranchFile(scene.lab, scene.branch, path)) ?? '';
  return pushText(scene, by, path, `${text}# ${scene.random.below(1e6)}\n`);
}

/** Sets a file of the proposal's branch to this text. */
export async function pushText(
  scene: Scene,
  by: 'ada' | 'noor' | 'workflow',
  path: string,
  text: string,
): Promise<boolean> {
  const query = `/contents/${path}?ref=${encodeURIComponent(scene.branch)}`;
  const { json } = await scene.ask('ada', 'GET', query);
  const sha = typeof json === 'object' && json !== null && 'sha' in json ? { sha: String(json.sha) } : {};
  const content = Buffer.from(text).toString('base64');
  const change = { message: 'A word more', content, branch: scene.branch, ...sha };
  const { status } = await scene.ask(by, 'PUT', `/contents/${path}`, change);
  if (status !== 200 && status !== 201) return false;
  const who = by === 'workflow' ? 'noor' : by;
  scene.deeds.push({ kind: 'changed', atMs: scene.lab.clock.now(), what: 'branch', by: who });
  return true;
}

/**
 * ada changes the proposal and mentions it; returns whether the card asks for its approval within a sweep.
 */
export async function changeShownCard(scene: Scene): Promise<boolean> {
  const before = findShownLine(scene)?.digest;
  if (!(await pushComment(scene, 'ada'))) return false;
  await comment(scene, 'ada', scene.issue, 'The experiment has a word more.');
  for (let waited = 0; waited < SWEEP_MINUTES; waited += 1) {
    await scene.lab.clock.advance(60_000);
    const line = findShownLine(scene);
    if (line !== null && line.digest !== before) return true;
  }
  return false;
}

const SWEEP_MINUTES = 40;

/** The digest of the newest manifest in the record, which is public. */
export async function digestInRecord(scene: Scene): Promise<string | null> {
  const gated = (await readable(scene)).findLast((event) => event.type === 'gated');
  return gated?.type === 'gated' && gated.data.digest !== null ? gated.data.digest.slice('sha256:'.length) : null;
}

const LOOKS = 18;
const LOOK_MS = 10_000;

/** When the launcher will run a waiting order; null if no order was made. */
export async function waitUntilOrdered(scene: Scene): Promise<number | null> {
  for (let look = 0; look < LOOKS; look += 1) {
    const at = scene.launcher.startsAtMs;
    if (at !== null && at > scene.lab.clock.now()) return at;
    await scene.lab.clock.advance(LOOK_MS);
  }
  return null;
}

/** Advances the clock until this long before the launcher runs. */
export async function waitUntilBack(scene: Scene, beforeMs: number): Promise<void> {
  const left = (scene.launcher.startsAtMs ?? 0) - beforeMs - scene.lab.clock.now();
  if (left > 0) await scene.lab.clock.advance(left);
}

/** Drops all webhooks, or delivers them again. */
export function loseWebhooks(scene: Scene, are: 'lost' | 'back'): void {
  scene.lab.world.state.settings.drop = are === 'lost' ? 'all' : 'none';
  if (are === 'lost') scene.webhooks.wereLost = true;
}
