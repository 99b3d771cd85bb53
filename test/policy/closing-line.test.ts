/** The last line of `npm test` is correct, checked with small test runs in a separate process. */

import { spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closingLine, judge, NO_TALLY } from '../support/closing-line-reporter.ts';

const IMPORTS = "import { beforeAll, describe, expect, it } from 'vitest';\n";
const PASS = "it('passes', () => expect(1).toBe(1));\n";

type Run = { readonly exitCode: number | null; readonly lines: readonly string[]; readonly last: string };

/** Runs test/run.ts on a folder with one test file. */
async function runOn(body: string, ci: '' | 'true' = '', args: readonly string[] = []): Promise<Run> {
  const root = await mkdtemp(join(tmpdir(), 'closing-line-'));
  try {
    await symlink(resolve('node_modules'), join(root, 'node_modules'));
    await writeFile(join(root, 'package.json'), '{"type":"module"}');
    await writeFile(join(root, 'small.test.ts'), IMPORTS + body);
    // One file for both streams, because the order of writes to two pipes is unknown.
    const output = join(root, 'output.txt');
    await using file = await open(output, 'w');
    const child = spawn(process.execPath, [resolve('test/run.ts'), '--root', root, ...args], {
      stdio: ['ignore', file.fd, file.fd],
      // Vitest sets these for its workers; the inner run must not treat itself as a worker.
      env: {
        ...process.env,
        ...{ CI: ci, VITEST: undefined, VITEST_MODE: undefined, NODE_ENV: undefined, NO_COLOR: '1' },
      },
    });
    const exitCode = await new Promise<number | null>((exited, failed) =>
      child.once('exit', exited).once('error', failed),
    );
    const lines = (await readFile(output, 'utf8')).trimEnd().split('\n');
    return { exitCode, lines, last: lines.at(-1) ?? '' };
  } finally {
    await rm(root, { recursive: true });
  }
}

describe('npm test', () => {
  it('ends with the counts, and exits 0 when all tests passed', async () => {
    const run = await runOn(PASS + PASS.replace('passes', 'passes too'));
    expect([run.last, run.exitCode]).toEqual(['2 passed, 0 failed', 0]);
  });

  // rule AG-13
  it('counts failures, and exits 1', async () => {
    const run = await runOn(`${PASS}it('fails', () => expect(1).toBe(2));`);
    expect([run.last, run.exitCode]).toEqual(['1 passed, 1 failed', 1]);
  });

  it('counts a file that does not load and a hook that throws as failures', async () => {
    const unloadable = await runOn("throw new Error('at load');");
    expect([unloadable.last, unloadable.exitCode]).toEqual(['0 passed, 1 failed', 1]);
    const hook = await runOn(
      `${PASS}describe('x', () => { beforeAll(() => { throw new Error('hook'); }); it('a', () => {}); });`,
    );
    expect([hook.last, hook.exitCode]).toEqual(['1 passed, 1 failed, 1 skipped', 1]);
  });

  it('counts an error outside any test', async () => {
    const run = await runOn(
      `${PASS}it('late', async () => { setTimeout(() => { throw new Error('stray'); }, 5); await new Promise((r) => setTimeout(r, 60)); });`,
    );
    expect([run.last, run.exitCode]).toEqual(['2 passed, 1 failed', 1]);
  });

  it('retries a failed test once in CI and reports it, but not in a local run', async () => {
    const body = `let tries = 0;it('is late', () => { tries += 1; expect(tries).toBe(2); });`;
    const inCi = await runOn(body, 'true');
    expect([inCi.last, inCi.exitCode]).toEqual(['1 passed, 0 failed', 0]);
    expect(inCi.lines).toContain('passed only when it was tried again: small.test.ts > is late');
    const byHand = await runOn(body);
    expect([byHand.last, byHand.exitCode]).toEqual(['0 passed, 1 failed', 1]);
  });

  it('lists each skipped test with its reason, from its note or from its suite', async () => {
    const body = `${PASS}it('needs a moon', ({ skip }) => skip('no moon here'));
      describe.skipIf(true)('stars', { meta: { skipReason: 'clouds' } }, () => { it('shine', () => {}); });`;
    const run = await runOn(body);
    expect([run.last, run.exitCode]).toEqual(['1 passed, 0 failed, 2 skipped', 0]);
    expect(run.lines).toContain('skipped: small.test.ts > needs a moon: no moon here');
    expect(run.lines).toContain('skipped: small.test.ts > stars > shine: clouds');
    const inCi = await runOn(body, 'true');
    expect([inCi.last, inCi.exitCode]).toEqual(['1 passed, 0 failed, 2 skipped', 1]);
  });

  it('fails on a skip without a reason, also outside CI', async () => {
    const run = await runOn(`${PASS}it.skip('quiet', () => {});`);
    expect([run.last, run.exitCode]).toEqual(['1 passed, 0 failed, 1 skipped', 1]);
  });

  it('fails when no test ran', async () => {
    const run = await runOn(PASS, '', ['no-such-file']);
    expect([run.last, run.exitCode]).toEqual(['0 passed, 1 failed', 1]);
  });
});

describe('the verdict', () => {
  it('never passes a run that was interrupted', () => {
    expect(judge({ ...NO_TALLY, passed: 3 }, false).isGood).toBe(false);
    expect(judge({ ...NO_TALLY, passed: 3, complete: true }, false).isGood).toBe(true);
    expect(closingLine({ ...NO_TALLY, passed: 3 })).toBe('3 passed, 1 failed');
  });
});
