// Moves around a hero run: people approve, brake, reject checkpoints, roll back, continue and clean up, and
// attackers interfere.

import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { logbookText } from '../support/play.ts';
import { ATTACKS, type Attack, edit } from './attacks.ts';
import { HIDDEN_REJECTION } from './deeds.ts';
import { forge } from './forging.ts';
import type { HeroScene } from './hero.ts';
import { approve, approveLine, askStatus, brake, comment, findShownLine, release, sendCommand } from './honest.ts';
import { forgeFailure } from './rental-moves.ts';
import type { Scene } from './scene.ts';
import { STOLEN_KEYS } from './stolen-keys.ts';
import { HERO_NEXT } from './terms.ts';

const MINUTE = 60_000;

export type HeroMove = (scene: HeroScene) => Promise<void>;

async function wait(scene: HeroScene): Promise<void> {
  await scene.lab.clock.advance((5 + scene.random.below(30)) * MINUTE);
}

const REJECTIONS = ['/reject-checkpoint step=400', '/reject-checkpoint step=800'] as const;
const WAYS_BACK = ['/rollback step=0', '/rollback step=400', '/rollback step=800'] as const;

/** mira rejects a checkpoint or rolls the run back. */
async function reject(scene: HeroScene): Promise<void> {
  await sendCommand(scene, `${scene.random.pick(REJECTIONS)} reason="the loss had spiked"`);
}

async function goBack(scene: HeroScene): Promise<void> {
  await sendCommand(scene, `${scene.random.pick(WAYS_BACK)} reason="behind the spike"`);
}

/** A command right before the launcher runs the next attempt, without a webhook. */
export async function lateWord(scene: Scene, say: () => Promise<void>): Promise<void> {
  const { launcher, lab, random } = scene;
  const isComing = (launcher.startsAtMs ?? 0) > lab.clock.now();
  const before = isComing ? null : launcher.startsAtMs;
  launcher.awayMs = (3 + random.below(20)) * MINUTE;
  for (let minute = 0; minute < 45 && launcher.startsAtMs === before; minute += 1) await lab.clock.advance(MINUTE);
  const left = (launcher.startsAtMs ?? 0) - 5_000 - lab.clock.now();
  launcher.awayMs = 0;
  if (left <= 0) return;
  lab.world.state.settings.drop = 'all';
  scene.webhooks.wereLost = true;
  await lab.clock.advance(left);
  await say();
  await lab.clock.advance(MINUTE);
  lab.world.state.settings.drop = 'none';
}

/** Closes the run and continues it as another one; an approver who does this is its requester. */
async function resumeAs(scene: HeroScene): Promise<void> {
  const by = scene.random.pick(['ada', 'noor'] as const);
  const from = scene.saved.findLast(({ isWhole }) => isWhole)?.path;
  if (from === undefined) return;
  const text = `/resume-as id=${HERO_NEXT} from=${from} root=${from.replace(/\/checkpoints\/.*$/, '-next')} reason="mended"`;
  const id = await comment(scene, by, scene.pull, text);
  const atMs = id === null ? 0 : (scene.lab.world.state.comments[id]?.createdAtMs ?? 0);
  if (id !== null) scene.deeds.push({ kind: 'resumed-as', atMs, by, comment: id, text, run: HERO_NEXT });
}

/** ada requests the list, and mira reads it and consents. */
async function cleanUp(scene: HeroScene): Promise<void> {
  await sendCommand(scene, '/cleanup-checkpoints', 'ada');
  await scene.lab.clock.advance(2 * MINUTE);
}

const LINE = /\/approve ([0-9a-f]{32,64})/;

function listOnShow({ lab }: HeroScene): { readonly id: number; readonly body: string; readonly line: string } | null {
  const { comments, users } = lab.world.state;
  const rows = Object.values(comments).filter(
    ({ authorId, body }) => users[authorId]?.type === 'Bot' && body.includes(' kind=action '),
  );
  const last = rows.at(-1);
  const line = LINE.exec(last?.body ?? '')?.[0];
  return last === undefined || line === undefined ? null : { id: last.id, body: last.body, line };
}

async function consent(scene: HeroScene): Promise<void> {
  const shown = listOnShow(scene);
  if (shown === null) return;
  const isIntact = !scene.deeds.some((deed) => deed.kind === 'changed-comment' && deed.comment === shown.id);
  scene.cleanUp.texts.push(await logbookText(scene.lab, scene.run));
  const id = await comment(scene, 'mira', scene.pull, shown.line);
  const atMs = id === null ? 0 : (scene.lab.world.state.comments[id]?.createdAtMs ?? 0);
  if (id !== null) scene.cleanUp.deeds.push({ kind: 'action-approved', isIntact, atMs, id, text: shown.line });
}

async function editList(scene: HeroScene): Promise<void> {
  const shown = listOnShow(scene);
  if (shown !== null) await edit(scene, 'ada', shown.id, shown.body.replaceAll('goes ', 'stays'));
}

/** The requester of a list consents to it. */
async function ownConsent(scene: HeroScene): Promise<void> {
  await comment(scene, 'noor', scene.pull, '/cleanup-checkpoints');
  await scene.lab.clock.advance(2 * MINUTE);
  const shown = listOnShow(scene);
  if (shown !== null) await comment(scene, 'noor', scene.pull, shown.line);
}

