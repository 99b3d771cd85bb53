/** `ferrybot read-comment` and `ferrybot delta` as a script sees them: one JSON value, and the exit code. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deltaVerb } from '../../../src/app/cli/verbs/delta.ts';
import { readCommentVerb } from '../../../src/app/cli/verbs/read-comment.ts';

type Verb = typeof deltaVerb;
let folder = '';

async function run(verb: Verb, args: readonly string[], stdin: string | Uint8Array = ''): Promise<unknown> {
  const written: string[] = [];
  const io = {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: { write: (text: string) => written.push(text) },
    stderr: { write: () => true },
    cwd: folder,
    environment: {},
  };
  const code = await verb([...args, '--json'], io);
  return { code, json: JSON.parse(written.join('')) };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-reading-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('read-comment', () => {
  const read = async (stdin: string | Uint8Array, ...args: readonly string[]): Promise<unknown> =>
    run(readCommentVerb, args, stdin);

  it('exits 0 when a command fires, 1 when none does, 2 when used wrongly', async () => {
    expect(await read('/stop\r\n\r\n> /ack\r\n')).toMatchObject({
      code: 0,
      json: {
        commands: [{ name: 'stop', args: {}, line: 1, column: 1, source: '/stop' }],
        errors: [],
        ignored: [{ word: '/ack', line: 3, column: 3, reason: 'quote' }],
      },
    });
    expect(await read('')).toMatchObject({ code: 1, json: { commands: [], errors: [], ignored: [] } });
    expect(await read('/stop', '--strict')).toMatchObject({ code: 2, json: { ok: false } });
    expect(await read('/stop', '--other-bot', '/stop')).toMatchObject({
      code: 1,
      json: { ignored: [{ reason: 'other-bot' }] },
    });
  });

  it('takes a byte order mark for the character that it is in a comment', async () => {
    expect(await read('\ufeff/stop')).toMatchObject({
      code: 1,
      json: { ignored: [{ reason: 'invisible' }] },
    });
  });

  it('reads on behind bytes that are no UTF-8', async () => {
    expect(await read(Buffer.from('caf\xe9\n/stop', 'latin1'))).toMatchObject({ code: 0 });
  });

  it('takes 65,536 characters and no more', async () => {
    expect(await read(`${'x'.repeat(65_530)}\n/stop`)).toMatchObject({ code: 0 });
    expect(await read(`${'x'.repeat(65_531)}\n/stop`)).toMatchObject({
      code: 1,
      json: { ignored: [{ word: '/stop', reason: 'limit' }] },
    });
  });
});

describe('delta', () => {
  const delta = async (base: string | Uint8Array, head: string | Uint8Array): Promise<unknown> => {
    await writeFile(join(folder, 'base.py'), base);
    await writeFile(join(folder, 'head.py'), head);
    return run(deltaVerb, ['base.py', 'head.py']);
  };

  it('exits 0 for none and knobs, 1 for structural and unparsable', async () => {
    expect(await delta('A = 1\n', '\ufeffA = 1\r\n')).toEqual({ code: 0, json: { kind: 'none' } });
    expect(await delta('A = 1\n', 'A = 2\n')).toEqual({
      code: 0,
      json: {
        kind: 'knobs',
        changes: [{ knob: 'A', path: 'A', before: '1', after: '2', bucket: null, line: 1 }],
      },
    });
    expect(await delta('A = 1\n', 'A = 1\nf()\n')).toEqual({
      code: 1,
      json: { kind: 'structural', side: 'head', line: 2, statement: 'f()' },
    });
    expect(await delta('A = = 1\n', 'A = 1\n')).toMatchObject({
      code: 1,
      json: { kind: 'unparsable', side: 'base', line: 1 },
    });
    expect(await delta('', '')).toEqual({ code: 0, json: { kind: 'none' } });
  });

  it('does not parse what is no UTF-8, nor what has a NUL, and says the line', async () => {
    expect(await delta('A = 1\n', Buffer.from('A = 1\nB = "\xe9"\n', 'latin1'))).toMatchObject({
      code: 1,
      json: { kind: 'unparsable', side: 'head', line: 2 },
    });
    expect(await delta('A = 1\0\n', 'A = 1\n')).toMatchObject({
      code: 1,
      json: { kind: 'unparsable', side: 'base', line: 1 },
    });
  });

  it('is used wrongly without two files that can be read', async () => {
    expect(await run(deltaVerb, [])).toMatchObject({ code: 2, json: { ok: false } });
    expect(await run(deltaVerb, ['base.py'])).toMatchObject({ code: 2 });
    expect(await run(deltaVerb, ['base.py', 'nowhere.py'])).toMatchObject({ code: 2 });
    expect(await run(deltaVerb, ['base.py', '.'])).toMatchObject({ code: 2 });
  });
});
