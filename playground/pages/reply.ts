/** What goes back to the browser, with the headers that keep foreign text from doing anything. */
import type { ServerResponse } from 'node:http';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
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

export function answerWith(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    'content-security-policy': contentPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    ...reply.headers,
  });
  response.end(reply.body);
}

export function htmlReply(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
