/**
 * Admits only the user who started the playground to its pages and its control, because every account of the machine
 * can reach the loopback. The printed address carries a secret, like Jupyter's `?token=`, and a cookie carries it from
 * then on.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { html, toMarkup } from '../pages/html.ts';
import { readCookies } from '../pages/page-request.ts';
import { htmlReply, type Reply } from '../pages/reply.ts';

/** A new secret for every start: the address and the cookie of an earlier start are no longer valid. */
export function makeUserSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** The address to print: opening it signs the browser in and redirects to `path`. */
export function signInAddress(origin: string, path: string, secret: string): string {
  const url = new URL(path, origin);
  url.searchParams.set('token', secret);
  return url.href;
}

/** Null admits the request; otherwise the refusal. `url` is the request's address on this server. */
export function admitUser(
  { method = 'GET', headers }: IncomingMessage,
  url: URL,
  { origin, secret }: { readonly origin: string; readonly secret: string },
): Reply | null {
  const isReading = method === 'GET' || method === 'HEAD';
  if (!isReading && isCrossSite(headers)) return refuseUser(headers, url, FOREIGN_FORM);
  // Cookies ignore ports: without the port in its name, a second playground would sign the browser out of the first.
  const cookie = `playground_user_${new URL(origin).port}`;
  if (isReading && isSecret(url.searchParams.get('token'), secret)) {
    url.searchParams.delete('token');
    const kept = `${cookie}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
    return { status: 302, headers: { location: localAddress(url), 'set-cookie': kept }, body: '' };
  }
  const [, shown = null] = /^(?:Bearer|token) (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const kept = readCookies(headers.cookie ?? '').get(cookie) ?? null;
  if (isSecret(shown, secret) || isSecret(kept, secret)) return null;
  return refuseUser(headers, url, NOT_THE_USER);
}

/** Compares `Origin` too, because Safari sends `Sec-Fetch-Site` only since 16.4. A program sends neither. */
function isCrossSite({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)) return true;
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function isSecret(given: string | null, secret: string): boolean {
  const [wanted, shown] = [Buffer.from(secret), Buffer.from(given ?? '')];
  return wanted.length === shown.length && timingSafeEqual(wanted, shown);
}

/** Path and query, but never `//host`, which a browser treats as another server. */
function localAddress({ pathname, search }: URL): string {
  return `${pathname.replace(/^\/+/, '/')}${search}`;
}

type Refused = { readonly status: 401 | 403; readonly what: string; readonly next: string };

const FOREIGN_FORM: Refused = {
  status: 403,
  what: 'This form came from another site.',
  next: 'Open the page of this playground and send the form from there.',
};

const NOT_THE_USER: Refused = {
  status: 401,
  what: 'Only the user who started this playground may use it.',
  next: 'Open the address that the playground printed when it started: it ends in ?token=… and signs this browser in. A program sends that token as the header "Authorization: Bearer …".',
};

function refuseUser(headers: IncomingHttpHeaders, url: URL, { status, what, next }: Refused): Reply {
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer realm="playground"' } : {};
  // A visitor who follows a link on another site has the cookie, but the browser does not send it: it is
  // `SameSite=Strict`, also for the redirect of the printed address. A page that reloads itself sends it.
  const isLinked = headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] === 'navigate';
  if (!isLinked && (url.pathname.startsWith('/_playground/') || wantsJson(headers))) {
    const body = JSON.stringify({ kind: 'refused', status, message: `${what} ${next}` });
    return { status, headers: { ...challenge, 'content-type': 'application/json' }, body };
  }
  const again = isLinked && html`<meta http-equiv="refresh" content="0; url=${localAddress(url)}">`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${again}<title>${status}</title></head>
<body><main><h1>${what}</h1><p>${next}</p></main></body></html>`;
  const reply = htmlReply(status, toMarkup(page));
  return { ...reply, headers: { ...reply.headers, ...challenge } };
}

function wantsJson({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.includes('application/json');
}
