// `logbook verify` and `logbook show` as a person uses them: on a copy, on a checkout, and on a tampered
// logbook.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { VerifyAnswer } from '../../../src/app/cli/verbs/logbook-verify.ts';
import { brandAs, isRunId } from '../../../src/domain/values.ts';
import { runProgram } from '../../../src/host/process.ts';
import { createScratchFolder, environment } from '../../host/git/scratch-repository.ts';
import { composeFile, keys, listFerryEvents, RUN, seededKey } from '../../logbook/sample-logbook.ts';
import { callVerb, type VerbResult } from './call-verb.ts';

const sealed = composeFile(listFerryEvents(2)).text;
const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => `${line}\n`);
const first = (count: number): string => linesOf(sealed).slice(0, count).join('');
const EVENTS = `runs/2026/11/${RUN}/events.jsonl`;

const call = (verb: string, cwd: string, ...args: readonly string[]): Promise<VerbResult> => callVerb(verb, cwd, args);

async function verify(cwd: string, ...args: readonly string[]): Promise<VerifyAnswer & { readonly code: number }> {
  const { code, out } = await call('logbook verify', cwd, ...args, '--json');
  expect(out.endsWith('\n') && !out.slice(0, -1).includes('\n')).toBe(true);
  return { ...(JSON.parse(out) as VerifyAnswer), code };
}

/** A checkout of a logbook branch with these versions of one file as its history. */
async function checkout(
  ...versions: readonly (string | null)[]
): Promise<{ folder: string; git: (...args: readonly string[]) => Promise<string> }> {
  const folder = createScratchFolder();
  const git = async (...args: readonly string[]): Promise<string> => {
    const env = {
      ...environment,
      GIT_AUTHOR_NAME: 'x',
      GIT_AUTHOR_EMAIL: 'x@x',
      GIT_COMMITTER_NAME: 'x',
      GIT_COMMITTER_EMAIL: 'x@x',
    };
    const result = await runProgram('git', ['-C', folder, ...args], { env });
    if (!result.ok) throw new Error(`${args.join(' ')}: ${result.stderr}`);
    return result.stdout.trim();
  };
  await git('init', '--quiet', '-b', 'logbook');
  for (const version of versions) {
    write(folder, version);
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '-m', 'log');
  }
  return { folder, git };
}

function write(folder: string, text: string | null): void {
  const path = join(folder, EVENTS);
  mkdirSync(dirname(path), { recursive: true });
  if (text === null) rmSync(path);
  else writeFileSync(path, text);
}

