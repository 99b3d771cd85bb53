/**
 * Random sequences of what a writer, an untrusted user, a cheating approver, a stolen control key and a
 * stolen watch key can do, among honest people. Nothing starts without a valid approval of exactly that
 * content, no brake is lost, and every honest command is answered. `CAMPAIGN` sets the number of sequences,
 * `CAMPAIGN_FROM` the first seed; a failure names its seed. `npm run campaign` plays thousands.
 */

import { describe, expect, it } from 'vitest';
import { eventsPath } from '../../src/logbook/segments.ts';
import { runFolder } from '../support/play.ts';
import { createRandom } from '../support/random.ts';
import { takeBrakeBack } from './attacks.ts';
import { answerDelayMs, findAnswerFaults } from './checker-answers.ts';
import { citationOf, forgeOrder } from './forged-orders.ts';
import { forge, readable } from './forging.ts';
import { approve, brake, comment, findShownLine, passTime } from './honest.ts';
import { pushLogbookText } from './logbook-files.ts';
import type { Outcome } from './outcome.ts';
import { openScene } from './scene.ts';
import { playSequence } from './sequence.ts';
import { loseWebhooks } from './steps.ts';
import { summarize } from './summary.ts';
import { secondRunName } from './terms.ts';

const ASKED = Number(process.env['CAMPAIGN'] ?? 0);
const COUNT = ASKED > 0 ? ASKED : 60;
const FROM = Number(process.env['CAMPAIGN_FROM'] ?? 1);
/** A quarter of a second per sequence on quiet cores, several seconds on busy ones. */
const TIMEOUT_MS = 60_000 + COUNT * 8_000;

describe('the campaign', () => {
  it('keeps every promise in all of its sequences', { timeout: TIMEOUT_MS }, async () => {
    const outcomes: Outcome[] = [];
    for (let seed = FROM; seed < FROM + COUNT; seed += 1) outcomes.push(await playSequence(seed));
    const { problems } = summarize(outcomes);
    expect(problems.slice(0, 20)).toEqual([]);
  });

  // Found by seed 3485 of 20,000.
  it('answers commands to a run with a damaged record, although a newer run has its thread', async () => {
    const scene = await openScene(1, createRandom(1), { server: true, quorum: 1 });
    loseWebhooks(scene, 'lost');
    const [first] = await readable(scene);
    if (first?.type !== 'proposed') throw new Error('a run begins with its proposal');
    await pushLogbookText(scene, eventsPath(await runFolder(scene.lab, scene.run), 1), 'junk\n');
    await approve(scene, 'noor');
    await passTime(scene, 2_000);
    const { type, role, data } = first;
    expect(await forge(scene, secondRunName(scene.run), [{ type, role, data }])).toBe(true);
    await passTime(scene, answerDelayMs(scene) + 5 * 60_000);
    expect(findAnswerFaults(scene)).toEqual([]);
    await scene.lab.close();
  });

  // threat T177
  // Found by seed 30011.
  it('answers a stop although a thief replaced removed entries with more forged ones', async () => {
    const scene = await openScene(1, createRandom(1), { server: false, quorum: 1 });
    await brake(scene, 'revoke');
    await passTime(scene, 60_000);
    await takeBrakeBack(scene);
    const text = `/approve-launch ${findShownLine(scene)?.digest}`;
    const cited = citationOf(scene, (await comment(scene, 'mira', scene.issue, text)) ?? 0);
    expect(cited !== null && (await forgeOrder(scene, [cited]))).toBe(true);
    await passTime(scene, 5 * 60_000);
    await brake(scene, 'stop');
    await passTime(scene, answerDelayMs(scene) + 5 * 60_000);
    expect(findAnswerFaults(scene)).toEqual([]);
    await scene.lab.close();
  });

  it('plays the same sequence for the same seed', async () => {
    const once = await playSequence(11);
    expect(await playSequence(11)).toEqual(once);
  });
});
