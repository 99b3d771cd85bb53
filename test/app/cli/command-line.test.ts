/**
 * The `ferrybot` program itself: help for everything, exit codes that separate usage errors from a negative
 * answer, JSON output, and a reader that closes early.
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../../../src/app/cli/main.ts');
/** A folder without any files. */
const EMPTY = mkdtempSync(join(tmpdir(), 'ferrybot-cli-'));
afterAll(() => rmSync(EMPTY, { recursive: true, force: true }));

async function ferrybot(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [PROGRAM, ...args], {
    reject: false,
    stdin: 'ignore',
    cwd: EMPTY,
    extendEnv: false,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  return { code: exitCode ?? -1, out: stdout, err: stderr };
}

const verbs: readonly string[] = JSON.parse((await ferrybot('--help', '--json')).out).verbs;

describe('help', () => {
  it('lists every verb on standard output', async () => {
    expect(verbs).toHaveLength(21);
    for (const args of [['--help'], ['help']]) {
      const { code, out, err } = await ferrybot(...args);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      for (const name of verbs) expect(out).toMatch(new RegExp(`^  ${name.split(' ')[0]} .*[a-z]`, 'm'));
      expect(out).toMatch(/Exit codes: 0 yes, 1 no .*, 2 usage error\.$/);
    }
  });

  it.each(verbs)('prints usage and summary of %s as JSON', async (name) => {
    const { code, out, err } = await ferrybot(...name.split(' '), '--json', '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual({
      ok: true,
      error: null,
      verb: name,
      usage: expect.stringMatching(new RegExp(`^ferrybot ${name} \\[`)),
      summary: expect.stringMatching(/^[a-z].{20}/i),
    });
  });

  it('is formatted for people without --json', async () => {
    const { code, out } = await ferrybot('delta', '-h');
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: ferrybot delta \[options\] <BASE> <HEAD>\n\nwhat changed/);
    expect(out).toMatch(/^ +--json +one JSON value on standard output$/m);
  });
});

describe('a usage error', () => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['ferry'], /unknown command 'ferry'/],
    [['constructor'], /unknown command 'constructor'/],
    [['logbook'], /Usage: ferrybot logbook .*verify.*show.*repair|^no verb was given$/s],
    [['logbook', 'veryfy', '.'], /unknown command 'veryfy'\n\(Did you mean verify\?\)/],
    [['logbook', 'repair', '--repo', '/'], /in no clone with a remote/],
    [['logbook', 'repair', 'here'], /too many arguments for 'repair'. Expected 0 arguments but got 1/],
    [['delta', '--no-such-option', 'b.py'], /unknown option '--no-such-option'/],
    [['delta', 'a.py'], /missing required argument 'HEAD'/],
    [['delta', 'a.py', 'b.py'], /a\.py cannot be read/],
    [['read-knobs', '--all'], /unknown option '--all'/],
    [['manifest'], /missing required argument 'RUN'/],
    [['manifest', 'run', '--dri', '.'], /unknown option '--dri'\n\(Did you mean --dir\?\)/],
    [['manifest', ''], /value '' is invalid for argument 'RUN'\. It is empty/],
    [['manifest', 'run', '--dir'], /option '--dir <DIR>' argument missing/],
    [['backtest'], /required option '--config <FILE>' not specified/],
    [['logbook', 'repair', '--dry-run', '--dry-run'], /logbook repair takes --dry-run once/],
    [['manifest', 'run', '--dir', 'a', '--dir', 'b'], /manifest takes --dir once/],
    [['backtest', '--config=a', '--config', 'b'], /backtest takes --config once/],
    [['logbook', 'verify', '.', '--head', '0123456789ab', '--head=0'], /logbook verify takes --head once/],
    [['check-pr', '--body', '/'], /^\/ cannot be read: EISDIR/],
    [['check-config', '/dev/zero'], /^\/dev\/zero cannot be read: it is longer than 67108864 bytes/],
    [['logbook', 'verify', 'nothing-here'], /nothing at/],
    [['serve'], /missing or wrong:\nAPP_ID is missing\nPRIVATE_KEY is missing/],
  ];

  it.each(wrong)('%j exits 2 and names the error', async (args, words) => {
    const said = await ferrybot(...args);
    expect({ code: said.code, out: said.out }).toEqual({ code: 2, out: '' });
    expect(said.err).toMatch(words);
    expect(said.err).not.toMatch(/\n\s+at /);
    const json = await ferrybot(...args, '--json');
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, error: { code: 'usage' } });
    expect(JSON.parse(json.out).error.message).toMatch(words);
  });

  it.each([
    [['ferry'], '`ferrybot --help`'],
    [['manifest'], '`ferrybot manifest --help`'],
    [['logbook', 'verify'], '`ferrybot logbook verify --help`'],
  ])('%j names the help of the verb that was used: %s', async (args, help) => {
    expect((await ferrybot(...args)).err).toContain(`Run ${help}`);
  });

  it.each(verbs.filter((name) => name !== 'playground' && name !== 'demo'))(
    'exits 2 for %s with an unknown option',
    async (name) => {
      const { code, out } = await ferrybot(...name.split(' '), '--no-such-option', '--json');
      expect(code).toBe(2);
      expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'usage' } });
    },
  );

  it('does not occur for --json before the verb or for repeatable options', async () => {
    const early = await ferrybot('--json', 'delta', 'a.py', 'b.py');
    expect(JSON.parse(early.out).error.message).toMatch(/a\.py cannot be read/);
    const bots = await ferrybot('read-comment', '--other-bot', '/a', '--other-bot', '/b', '--json', '--json');
    expect({ code: bots.code, out: JSON.parse(bots.out) }).toMatchObject({ code: 1, out: { commands: [] } });
  });

  it('exits 2 without a verb, in a group too, and lists the verbs on standard error', async () => {
    for (const args of [[], ['logbook']]) {
      const { code, out, err } = await ferrybot(...args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('Commands:');
    }
  });

  it('exits 2 without a verb, as JSON when requested', async () => {
    const { code, out } = await ferrybot('--json');
    expect({ code, answer: JSON.parse(out) }).toMatchObject({
      code: 2,
      answer: { error: { message: 'no verb was given' } },
    });
  });
});

describe('a reader that closes early', () => {
  it('cuts the output but keeps exit code 0', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ferrybot-pipe-'));
    // Larger than a pipe buffer, so that the write is still in progress when the reader closes.
    const many = (value: string): string =>
      `c = dict(${Array.from({ length: 4_000 }, (_, i) => `knob_${i}=${value}`).join(',\n')})\n`;
    writeFileSync(join(folder, 'base.py'), many('1'));
    writeFileSync(join(folder, 'head.py'), many('2'));
    const child = spawn(process.execPath, [PROGRAM, 'delta', 'base.py', 'head.py', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});
