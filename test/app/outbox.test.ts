/** What a watch of many runs posts: all alerts first, no more than GitHub allows, and the rest later. */

import { expect, it } from 'vitest';
import { benchGitHub } from '../../bench/watch-github.ts';
import type { Trouble } from '../../src/app/contained-errors.ts';
import { createPostedCache } from '../../src/app/markers.ts';
import type { OpenLab } from '../../src/app/open-lab.ts';
import { postPending } from '../../src/app/outbox.ts';
import { addMs, brandAs, type Instant, isInstant } from '../../src/domain/values.ts';
import { createClient } from '../../src/github/call.ts';
import { sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';
import { CONTENT_WRITES } from '../../src/run/publications.ts';
import { seededKey } from '../logbook/sample-logbook.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob, digestOf } from '../support/run-drafts.ts';
import { aConfig } from '../support/run-parts.ts';

const MINUTE_MS = 60_000;
const LOST = { signature: 'loss-not-finite', class: 'nan', response: 'escalate', line: 'loss=nan' };

/** Runs after one observation with a pending post; the last `alarmed` runs have a pending incident too. */
function watched(count: number, alarmed: number) {
  const clock: { now: Instant } = { now: brandAs(Date.parse('2026-11-21T09:08:00.000Z'), isInstant) };
  const runs = Array.from({ length: count }, (_, index): RunBuilder => {
    const thread = 100 + index;
    const run = aRun({ run: `ferry-daily-20261121-${index + 2}`, issue: thread, pull: thread });
    const looked = run.gated().approved(bob).ordered().submitted().observed();
    return index < count - alarmed ? looked : looked.incident('failure-signature', LOST);
  });
  const github = benchGitHub();
  const client = createClient({
    octokit: {
      request: async (route, parameters) => {
        const answer = github.answer({ route, parameters, nowMs: clock.now });
        return { ...answer, headers: {} };
      },
    },
    ...{ owner: 'lab', repo: 'models', baseUrl: 'https://api.github.com', sleep: async () => undefined },
    now: () => clock.now,
  });
  const states = runs.map(({ state }) => state);
  const ours = new Map(
    runs.map(({ state, events }) => [
      state.run as string,
      new Set(events.filter(({ role }) => role === 'watch').map(({ seq }) => seq)),
    ]),
  );
  // Only the parts of a lab that posting uses.
  const open = {
    lab: {
      ...{ repository: 'lab/models', client, hash: sha256Hex, digestOf, verifySignature: verifyEd25519 },
      ...{ signingKeys: { watch: seededKey(3) }, now: () => clock.now, log: () => undefined },
      boundary: () => undefined,
    },
    config: aConfig(),
    store: { current: () => ({ runs: states, broken: [] }), appended: (run: string) => ours.get(run) ?? new Set() },
    posted: createPostedCache(),
  } as unknown as OpenLab; // an edge of trust: a part stands for the whole
  const kinds = (): readonly string[] => github.writes.map(({ body }) => /kind=(\S+)/.exec(body)?.[1] ?? '');
  const turn = async (pass: 'alerts' | 'all', minutes = 0): Promise<void> => {
    clock.now = addMs(clock.now, minutes * MINUTE_MS);
    const troubles: Trouble[] = [];
    await postPending(open, troubles, pass);
    expect(troubles).toEqual([]);
  };
  return { turn, kinds, writes: github.writes };
}

it('posts every incident before anything else, in any order of runs', async () => {
  const { turn, kinds } = watched(6, 2);
  await turn('alerts');
  expect(kinds()).toEqual(['incident', 'incident']);
  await turn('all');
  expect(kinds().slice(2)).toContain('tracker');
  expect(kinds().filter((kind) => kind === 'incident')).toHaveLength(2);
});

it('posts no more per minute than allowed, still posts alerts, and posts the rest later, nothing twice', async () => {
  const { others, alerts } = CONTENT_WRITES;
  const { turn, kinds, writes } = watched(45, 0);
  await turn('all');
  expect(writes).toHaveLength(others.minute);
  await turn('all');
  expect(writes).toHaveLength(others.minute);
  for (let minute = 0; minute < 10; minute += 1) await turn('all', 1);
  expect(writes.length).toBeGreaterThan(others.minute);
  const said = kinds().filter((kind) => kind === 'tracker');
  expect(said).toHaveLength(45);
  const many = watched(alerts.minute + 20, alerts.minute + 20);
  await many.turn('all');
  expect(many.kinds()).toEqual(Array.from({ length: alerts.minute }, () => 'incident'));
  await many.turn('all', 1);
  expect(many.kinds().filter((kind) => kind === 'incident')).toHaveLength(alerts.minute + 20);
});