describe('logbook verify', () => {
  it('accepts a file, a folder of a run, or a checkout', async () => {
    const folder = createScratchFolder();
    write(folder, sealed);
    const good = {
      code: 0,
      ok: true,
      bad: null,
      runs: [{ run: RUN, events: 14, anchor: 'terminal', keys: 'recorded' }],
    };
    expect(await verify(folder, EVENTS)).toMatchObject(good);
    expect(await verify(folder, `runs/2026/11/${RUN}`)).toMatchObject(good);
    expect(await verify(folder, '.')).toMatchObject(good);
    expect((await verify(folder, '.')).runs[0]?.head).toMatch(/^13:[0-9a-f]{64}$/);
    expect((await call('logbook verify', folder, '.')).out).toMatch(
      /^ferry-daily-20261121: 14 events, head 13:.*\ngood\n$/,
    );
  });

  it('reports the first bad entry and its file', async () => {
    const folder = createScratchFolder();
    write(folder, sealed.replace('"comment":502', '"comment":503'));
    expect(await verify(folder, '.')).toMatchObject({
      code: 1,
      ok: false,
      bad: { file: EVENTS, line: 12, seq: 11, reason: 'hash' },
    });
    write(folder, sealed);
    const bytes = Buffer.from(sealed, 'utf8');
    bytes[first(4).length + 20] = 0xff;
    writeFileSync(join(folder, EVENTS), bytes);
    expect(await verify(folder, '.')).toMatchObject({ bad: { line: 5, reason: 'canonical', message: 'not UTF-8' } });
    expect((await call('logbook verify', folder, '.')).out).toContain(
      `bad: ${EVENTS} line 5 (entry 4): canonical: not UTF-8`,
    );
  });

  it('needs a head for a run that has not ended: from git history or given as a flag', async () => {
    const loose = createScratchFolder();
    write(loose, first(9));
    expect(await verify(loose, '.')).toMatchObject({
      code: 1,
      bad: { reason: 'unanchored', line: 10 },
      runs: [{ anchor: 'none' }],
    });
    const hash = composeFile(listFerryEvents(2)).events[8]?.hash ?? '';
    expect(await verify(loose, '.', '--head', `8:${hash}`)).toMatchObject({ code: 0, runs: [{ anchor: 'flag' }] });
    expect(await verify(loose, '.', '--head', `8:${hash.slice(0, 12)}`)).toMatchObject({ code: 0 });
    expect((await call('logbook verify', loose, '.', '--head', hash)).code).toBe(2);
    expect(await verify(loose, '.', '--head', `9:${hash}`)).toMatchObject({ code: 1, bad: { reason: 'truncated' } });
    const { folder } = await checkout(first(3), first(9));
    expect(await verify(folder, '.')).toMatchObject({ code: 0, runs: [{ anchor: 'git', events: 9 }] });
    expect(await verify(folder, EVENTS)).toMatchObject({ code: 0, runs: [{ anchor: 'git' }] });
    expect(await verify(folder, `runs/2026/11/${RUN}`)).toMatchObject({ code: 0, runs: [{ anchor: 'git' }] });
  });

  it("detects by the journal's checkpoint that a finished run was cut or deleted together with its history", async () => {
    const { seq, hash, at } = composeFile(listFerryEvents(2)).events.at(-1) ?? { seq: 0, hash: '', at: '' };
    const ended = [{ run: brandAs(RUN, isRunId), firstEntryAt: at, seq, hash, launched: true }];
    const draft = { type: 'record-checkpointed', role: 'control', data: { ended, live: [] } } as const;
    const checkpointed = async (text: string | null): Promise<string> => {
      const { folder, git } = await checkout(...(text === null ? [] : [text]));
      mkdirSync(join(folder, 'journal'));
      writeFileSync(join(folder, 'journal/events.jsonl'), composeFile([draft], 'journal').text);
      await git('add', '--all');
      await git('commit', '--quiet', '-m', 'log');
      return folder;
    };
    expect(await verify(await checkpointed(sealed), '.')).toMatchObject({ code: 0, ok: true });
    const bad = { file: EVENTS, reason: 'truncated' };
    expect(await verify(await checkpointed(first(seq)), '.')).toMatchObject({ code: 1, bad });
    expect(await verify(await checkpointed(null), '.')).toMatchObject({ code: 1, bad });
  });

  it("detects entries that the branch's history has and the file lacks", async () => {
    const { folder, git } = await checkout(first(3), first(9));
    write(folder, first(7));
    expect(await verify(folder, '.')).toMatchObject({ code: 1, bad: { reason: 'truncated', line: 8, seq: 7 } });
    await git('commit', '--quiet', '-am', 'shorter');
    expect(await verify(folder, '.')).toMatchObject({ code: 1, bad: { reason: 'truncated', line: 8 } });
    await git('rm', '--quiet', EVENTS);
    await git('commit', '--quiet', '-m', 'away');
    expect(await verify(folder, '.')).toMatchObject({ code: 1, bad: { reason: 'truncated', line: 1, seq: 0 } });
    write(folder, first(9));
    await git('add', '--all');
    await git('commit', '--quiet', '-m', 'put right again');
    expect(await verify(folder, '.')).toMatchObject({ code: 0 });
  });

  it('detects by history that one of several files of a long run is missing or cut', async () => {
    const { folder, git } = await checkout(first(5));
    const further = join(folder, EVENTS.replace('.jsonl', '-0002.jsonl'));
    const rest = (to: number): string => linesOf(sealed).slice(5, to).join('');
    writeFileSync(further, rest(9));
    await git('add', '--all');
    await git('commit', '--quiet', '-m', 'further');
    expect(await verify(folder, '.')).toMatchObject({ code: 0, runs: [{ events: 9, anchor: 'git' }] });
    writeFileSync(further, rest(7));
    const cut = { code: 1, bad: { reason: 'truncated', line: 3, seq: 7 } };
    expect(await verify(folder, '.')).toMatchObject(cut);
    await git('rm', '--quiet', '--force', further);
    await git('commit', '--quiet', '-m', 'away');
    const gone = { reason: 'truncated', line: 1, seq: 5, file: expect.stringMatching(/events-0002.jsonl$/) };
    expect(await verify(folder, '.')).toMatchObject({ code: 1, bad: gone });
  });

  it('detects a rewritten past that was signed correctly, and a merge that drops entries', async () => {
    const other = composeFile(listFerryEvents(0)).text;
    const { folder } = await checkout(first(9), linesOf(other).slice(0, 12).join(''));
    expect(await verify(folder, '.')).toMatchObject({ code: 1, bad: { reason: 'hash', line: 9 } });
    const merged = await checkout(first(3), first(9));
    await merged.git('checkout', '--quiet', '-b', 'side', 'HEAD~1');
    await merged.git('commit', '--quiet', '--allow-empty', '-m', 'side');
    await merged.git('merge', '--quiet', '--strategy=ours', '-m', 'hide', 'logbook');
    expect(await verify(merged.folder, '.')).toMatchObject({ code: 1, bad: { reason: 'truncated', line: 4 } });
  });

  it('accepts the keys of a config, even if other parts of the config are invalid', async () => {
    const folder = createScratchFolder();
    write(folder, sealed);
    const listed = (of: typeof keys): string =>
      `unknown: [1]\nkeys:\n${of.map((key) => `  - {id: ${key.id}, role: ${key.role}, public: "${key.public}", from: "${key.from}", until: "${key.until}"}\n`).join('')}`;
    writeFileSync(join(folder, 'c.yml'), listed(keys));
    expect(await verify(folder, '.', '--keys', 'c.yml')).toMatchObject({ code: 0, runs: [{ keys: 'config' }] });
    writeFileSync(join(folder, 'c.yml'), listed(keys.map((key) => ({ ...key, public: seededKey(9).public }))));
    expect(await verify(folder, '.', '--keys', 'c.yml')).toMatchObject({
      code: 1,
      bad: { reason: 'signature', line: 1 },
    });
  });

  it("runs no program that the checkout's git config names", async () => {
    const { folder, git } = await checkout(first(3), first(9));
    const trap = `touch ${join(folder, 'sprung')}`;
    for (const key of [
      'core.fsmonitor',
      'core.sshCommand',
      'diff.external',
      'core.pager',
      'gpg.program',
      'diff.x.textconv',
    ])
      await git('config', key, trap);
    await git('config', 'log.showSignature', 'true');
    writeFileSync(join(folder, '.gitattributes'), '*.jsonl diff=x\n');
    expect(await verify(folder, '.')).toMatchObject({ code: 0 });
    expect((await runProgram('ls', [join(folder, 'sprung')], { env: environment })).ok).toBe(false);
  });
});

describe('logbook show', () => {
  it('prints the run, also while it has not ended, and stops at a bad entry', async () => {
    const folder = createScratchFolder();
    write(folder, first(9));
    const shown = await call('logbook show', folder, '.');
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('2026-11-21 09:07 UTC  submitted: job ferrybot-ferry-daily-20261121-a1 was submitted');
    const json = JSON.parse((await call('logbook show', folder, '.', '--json')).out);
    expect(json).toMatchObject({ ok: true, runs: [{ run: RUN, bad: null }] });
    expect(json.runs[0].events[3]).toMatchObject({
      seq: 3,
      type: 'approved',
      actor: 'alice',
      status: 'approved by @alice (101)',
    });
    write(folder, first(9).replace('"comment":501', '"comment":502'));
    const bad = await call('logbook show', folder, '.');
    expect(bad.code).toBe(1);
    expect(bad.out).toContain('bad: line 3 (entry 2): hash');
    expect(bad.out).not.toContain('submitted');
  });
});
