/** What every channel is: one way to say one message to an address. */

import type { ChannelMessage, Delivery } from '../domain/channel.ts';

export type ChannelHost = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** What the module of a channel exports. `address` is secret: nothing that is answered may have it. */
export type Channel = {
  readonly send: (message: ChannelMessage, address: string, host: ChannelHost) => Promise<Delivery>;
};
