/** Answers to the browser, with headers that restrict untrusted content. */
import type { ServerResponse } from 'node:http';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A long page is streamed while it is generated. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
};

/**
 * Scripts come only from this server and are never inline, so markup that passed the sanitiser by mistake would still
 * not run. Inline styles are allowed because Mermaid needs them. Images from other hosts are blocked: the playground
 * contacts no other host.
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

/** Resolves when everything was sent, or when the browser disconnected, which is not an error. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
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
    if (!response.write(text)) await waitForDrain(response);
  }
  response.end();
}

async function waitForDrain(response: ServerResponse): Promise<void> {
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
