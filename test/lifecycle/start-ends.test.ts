/**
 * `npm start` reports why it cannot start or was interrupted, as text and one line of JSON, and leaves no
 * processes.
 */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { readProcessStat } from '../../packages/playground/actions/runner/group-record.ts';
import { descendants, PROGRAM, startProcess } from '../support/start-process.ts';

describe('npm start', () => {
  it('names a port that is in use, and the option to choose another', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-port-'));
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const start = startProcess(folder, '--port', String(port));
      const { code, answer } = await start.ended;
      expect(code).toBe(1);
      expect(answer).toMatchObject({ ok: false, stages: [], logbook: join(folder, 'logbook') });
      expect(answer?.reason).toMatch(/in-use/);
      expect(start.said()).toMatch(new RegExp(`port ${port} is in use; choose another with --port`));
    } finally {
      taken.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** Ctrl-C as in a terminal: the signal goes to the whole group, and npm forwards it a second time. */
function interrupt(group: number): void {
  process.kill(-group, 'SIGINT');
  process.kill(group, 'SIGINT');
}

describe('Ctrl-C', () => {
  it('ends npm start and all its processes with exit code 0', async () => {
    const child = spawn(process.execPath, [PROGRAM, '--port', '0'], {
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    let said = '';
    for await (const line of createInterface({ input: child.stdout })) {
      said += `${line}\n`;
      if (line.startsWith('Ctrl-C')) break;
    }
    const folder = /its files: (\S+)/.exec(said)?.[1] ?? '';
    expect(folder).not.toBe('');
    expect(said).toMatch(/comment the \/approve-launch line of its card as mira/);
    const started = await descendants(child.pid ?? -1);
    expect(started.length).toBeGreaterThan(0);
    interrupt(child.pid ?? -1);
    expect(await ended).toBe(0);
    const left = started.filter((pid) => !['Z', undefined].includes(readProcessStat(pid)?.state));
    expect(left.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  });

  it('ends --auto with its line of JSON and the reason', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-interrupted-'));
    const start = startProcess(folder);
    await start.reached('proposed');
    start.child.kill('SIGINT');
    const { code, answer } = await start.ended;
    expect(code).toBe(1);
    expect(answer).toMatchObject({ ok: false, reason: 'interrupted', logbook: join(folder, 'logbook') });
    expect(answer?.stages.map(({ stage }) => stage)).toContain('proposed');
    await rm(folder, { recursive: true, force: true });
  });
});
