// Scenarios of what is said in a thread that has nothing to do with the run, and names it; in no list of the campaign, whose seeds
// stay what they are: there the same are moves.

import { approve, brake, brakeElsewhere, sayElsewhere, unholdElsewhere } from './honest.ts';
import { logbookFiles, pushLogbookText } from './logbook-files.ts';
import type { Scene } from './scene.ts';
import { type Between, loseWebhooks, type Scenario, untilBack, untilOrdered } from './steps.ts';

const MINUTE = 60_000;
const KINDS = ['hold', 'stop', 'revoke'] as const;

/** Right before the launcher comes to what was approved, and no webhook tells of it. */
async function atTheLastMoment(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = (3 + scene.random.below(20)) * MINUTE;
  await approve(scene, 'mira');
  if ((await untilOrdered(scene)) === null) return;
  loseWebhooks(scene, 'lost');
  await untilBack(scene, 5_000);
  await brakeElsewhere(scene, scene.random.pick(KINDS));
  await between(MINUTE);
  loseWebhooks(scene, 'back');
}

/** Long before the launcher comes to it: control hears of it, and answers. */
async function inTime(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 10 * MINUTE;
  await approve(scene, 'mira');
  await between(MINUTE);
  await brakeElsewhere(scene, scene.random.pick(KINDS));
  await between(15 * MINUTE);
}

/** A job that runs for hours is stopped from there. */
async function whileItRuns(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  await approve(scene, 'mira');
  await scene.lab.clock.advance(4 * MINUTE);
  await brakeElsewhere(scene, 'stop');
  await between(2 * MINUTE);
}

/** The same once somebody has spoilt the journal, which has what is said elsewhere. */
async function withoutJournal(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  await approve(scene, 'mira');
  await scene.lab.clock.advance(4 * MINUTE);
  await sayElsewhere(scene, 'mira', '/hold lane=daily reason="an incident"');
  await scene.lab.clock.advance(MINUTE);
  const journal = (await logbookFiles(scene)).find(([path]) => !path.includes(scene.run));
  if (journal === undefined || scene.starts.length === 0) return;
  await pushLogbookText(scene, journal[0], `${journal[1]}junk\n`);
  await between(MINUTE);
  await brakeElsewhere(scene, 'stop');
  await between(4 * MINUTE);
}

/** mira holds it; a stranger lifts that from elsewhere, and what was approved waits for nobody any more. */
async function liftedByStranger(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  if (scene.random.chance(0.5)) await brake(scene, 'hold');
  else await brakeElsewhere(scene, 'hold');
  await between(2 * MINUTE);
  await sayElsewhere(scene, 'sol', `/unhold run=${scene.run}`);
  await between(2 * MINUTE);
  await approve(scene, 'mira');
  await between(10 * MINUTE);
}

/** mira takes her own back from there, and it is launched. */
async function liftedByMira(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = 0;
  await brakeElsewhere(scene, 'hold');
  await between(2 * MINUTE);
  await unholdElsewhere(scene);
  await between(2 * MINUTE);
  await approve(scene, 'mira');
  await between(10 * MINUTE);
}

const ONE = { server: true, quorum: 1 } as const;

export const ELSEWHERE = {
  'a brake elsewhere at the last moment': { act: atTheLastMoment, wants: ONE },
  'a brake elsewhere in time': { act: inTime, wants: ONE },
  'a job is stopped from elsewhere': { act: whileItRuns, wants: { ...ONE, job: 'long' } },
  'a job is stopped from elsewhere without the journal': {
    act: withoutJournal,
    wants: { ...ONE, job: 'long' },
  },
  'a stranger lifts a hold from elsewhere': { act: liftedByStranger, wants: ONE },
  'mira lifts her hold from elsewhere': { act: liftedByMira, wants: ONE },
} as const satisfies Readonly<Record<string, Omit<Scenario, 'what'>>>;
