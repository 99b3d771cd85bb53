// Scenarios with commands in an unrelated thread that name the run. They are in no list of the campaign, to
// keep its seeds unchanged; the campaign has the same as moves.

import { approve, brake, brakeInOtherThread, commentInOtherThread, unholdInOtherThread } from './honest.ts';
import { logbookFiles, pushLogbookText } from './logbook-files.ts';
import type { Scene } from './scene.ts';
import { type Between, loseWebhooks, type Scenario, waitUntilBack, waitUntilOrdered } from './steps.ts';

const MINUTE = 60_000;
const KINDS = ['hold', 'stop', 'revoke'] as const;

/** Right before the launcher runs, without a webhook. */
async function atTheLastMoment(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = (3 + scene.random.below(20)) * MINUTE;
  await approve(scene, 'mira');
  if ((await waitUntilOrdered(scene)) === null) return;
  loseWebhooks(scene, 'lost');
  await waitUntilBack(scene, 5_000);
  await brakeInOtherThread(scene, scene.random.pick(KINDS));
  await between(MINUTE);
  loseWebhooks(scene, 'back');
}

/** Long before the launcher runs: control processes and answers it. */
async function inTime(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 10 * MINUTE;
  await approve(scene, 'mira');
  await between(MINUTE);
  await brakeInOtherThread(scene, scene.random.pick(KINDS));
  await between(15 * MINUTE);
}

/** Stops a job that runs for hours from another thread. */
async function whileItRuns(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  await approve(scene, 'mira');
  await scene.lab.clock.advance(4 * MINUTE);
  await brakeInOtherThread(scene, 'stop');
  await between(2 * MINUTE);
}

/** The same after the journal was damaged, which records commands of other threads. */
async function withoutJournal(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  await approve(scene, 'mira');
  await scene.lab.clock.advance(4 * MINUTE);
  await commentInOtherThread(scene, 'mira', '/hold lane=daily reason="an incident"');
  await scene.lab.clock.advance(MINUTE);
  const journal = (await logbookFiles(scene)).find(([path]) => !path.includes(scene.run));
  if (journal === undefined || scene.starts.length === 0) return;
  await pushLogbookText(scene, journal[0], `${journal[1]}junk\n`);
  await between(MINUTE);
  await brakeInOtherThread(scene, 'stop');
  await between(4 * MINUTE);
}

/** mira's hold, which an untrusted user tries to lift from another thread. */
async function liftedByStranger(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  if (scene.random.chance(0.5)) await brake(scene, 'hold');
  else await brakeInOtherThread(scene, 'hold');
  await between(2 * MINUTE);
  await commentInOtherThread(scene, 'sol', `/unhold run=${scene.run}`);
  await between(2 * MINUTE);
  await approve(scene, 'mira');
  await between(10 * MINUTE);
}

/** mira lifts her own hold from there, and the run launches. */
async function liftedByMira(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  await brakeInOtherThread(scene, 'hold');
  await between(2 * MINUTE);
  await unholdInOtherThread(scene);
  await between(2 * MINUTE);
  await approve(scene, 'mira');
  await between(10 * MINUTE);
}

const ONE = { server: true, quorum: 1 } as const;

export const ELSEWHERE = {
  'a brake elsewhere at the last moment': { act: atTheLastMoment, wants: ONE },
  'a brake elsewhere in time': { act: inTime, wants: ONE },
  'a job is stopped from elsewhere': { act: whileItRuns, wants: { ...ONE, job: 'long' } },
  'a job is stopped from elsewhere without the journal': { act: withoutJournal, wants: { ...ONE, job: 'long' } },
  'a stranger lifts a hold from elsewhere': { act: liftedByStranger, wants: ONE },
  'mira lifts her hold from elsewhere': { act: liftedByMira, wants: ONE },
} as const satisfies Readonly<Record<string, Omit<Scenario, 'what'>>>;
