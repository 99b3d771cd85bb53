// The actions of honest people: they read the card, copy its line, brake, release and ask.

import type { Who } from './cast.ts';
import type { Scene } from './scene.ts';

/** Advances the clock with webhooks, sweeps and jobs. */
export async function passTime(scene: Scene, ms: number): Promise<void> {
  await scene.lab.clock.advance(ms);
}

/** Posts a comment in a thread; its id, or null if GitHub rejected it. */
export async function comment(scene: Scene, who: Who, thread: number, body: string): Promise<number | null> {
  const { status, json } = await scene.ask(who, 'POST', `/issues/${thread}/comments`, { body });
  if (status !== 201 || typeof json !== 'object' || json === null || !('id' in json)) return null;
  const id = Number(json.id);
  if (who === 'workflow') scene.deeds.push({ kind: 'forged-comment', atMs: scene.lab.clock.now(), comment: id });
  return id;
}

/** Whether a card shows this manifest, even if it cannot be approved yet. */
export function isOnCard(scene: Scene, digest: string): boolean {
  const { comments, users } = scene.lab.world.state;
  return Object.values(comments).some(
    ({ authorId, body }) =>
      users[authorId]?.type === 'Bot' && /^<!-- ferrybot:\S+ run=\S+ kind=card /.test(body) && body.includes(digest),
  );
}

/** The line that a card asks people to copy. */
export type Line = { readonly comment: number; readonly digest: string };

/** The line on the newest card (of `run`, if given): answers have a line too, but show no manifest. */
export function findShownLine(scene: Pick<Scene, 'lab' | 'pull'>, run = '\\S+'): Line | null {
  const card = new RegExp(`^<!-- ferrybot:\\S+ run=${run} kind=card `);
  const { comments, users } = scene.lab.world.state;
  const shown = Object.values(comments)
    .filter((row) => row.issueNumber === scene.pull && users[row.authorId]?.type === 'Bot')
    .flatMap((row) => {
      const match = /\/approve-launch (?:sha256:)?([0-9a-f]{32,64})/.exec(row.body);
      return match === null || !card.test(row.body)
        ? []
        : [{ comment: row.id, digest: match[1] ?? '', at: row.updatedAtMs }];
    })
    .toSorted((a, b) => a.at - b.at);
  return shown.at(-1) ?? null;
}

/** An approver approves what the card shows. */
export async function approve(scene: Scene, by: 'mira' | 'noor'): Promise<void> {
  const shown = findShownLine(scene);
  if (shown !== null) await approveLine(scene, by, shown);
}

/** An approver posts this line. */
export async function approveLine(
  scene: Scene,
  by: 'mira' | 'noor',
  shown: Line,
  command: 'approve-launch' | 'relaunch' = 'approve-launch',
): Promise<void> {
  const text = `/${command} ${shown.digest}`;
  const isCardIntact = !isTouched(scene, shown.comment);
  const id = await comment(scene, by, scene.pull, text);
  if (id === null) return;
  const atMs = createdAt(scene, id);
  scene.deeds.push({ kind: 'approved', atMs, by, comment: id, text, digest: shown.digest, isCardIntact });
}

/** The same in a review of a commit, which GitHub records. */
export async function approveByReview(scene: Scene, by: 'mira' | 'noor', commit: string): Promise<void> {
  const shown = findShownLine(scene);
  if (shown === null) return;
  const text = `/approve-launch ${shown.digest}`;
  const isCardIntact = !isTouched(scene, shown.comment);
  const review = { body: text, event: 'COMMENT', commit_id: commit };
  const { status, json } = await scene.ask(by, 'POST', `/pulls/${scene.pull}/reviews`, review);
  if (status !== 200 || typeof json !== 'object' || json === null || !('id' in json)) return;
  const id = Number(json.id);
  const atMs = scene.lab.world.state.reviews[id]?.createdAtMs ?? scene.lab.clock.now();
  const { digest } = shown;
  scene.deeds.push({ kind: 'approved', atMs, by, comment: id, text, digest, commit, isCardIntact });
}

