/** What goes back to the browser, with the headers that keep foreign text from doing anything. */
import type { ServerResponse } from 'node:http';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A long page is sent while it is made. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
};

/**
 * Scripts come from this server only and none is inline, so markup that slipped through the sanitiser would still not run.
 * Styles may be inline because Mermaid draws with them; pictures of other hosts are not loaded: the playground asks nobody.
 */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Resolves when all is handed over, or when the browser went away: somebody who leaves a page is nothing to report. */
export async function answerWith(response: ServerResponse, reply: Reply): Promise<void> {
  response.writeHead(reply.status, {
    'content-security-policy': contentPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    ...reply.headers,
  });
  const { body } = reply;
  if (typeof body === 'string' || body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  for await (const text of response.req.method === 'HEAD' ? [] : body) {
    if (response.destroyed) return;
    if (!response.write(text)) await roomOrGone(response);
  }
  response.end();
}

async function roomOrGone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
    if (response.destroyed) done();
  });
}

export function htmlReply(status: number, body: Reply['body']): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
