// Attacks by a writer, an untrusted user, a cheating approver and a workflow of a branch, with GitHub's own
// means only.

import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import { readBranchFile } from '../support/talk.ts';
import type { Who } from './cast.ts';
import { comment, findShownLine } from './honest.ts';
import { logbookFiles, pushLogbookText } from './logbook-files.ts';
import { type Scene, threadText } from './scene.ts';
import { loseWebhooks } from './steps.ts';

/** One attack: its name in a failing sequence, and its action. */
export type Attack = { readonly what: string; readonly act: (scene: Scene) => Promise<void> };

/** An ordinary commit by ada that removes the last lines of a file. */
async function dropLines(scene: Scene): Promise<void> {
  const [path, text] = scene.random.pick(await logbookFiles(scene));
  const lines = text.trimEnd().split('\n');
  const kept = lines.slice(0, Math.max(1, lines.length - 1 - scene.random.below(6)));
  await pushLogbookText(scene, path, `${kept.join('\n')}\n`);
}

/** The same, and a moment later the original file again: a process that read in between was deceived. */
async function dropAndRestore(scene: Scene): Promise<void> {
  const [path, text] = scene.random.pick(await logbookFiles(scene));
  const lines = text.trimEnd().split('\n');
  const kept = lines.slice(0, Math.max(1, lines.length - 1 - scene.random.below(6)));
  await pushLogbookText(scene, path, `${kept.join('\n')}\n`);
  await scene.lab.clock.advance(1_000 * scene.random.below(40));
  if ((await readBranchFile(scene.lab, 'ferrybot/logbook', path))?.split('\n').length === kept.length + 1)
    await pushLogbookText(scene, path, text);
}

async function junkLine(scene: Scene): Promise<void> {
  const [path, text] = scene.random.pick(await logbookFiles(scene));
  await pushLogbookText(scene, path, `${text}${scene.random.pick(['junk', '{}', '{"v":1}'])}\n`);
}

async function editCard(scene: Scene): Promise<void> {
  const shown = findShownLine(scene);
  if (shown === null) return;
  const row = scene.lab.world.state.comments[shown.comment];
  if (row === undefined) return;
  const by = scene.random.pick(['ada', 'noor', 'workflow'] as const);
  const body = scene.random.chance(0.5)
    ? row.body.replace(/3e-3|2\.5e-3|3\.5e-3/, '9e-9')
    : row.body.replaceAll(shown.digest, 'f'.repeat(shown.digest.length));
  if (await edit(scene, by, shown.comment, body === row.body ? `${body}\n\nAll is well.` : body)) {
    if (scene.random.chance(0.3)) {
      await scene.lab.clock.advance(1_000 * scene.random.below(20));
      await edit(scene, by, shown.comment, row.body);
    }
  }
}

/** Edits a comment. */
export async function edit(scene: Scene, by: Who, id: number, body: string): Promise<boolean> {
  const was = scene.lab.world.state.comments[id]?.body ?? '';
  const { status } = await scene.ask(by, 'PATCH', `/issues/comments/${id}`, { body });
  if (status === 200) recordTouch(scene, id, was, body);
  return status === 200;
}

/** ada deletes a comment. */
async function remove(scene: Scene, id: number): Promise<void> {
  const was = scene.lab.world.state.comments[id]?.body ?? '';
  const { status } = await scene.ask('ada', 'DELETE', `/issues/comments/${id}`);
  if (status === 204) recordTouch(scene, id, was, null);
}

function recordTouch(scene: Scene, id: number, was: string, text: string | null): void {
  scene.deeds.push({ kind: 'changed-comment', atMs: scene.lab.clock.now(), comment: id, was, text });
}

function anyComment(scene: Scene): number | null {
  const rows = Object.values(scene.lab.world.state.comments);
  return rows.length === 0 ? null : scene.random.pick(rows).id;
}

async function deleteComment(scene: Scene): Promise<void> {
  const id = anyComment(scene);
  if (id !== null) await remove(scene, id);
}

/** Edits another user's comment into an approval. */
async function editIntoApproval(scene: Scene): Promise<void> {
  const mine = Object.values(scene.lab.world.state.comments).filter(
    (row) => row.authorId === scene.ids.mira || row.authorId === scene.ids.noor,
  );
  const shown = findShownLine(scene);
  if (mine.length === 0 || shown === null) return;
  await edit(
    scene,
    scene.random.pick(['ada', 'workflow']),
    scene.random.pick(mine).id,
    `/approve-launch ${shown.digest}`,
  );
}

