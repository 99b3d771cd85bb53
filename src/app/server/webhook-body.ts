/** Reads the bodies of webhooks, which anybody may send, within bounds: each alone, and all that are under way together. */

import type { IncomingMessage } from 'node:http';
import { limits } from '../../domain/limits.ts';

/** `gone`: the sender went away or ran out of time. 413: larger than GitHub's; 503: the largest while too much was held. */
export type BodyReading =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly status: 413 | 503 }
  | { readonly kind: 'gone' };

type Held = { bytes: number; readonly refuse: (status: 413 | 503) => void };

/** A reader for all requests of one server; nothing is kept of a body that is refused. */
export function createBodyReader(): (request: IncomingMessage) => Promise<BodyReading> {
  const held = new Set<Held>();
  return (request) => readBody(request, held);
}

function readBody(request: IncomingMessage, held: Set<Held>): Promise<BodyReading> {
  if (Number(request.headers['content-length'] ?? 0) > limits.webhookBytesMax)
    return Promise.resolve({ kind: 'refused', status: 413 });
  return new Promise((resolve) => {
    let pieces: Buffer[] = [];
    const settle = (reading: BodyReading): void => {
      held.delete(own);
      pieces = [];
      request.off('data', take);
      resolve(reading);
    };
    const own: Held = { bytes: 0, refuse: (status) => settle({ kind: 'refused', status }) };
    const take = (piece: Buffer): void => {
      own.bytes += piece.length;
      pieces.push(piece);
      if (own.bytes > limits.webhookBytesMax) own.refuse(413);
      else makeRoom(held);
    };
    held.add(own);
    request.on('data', take);
    request.once('end', () => settle({ kind: 'read', bytes: Buffer.concat(pieces) }));
    // An error of a request is always followed by its close.
    request.on('error', () => undefined);
    request.once('close', () => settle({ kind: 'gone' }));
  });
}

/** The largest gives way: whoever floods loses, and an honest delivery of some kilobytes never does. */
function makeRoom(held: ReadonlySet<Held>): void {
  let sum = 0;
  let largest: Held | null = null;
  for (const one of held) {
    sum += one.bytes;
    if (largest === null || one.bytes > largest.bytes) largest = one;
  }
  if (sum > limits.webhookBytesHeldMax) largest?.refuse(503);
}