/** Whether another user than the bot edited this comment. */
function isTouched(scene: Scene, id: number): boolean {
  const last = scene.deeds.findLast((deed) => deed.kind === 'changed-comment' && deed.comment === id);
  return last?.kind === 'changed-comment' && scene.lab.world.state.comments[id]?.body === last.text;
}

const BRAKES = {
  hold: '/hold reason="not today"',
  stop: '/stop',
  'hold lane': '/hold {wide} reason="an incident"',
  revoke: '/revoke',
  'hold date': '/hold date=2026-11-21 reason="the cluster is away"',
} as const;

/** A hold beyond one run: the lane for ferries, and the repository for other lanes. */
function wideHold({ run }: Scene): string {
  return run.startsWith('ferry-') ? 'lane=daily' : 'scope=repository';
}

/** A brake in the run's own threads. */
export async function brake(scene: Scene, kind: keyof typeof BRAKES): Promise<void> {
  const by = kind === 'revoke' ? 'mira' : scene.random.pick(['mira', 'ada'] as const);
  const thread = scene.random.chance(0.7) ? scene.pull : scene.issue;
  const text = BRAKES[kind].replace('{wide}', wideHold(scene));
  const id = await comment(scene, by, thread, text);
  if (id === null) return;
  const atMs = createdAt(scene, id);
  scene.deeds.push({ kind: 'braked', atMs, brake: kind, by, comment: id, text, thread });
}

const NAMING = { hold: 'hold reason="not today"', stop: 'stop', revoke: 'revoke' } as const;

/** A brake in an unrelated issue that names the run. */
export async function brakeInOtherThread(scene: Scene, kind: keyof typeof NAMING): Promise<void> {
  const said = await commentInOtherThread(scene, 'mira', `/${NAMING[kind]} run=${scene.run}`);
  if (said === null) return;
  scene.deeds.push({ kind: 'braked', brake: kind, by: 'mira', ...said, run: scene.run });
}

/** mira lifts a hold from there. */
export async function unholdInOtherThread(scene: Scene): Promise<void> {
  const said = await commentInOtherThread(scene, 'mira', `/unhold run=${scene.run}`);
  if (said === null) return;
  scene.deeds.push({ kind: 'released', atMs: said.atMs, brake: 'hold', by: 'mira', run: scene.run });
}

/** Posts in a new issue that is unrelated to any run; null if GitHub rejected it. */
export async function commentInOtherThread(
  scene: Scene,
  who: 'mira' | 'sol',
  text: string,
): Promise<{ atMs: number; comment: number; text: string; thread: number } | null> {
  const issue = { title: 'A question', body: 'Who knows?' };
  const { status, json } = await scene.ask(who, 'POST', '/issues', issue);
  if (status !== 201 || typeof json !== 'object' || json === null || !('number' in json)) return null;
  const thread = Number(json.number);
  const id = await comment(scene, who, thread, text);
  return id === null ? null : { atMs: createdAt(scene, id), comment: id, text, thread };
}

/** mira lifts a hold. */
export async function release(scene: Scene, kind: 'hold' | 'hold lane'): Promise<void> {
  const text = kind === 'hold' ? '/unhold' : `/unhold ${wideHold(scene)}`;
  const id = await comment(scene, 'mira', scene.pull, text);
  if (id === null) return;
  scene.deeds.push({ kind: 'released', atMs: createdAt(scene, id), brake: kind, by: 'mira' });
}

/** mira asks for the status. */
export async function askStatus(scene: Scene): Promise<void> {
  await sendCommand(scene, scene.random.pick(['/status', '/why', '/help'] as const));
}

/** Posts a command that needs an answer. */
export async function sendCommand(scene: Scene, text: string, by: 'mira' | 'noor' | 'ada' = 'mira'): Promise<void> {
  const id = await comment(scene, by, scene.pull, text);
  if (id !== null) scene.deeds.push({ kind: 'asked', atMs: createdAt(scene, id), by, comment: id, text });
}

function createdAt(scene: Scene, id: number): number {
  return scene.lab.world.state.comments[id]?.createdAtMs ?? scene.lab.clock.now();
}
