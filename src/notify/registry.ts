/** Every channel, by its name in the config. */

import type { Channel } from './channel.ts';

export const CHANNELS = {
  discord: () => import('./discord.ts'),
  mail: () => import('./mail.ts'),
  slack: () => import('./slack.ts'),
} as const satisfies Readonly<Record<string, () => Promise<Channel>>>;

export type ChannelKind = keyof typeof CHANNELS;
export const CHANNEL_KINDS = Object.keys(CHANNELS) as readonly ChannelKind[];
