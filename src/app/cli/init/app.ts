/**
 * Registers a lab's GitHub App by GitHub's manifest flow: a local page posts the manifest, GitHub sends the browser back with a code, and
 * the code buys the App's keys (docs.github.com: registering a GitHub App from a manifest).
 */

import { randomBytes } from 'node:crypto';
import { on, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'yaml';
import { z } from 'zod';
import { cutText, fail, ok, type Result } from '../../../domain/values.ts';
import { call, type GitHubClient, readRoute } from '../../../github/call.ts';
import { findWebOrigin } from '../repository-client.ts';

/** GitHub takes a code for an hour. */
const REGISTRATION_MS_MAX = 60 * 60 * 1_000;
/** GitHub takes no longer name. */
const NAME_CHARS_MAX = 34;

export type RegisteredApp = {
  readonly slug: string;
  readonly installAddress: string;
  /** Settings of `ferrybot serve`, with the App's keys: one line each, as systemd, Docker and Node read them. */
  readonly environment: string;
};

export type AppWishes = {
  /** The text of app.yml. */
  readonly manifest: string;
  /** Where `ferrybot serve` will be reached from GitHub. */
  readonly server: string;
  /** Shows a person the page to open. */
  readonly show: (address: string) => void;
};

const ownerSchema = z.object({ owner: z.object({ login: z.string(), type: z.string() }) });
const appSchema = z.object({
  id: z.number().int(),
  slug: z.string(),
  html_url: z.string(),
  pem: z.string(),
  webhook_secret: z.string(),
});

/** Waits until a person has created the App in a browser on this machine. Fails with what GitHub did not accept. */
export async function registerApp(client: GitHubClient, wishes: AppWishes): Promise<Result<RegisteredApp, string>> {
  const repository = await readRoute(client, 'GET /repos/{owner}/{repo}', ownerSchema);
  if (repository.kind === 'unknown') return fail(repository.why);
  const { owner } = repository.value;
  // Also the page's address: other users of this machine can reach it, and must not learn the state.
  const state = randomBytes(20).toString('hex');
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    // A server that listens on an address has one.
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const account = owner.type === 'Organization' ? `/organizations/${owner.login}` : '';
    const target = `${findWebOrigin(client.baseUrl)}${account}/settings/apps/new?state=${state}`;
    const page = renderPage(target, buildManifest(wishes, owner.login, `${origin}/registered`));
    const requests = on(server, 'request', { signal: AbortSignal.timeout(REGISTRATION_MS_MAX) });
    wishes.show(`${origin}/${state}`);
    // What Node passes to a listener of `request`.
    for await (const [request, response] of requests as AsyncIterable<[IncomingMessage, ServerResponse]>) {
      const url = URL.parse(request.url ?? '', origin);
      response.setHeader('connection', 'close');
      if (url?.pathname === '/registered' && url.searchParams.get('state') === state) {
        const app = await exchangeCode(client, url.searchParams.get('code') ?? '');
        if (app.ok) response.writeHead(302, { location: app.value.installAddress }).end();
        else response.writeHead(502).end('GitHub did not register the App. The terminal shows why.\n');
        return app;
      }
      if (url?.pathname === `/${state}`) response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
      else response.writeHead(404).end();
    }
    throw new Error('the requests of a server do not end');
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return fail('the App was not created within an hour');
    throw error;
  } finally {
    server.close();
  }
}

function buildManifest({ manifest, server }: AppWishes, owner: string, redirect: string): string {
  const { name, ...rest }: { readonly name: string } = parse(manifest);
  return JSON.stringify({
    ...rest,
    // Names are unique on GitHub; its page lets the person change this one.
    name: cutText(`${name}-${owner}`, NAME_CHARS_MAX),
    hook_attributes: { url: new URL('/api/github/webhooks', server).href, active: true },
    redirect_url: redirect,
  });
}

function renderPage(target: string, manifest: string): string {
  const value = manifest.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>ferrybot</title>
<form method="post" action="${target}"><input type="hidden" name="manifest" value="${value}">
<button>Register the GitHub App on ${new URL(target).host}</button></form></html>\n`;
}

async function exchangeCode(client: GitHubClient, code: string): Promise<Result<RegisteredApp, string>> {
  const outcome = await call(client, 'POST /app-manifests/{code}/conversions', { code });
  if (outcome.kind !== 'answered') return fail(outcome.message);
  const parsed = appSchema.safeParse(outcome.data);
  if (!parsed.success) return fail('GitHub registered the App and answered without its keys: delete it, and try again');
  const { id, slug, html_url, pem, webhook_secret } = parsed.data;
  // Two backslashes, because systemd takes one away.
  const key = pem.trim().replaceAll('\n', String.raw`\\n`);
  const environment = `APP_ID=${id}\nPRIVATE_KEY=${key}\nWEBHOOK_SECRET=${webhook_secret}\n`;
  return ok({ slug, installAddress: `${html_url}/installations/new`, environment });
}
