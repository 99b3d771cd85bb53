/** Discord and Slack, each test a real request to a server on this machine that answers as documented. */

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createChannelSender } from '../../src/app/channels.ts';
import type { ChannelKind } from '../../src/notify/registry.ts';

type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
type Asked = { readonly method: string; readonly path: string; readonly type: string; readonly body: unknown };

const servers: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Answers in turn, the last answer repeatedly; null keeps the connection open and never answers. */
async function serve(answers: readonly (Answer | null)[]): Promise<{ origin: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    asked.push(await read(request));
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer != null) response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push({
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  });
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('a server without a port');
  return { origin: `http://127.0.0.1:${place.port}`, asked };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const { method = '', url: path = '', headers } = request;
  return { method, path, type: headers['content-type'] ?? '', body: JSON.parse(Buffer.concat(pieces).toString()) };
}

const MESSAGE = {
  title: 'The engine <!here> *does not* know @everyone & the job',
  text: 'ferry-daily-20261121 needs a person.',
  url: 'https://github.com/lab/ferries/issues/2',
};

function sender(address: string): {
  send: (kind: ChannelKind) => ReturnType<ReturnType<typeof createChannelSender>>;
  slept: number[];
} {
  const slept: number[] = [];
  const sleep = async (durationMs: number): Promise<void> => void slept.push(durationMs);
  const send = createChannelSender({ OPS_WEBHOOK: address }, { fetch, sleep });
  return { send: (kind) => send({ kind, address: 'OPS_WEBHOOK' }, MESSAGE), slept };
}

describe('discord', () => {
  it('gets the content with all mentions disabled', async () => {
    const { origin, asked } = await serve([{ status: 204 }]);
    expect(await sender(`${origin}/api/webhooks/1/secret`).send('discord')).toEqual({ outcome: 'sent', why: '' });
    expect(asked).toEqual([
      {
        method: 'POST',
        path: '/api/webhooks/1/secret',
        type: 'application/json',
        body: {
          content:
            '**The engine \\<!here\\> \\*does not\\* know \\@everyone & the job**\nferry-daily-20261121 needs a person.\nhttps://github.com/lab/ferries/issues/2',
          allowed_mentions: { parse: [] },
        },
      },
    ]);
  });

  it('is retried once after the pause that it requests', async () => {
    const limited = { status: 429, headers: { 'retry-after': '1.5' }, body: '{"retry_after":1.5}' };
    const { origin, asked } = await serve([limited, { status: 204 }]);
    const { send, slept } = sender(`${origin}/x`);
    expect(await send('discord')).toEqual({ outcome: 'sent', why: '' });
    expect(slept).toEqual([1_500]);
    expect(asked).toHaveLength(2);
  });
});

describe('slack', () => {
  it('gets the text with its three special characters escaped, so that nothing is a mention', async () => {
    const { origin, asked } = await serve([{ status: 200, body: 'ok' }]);
    expect(await sender(`${origin}/services/T/B/secret`).send('slack')).toEqual({ outcome: 'sent', why: '' });
    expect(asked.map(({ body }) => body)).toEqual([
      {
        text: '*The engine &lt;!here&gt; *does not* know @everyone &amp; the job*\nferry-daily-20261121 needs a person.\n<https://github.com/lab/ferries/issues/2>',
      },
    ]);
  });

  it('that requests too long a pause is reported as failed', async () => {
    const { origin, asked } = await serve([{ status: 429, headers: { 'retry-after': '3600' } }]);
    const { send, slept } = sender(`${origin}/x`);
    expect(await send('slack')).toEqual({ outcome: 'failed', why: 'status 429' });
    expect(slept).toEqual([]);
    expect(asked).toHaveLength(1);
  });
});

describe.each(['discord', 'slack'] as const)('a channel that is down: %s', (kind) => {
  it.each([
    ['refuses', [{ status: 404 }], { outcome: 'failed', why: 'status 404' }],
    ['may have taken it', [{ status: 502 }], { outcome: 'unknown', why: 'status 502' }],
    [
      'redirects',
      [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
      { outcome: 'failed', why: 'status 302' },
    ],
    ['does not answer', [null], { outcome: 'unknown', why: 'no answer in time' }],
  ])('%s', async (_what, answers, expected) => {
    const { origin, asked } = await serve(answers);
    expect(await sender(`${origin}/secret`).send(kind)).toEqual(expected);
    expect(asked).toHaveLength(1);
  });

  it('is unreachable or misconfigured, and its address is not disclosed', async () => {
    expect(await sender('http://127.0.0.1:1/secret').send(kind)).toEqual({
      outcome: 'unknown',
      why: 'it could not be reached',
    });
    expect(await sender('secret').send(kind)).toEqual({ outcome: 'failed', why: 'the address is no URL of a webhook' });
    expect(await sender('').send(kind)).toEqual({ outcome: 'failed', why: 'this process was not given OPS_WEBHOOK' });
  });
});
