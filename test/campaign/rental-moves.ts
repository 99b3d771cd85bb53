// Moves around a rental: people approve, brake, keep the machine and destroy it, and attackers interfere.

import { readState } from '../support/play.ts';
import { breakMachine } from '../support/rented-machines.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { forge } from './forging.ts';
import { approve, approveLine, askStatus, brake, comment, findShownLine, type Line, release } from './honest.ts';
import type { RentalScene } from './rental.ts';
import type { Scene } from './scene.ts';
import { STOLEN_KEYS } from './stolen-keys.ts';
import { FORGED_KEEP, LOST_ANSWER } from './terms.ts';

const MINUTE = 60_000;

export type RentalMove = (scene: RentalScene) => Promise<void>;

/** The requester of the machine approves it, if they are an approver. */
async function askerApproves(scene: RentalScene): Promise<void> {
  await approve(scene, scene.askedBy === 'noor' ? 'noor' : 'mira');
}

async function letGo(scene: RentalScene): Promise<void> {
  const by = scene.random.pick(['mira', 'ada'] as const);
  const id = await comment(scene, by, scene.pull, '/teardown');
  if (id !== null)
    scene.deeds.push({ kind: 'let-go', atMs: commentTime(scene, id), by, comment: id, text: '/teardown' });
}

async function keep(scene: RentalScene): Promise<void> {
  const by = scene.random.pick(['mira', 'ada'] as const);
  const untilMs = scene.lab.clock.now() + (5 + scene.random.below(80)) * MINUTE;
  const text = `/keep until=${new Date(untilMs).toISOString().slice(11, 16)} reason="I look at it"`;
  const id = await comment(scene, by, scene.pull, text);
  if (id !== null) scene.deeds.push({ kind: 'kept', atMs: commentTime(scene, id), by, comment: id, text, untilMs });
}

function commentTime(scene: Scene, id: number): number {
  return scene.lab.world.state.comments[id]?.createdAtMs ?? scene.lab.clock.now();
}

/** A user without permission requests to keep or destroy the machine. */
async function strangerKeeps(scene: RentalScene): Promise<void> {
  const until = new Date(scene.lab.clock.now() + 90 * MINUTE).toISOString().slice(11, 16);
  const texts = ['/teardown', `/keep until=${until} reason="mine"`, '/relaunch'];
  await comment(scene, 'sol', scene.pull, scene.random.pick(texts));
}

/** Keeps the machine for the maximum time with the stolen control key. */
async function forgeKeep(scene: RentalScene): Promise<void> {
  const actor = { id: scene.ids.mira, login: 'mira' };
  const until = new Date(scene.lab.clock.now() + 200 * 60 * MINUTE).toISOString();
  const data = { until, reason: 'a look' } as const;
  scene.deeds.push({ kind: 'attack', atMs: scene.lab.clock.now(), what: FORGED_KEEP });
  await forge(scene, scene.run, [{ type: 'machine-kept', role: 'control', actor, data } as never]);
}

/** Records the machines as gone with the stolen watch key, so that no process checks them. */
async function forgeGone(scene: RentalScene): Promise<void> {
  const machines = scene.machines.made.map(({ id, jobId, atMs }) => ({
    ...{ instance: id, jobId, status: 'gone' },
    createdAt: new Date(atMs).toISOString(),
    ...{ microdollarsPerHour: 1, microdollarsPerHourStored: 1, microdollars: 1, microdollarsOfTraffic: 0 },
  }));
  const data = { machines, cadenceMs: 1_800_000 };
  await forge(scene, scene.run, [{ type: 'machines-seen', role: 'watch', data } as never]);
}

/** Records a retryable failure of the job with the stolen watch key. */
export async function forgeFailure(scene: Scene): Promise<void> {
  // A damaged record cannot be extended.
  const state = await readState(scene.lab, scene.run).catch(() => null);
  if (state === null || state.submission === null) return;
  const { fence } = state;
  const evidence = ['ConnectionResetError: [Errno 104] Connection reset by peer'];
  const diagnosis = {
    class: 'network',
    confidence: 'high',
    response: 'retry-bounded',
    place: null,
    error: null,
    evidence,
  };
  const data = {
    ...{ attempt: state.submission.attempt, status: 'FAILED', message: 'it failed', errorType: null, exitCode: 1 },
    ...{ startedAt: null, endedAt: new Date(scene.lab.clock.now()).toISOString(), lastStep: null, totalSteps: null },
    ...{ metrics: {}, trackers: [], signatures: [], checkpointStep: null, diagnosis, fence },
  };
  await forge(scene, scene.run, [{ type: 'ended', role: 'watch', data } as never]);
}

