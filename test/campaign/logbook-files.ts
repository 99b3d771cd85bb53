// The logbook's branch as anybody with write access may read it and push to it.

import { logbookText } from '../support/play.ts';
import { pushFile } from '../support/talk.ts';
import type { Scene } from './scene.ts';

/** The files of events with their text: the run's, and the journal where there is one. */
export async function logbookFiles(
  scene: Scene,
): Promise<readonly (readonly [path: string, text: string])[]> {
  const run = [`runs/${scene.run}/events.jsonl`, await logbookText(scene.lab, scene.run)] as const;
  const journal = ['journal/events.jsonl', await logbookText(scene.lab, 'journal')] as const;
  return [run, journal].filter(([, text]) => text !== '');
}

/** An ordinary commit by ada on top of what stands. */
export async function pushLogbookText(scene: Scene, path: string, text: string): Promise<void> {
  await pushFile(scene.lab, 'ada', 'ferrybot/logbook', path, text);
}
