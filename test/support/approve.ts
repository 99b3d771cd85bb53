/** The lines that people copy in the tests: read from ferrybot's newest card, proposal or issue, as a person does. */

import { botComments } from './talk.ts';
import type { VirtualLab } from './virtual-lab.ts';

type Readable = Pick<VirtualLab, 'world'>;

/** The line that the newest card asks for (of `run`, where it is named), or null where none asks for an approval. */
export function shownApprovalLine(lab: Readable, run?: string): string | null {
  const card = botComments(lab).findLast((one) => one.kind === 'card' && (run ?? one.run) === one.run);
  return /\/approve-launch [0-9a-f]{32,64}/.exec(card?.text ?? '')?.[0] ?? null;
}

/** The same where there has to be one. */
export function approvalLine(lab: Readable, run?: string): string {
  const line = shownApprovalLine(lab, run);
  if (line === null) throw new Error('no card asks for an approval');
  return line;
}

/** The newest line that consents with this command, which names its target where it has one (`approve-node-delete vm=x`). */
export function consentLine(lab: Readable, command: string): string {
  const { comments, issues, users } = lab.world.state;
  const texts = [...Object.values(issues), ...Object.values(comments)]
    .filter(({ authorId }) => users[authorId]?.type === 'Bot')
    .map(({ body }) => body);
  const wanted = new RegExp(`/${command} [0-9a-f]{32,64}`);
  const line = texts.flatMap((text) => wanted.exec(text)?.[0] ?? []).at(-1);
  if (line === undefined) throw new Error(`nothing asks for /${command}`);
  return line;
}
