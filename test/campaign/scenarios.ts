// Attacks with several steps in the right order, which random moves rarely make; other moves come between.

import { readBranchFile } from '../support/talk.ts';
import { edit, takeBrakeBack } from './attacks.ts';
import { approve, approveByReview, brake, comment, findShownLine, isOnCard, sendCommand } from './honest.ts';
import { KEY_SCENARIOS } from './key-scenarios.ts';
import { LANE_SCENARIOS } from './lane-scenarios.ts';
import { logbookFiles, pushLogbookText } from './logbook-files.ts';
import { RECORD_SCENARIOS } from './record-scenarios.ts';
import { type Scene, threadText } from './scene.ts';
import {
  type Between,
  changeShownCard,
  digestInRecord,
  loseWebhooks,
  pushComment,
  pushText,
  type Scenario,
  waitUntilBack,
  waitUntilOrdered,
} from './steps.ts';

const MINUTE = 60_000;
const BRAKE_KINDS = ['hold', 'stop', 'hold lane', 'revoke', 'hold date'] as const;
type BrakeKind = (typeof BRAKE_KINDS)[number];

/** mira approves without the digits, or with too few of them. */
async function bareApproval(scene: Scene, between: Between): Promise<void> {
  const digits = findShownLine(scene)?.digest.slice(0, 12) ?? '';
  await sendCommand(scene, scene.random.pick(['/approve-launch', `/approve-launch ${digits}`.trim()]));
  await between(10 * MINUTE);
}

/** A digest so short that another change with the same digits can be found. */
async function shortApproval(scene: Scene, between: Between): Promise<void> {
  const digits = findShownLine(scene)?.digest.slice(0, 12 + scene.random.below(20));
  if (digits === undefined) return;
  await sendCommand(scene, `/approve-launch ${digits}`);
  await between(10 * MINUTE);
}

/** mira reviews an older commit, and copies the current line. */
async function olderReview(scene: Scene, between: Between): Promise<void> {
  if (!(await changeShownCard(scene))) return;
  await approveByReview(scene, 'mira', scene.original.commit);
  // Without the server, a sweep finds the review.
  await between(40 * MINUTE);
}

/** Undisturbed questions and brakes. */
async function questions(scene: Scene, between: Between): Promise<void> {
  await sendCommand(scene, scene.random.pick(['/status', '/why', '/help']));
  await between(2 * MINUTE);
  await brake(scene, scene.random.pick(['hold', 'hold lane', 'hold date'] as const));
  await between(2 * MINUTE);
}

/** ada pushes a line with an emoji at every place where a cut by length would split it. */
async function cutCharacter(scene: Scene, between: Between): Promise<void> {
  const path = 'experiments/ferries/daily.py';
  const text = (await readBranchFile(scene.lab, scene.branch, path)) ?? '';
  const open = 'assert open("';
  const line = `${open}${'x'.repeat(199 - open.length)}😀😀") is not None\n`;
  if (!(await pushText(scene, 'ada', path, `${text}\n${line}`))) return;
  await between(4 * MINUTE);
  await sendCommand(scene, '/status');
  await between(2 * MINUTE);
}

/**
 * GitHub rejects edits of comments for a while; ada pushes, reads the new digest in the record, and gives
 * mira the line.
 */
async function neverShown(scene: Scene, between: Between): Promise<void> {
  const route = 'PATCH /repos/lab/ferries/issues/comments/*';
  scene.lab.world.state.settings.faults = [
    { kind: 'server-error', rate: 1, seed: 1, route, people: false, durationMs: 0 },
  ];
  if (await pushComment(scene, 'ada')) {
    await comment(scene, 'ada', scene.issue, 'The experiment has a word more.');
    await between(7 * MINUTE);
    const digest = await digestInRecord(scene);
    if (digest !== null) await approveLineOf(scene, digest);
    await between(12 * MINUTE);
  }
  scene.lab.world.state.settings.faults = [];
}