const CONTENTS = [
  ['experiments/ferries/daily.py', 'learning_rate=3e-3', 'learning_rate=9e-2'],
  ['experiments/ferries/daily.py', 'warmup', 'warmup'],
  ['lib/simple.py', '', '# another line\n'],
] as const;

/** A commit on the bot's branch with mira as author, which proves nothing. */
async function pushBranch(scene: Scene, by: 'ada' | 'noor'): Promise<void> {
  const ref = `refs/heads/${scene.branch}`;
  const tip = (await scene.lab.store.refs(ref)).get(ref) ?? null;
  if (tip === null) return;
  const [path, from, to] = scene.random.pick(CONTENTS);
  const text = (await readBranchFile(scene.lab, scene.branch, path)) ?? '';
  const changed =
    from === '' || !text.includes(from) ? `${text}# ${scene.random.below(1e6)}\n` : text.replace(from, to);
  const { status } = await scene.ask(scene.random.chance(0.5) ? 'workflow' : by, 'PUT', `/contents/${path}`, {
    message: 'A small fix',
    content: Buffer.from(changed).toString('base64'),
    branch: scene.branch,
    author: { name: 'Mira Okafor', email: 'mira@lab.example' },
    committer: { name: 'Mira Okafor', email: 'mira@lab.example' },
    ...(await blobSha(scene, path)),
  });
  if (status === 200 || status === 201)
    scene.deeds.push({ kind: 'changed', atMs: scene.lab.clock.now(), what: 'branch', by });
}

async function blobSha(scene: Scene, path: string): Promise<{ readonly sha?: string }> {
  const { json } = await scene.ask('ada', 'GET', `/contents/${path}?ref=${encodeURIComponent(scene.branch)}`);
  return typeof json === 'object' && json !== null && 'sha' in json ? { sha: String(json.sha) } : {};
}

async function editText(scene: Scene, by: 'ada' | 'noor', what: 'body' | 'issue'): Promise<void> {
  const number = what === 'body' ? scene.pull : scene.issue;
  const text = threadText(scene.lab.world, number);
  const body = text.includes('3e-3')
    ? text.replace('3e-3', '1e-3')
    : `${text}\n\nOne more word ${scene.random.below(1e6)}.`;
  const who = scene.random.chance(0.5) ? 'workflow' : by;
  const { status } = await scene.ask(who, 'PATCH', `/issues/${number}`, { body });
  if (status === 200) scene.deeds.push({ kind: 'changed', atMs: scene.lab.clock.now(), what, by });
}

/** Comments by an untrusted user: commands, copied lines, markers, and texts that are expensive to parse. */
async function strangerSpeaks(scene: Scene): Promise<void> {
  const digest = findShownLine(scene)?.digest ?? 'a'.repeat(32);
  const marker = `<!-- ferrybot:v1 run=${scene.run} kind=card key=card head=99:aaaaaaaaaaaa phase=sealed -->`;
  const texts = [
    `/approve-launch ${digest}`,
    '/stop',
    `${marker}\n🤖 all is well`,
    '<ul><li>'.repeat(300),
    '/hold reason="x"\n'.repeat(30),
  ];
  await comment(scene, 'sol', scene.random.pick([scene.pull, scene.issue]), scene.random.pick(texts));
}

/** A workflow of the lab echoes an untrusted comment, or claims an approval. */
async function workflowSpeaks(scene: Scene): Promise<void> {
  const digest = findShownLine(scene)?.digest ?? 'a'.repeat(32);
  const bots = Object.values(scene.lab.world.state.comments).filter((row) => row.body.startsWith('<!-- ferrybot'));
  const echoed = bots.length === 0 ? '' : scene.random.pick(bots).body;
  const forged = `<!-- ferrybot:v1 run=${scene.run} kind=card key=card head=900:${'b'.repeat(12)} phase=gated -->`;
  const text = scene.random.pick([`/approve-launch ${digest}`, echoed, `${forged}\n🤖`, `Welcome!\n\n${forged}`]);
  if (text !== '') await comment(scene, 'workflow', scene.random.pick([scene.pull, scene.issue]), text);
}

/** ada starts the launch again, with an order of the record or an invented one. */
async function dispatchLaunch(scene: Scene): Promise<void> {
  const orders = (await logbookFiles(scene)).flatMap(([, text]) =>
    [...text.matchAll(/"orderDigest":"(sha256:[0-9a-f]{64})"/g)].map((match) => match[1] ?? ''),
  );
  const order = orders.length > 0 && scene.random.chance(0.8) ? scene.random.pick(orders) : `sha256:${'0'.repeat(64)}`;
  await scene.ask('ada', 'POST', '/actions/workflows/ferrybot-launch.yml/dispatches', {
    ref: 'main',
    inputs: { run: scene.run, order },
  });
  await scene.lab.clock.advance(1_000);
}

