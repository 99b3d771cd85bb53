/** The lines that people copy, read from ferrybot's newest card, proposal or issue. */

import { listBotComments } from './talk.ts';
import type { VirtualLab } from './virtual-lab.ts';

const LINE = /\/approve [0-9a-f]{32,64}$/;

type Readable = Pick<VirtualLab, 'world'>;

/** The line that the newest card asks for (of `run`, if given), or null if no card asks for an approval. */
export function findShownApprovalLine(lab: Readable, run?: string): string | null {
  const card = listBotComments(lab).findLast((one) => one.kind === 'card' && (run ?? one.run) === one.run);
  return /\/approve-launch [0-9a-f]{32,64}/.exec(card?.text ?? '')?.[0] ?? null;
}

/** The same, but throws if there is none. */
export function requireApprovalLine(lab: Readable, run?: string): string {
  const line = findShownApprovalLine(lab, run);
  if (line === null) throw new Error('no card asks for an approval');
  return line;
}

/** The newest line that approves an action with these words in its proposal (`ray-worker-7c21`). */
export function requireActionLine(lab: Readable, words: string): string {
  const { comments, issues, users } = lab.world.state;
  const texts = [...Object.values(issues), ...Object.values(comments)]
    .filter(({ authorId }) => users[authorId]?.type === 'Bot')
    .map(({ body }) => body);
  // Each part ends with its line: a description may propose several actions.
  const parts = texts.flatMap((text) => text.split(/(?<=\/approve [0-9a-f]{32,64})(?![0-9a-f])/));
  const line = parts.findLast((part) => part.includes(words) && LINE.test(part));
  if (line === undefined) throw new Error(`nothing asks for an approval of ${words}`);
  return LINE.exec(line)?.[0] ?? '';
}
