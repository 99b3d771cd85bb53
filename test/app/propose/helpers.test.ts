/** The lab's own programs as real processes: their environment, their folder and their limits. */

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHelpers } from '../../../src/app/propose/helpers.ts';
import { GitError, type GitExporter } from '../../../src/domain/git.ts';
import { brandAs, isSha } from '../../../src/domain/values.ts';

const helpers = createHelpers(process.env['PATH'] ?? '');
const COMMIT = brandAs('a'.repeat(40), isSha);
const bounds = { request: null, about: [], input: '', timeoutMs: 20_000, outputBytesMax: 100_000 };
const script = (code: string): readonly string[] => [process.execPath, '-e', code];

/** A commit with one file. */
const git: GitExporter = {
  exportTree: async (_, __, directory) => {
    await mkdir(join(directory, 'lib'), { recursive: true });
    await writeFile(join(directory, 'lib/a.py'), 'A = 1\n');
    return { files: [], submodules: [], ids: {} };
  },
};

describe('a proposer', () => {
  afterEach(() => {
    delete process.env['GITHUB_TOKEN'];
  });

  it("sees only PATH from ferrybot's environment, in a folder that is deleted afterwards", async () => {
    process.env['GITHUB_TOKEN'] = 'ghs_secret';
    const code = 'console.log(JSON.stringify([Object.keys(process.env), process.cwd()]))';
    const result = await helpers.ask({ ...bounds, command: script(code) });
    const [names, folder] = JSON.parse(result.stdout) as [string[], string];
    expect(names).toEqual(['PATH']);
    expect(folder).toContain('ferrybot-helper-');
    expect(existsSync(folder)).toBe(false);
  });

  it('reads the context from its standard input', async () => {
    const code = 'process.stdin.pipe(process.stdout)';
    expect(await helpers.ask({ ...bounds, command: script(code), input: '{"v":1}\n' })).toMatchObject({
      ok: true,
      stdout: '{"v":1}\n',
    });
  });

  it('ends with a separate error kind for a timeout, too much output and a missing program', async () => {
    const kinds = await Promise.all([
      helpers.ask({ ...bounds, command: script('setInterval(() => {}, 1000)'), timeoutMs: 300 }),
      helpers.ask({ ...bounds, command: script('for (;;) console.log("x".repeat(999))'), outputBytesMax: 5_000 }),
      helpers.ask({ ...bounds, command: ['no-such-program-here'] }),
    ]);
    expect(kinds.map(({ kind }) => kind)).toEqual(['timed-out', 'output-limit', 'not-started']);
  });
});

describe('the checks', () => {
  const tree = { request: null, git, commit: COMMIT, files: { 'experiments/x.py': 'B = 2\n' } };

  it('run in a checkout with the edit, in a repository without history and with a separate home', async () => {
    const code = `
      const { execFileSync } = require('node:child_process');
      const { readFileSync } = require('node:fs');
      const names = execFileSync('git', ['ls-files']).toString().trim();
      const said = [names, readFileSync('experiments/x.py', 'utf8'), Object.keys(process.env).sort().join()];
      console.error(JSON.stringify([...said, process.env.HOME === process.env.TMPDIR]));
      process.exit(1);`;
    const failed = await helpers.check({ ...tree, commands: [script('1'), script(code)] });
    expect(JSON.parse(failed?.result.stderr ?? '')).toEqual(['lib/a.py', 'B = 2\n', 'HOME,PATH,TMPDIR', true]);
    expect(failed?.command[2]).toBe(code);
  });

  it('pass only if each command passes', async () => {
    expect(await helpers.check({ ...tree, commands: [script('1'), script('2')] })).toBeNull();
    const failed = await helpers.check({ ...tree, commands: [script('process.exit(7)'), script('2')] });
    expect(failed?.result.exitCode).toBe(7);
  });
});

describe('a machine without disk space', () => {
  it('raises a git error, so that the command is retried later and blocks no other command', async () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(import.meta.dirname, 'no-such-folder');
    try {
      const call = { ...bounds, git, commit: COMMIT, files: {}, commands: [] };
      await expect(helpers.check(call)).rejects.toBeInstanceOf(GitError);
      await expect(helpers.ask({ ...bounds, command: script('') })).rejects.toBeInstanceOf(GitError);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });
});
