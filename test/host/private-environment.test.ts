/** How a process takes its secrets out of its environment, on a Node with `process.execve` and on one without. */

import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

const MODULE = join(import.meta.dirname, '../../src/host/private-environment.ts');
const PROGRAM = `const { takePrivateEnvironment } = await import(${JSON.stringify(MODULE)});
const taken = takePrivateEnvironment();
console.log(taken.LAB_KEY, process.env.LAB_KEY, process.env.PATH === taken.PATH);
process.exitCode = 3;`;
/** As Node had it before 22.15, and as Windows has it. */
const WITHOUT_EXECVE = ['--import', 'data:text/javascript,process.execve=undefined'];

const run = (options: readonly string[], server: string) =>
  execa(process.execPath, [...options, '--input-type=module', '-e', PROGRAM], {
    env: { PATH: process.env['PATH'], LAB_KEY: 'hidden', GITHUB_SERVER_URL: server },
    extendEnv: false,
    reject: false,
  });

describe('a process with a secret', () => {
  it.each([
    ['with execve', [], 'https://github.com'],
    ['without execve, in a rehearsal', WITHOUT_EXECVE, 'http://127.0.0.1:4610'],
  ])('%s has it in no environment, and keeps its exit code', async (_, options, server) => {
    expect(await run(options, server)).toMatchObject({ stdout: 'hidden undefined true', stderr: '', exitCode: 3 });
  });

  it.each(['https://github.com', 'http://git.example.org', 'http://127.0.0.1.example.org', ''])(
    'without execve does not start for %s',
    async (server) => {
      const { exitCode, stdout, stderr } = await run(WITHOUT_EXECVE, server);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        /^ferrybot takes its keys out of its environment by process\.execve, which v\S+ on \S+ lacks: run it in Node 22\.15/,
      );
      expect(stderr.split('\n')).toHaveLength(1);
    },
  );
});
