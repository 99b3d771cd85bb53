/** `ferrybot read-comment` and `ferrybot delta` as a script sees them: one JSON value, and the exit code. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callVerb, type VerbResult } from './call-verb.ts';

let folder = '';

async function run(verb: string, args: readonly string[], stdin: string | Uint8Array = ''): Promise<unknown> {
  const { code, out } = await callVerb(verb, folder, [...args, '--json'], stdin);
  return { code, json: JSON.parse(out) };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-reading-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('without --json', () => {
  const said = (verb: string, args: readonly string[], stdin: string | Uint8Array = ''): Promise<VerbResult> =>
    callVerb(verb, folder, args, stdin);

  it('explains each line of a comment in a sentence', async () => {
    const { code, out } = await said('read-comment', [], '/stop\n\n/kill\n\nplease /hold\n');
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 2)).toEqual([
      'line 1: /stop runs.',
      'line 3, column 1: /kill does not run: there is no such command. Did you mean /stop?',
    ]);
    expect(out).toContain('/hold does not run: it is not at the start of a line.');
    expect((await said('read-comment', [], 'thanks')).out).toBe('The comment has no command.\n');
  });

  it('tells classify apart from a log if the input is compressed', async () => {
    const packed = gzipSync(randomBytes(4_096));
    expect(await said('classify', [], packed)).toMatchObject({ code: 1, out: '', err: /not a text log/ });
    const latin1 = Buffer.from('caf\u00e9 ferm\u00e9\nKeyError: 1\n', 'latin1');
    expect((await said('classify', [], latin1)).err).toBe('');
  });

  it('distinguishes a missing folder of checkpoints from an empty one', async () => {
    const missing = await said('checkpoints', ['/no/such/folder']);
    expect(missing).toMatchObject({ code: 1, err: 'There is no folder /no/such/folder.\n' });
    expect((await said('checkpoints', [await mkdtemp(join(folder, 'empty-'))])).out).toContain('none is chosen');
  });
});

describe('read-comment', () => {
  const read = async (stdin: string | Uint8Array, ...args: readonly string[]): Promise<unknown> =>
    run('read-comment', args, stdin);

  it('exits 0 if a command was found, 1 if not, and 2 for a usage error', async () => {
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

  it('treats a byte order mark as an invisible character of the comment', async () => {
    expect(await read('\ufeff/stop')).toMatchObject({ code: 1, json: { ignored: [{ reason: 'invisible' }] } });
  });

  it('continues after bytes that are not UTF-8', async () => {
    expect(await read(Buffer.from('caf\xe9\n/stop', 'latin1'))).toMatchObject({ code: 0 });
  });

  it('reads 65,536 characters and no more', async () => {
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
    return run('delta', ['base.py', 'head.py']);
  };

  it('exits 0 for no change and for knobs, 1 for structural and unparsable changes', async () => {
    expect(await delta('A = 1\n', '\ufeffA = 1\r\n')).toEqual({ code: 0, json: { kind: 'none' } });
    expect(await delta('A = 1\n', 'A = 2\n')).toEqual({
      code: 0,
      json: { kind: 'knobs', changes: [{ knob: 'A', path: 'A', before: '1', after: '2', bucket: null, line: 1 }] },
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

  it.each([
    ['yaml', 'opt:\n  lr: 1 # why\n', 'opt: {lr: 2}\n', 'opt: &o {lr: 2}\n'],
    ['yml', 'opt:\n  lr: 1\n', 'opt:\n  lr: 2\n', 'opt:\n  lr: 2\n---\n'],
    ['toml', '[opt]\nlr = 1\n', 'opt.lr = 2\n', null],
    ['json', '{"opt": {"lr": 1}}', '{"opt": {"lr": 2}}', '{"opt": {"lr": 1, "lr": 2}}'],
  ])('reads a file by its suffix: %s', async (suffix, base, knobs, code) => {
    const names = [`base.${suffix}`, `head.${suffix}`] as const;
    const compare = async (head: string): Promise<unknown> => {
      await writeFile(join(folder, names[0]), base);
      await writeFile(join(folder, names[1]), head);
      return run('delta', names);
    };
    expect(await compare(knobs)).toMatchObject({
      code: 0,
      json: { kind: 'knobs', changes: [{ knob: 'lr', path: 'opt.lr', before: '1', after: '2', bucket: 'optimizer' }] },
    });
    if (code !== null) expect(await compare(code)).toMatchObject({ code: 1, json: { kind: 'structural', line: 1 } });
    expect(await compare('[')).toMatchObject({ code: 1, json: { kind: 'unparsable', side: 'head', line: 1 } });
    expect(await run('read-knobs', [names[0]])).toMatchObject({
      code: 0,
      json: { knobs: [{ path: 'opt.lr', spelled: 'opt.lr', value: '1' }] },
    });
  });

  it('reports the line of a byte that is not UTF-8 and of a NUL', async () => {
    expect(await delta('A = 1\n', Buffer.from('A = 1\nB = "\xe9"\n', 'latin1'))).toMatchObject({
      code: 1,
      json: { kind: 'unparsable', side: 'head', line: 2 },
    });
    expect(await delta('A = 1\0\n', 'A = 1\n')).toMatchObject({
      code: 1,
      json: { kind: 'unparsable', side: 'base', line: 1 },
    });
  });
});

describe('read-knobs', () => {
  it('lists every knob in the spelling that /propose accepts', async () => {
    await writeFile(join(folder, 'knobs.py'), 'STEPS = 100\nMIX = {"a b": 0.5}\nrun(Train(learning_rate=3e-3))\n');
    expect(await run('read-knobs', ['knobs.py'])).toEqual({
      code: 0,
      json: {
        kind: 'knobs',
        knobs: [
          { knob: 'STEPS', path: 'STEPS', value: '100', bucket: 'optimizer', line: 1, spelled: 'STEPS' },
          { knob: 'a b', path: 'MIX["a b"]', value: '0.5', bucket: 'datamix', line: 2, spelled: 'MIX["a b"]' },
          {
            knob: 'learning_rate',
            path: 'run()[0].Train().learning_rate',
            value: '3e-3',
            bucket: 'optimizer',
            line: 3,
            spelled: 'run()[0].Train().learning_rate',
          },
        ],
      },
    });
  });

  it('spells each knob so that /propose reads it', async () => {
    const keys = ['prose', 'a b', 'a=b', 'a.b', 'c#d', 'e-f', 'ä', 'g“h'];
    const entries = keys.map((key) => `${JSON.stringify(key)}: 1`).join(', ');
    await writeFile(join(folder, 'keys.py'), `MIX = {${entries}}\n`);
    const told = z.object({ json: z.object({ knobs: z.array(z.object({ path: z.string(), spelled: z.string() })) }) });
    const { knobs } = told.parse(await run('read-knobs', ['keys.py'])).json;
    expect(knobs).toHaveLength(keys.length);
    for (const { spelled } of knobs) {
      const read = await run('read-comment', [], `/propose ${spelled}=2`);
      expect(read).toMatchObject({ code: 0, json: { commands: [{ args: { [spelled]: '2' } }] } });
    }
  });

  it('exits 1 with the line of a file that does not parse', async () => {
    await writeFile(join(folder, 'broken.py'), 'A = 1\nB = = 2\n');
    expect(await run('read-knobs', ['broken.py'])).toMatchObject({ code: 1, json: { kind: 'unparsable', line: 2 } });
  });
});
