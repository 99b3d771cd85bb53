/**
 * A rented machine destroys itself when watch, runner and GitHub are gone: a real process with its own key.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { submitTo } from '../support/capabilities.ts';
import { openVastBench, type VastBench } from '../support/vast-bench.ts';

const MACHINE = 7_000_001;
const DESTROYS = `DELETE /api/v0/instances/${MACHINE}/`;

let bench: VastBench;
afterEach(async () => {
  vi.unstubAllEnvs();
  await bench.end();
});

/** Programs that the machine finds first in its PATH. */
async function machineWith(programs: Readonly<Record<string, string>>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-programs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(folder, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
}
/** Shortens waits of half a minute. */
const IMPATIENT = { sleep: '[ "$1" = 30 ] && exec /bin/sleep 0.05\nexec /bin/sleep "$@"' };

const isGone = (): boolean => {
  const instance = bench.vast.account.find(MACHINE);
  return instance === null || instance.next?.to === 'gone';
};

it.each([
  ['its job has ended', 'true', { endGraceMinutes: 0.02 }],
  ['its maximum lifetime is over, although its job ignores signals', 'trap "" TERM; sleep 1000', { hoursMax: 0.0005 }],
])(
  'destroys the machine once %s, however often the calls to Vast.ai fail',
  async (_, script, changes) => {
    bench = await openVastBench(changes);
    for (const kind of ['server-error', 'too-many', 'lost-request', 'said-but-not-done'] as const)
      bench.vast.faults.arm({ kind, route: DESTROYS, times: 5 });
    await machineWith(IMPATIENT);
    await submitTo(bench.engine, bench.spec(script));
    await bench.until(MACHINE, 'running');
    const seen = bench.vast.asked.length;
    await expect.poll(isGone, { timeout: 20_000 }).toBe(true);
    // Since then, only the machine itself has made requests.
    const since = bench.vast.asked.slice(seen).map(({ route }) => route);
    expect(new Set(since)).toEqual(new Set([DESTROYS]));
    expect(since.length).toBeGreaterThan(20);
  },
  30_000,
);

it('destroys only its own machine', async () => {
  bench = await openVastBench({ endGraceMinutes: 0.02 });
  await machineWith(IMPATIENT);
  const other = bench.spec('sleep 1000', { submissionId: 'job-2' });
  await submitTo(bench.engine, bench.spec('true'));
  await submitTo(bench.engine, other);
  await bench.until(MACHINE, 'running');
  await expect.poll(isGone, { timeout: 20_000 }).toBe(true);
  const key = bench.vast.account.find(MACHINE + 1)?.apiKey ?? '';
  const answer = await fetch(`${bench.vast.url}/api/v0/instances/${MACHINE}/`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(answer.ok).toBe(false);
  expect(bench.vast.account.find(MACHINE + 1)?.next?.to).not.toBe('gone');
});
