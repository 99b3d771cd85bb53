/** Mail, each test a real conversation with an SMTP server on this machine. */

import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { afterEach, expect, it } from 'vitest';
import { createChannelSender } from '../../src/app/channels.ts';

const servers: SMTPServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise<void>((done) => server.close(() => done()));
});

type Got = { readonly from: string; readonly to: readonly string[]; readonly text: string };

/** `refuse`: the status codes of the answers to the first mails. */
async function serve(refuse: readonly number[] = []): Promise<{ port: number; got: Got[] }> {
  const got: Got[] = [];
  let asked = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, session, callback) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const status = refuse[asked];
        asked += 1;
        if (status !== undefined) return callback(Object.assign(new Error('not now'), { responseCode: status }));
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        got.push({ from, to: rcptTo.map(({ address }) => address), text: Buffer.concat(pieces).toString() });
        return callback();
      });
    },
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const place = server.server.address();
  if (place === null || typeof place === 'string') throw new Error('a server without a port');
  return { port: place.port, got };
}

const MESSAGE = {
  title: 'The engine does not know the job\r\nBcc: thief@evil.example',
  text: 'ferry-daily-20261121 needs a person.',
  url: 'https://github.com/lab/ferries/issues/2',
};

async function sent(address: string) {
  const slept: number[] = [];
  const send = createChannelSender(
    { OPS_MAIL: address },
    { fetch, sleep: async (durationMs) => void slept.push(durationMs) },
  );
  return { delivery: await send({ kind: 'mail', address: 'OPS_MAIL' }, MESSAGE), slept };
}

it('gets the incident as a mail without outside values in a header', async () => {
  const { port, got } = await serve();
  const address = `smtp://127.0.0.1:${port}/?from=bot@lab.example&to=ada@lab.example,mira@lab.example`;
  expect((await sent(address)).delivery).toEqual({ outcome: 'sent', why: '' });
  expect(got).toMatchObject([{ from: 'bot@lab.example', to: ['ada@lab.example', 'mira@lab.example'] }]);
  const [head = '', ...body] = got[0]?.text.split('\r\n\r\n') ?? [];
  expect(head).toContain('Subject: ferrybot: a run needs a person');
  expect(head).not.toContain('evil');
  expect(body.join('\n')).toContain('https://github.com/lab/ferries/issues/2');
});

it('is retried once after a temporary failure, and given up after a permanent one', async () => {
  const later = await serve([451]);
  const place = 'from=bot@lab.example&to=ada@lab.example';
  const { delivery, slept } = await sent(`smtp://127.0.0.1:${later.port}/?${place}`);
  expect([delivery.outcome, slept.length, later.got.length]).toEqual(['sent', 1, 1]);
  const never = await serve([550, 550]);
  expect(await sent(`smtp://127.0.0.1:${never.port}/?${place}`)).toEqual({
    delivery: { outcome: 'failed', why: 'status 550' },
    slept: [],
  });
});

it('that cannot be sent is reported without the address', async () => {
  const secret = 'smtp://user:s3cret@127.0.0.1:1/?from=bot@lab.example&to=ada@lab.example';
  const { delivery } = await sent(secret);
  expect(delivery.outcome).toBe('failed');
  expect(JSON.stringify(delivery)).not.toContain('s3cret');
});

it('never sends a password over an unencrypted connection', async () => {
  const { port, got } = await serve();
  const address = `smtp://user:s3cret@127.0.0.1:${port}/?from=bot@lab.example&to=ada@lab.example`;
  expect((await sent(address)).delivery.outcome).toBe('failed');
  expect(got).toEqual([]);
});

it.each([
  'https://hooks.example/secret',
  'smtp://127.0.0.1/?from=bot@lab.example',
  'smtp://127.0.0.1/?from=bot@lab.example&to=ada@lab.example%0d%0aBcc:%20thief@evil.example',
  'no address',
])('rejects the address %s', async (address) => {
  expect((await sent(address)).delivery).toMatchObject({ outcome: 'failed' });
});
