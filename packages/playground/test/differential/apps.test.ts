/**
 * An App on `emulate` 0.12.2 and on the playground: its JWT, its tokens, their permissions, and its signed webhooks.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { verify } from '@octokit/webhooks-methods';
import type { Emulator } from 'emulate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWebhooks } from '../../webhooks/webhooks.ts';
import { appId, createTown, keys, secret, type Town } from '../world/town.ts';
import { type Ask, askWith, startEmulator } from './emulated.ts';

const R = '/repos/{owner}/{repo}';
const GRANTED = { checks: 'write', contents: 'read', issues: 'write', metadata: 'read' } as const;
const THEIR_INSTALLATION = 77;

type ReceivedWebhook = { readonly event: string; readonly signature: string; readonly body: string };
/** An App's clients: with its JWT, with its installation's token, with any token. */
type Voices = {
  readonly app: Ask;
  readonly installation: Ask;
  readonly as: (token: string) => Ask;
  readonly id: number;
};

const theirInbox: ReceivedWebhook[] = [];
const listener = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    theirInbox.push({
      event: String(request.headers['x-github-event']),
      signature: String(request.headers['x-hub-signature-256']),
      body: Buffer.concat(parts).toString(),
    });
    response.end('thanks');
  });
});

let emulator: Emulator;
beforeAll(async () => {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  emulator = await startEmulator([
    {
      app_id: appId,
      slug: 'ferrybot',
      name: 'ferrybot',
      private_key: keys.privateKey,
      permissions: GRANTED,
      events: ['issues', 'issue_comment'],
      webhook_url: `http://127.0.0.1:${portOf()}/hook`,
      webhook_secret: secret,
      installations: [{ installation_id: THEIR_INSTALLATION, account: 'ada' }],
    },
  ]);
});
afterAll(async () => {
  await emulator.close();
  await new Promise((resolve) => listener.close(resolve));
});

function portOf(): number {
  const address: AddressInfo | string | null = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  return address.port;
}

async function ourVoices(): Promise<Voices & { readonly town: Town }> {
  const town = createTown({ permissions: GRANTED });
  await town.commit('main', { 'README.md': '# ferries\n' });
  const id = town.seeded.app?.installationId ?? 0;
  const as = (token: string): Ask => askWith(town.as(token), 'lab');
  return { town, id, as, app: askWith(town.asApp(), 'lab'), installation: askWith(town.asInstallation(), 'lab') };
}

function theirVoices(): Voices {
  const common = { baseUrl: emulator.url, authStrategy: createAppAuth };
  const key = { appId, privateKey: keys.privateKey };
  return {
    id: THEIR_INSTALLATION,
    as: (token) => askWith(new Octokit({ baseUrl: emulator.url, auth: token }), 'ada'),
    app: askWith(new Octokit({ ...common, auth: key }), 'ada'),
    installation: askWith(new Octokit({ ...common, auth: { ...key, installationId: THEIR_INSTALLATION } }), 'ada'),
  };
}

type Step = (voices: Voices) => Promise<readonly unknown[]>;
const both = async (step: Step): Promise<{ ours: readonly unknown[]; theirs: readonly unknown[] }> => ({
  ours: await step(await ourVoices()),
  theirs: await step(theirVoices()),
});

const TOKENS = 'POST /app/installations/{installation_id}/access_tokens';

