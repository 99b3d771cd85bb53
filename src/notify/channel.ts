/** A channel sends one message to an address. */

import type { ChannelMessage, Delivery } from '../domain/channel.ts';

export type ChannelHost = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** The module of a channel exports this. `address` is secret and must not appear in results. */
export type Channel = {
  readonly send: (message: ChannelMessage, address: string, host: ChannelHost) => Promise<Delivery>;
};