/** ada restarts a failed job, which needs no approval within the approved restarts. */
async function relaunch(scene: RentalScene): Promise<void> {
  const text = '/relaunch reason="once more"';
  const id = await comment(scene, 'ada', scene.pull, text);
  if (id !== null) scene.deeds.push({ kind: 'asked', atMs: commentTime(scene, id), by: 'ada', comment: id, text });
}

/** mira approves one more attempt, with the digest of the card. */
async function relaunchBeyond(scene: RentalScene): Promise<void> {
  const shown = findShownLine(scene) ?? findApprovalLine(scene);
  if (shown !== null) await approveLine(scene, 'mira', shown, 'relaunch');
}

/** The line of the first approval: no card shows it once the job runs. */
function findApprovalLine({ deeds }: RentalScene): Line | null {
  const first = deeds.find((deed) => deed.kind === 'approved');
  return first?.kind === 'approved' ? { comment: first.comment, digest: first.digest } : null;
}

async function wait(scene: RentalScene): Promise<void> {
  await scene.lab.clock.advance((5 + scene.random.below(30)) * MINUTE);
}

/** A brake right before the launcher runs, without a webhook. */
async function lateBrake(scene: RentalScene): Promise<void> {
  const { launcher, lab, random } = scene;
  launcher.awayMs = (3 + random.below(20)) * MINUTE;
  await approve(scene, 'mira');
  await lab.clock.advance(MINUTE);
  const left = (launcher.startsAtMs ?? 0) - 5_000 - lab.clock.now();
  launcher.awayMs = 0;
  if (left <= 0) return;
  lab.world.state.settings.drop = 'all';
  scene.webhooks.wereLost = true;
  await lab.clock.advance(left);
  await brake(scene, random.pick(['hold', 'stop', 'hold lane', 'revoke'] as const));
  await lab.clock.advance(MINUTE);
  lab.world.state.settings.drop = 'none';
}

/** Loses the response to the next launch: it is unknown whether a machine exists. */
async function loseAnswer(scene: RentalScene): Promise<void> {
  scene.deeds.push({ kind: 'attack', atMs: scene.lab.clock.now(), what: LOST_ANSWER });
  scene.lab.engine.loseNextAnswer('submit');
}

async function breakOne(scene: RentalScene): Promise<void> {
  breakMachine(scene.machines, scene.lab.engine);
}

async function brakeIt(scene: RentalScene): Promise<void> {
  await brake(scene, scene.random.pick(['hold', 'stop', 'hold lane', 'revoke'] as const));
}

async function releaseIt(scene: RentalScene): Promise<void> {
  await release(scene, scene.random.pick(['hold', 'hold lane'] as const));
}

/** This scene has no pull request, and no branch to push to. */
const NOT_HERE = /^pushes (?:to|a config)|^edits the body/;

const OF_OTHERS: readonly Attack[] = [...ATTACKS, ...STOLEN_KEYS].filter(({ what }) => !NOT_HERE.test(what));

/** The moves of honest people and attackers, by name. */
export const RENTAL_MOVES: Readonly<Record<string, RentalMove>> = {
  'mira approves': (scene) => approve(scene, 'mira'),
  'the asker approves': askerApproves,
  'a brake': brakeIt,
  'a release': releaseIt,
  'a brake at the last moment': lateBrake,
  'lets it go': letGo,
  'keeps it': keep,
  asks: askStatus,
  'ada relaunches': relaunch,
  'mira relaunches': relaunchBeyond,
  'time passes': wait,
  'a machine breaks': breakOne,
  [LOST_ANSWER]: loseAnswer,
  'a stranger keeps or lets go': strangerKeeps,
  [FORGED_KEEP]: forgeKeep,
  'watch key: gone': forgeGone,
  'watch key: failed': forgeFailure,
  ...Object.fromEntries(OF_OTHERS.map(({ what, act }) => [what, (scene: RentalScene) => playAttack(scene, what, act)])),
};

async function playAttack(scene: RentalScene, what: string, act: Attack['act']): Promise<void> {
  await act(scene);
  scene.deeds.push({ kind: 'attack', atMs: scene.lab.clock.now(), what });
}
