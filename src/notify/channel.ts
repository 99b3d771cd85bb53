/** A channel sends one message to an address. */

import type { ChannelMessage, Delivery } from '../domain/effect.ts';
import { limits } from '../domain/limits.ts';

export type ChannelHost = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** The module of a channel exports this. `address` is secret and must not appear in results. */
export type Channel = {
  readonly send: (message: ChannelMessage, address: string, host: ChannelHost) => Promise<Delivery>;
};

/** Discord and Slack ask for a second or two; a longer wait is reported as a failure. */
const CHANNEL_WAIT_MS_MAX = 10_000;

/** Retries only rejected requests (429). Results never contain the address. */
export async function postJson(address: string, body: object, host: ChannelHost): Promise<Delivery> {
  if (!/^https?:\/\//.test(address)) return { outcome: 'failed', why: 'the address is no URL of a webhook' };
  for (let attempt = 1; ; attempt += 1) {
    const answer = await postOnce(address, body, host);
    if ('outcome' in answer) return answer;
    if (answer.ok) return { outcome: 'sent', why: '' };
    const waitMs = answer.status === 429 ? retryAfterMs(answer) : null;
    if (waitMs === null || waitMs > CHANNEL_WAIT_MS_MAX || attempt >= limits.channelTriesMax)
      return { outcome: answer.status >= 500 ? 'unknown' : 'failed', why: `status ${answer.status}` };
    await host.sleep(waitMs);
  }
}

async function postOnce(address: string, body: object, { fetch }: ChannelHost): Promise<Response | Delivery> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(limits.channelTimeoutMs),
    });
    await response.body?.cancel();
    return response;
  } catch (error) {
    // The message may contain the address.
    const name = error instanceof Error ? error.name : 'Error';
    return { outcome: 'unknown', why: name === 'TimeoutError' ? 'no answer in time' : 'it could not be reached' };
  }
}

/** Seconds with fractions (Discord and Slack, rate limits). */
function retryAfterMs({ headers }: Response): number | null {
  const seconds = Number(headers.get('retry-after') ?? 'none');
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1_000) : null;
}
