/** runProgram: every outcome is a value, and the child gets only the given environment. */

import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/host/process.ts';

const node = process.execPath;
const js = (source: string): readonly string[] => ['-e', source];

describe('runProgram', () => {
  it('returns exit code and both outputs, unchanged', async () => {
    const result = await runProgram(node, js('console.log("käse"); console.error("b"); process.exit(3)'), { env: {} });
    expect(result).toMatchObject({ kind: 'exited', ok: false, exitCode: 3, stdout: 'käse\n', stderr: 'b\n' });
  });

  it('passes arguments unchanged and input on stdin', async () => {
    const source = 'process.stdin.pipe(process.stdout); process.stdout.write(process.argv[1])';
    const result = await runProgram(node, [...js(source), '$(touch x); `id`'], { env: {}, input: 'in' });
    expect(result).toMatchObject({ ok: true, stdout: '$(touch x); `id`in' });
  });

  it('passes no part of our environment to the child', async () => {
    process.env['FERRYBOT_SECRET_FOR_TEST'] = 'secret';
    const result = await runProgram(node, js('console.log(JSON.stringify(process.env))'), { env: { ONLY: 'this' } });
    delete process.env['FERRYBOT_SECRET_FOR_TEST'];
    expect(JSON.parse(result.stdout)).toEqual({ ONLY: 'this' });
  });

  it('reports a missing program or working directory', async () => {
    expect(await runProgram('no-such-program-here', [], { env: {} })).toMatchObject({
      kind: 'not-started',
      code: 'ENOENT',
      exitCode: null,
    });
    expect(await runProgram(node, [], { env: {}, cwd: '/no/such/folder' })).toMatchObject({
      kind: 'not-started',
      ok: false,
    });
  });

  it('ends a program that takes too long, writes too much, or is cancelled', async () => {
    const sleep = js('setTimeout(() => {}, 60000)');
    expect(await runProgram(node, sleep, { env: {}, timeoutMs: 200 })).toMatchObject({
      kind: 'timed-out',
      timedOut: true,
      exitCode: null,
    });
    const flood = await runProgram(node, js('process.stdout.write("é".repeat(100000))'), {
      env: {},
      outputBytesMax: 1000,
    });
    expect(flood.kind).toBe('output-limit');
    expect(Buffer.byteLength(flood.stdout)).toBeLessThanOrEqual(1002);
    expect(await runProgram(node, sleep, { env: {}, signal: AbortSignal.timeout(200) })).toMatchObject({
      kind: 'cancelled',
    });
  });

  it('does not wait for a detached child that keeps the outputs of an ended program open', async () => {
    const child = "setTimeout(() => {}, 300_000); process.on('SIGTERM', () => {})";
    const source = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit', detached: true });
      child.unref(); console.log(child.pid);`;
    const started = performance.now();
    const done = await runProgram(node, js(`${source} process.exitCode = 3;`), { env: {} });
    expect(done).toMatchObject({ kind: 'exited', exitCode: 3, stdout: expect.stringMatching(/^\d+\n$/) });
    const hung = await runProgram(node, js(`${source} setInterval(() => {}, 1e6);`), { env: {}, timeoutMs: 5_000 });
    expect(hung).toMatchObject({ kind: 'timed-out', stdout: expect.stringMatching(/^\d+\n$/) });
    expect(performance.now() - started).toBeLessThan(150_000);
    for (const { stdout } of [done, hung]) process.kill(Number(stdout), 'SIGKILL');
  });

  it('distinguishes a signal from an exit', async () => {
    const result = await runProgram(node, js('process.kill(process.pid, "SIGKILL")'), { env: {} });
    expect(result).toMatchObject({ kind: 'signalled', signal: 'SIGKILL', exitCode: null });
  });
});
