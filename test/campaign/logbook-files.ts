// The logbook branch as any writer can read it and push to it.

import { logbookParts } from '../support/play.ts';
import { readBranchFile } from '../support/talk.ts';
import type { Scene } from './scene.ts';

/** The files of events with their text: the run's, and the journal's if it exists. */
export async function logbookFiles(scene: Scene): Promise<readonly (readonly [path: string, text: string])[]> {
  const files = [...(await logbookParts(scene.lab, scene.run)), ...(await logbookParts(scene.lab, 'journal'))];
  return files.filter(([, text]) => text !== '');
}

/** An ordinary commit by ada on the current head; does nothing if another push came first. */
export async function pushLogbookText(
  scene: Pick<Scene, 'lab' | 'ask' | 'deeds'>,
  path: string,
  text: string,
): Promise<void> {
  const isThere = (await readBranchFile(scene.lab, BRANCH, path)) !== null;
  const { json } = await scene.ask('ada', 'GET', `/contents/${path}?ref=${BRANCH}`);
  const sha = typeof json === 'object' && json !== null && 'sha' in json ? { sha: String(json.sha) } : {};
  const content = Buffer.from(text).toString('base64');
  const change = { message: `Change ${path}`, content, branch: BRANCH, ...(isThere ? sha : {}) };
  const { status } = await scene.ask('ada', 'PUT', `/contents/${path}`, change);
  if (status === 200 || status === 201) scene.deeds.push({ kind: 'changed-record', atMs: scene.lab.clock.now(), path });
  if (![200, 201, 409].includes(status)) throw new Error(`PUT ${path}: ${status}`);
}

const BRANCH = 'ferrybot/logbook';