/** mira posts a line that another user gave her. A new card may have been posted all the same. */
async function approveLineOf(scene: Scene, digest: string): Promise<void> {
  const text = `/approve-launch ${digest.slice(0, 32)}`;
  await comment(scene, 'ada', scene.pull, `The line of today is \`${text}\`.`);
  const isOnShow = isOnCard(scene, digest);
  const id = await comment(scene, 'mira', scene.pull, text);
  if (id === null) return;
  const atMs = scene.lab.world.state.comments[id]?.createdAtMs ?? scene.lab.clock.now();
  scene.deeds.push({
    kind: 'approved',
    atMs,
    by: 'mira',
    comment: id,
    text,
    digest: digest.slice(0, 32),
    isCardIntact: isOnShow,
  });
}

/** The card shows another change with the correct digest while mira reads it. */
async function editedCard(scene: Scene, between: Between): Promise<void> {
  const shown = findShownLine(scene);
  const row = shown === null ? undefined : scene.lab.world.state.comments[shown.comment];
  if (shown === null || row === undefined) return;
  const by = scene.random.pick(['ada', 'noor', 'workflow'] as const);
  if (!(await edit(scene, by, shown.comment, `${row.body.replace(/3e-3/, '1e-9')}\n\nAll is well.`))) return;
  await approve(scene, 'mira');
  if (scene.random.chance(0.4)) await edit(scene, by, shown.comment, row.body);
  await between(10 * MINUTE);
}

/** The launcher runs after the approval has expired, while the order is still valid. */
async function agedApproval(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = (62 + scene.random.below(50)) * MINUTE;
  await approve(scene, 'mira');
  if ((await waitUntilOrdered(scene)) === null) return;
  await between(30 * MINUTE);
  await waitUntilBack(scene, 0);
  await between(2 * MINUTE);
}

/** noor approves a change with noor's own contribution. */
async function ownWork(scene: Scene, between: Between): Promise<void> {
  const hand = scene.random.pick(['issue', 'branch', 'body'] as const);
  if (hand === 'branch') await pushComment(scene, 'noor');
  else await addToText(scene, 'noor', hand);
  await between(7 * MINUTE);
  await approve(scene, 'noor');
  await between(10 * MINUTE);
}

/** The same through a workflow of noor's branch, so that GitHub names no person. */
async function unnamedWork(scene: Scene, between: Between): Promise<void> {
  const hand = scene.random.pick(['issue', 'branch', 'body'] as const);
  if (hand === 'branch') await pushComment(scene, 'workflow');
  else await addToText(scene, 'workflow', hand);
  await between(7 * MINUTE);
  await approve(scene, 'noor');
  await between(10 * MINUTE);
}

async function addToText(scene: Scene, by: 'noor' | 'workflow', what: 'issue' | 'body'): Promise<void> {
  const number = what === 'body' ? scene.pull : scene.issue;
  const body = `${threadText(scene.lab.world, number)}\n\nOne more word ${scene.random.below(1e6)}.`;
  const { status } = await scene.ask(by, 'PATCH', `/issues/${number}`, { body });
  if (status === 200) scene.deeds.push({ kind: 'changed', atMs: scene.lab.clock.now(), what, by: 'noor' });
}

/** A brake seconds before the launcher runs; GitHub's webhook is lost. */
async function lateBrake(scene: Scene, between: Between, kind: BrakeKind): Promise<void> {
  scene.launcher.awayMs = (3 + scene.random.below(20)) * MINUTE;
  await approve(scene, 'mira');
  if ((await waitUntilOrdered(scene)) === null) return;
  loseWebhooks(scene, 'lost');
  await waitUntilBack(scene, 5_000);
  await brake(scene, kind);
  await between(MINUTE);
  loseWebhooks(scene, 'back');
}

/** A recorded and answered brake is removed completely, right before the launcher runs. */
async function brakeTakenBack(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = (5 + scene.random.below(20)) * MINUTE;
  await approve(scene, 'mira');
  if ((await waitUntilOrdered(scene)) === null) return;
  await brake(scene, scene.random.pick(['hold', 'stop', 'hold lane', 'hold date'] as const));
  await between(MINUTE);
  loseWebhooks(scene, 'lost');
  await waitUntilBack(scene, 3_000);
  await takeBrakeBack(scene);
  await between(MINUTE);
  loseWebhooks(scene, 'back');
}

