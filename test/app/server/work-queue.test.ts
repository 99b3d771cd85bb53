/** The pool of the server: how many repositories it handles at the same time, in which order, and what a stop leaves. */

import { describe, expect, it } from 'vitest';
import type { Worker } from '../../../src/app/control/worker.ts';
import { createQueues, type Handled } from '../../../src/app/server/work-queue.ts';
import type { ReconcileRequest } from '../../../src/domain/reconcile-request.ts';

const where = (name: string) => ({ repository: `lab/${name}`, branch: 'main', pushedAtMs: 0, installation: 1 });
const payload = (name: string) => ({
  repository: { full_name: `lab/${name}`, default_branch: 'main', pushed_at: '1970-01-01T00:00:00Z' },
  installation: { id: 1 },
});
const PUSH: ReconcileRequest = { kind: 'push', ref: 'refs/heads/main' };
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Queues of repositories whose batches run until a test ends them with `end`. */
function server(names: readonly string[], workers: number) {
  const log: string[] = [];
  const started: string[] = [];
  const opened: string[] = [];
  const running = new Map<string, PromiseWithResolvers<void>>();
  const results: Handled[] = [];
  const pushedAt: (number | null)[] = [];
  const broken = new Set<string>();
  const unconfigured = new Set<string>();
  const queues = createQueues({
    workers,
    installed: async () => names.map(where),
    open: async ({ repository, pushedAtMs }): Promise<Worker | null> => {
      opened.push(repository);
      pushedAt.push(pushedAtMs);
      if (broken.has(repository)) throw new Error('no token');
      if (unconfigured.has(repository)) return null;
      return {
        handle: async (triggers) => {
          started.push(`${repository} ${triggers.map(({ kind }) => kind).join('+')}`);
          const batch = Promise.withResolvers<void>();
          running.set(repository, batch);
          await batch.promise.finally(() => running.delete(repository));
        },
        recheckMs: () => null,
        acknowledge: async () => undefined,
        cursor: () => null,
        liveRuns: () => 2,
      };
    },
    onBatch: (result) => results.push(result),
    now: () => 7_000,
    log: (line) => log.push(line),
  });
  const end = async (name: string, error?: Error): Promise<void> => {
    if (error === undefined) running.get(`lab/${name}`)?.resolve();
    else running.get(`lab/${name}`)?.reject(error);
    for (let turns = 0; turns < 5; turns += 1) await turn();
  };
  return { queues, log, started, opened, pushedAt, running, results, broken, unconfigured, end };
}

