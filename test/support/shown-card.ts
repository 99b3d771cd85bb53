// A ferry with its card on GitHub, and the line that approves it.

import { type Ferry, propose, readState, until } from './play.ts';
import { type BotComment, listBotComments, MINUTE, SHORT_FERRY } from './talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

export async function proposeWithCard(options: VirtualLabOptions = {}): Promise<Ferry> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...options });
  const ferry = { lab, ...(await propose(lab)) };
  await until(lab, 'the card', () => listBotComments(lab).some(({ kind }) => kind === 'card'));
  await lab.clock.advance(MINUTE);
  return ferry;
}

export function findCard(lab: VirtualLab): BotComment {
  const card = listBotComments(lab).find(({ kind }) => kind === 'card');
  if (card === undefined) throw new Error('there is no card');
  return card;
}

export async function digestDigits({ lab, run }: Ferry): Promise<string> {
  const digest = (await readState(lab, run))?.gate?.digest ?? '';
  return digest.slice('sha256:'.length, 'sha256:'.length + 32);
}

/** The line that approves the record's manifest, as on the card. */
export async function approveLine(ferry: Ferry): Promise<string> {
  return `/approve-launch ${await digestDigits(ferry)}`;
}