const agree: readonly (readonly [string, Step])[] = [
  [
    'identifies an App by its JWT and finds its installation',
    async ({ app, id }) => {
      const me = await app('GET /app');
      const installation = await app(`GET ${R}/installation`);
      const named = await app('GET /app/installations/{installation_id}', { installation_id: id });
      return [me.status, me.data.id, installation.status, installation.data.id === id, named.status];
    },
  ],
  [
    'issues tokens for an hour, on request with fewer permissions',
    async ({ app, as, id }) => {
      const made = await app(TOKENS, { installation_id: id, permissions: { issues: 'read' } });
      const lifeMs = Date.parse(String(made.data['expires_at'])) - Date.now();
      const narrow = as(String(made.data['token']));
      const read = await narrow(`GET ${R}/issues`);
      const write = await narrow(`POST ${R}/issues`, { title: 'No' });
      return [made.status, Math.round(lifeMs / 3_600_000), read.status, write.status];
    },
  ],
  [
    'lets contents:read read files but not create blobs',
    async ({ installation }) => {
      const blob = await installation(`POST ${R}/git/blobs`, { content: 'x' });
      const read = await installation(`GET ${R}/contents/{path}`, { path: 'README.md' });
      return [blob.status, read.status];
    },
  ],
  [
    'attributes an App’s comments to its bot',
    async ({ installation }) => {
      const issue = await installation(`POST ${R}/issues`, { title: 'By the bot' });
      const at = { issue_number: issue.data.number, body: 'said' };
      const comment = await installation(`POST ${R}/issues/{issue_number}/comments`, at);
      const { user } = comment.data;
      return [comment.status, String(user?.['login']), String(user?.['type'])];
    },
  ],
  ['does not accept a person’s token for an App', async ({ as }) => [(await as('ada_token')('GET /app')).status]],
];

/** The two answers; the first is GitHub's. */
const differ: readonly (readonly [string, Step, readonly unknown[], readonly unknown[]])[] = [
  [
    'refuses an App with a message of its own (docs: troubleshooting the REST API)',
    async ({ installation }) => {
      const { data } = await installation(`POST ${R}/git/blobs`, { content: 'x' });
      return [String(data['message'])];
    },
    ['Resource not accessible by integration'],
    ['Forbidden'],
  ],
  [
    'lists the repositories of an installation (docs: rest/apps/installations)',
    async ({ installation }) => [(await installation('GET /installation/repositories')).status],
    [200],
    [404],
  ],
  [
    'lists the deliveries of an App (docs: rest/apps/webhooks)',
    async ({ app }) => [(await app('GET /app/hook/deliveries')).status],
    [200],
    [404],
  ],
  [
    'names the App of a check run (docs: rest/checks/runs)',
    async ({ installation }) => {
      const main = await installation(`GET ${R}/commits/{ref}`, { ref: 'main' });
      const run = await installation(`POST ${R}/check-runs`, { name: 'gate', head_sha: main.data.sha });
      return [run.status, run.data['app']?.id];
    },
    [201, appId],
    [201, undefined],
  ],
];

describe('where the other emulator is right, both agree:', () => {
  it.each(agree)('%s', async (_, step) => {
    const { ours, theirs } = await both(step);
    expect(ours).toEqual(theirs);
  });

  it('sign a webhook over its exact bytes and name its installation', async () => {
    const { town, installation } = await ourVoices();
    const ourInbox: ReceivedWebhook[] = [];
    const hooks = startWebhooks(town.world, async (request) => {
      ourInbox.push({
        event: String(request.headers.get('x-github-event')),
        signature: String(request.headers.get('x-hub-signature-256')),
        body: await request.text(),
      });
      return new Response('thanks');
    });
    const before = theirInbox.length;
    for (const ask of [installation, theirVoices().installation])
      await ask(`POST ${R}/issues`, { title: 'Signed \u201cexactly\u201d' });
    await hooks.settled();
    await expect.poll(() => theirInbox.length).toBeGreaterThan(before);
    for (const webhook of [ourInbox[0], theirInbox[before]]) {
      if (webhook === undefined) throw new Error('nothing was heard');
      const payload: Readonly<Record<string, unknown>> = JSON.parse(webhook.body);
      expect([webhook.event, payload['action']]).toEqual(['issues', 'opened']);
      expect(payload['installation']).toMatchObject({ id: expect.any(Number) });
      expect(await verify(secret, webhook.body, webhook.signature)).toBe(true);
      expect(await verify(secret, `${webhook.body} `, webhook.signature)).toBe(false);
    }
  });
});

describe('where the other emulator is wrong, the playground does what GitHub does:', () => {
  it.each(differ)('%s', async (_, step, github, emulated) => {
    expect(await both(step)).toEqual({ ours: github, theirs: emulated });
  });
});
