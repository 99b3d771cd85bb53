/**
 * SIGKILL on real processes: server, watch and the whole program are killed during one ferry; it launches
 * once and is sealed.
 */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readMarker } from '../../src/domain/marker.ts';
import { recordedEvents } from '../support/run-record.ts';
import { actionProcesses, type StartProcess, startProcess } from '../support/start-process.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-kill-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const worldSchema = z.object({
  users: z.record(z.string(), z.object({ type: z.string() })),
  comments: z.record(z.string(), z.object({ authorId: z.number(), body: z.string() })),
});

/** Kind and key of every ferrybot comment in the saved world. */
async function said(): Promise<readonly string[]> {
  const kept: unknown = JSON.parse(await readFile(join(folder, 'world.json'), 'utf8'));
  const world = worldSchema.parse(kept);
  return Object.values(world.comments).flatMap(({ authorId, body }) => {
    const marker = readMarker(body);
    if (marker === null || world.users[authorId]?.type !== 'Bot') return [];
    return [`${marker.kind} ${marker.key}`];
  });
}

/** Kills the action process in this mode, waiting until it exists. Its job then fails. */
async function killAction(start: StartProcess, mode: string): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    const [pid] = await actionProcesses(start.child.pid ?? -1, mode);
    if (pid !== undefined) {
      process.kill(pid, 'SIGKILL');
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no process in mode ${mode} came:\n${start.said()}`);
}

describe('a ferry with killed processes', () => {
  it('is launched once, answers each command once, and is sealed', { timeout: 600_000 }, async () => {
    // Kills the server when the gates pass: the program reports this and exits; then it is restarted.
    const first = startProcess(folder);
    await first.reached('gated');
    process.kill(Number(await readFile(join(folder, 'server.pid'), 'utf8')), 'SIGKILL');
    expect((await first.ended).code).toBe(1);

    // Kills the whole program after the order: the runner may or may not have claimed it.
    const second = startProcess(folder);
    await second.reached('ordered');
    second.child.kill('SIGKILL');
    expect((await second.ended).code).toBeNull();

    // Kills the watch during training: another one takes over. Then kills the whole program after the job's
    // end.
    const third = startProcess(folder);
    await third.reached('stepping');
    await killAction(third, 'watch');
    await third.reached('ended');
    third.child.kill('SIGKILL');
    await third.ended;

    const { code, answer } = await startProcess(folder).ended;
    expect(answer?.reason).toBeNull();
    expect(code).toBe(0);
    const [run] = answer?.runs ?? [];
    const jobs = await readdir(join(folder, 'jobs/jobs'));
    // Folders of jobs; names with a leading dot belong to the engine.
    expect(jobs.filter((name) => !name.startsWith('.'))).toEqual([run?.jobId]);
    const events = await recordedEvents(answer?.logbook ?? '', run?.run ?? '');
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect([count('submitted'), count('ended'), count('sealed')]).toEqual([1, 1, 1]);
    const seen = events.filter((event) => event.type === 'command-seen').map((event) => event.data['name']);
    expect(seen).toEqual(['approve-launch', 'seal']);
    expect(count('command-answered')).toBe(seen.length);
    const spoken = await said();
    expect(spoken.filter((one, index) => spoken.indexOf(one) !== index)).toEqual([]);
    expect(spoken.filter((one) => one.startsWith('answer '))).toHaveLength(seen.length);
  });
});