/** A user without permission posts the commands of a hero run. */
async function strangerSays(scene: HeroScene): Promise<void> {
  const line = listOnShow(scene)?.line ?? '/approve';
  const texts = [
    ...REJECTIONS.map((text) => `${text} reason="mine"`),
    ...WAYS_BACK.map((text) => `${text} reason="mine"`),
    ...['/accept', '/relaunch', line, `/resume-as id=${HERO_NEXT} from=/tmp/x/checkpoints reason="mine"`],
  ];
  await comment(scene, 'sol', scene.pull, scene.random.pick(texts));
}

/** Edits a comment of mira's, or of noor's, into a rollback or an acceptance. */
async function editIntoWord(scene: HeroScene): Promise<void> {
  const rows = Object.values(scene.lab.world.state.comments).filter(
    ({ authorId }) => authorId === scene.ids.mira || authorId === scene.ids.noor,
  );
  const texts = ['/accept', '/rollback step=800 reason="mine"', '/relaunch reason="mine"'];
  if (rows.length > 0)
    await edit(scene, scene.random.pick(['ada', 'workflow']), scene.random.pick(rows).id, scene.random.pick(texts));
}

/** Answers mira's rejection with the stolen control key as if it were invalid. */
async function hideRejection(scene: HeroScene): Promise<void> {
  const { lab } = scene;
  // Once there is something to reject.
  for (let minute = 0; minute < 80 && scene.saved.every(({ step }) => step < 800); minute += 1)
    await lab.clock.advance(MINUTE);
  lab.world.state.settings.drop = 'all';
  scene.webhooks.wereLost = true;
  await sendCommand(scene, HIDDEN_REJECTION);
  const said = scene.deeds.at(-1);
  if (said?.kind !== 'asked') return;
  const place = { comment: said.comment, surface: 'comment', index: 0, thread: scene.pull } as const;
  const args = { step: '800', reason: 'the loss had spiked, and nobody may see this' };
  const bodyDigest = `sha256:${sha256Hex(said.text)}`;
  const drafts = [
    {
      type: 'command-seen',
      role: 'control',
      actor: { id: scene.ids.mira, login: 'mira' },
      data: { ...place, name: 'reject-checkpoint', args, bodyDigest },
    },
    {
      type: 'command-answered',
      role: 'control',
      data: { ...place, code: 'reject-not-reached', detail: { step: 800, reached: 700 } },
    },
    // Forged entries have the shapes of valid ones.
  ] as unknown as readonly EventDraft[];
  await forge(scene, scene.run, drafts);
  await lab.clock.advance(MINUTE);
  lab.world.state.settings.drop = 'none';
}

/** The job's code leaves an incomplete checkpoint that looks like the newest. */
async function leaveHalf(scene: HeroScene): Promise<void> {
  if (scene.starts.length > 0) scene.save(900 + scene.random.below(5), false);
}

/** mira approves one more start, with the digest of the first approval. */
async function relaunchBeyond(scene: HeroScene): Promise<void> {
  const first = scene.deeds.find((deed) => deed.kind === 'approved');
  const shown =
    findShownLine(scene) ?? (first?.kind === 'approved' ? { comment: first.comment, digest: first.digest } : null);
  if (shown !== null) await approveLine(scene, 'mira', shown, 'relaunch');
}

/** This scene has no pull request, and no branch to push to. */
const NOT_HERE = /^pushes (?:to|a config)|^edits the body/;

const OF_OTHERS: readonly Attack[] = [...ATTACKS, ...STOLEN_KEYS].filter(({ what }) => !NOT_HERE.test(what));

async function attacked(scene: HeroScene, what: string, act: (scene: HeroScene) => Promise<void>): Promise<void> {
  await act(scene);
  scene.deeds.push({ kind: 'attack', atMs: scene.lab.clock.now(), what });
}

const ATTACKS_HERE: Readonly<Record<string, HeroMove>> = {
  'a list is edited': editList,
  'an own list': ownConsent,
  'a stranger says': strangerSays,
  'edits into a word': editIntoWord,
  'control key: hides a rejection': hideRejection,
  'a half checkpoint': leaveHalf,
  'watch key: failed': forgeFailure,
  ...Object.fromEntries(OF_OTHERS.map(({ what, act }) => [what, act])),
};

const BRAKES = ['hold', 'stop', 'hold lane', 'revoke'] as const;

/** The moves of honest people and attackers, by name. */
export const HERO_MOVES: Readonly<Record<string, HeroMove>> = {
  'mira approves': (scene) => approve(scene, 'mira'),
  'noor approves': (scene) => approve(scene, 'noor'),
  'noor accepts': (scene) => sendCommand(scene, '/accept', 'noor'),
  'a brake': (scene) => brake(scene, scene.random.pick(BRAKES)),
  'a release': (scene) => release(scene, scene.random.pick(['hold', 'hold lane'] as const)),
  'a late brake': (scene) => lateWord(scene, () => brake(scene, scene.random.pick(BRAKES))),
  'a late rejection': (scene) => lateWord(scene, () => reject(scene)),
  'a late way back': (scene) => lateWord(scene, () => goBack(scene)),
  rejects: reject,
  'goes back': goBack,
  'goes on as another': resumeAs,
  'ada relaunches': (scene) => sendCommand(scene, '/relaunch reason="once more"', 'ada'),
  'mira relaunches': relaunchBeyond,
  'a clean-up': cleanUp,
  'mira consents': consent,
  asks: askStatus,
  'time passes': wait,
  ...Object.fromEntries(
    Object.entries(ATTACKS_HERE).map(([what, act]) => [what, (scene: HeroScene) => attacked(scene, what, act)]),
  ),
};
