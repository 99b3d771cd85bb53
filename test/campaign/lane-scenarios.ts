// A second run in a lane with a live one: a thief of the control key proposes it, and people approve both.

import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { citationOf, forgeOrder, newestApproval } from './forged-orders.ts';
import { forge, forgeProposing, readable } from './forging.ts';
import { approveLine, findShownLine } from './honest.ts';
import type { Scene } from './scene.ts';
import type { Between, Scenario } from './steps.ts';
import { secondRunName } from './terms.ts';

const MINUTE = 60_000;
const SHOWN_WITHIN_MINUTES = 40;

/** mira has copied the lines of both cards, and posts the second when the first is launched. */
async function secondRun(scene: Scene, between: Between): Promise<boolean> {
  scene.launcher.awayMs = 0;
  const run = secondRunName(scene.run);
  const proposed = (await readable(scene)).find(({ type }) => type === 'proposed');
  if (proposed === undefined) return false;
  const { type, role, data } = proposed;
  if (!(await forgeProposing(scene, run))) return false;
  if (!(await forge(scene, run, [{ type, role, data } as EventDraft]))) return false;
  await untilShown(scene, run);
  const [first, second] = [findShownLine(scene, scene.run), findShownLine(scene, run)];
  if (first === null || second === null) return false;
  await approveLine(scene, 'mira', first);
  await between(2 * MINUTE);
  await approveLine(scene, 'mira', second);
  return scene.starts.length > 0;
}

async function untilShown(scene: Scene, run: string): Promise<void> {
  for (let waited = 0; waited < SHOWN_WITHIN_MINUTES && findShownLine(scene, run) === null; waited += 1)
    await scene.lab.clock.advance(MINUTE);
}

/** Control handles the second. */
async function approvedBoth(scene: Scene, between: Between): Promise<void> {
  await secondRun(scene, between);
  await between(5 * MINUTE);
}

/** The thief orders it. */
async function orderedBoth(scene: Scene, between: Between): Promise<void> {
  if (!(await secondRun(scene, between))) return;
  const approval = newestApproval(scene);
  const cited = approval === null ? null : citationOf(scene, approval);
  if (cited !== null) await forgeOrder(scene, [cited], {}, { run: secondRunName(scene.run) });
  await between(5 * MINUTE);
}

export const LANE_SCENARIOS: readonly Scenario[] = [
  { what: 'control key: a second run is proposed', act: approvedBoth, wants: { quorum: 1 } },
  { what: 'control key: a second run is ordered', act: orderedBoth, wants: { quorum: 1 } },
];
