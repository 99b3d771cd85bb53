/** Finding the repositories of an App: all pages are read, and a failing installation hides no other. */

import { describe, expect, it } from 'vitest';
import { APP_PERMISSIONS, createDiscovery, DISCOVERY_PERIOD_MS } from '../../../src/app/server/discovery.ts';
import { createQueues } from '../../../src/app/server/serve.ts';
import type { WorkQueue } from '../../../src/app/server/work-queue.ts';

const GRANTED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]),
);

type Installation = {
  readonly id: number;
  readonly repositories: number;
  readonly suspended_at?: string | null;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly broken?: boolean;
};

/** GitHub with these installations, which a test may change, its clock, and the log. */
function github(installations: Installation[]) {
  const log: string[] = [];
  let nowMs = 0;
  let requests = 0;
  const discover = createDiscovery({
    installations: async () => {
      requests += 1;
      return installations.map((one) => ({
        permissions: GRANTED,
        suspended_at: null,
        account: { login: `org-${one.id}` },
        ...one,
      }));
    },
    repositories: async (id) => {
      const found = installations.find((one) => one.id === id);
      if (found === undefined || found.broken === true) throw new Error('Bad credentials');
      requests += 1;
      return Array.from({ length: found.repositories }, (_, n) => ({
        full_name: `org-${id}/r${n}`,
        default_branch: 'main',
      }));
    },
    now: () => nowMs,
    log: (line) => log.push(line),
  });
  const names = async (): Promise<readonly string[]> =>
    (await discover()).map(({ repository }) => repository);
  return { names, discover, log, installations, later: (ms: number) => (nowMs += ms), asked: () => requests };
}

describe('the discovery of installations', () => {
  it('returns the others when one cannot be read, logs that once, and retries at the next call', async () => {
    const hub = github([
      { id: 1, repositories: 1, broken: true },
      { id: 2, repositories: 1 },
    ]);
    expect(await hub.names()).toEqual(['org-2/r0']);
    expect(await hub.names()).toEqual(['org-2/r0']);
    expect(hub.log).toEqual(['installation 1: its repositories could not be listed: Bad credentials']);
    hub.installations[0] = { id: 1, repositories: 1 };
    expect((await hub.names()).toSorted()).toEqual(['org-1/r0', 'org-2/r0']);
    const asked = hub.asked();
    await hub.names();
    expect(hub.asked()).toBe(asked);
  });

  it('skips a suspended installation and logs missing permissions, each in one line', async () => {
    const rest = Object.fromEntries(Object.entries(GRANTED).filter(([name]) => name !== 'checks'));
    const hub = github([
      { id: 1, repositories: 1, suspended_at: '2026-11-20T00:00:00Z' },
      { id: 2, repositories: 1, permissions: { ...rest, issues: 'read' } },
    ]);
    for (let round = 0; round < 3; round += 1) {
      expect(await hub.names()).toEqual(['org-2/r0']);
      hub.later(DISCOVERY_PERIOD_MS + 1);
    }
    expect(hub.log).toEqual([
      'installation 1: suspended for org-1: it is left alone until it is not',
      expect.stringMatching(
        /^installation 2: the App lacks permissions for org-2.*checks: write \(.*; issues: write \(/,
      ),
    ]);
    hub.installations[0] = { id: 1, repositories: 1 };
    expect((await hub.names()).toSorted()).toEqual(['org-1/r0', 'org-2/r0']);
  });
});

describe('the queues of a server', () => {
  const where = (name: string, installation = 1) => ({
    repository: `lab/${name}`,
    branch: 'main',
    installation,
  });
  /** Queues that record pushed triggers; `broken` names those that cannot be opened. */
  function server() {
    const pushed: string[] = [];
    const log: string[] = [];
    const broken = new Set<string>();
    const dead = new Set<string>();
    const opened: string[] = [];
    const queues = createQueues({
      installed: async () => [where('a'), where('b'), where('c')],
      open: async ({ repository }): Promise<WorkQueue> => {
        opened.push(repository);
        if (broken.has(repository)) throw new Error('no token');
        const push = (trigger: { readonly kind: string }): void => {
          if (dead.has(repository)) throw new TypeError('a bug');
          pushed.push(`${repository} ${trigger.kind}`);
        };
        return { push, idle: async () => undefined };
      },
      log: (line) => log.push(line),
    });
    return { queues, pushed, log, broken, dead, opened };
  }

  it('sweep every repository that can be opened, and retry the others at the next sweep', async () => {
    const { queues, pushed, log, broken, opened } = server();
    broken.add('lab/b');
    await queues.sweep();
    expect(pushed).toEqual(['lab/a sweep', 'lab/c sweep']);
    expect(log).toEqual(['no queue for lab/b: no token']);
    broken.clear();
    await queues.sweep();
    expect(pushed.slice(2)).toEqual(['lab/a sweep', 'lab/b sweep', 'lab/c sweep']);
    expect(opened).toEqual(['lab/a', 'lab/b', 'lab/c', 'lab/b']);
    await expect(queues.idle()).resolves.toBeUndefined();
  });

  it('sweep the other repositories when one raises an error, and log the error', async () => {
    const { queues, pushed, log, dead } = server();
    dead.add('lab/a');
    await queues.sweep();
    expect(pushed).toEqual(['lab/b sweep', 'lab/c sweep']);
    expect(log).toEqual(['a trigger for lab/a was lost until the next sweep: TypeError: a bug']);
  });
});
