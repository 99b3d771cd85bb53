/** Sends recorded notices to their channels and records the results. */

import type { ChannelMessage, Delivery } from '../domain/effect.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import { listUndelivered, type RunState } from '../domain/logbook/run-state.ts';
import { recordForRun } from '../logbook/append.ts';
import type { ChannelHost } from '../notify/channel.ts';
import { CHANNELS } from '../notify/registry.ts';
import { channelMessage } from '../render/notice.ts';
import { chooseApproversThread } from '../run/publications.ts';
import type { Lab } from './lab.ts';
import type { OpenLab } from './open-lab.ts';

type SendToChannel = Lab['sendToChannel'];

/** Reads addresses from the environment, by the variable names in the config. */
export function createChannelSender(
  environment: Readonly<Record<string, string | undefined>>,
  host: ChannelHost,
): SendToChannel {
  return async ({ kind, address }, message) => {
    const found = environment[address] ?? '';
    if (found === '') return { outcome: 'failed', why: `this process was not given ${address}` };
    const channel = await CHANNELS[kind]();
    return channel.send(message, found, host);
  };
}

/** Sends the notices that this process recorded. Channels run in parallel, so a slow one does not delay the others. */
export async function sendPendingNotices(
  { lab, config, store }: Pick<OpenLab, 'lab' | 'config' | 'store'>,
  state: RunState,
): Promise<void> {
  const { run } = state;
  const owed = listUndelivered(state).filter(({ seq }) => store.appended(run).has(seq));
  if (owed.length === 0) return;
  const url = threadAddress(lab, chooseApproversThread(state));
  lab.boundary('send', 'before');
  const delivered = await Promise.all(
    owed.map(async (notice): Promise<Delivered> => {
      const delivery = await sendNotice(lab, config, notice.channel, { ...channelMessage(notice, state), url });
      return { notice: notice.seq, channel: notice.channel, ...delivery };
    }),
  );
  lab.boundary('send', 'after');
  await recordForRun({ lab, store }, run, (now) => {
    const isPending = ({ notice, channel }: Delivered): boolean =>
      listUndelivered(now).some((one) => one.seq === notice && one.channel === channel);
    const role = lab.signingKeys.control === undefined ? 'watch' : 'control';
    return delivered.filter(isPending).map((data) => ({ type: 'delivered', role, data }));
  });
}

type Delivered = EventDataByType['delivered'];

function sendNotice(lab: Lab, { onCall }: OpenLab['config'], name: string, message: ChannelMessage): Promise<Delivery> {
  const channel = onCall.channels[name];
  return channel === undefined
    ? Promise.resolve({ outcome: 'failed', why: 'the config does not have it any more' })
    : lab.sendToChannel(channel, message);
}

/** The thread's page on github.com or on a GitHub Enterprise Server. */
function threadAddress({ client: { baseUrl, owner, repo } }: Lab, thread: number): string {
  const host = baseUrl === 'https://api.github.com' ? 'https://github.com' : baseUrl.replace(/\/api\/v3$/, '');
  return `${host}/${owner}/${repo}/issues/${thread}`;
}