describe('the queues of a server', () => {
  it('handles at most as many repositories at the same time as there are workers', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `r${n}`);
    const { queues, running, started, end } = server(names, 8);
    const swept = queues.sweep(false);
    await turn();
    let most = 0;
    for (const name of names) {
      most = Math.max(most, running.size);
      expect(queues.state()).toMatchObject({ busy: running.size, waiting: 30 - started.length });
      await end(name);
    }
    await swept;
    expect(most).toBe(8);
    expect(started).toHaveLength(30);
    expect(queues.state()).toEqual({ waiting: 0, busy: 0, opened: 30, liveRuns: 60, sweptAtMs: 7_000 });
  });

  it('handles a webhook before the sweeps that wait, also in a repository that waits for its sweep', async () => {
    const { queues, started, end } = server(['a', 'b', 'c', 'd'], 1);
    const swept = queues.sweep(false);
    await turn();
    const heard = [queues.trigger(payload('d'), PUSH), queues.trigger(payload('other'), PUSH)];
    for (const name of ['a', 'd', 'other', 'b', 'c']) await end(name);
    await swept;
    expect(started).toEqual(['lab/a sweep', 'lab/d sweep+push', 'lab/other push', 'lab/b sweep', 'lab/c sweep']);
    expect(await Promise.all(heard)).toEqual(['handled', 'handled']);
  });

  it('handles what arrives during a batch in the next batch of the repository', async () => {
    const { queues, started, running, end } = server(['a'], 2);
    const first = queues.trigger(payload('a'), PUSH);
    await turn();
    const second = [queues.trigger(payload('a'), PUSH), queues.trigger(payload('a'), { kind: 'sweep' })];
    await turn();
    expect(running.size).toBe(1);
    await end('a');
    expect(await first).toBe('handled');
    await end('a');
    expect(await Promise.all(second)).toEqual(['handled', 'handled']);
    expect(started).toEqual(['lab/a push', 'lab/a push+sweep']);
  });

  it('replaces more triggers than it holds by one sweep', async () => {
    const { queues, started, end } = server([], 1);
    void queues.trigger(payload('a'), PUSH);
    await turn();
    for (let n = 0; n < 500; n += 1) void queues.trigger(payload('a'), PUSH);
    await turn();
    await end('a');
    expect(started[1]).toMatch(/^lab\/a sweep\+push(?:\+push){0,200}$/);
  });

  it('sweeps the other repositories when one fails, and opens that one again at the next sweep', async () => {
    const { queues, started, opened, log, results, broken, end } = server(['a', 'b', 'c'], 8);
    broken.add('lab/b');
    const swept = queues.sweep(false);
    await turn();
    await end('a', new TypeError('a bug'));
    await end('c');
    await swept;
    expect(started).toEqual(['lab/a sweep', 'lab/c sweep']);
    expect(results).toEqual(['failed', 'failed', 'handled']);
    expect(log).toEqual([
      expect.stringMatching(/^lab\/b: a trigger failed: Error: no token/),
      expect.stringMatching(/^lab\/a: a trigger failed: TypeError: a bug/),
    ]);
    expect(queues.state().sweptAtMs).toBe(7_000);
    broken.clear();
    void queues.sweep(false);
    await turn();
    expect(started.slice(2).toSorted()).toEqual(['lab/a sweep', 'lab/b sweep', 'lab/c sweep']);
    expect(opened).toEqual(['lab/a', 'lab/b', 'lab/c', 'lab/b']);
  });

  it.each([
    ['no repository could be listed', [], []],
    ['every repository with a config failed', ['a', 'b'], ['lab/b']],
  ])('reports no successful sweep if %s', async (_, names, unconfigured) => {
    const { queues, broken, unconfigured: without } = server(names, 8);
    for (const name of unconfigured) without.add(name);
    broken.add('lab/a');
    await queues.sweep(false);
    expect(queues.state().sweptAtMs).toBeNull();
  });

  it('keeps no worker of a repository without a config, and looks again at its next trigger', async () => {
    const { queues, opened, pushedAt, unconfigured, end } = server([], 8);
    unconfigured.add('lab/a');
    // A push gives its time in seconds, and a repository may have none.
    for (const pushed_at of [7, '1970-01-01T00:00:08Z', null, undefined]) {
      const other = { ...payload('a'), repository: { ...payload('a').repository, pushed_at } };
      expect(await queues.trigger(other, PUSH)).toBe('unconfigured');
    }
    expect(pushedAt.splice(0)).toEqual([7_000, 8_000, null, null]);
    opened.length = 0;
    expect(await queues.trigger(payload('a'), PUSH)).toBe('unconfigured');
    expect(queues.state().opened).toBe(0);
    unconfigured.clear();
    const next = queues.trigger(payload('a'), PUSH);
    await turn();
    await end('a');
    expect(await next).toBe('handled');
    expect(opened).toEqual(['lab/a', 'lab/a']);
  });

  it('waits at a stop for the running batches, and starts no other', async () => {
    const { queues, started, end } = server(['a', 'b'], 1);
    void queues.sweep(false);
    await turn();
    const stopped = queues.stop(60_000);
    expect(await queues.trigger(payload('c'), PUSH)).toBe('failed');
    await end('a');
    expect(await stopped).toBe(0);
    expect(started).toEqual(['lab/a sweep']);
  });

  it('waits at a stop no longer than its patience', async () => {
    const { queues } = server(['a', 'b'], 8);
    void queues.sweep(false);
    await turn();
    expect(await queues.stop(20)).toBe(2);
  });
});
