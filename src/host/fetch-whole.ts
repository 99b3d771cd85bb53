/** Sends one HTTP request and reads its whole answer, bounded in time and size, without redirects. */

import { errorCode } from './files.ts';

/** Errors that occur before a connection is established. */
export const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** `isSent`: false if the request certainly reached no server. `code`: the system's error code, or the error's name. */
export type WholeAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Headers; readonly bytes: Buffer }
  | { readonly kind: 'failed'; readonly isSent: boolean; readonly code: string; readonly message: string };

/** Returns a redirect as the answer, because a key in the request must not go to another address. */
export async function fetchWhole(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  { timeoutMs, bytesMax }: { readonly timeoutMs: number; readonly bytesMax: number },
): Promise<WholeAnswer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const bytes = await readBounded(response.body ?? [], bytesMax);
    if (bytes === null)
      return { kind: 'failed', isSent: true, code: 'too-large', message: `the answer has more than ${bytesMax} bytes` };
    return { kind: 'answer', status: response.status, headers: response.headers, bytes };
  } catch (error) {
    // fetch throws TypeError for broken transport and DOMException for a timeout.
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
    const code = errorCode(error.cause) ?? error.name;
    const message = error.cause instanceof Error ? error.cause.message : error.message;
    return { kind: 'failed', isSent: !NOT_SENT.has(code), code, message };
  }
}

/** All bytes of a body; null above the bound, where leaving the loop cancels the body. */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
