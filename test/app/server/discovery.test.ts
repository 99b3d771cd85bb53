/** Finding the repositories of an App: all pages are read, and a failing installation hides no other. */

import { describe, expect, it } from 'vitest';
import { APP_PERMISSIONS, createDiscovery, DISCOVERY_PERIOD_MS } from '../../../src/app/server/discovery.ts';

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
  const names = async (): Promise<readonly string[]> => (await discover()).map(({ repository }) => repository);
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