/** A workflow posts a forged answer to a command before the bot reads the command. */
async function forgedAnswer(scene: Scene, between: Between): Promise<void> {
  loseWebhooks(scene, 'lost');
  await sendCommand(scene, '/status');
  const asked = scene.deeds.at(-1);
  if (asked?.kind === 'asked') await answerInOurName(scene, asked.comment);
  await between(MINUTE);
  loseWebhooks(scene, 'back');
}

/** The same before the command is posted, because comment ids are consecutive. */
async function forgedBefore(scene: Scene, between: Between): Promise<void> {
  const newest = Math.max(...Object.keys(scene.lab.world.state.comments).map(Number));
  await answerInOurName(scene, newest + 2);
  await sendCommand(scene, '/status');
  await between(MINUTE);
}

async function answerInOurName(scene: Scene, asked: number): Promise<void> {
  const marker = `<!-- ferrybot:v1 run=${scene.run} kind=answer key=comment-${asked} head=3:aaaaaaaaaaaa -->`;
  await comment(scene, 'workflow', scene.pull, `${marker}\n🤖 All is well.`);
}

/** A workflow posts a forged marker with an entry that never existed; mira approves what the bot shows. */
async function forgedCard(scene: Scene, between: Between): Promise<void> {
  const marker = `<!-- ferrybot:v1 run=${scene.run} kind=card key=card head=900:${'b'.repeat(12)} phase=gated -->`;
  await comment(scene, 'workflow', scene.random.pick([scene.pull, scene.issue]), `${marker}\n🤖 Sealed.`);
  await between(2 * MINUTE);
  await approve(scene, 'mira');
  await between(5 * MINUTE);
}

/** Stops a job that runs for hours, undisturbed. */
async function stopped(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  await approve(scene, 'mira');
  await scene.lab.clock.advance(4 * MINUTE);
  await brake(scene, 'stop');
  await between(2 * MINUTE);
}

/** Damages the record while a job runs; then people stop the job. */
async function junkWhileRunning(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  await approve(scene, 'mira');
  await scene.lab.clock.advance(4 * MINUTE);
  const [file] = await logbookFiles(scene);
  if (file === undefined || scene.starts.length === 0) return;
  await pushLogbookText(scene, file[0], `${file[1]}junk\n`);
  await brake(scene, 'stop');
  await between(4 * MINUTE);
}

export const SCENARIOS: readonly Scenario[] = [
  { what: 'a bare approval', act: bareApproval },
  { what: 'an approval of too few digits', act: shortApproval },
  { what: 'a review of an older commit', act: olderReview, wants: { quorum: 1 } },
  { what: 'questions', act: questions },
  { what: 'half a character', act: cutCharacter },
  { what: 'a manifest that nobody was shown', act: neverShown },
  { what: 'an edited card', act: editedCard },
  { what: 'an approval grown old', act: agedApproval },
  { what: 'own work', act: ownWork },
  { what: 'own work, unnamed', act: unnamedWork },
  ...BRAKE_KINDS.map((kind) => ({
    what: `/${kind} at the last moment`,
    act: (scene: Scene, between: Between) => lateBrake(scene, between, kind),
    wants: { server: true, quorum: 1 } as const,
  })),
  { what: 'a recorded brake taken back', act: brakeTakenBack, wants: { server: true, quorum: 1 } },
  { what: 'an answer in our name', act: forgedAnswer, wants: { server: true } },
  { what: 'an answer where workflows speak', act: forgedBefore, wants: { server: false } },
  { what: 'a card in our name', act: forgedCard },
  { what: 'a job is stopped', act: stopped, wants: { quorum: 1, job: 'long' } },
  { what: 'junk while a job runs', act: junkWhileRunning, wants: { quorum: 1, job: 'long' } },
  ...RECORD_SCENARIOS,
  ...LANE_SCENARIOS,
  ...KEY_SCENARIOS,
];