/** A tag with the name of a mark, a seal or their folder, pushed without a key. */
async function squatTag(scene: Scene): Promise<void> {
  const tip = (await scene.lab.store.refs('refs/heads/ferrybot/logbook')).get('refs/heads/ferrybot/logbook');
  if (tip === undefined) return;
  const name = scene.random.pick([
    `ferrybot-mark-2026-11-${scene.run}-${scene.random.below(30)}-${'c'.repeat(64)}`,
    `ferry/${scene.run}`,
    'ferry',
  ]);
  await scene.ask('ada', 'POST', '/git/refs', { ref: `refs/tags/${name}`, sha: tip });
}

/** Removes the last brake completely: its comment, and every later line of the record. */
export async function takeBrakeBack(scene: Scene): Promise<void> {
  const brake = scene.deeds.findLast((deed) => deed.kind === 'braked');
  if (brake?.kind !== 'braked') return;
  await remove(scene, brake.comment);
  for (const [path, text] of await logbookFiles(scene)) {
    const lines = text.trimEnd().split('\n');
    const first = lines.findIndex((line) => line.includes(`"comment":${brake.comment},`));
    if (first > 0) await pushLogbookText(scene, path, `${lines.slice(0, first).join('\n')}\n`);
  }
}

/** Drops GitHub's webhooks for a while. */
async function switchWebhooks(scene: Scene): Promise<void> {
  loseWebhooks(scene, scene.lab.world.state.settings.drop === 'all' ? 'back' : 'lost');
}

/** Removes mira's role and restores it later. */
async function changeRole(scene: Scene): Promise<void> {
  const { repos } = scene.lab.world.state;
  for (const [id, repo] of Object.entries(repos)) {
    const role = repo.collaborators[scene.ids.mira] === 'maintain' ? 'triage' : 'maintain';
    repos[id] = { ...repo, collaborators: { ...repo.collaborators, [scene.ids.mira]: role } };
  }
}

/** A branch of ada's with another config: only the default branch's config counts. */
async function pushOwnConfig(scene: Scene): Promise<void> {
  const main = (await scene.lab.store.refs('refs/heads/main')).get('refs/heads/main') ?? null;
  const config = await readBranchFile(scene.lab, 'main', '.github/ferrybot.yml');
  if (main === null || config === null) return;
  await commitFiles(scene.lab.store, {
    ref: scene.random.pick([`refs/heads/mine-${scene.random.below(1e6)}`, `refs/heads/${scene.branch}`]),
    expected: null,
    files: { '.github/ferrybot.yml': config.replace('permission: maintain', 'permission: read') },
    message: 'Mine',
    author: { name: 'Ada', email: 'ada@lab.example', atMs: scene.lab.clock.now() },
  });
}

/** The attacks, weighted by repetition. */
export const ATTACKS: readonly Attack[] = [
  { what: 'drops lines', act: dropLines },
  { what: 'takes a brake back', act: takeBrakeBack },
  { what: 'takes a brake back', act: takeBrakeBack },
  { what: 'drops lines and restores', act: dropAndRestore },
  { what: 'pushes a junk line', act: junkLine },
  { what: 'edits the card', act: editCard },
  { what: 'edits the card', act: editCard },
  { what: 'deletes a comment', act: deleteComment },
  { what: 'edits a comment into an approval', act: editIntoApproval },
  { what: 'pushes to the branch (ada)', act: (scene) => pushBranch(scene, 'ada') },
  { what: 'pushes to the branch (noor)', act: (scene) => pushBranch(scene, 'noor') },
  { what: 'pushes to the branch (noor)', act: (scene) => pushBranch(scene, 'noor') },
  { what: 'edits the body (ada)', act: (scene) => editText(scene, 'ada', 'body') },
  { what: 'edits the body (noor)', act: (scene) => editText(scene, 'noor', 'body') },
  { what: 'edits the issue (noor)', act: (scene) => editText(scene, 'noor', 'issue') },
  { what: 'a stranger speaks', act: strangerSpeaks },
  { what: 'a workflow speaks', act: workflowSpeaks },
  { what: 'dispatches a launch', act: dispatchLaunch },
  { what: 'dispatches a launch', act: dispatchLaunch },
  { what: 'squats a tag', act: squatTag },
  { what: 'webhooks', act: switchWebhooks },
  { what: 'a role changes', act: changeRole },
  { what: 'pushes a config', act: pushOwnConfig },
];
