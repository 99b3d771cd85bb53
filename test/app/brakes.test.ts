/** The runner's own search for brakes (/hold, /stop, /revoke) that are younger than the newest approval. */

import { afterEach, expect, it } from 'vitest';
import { type BrakedAction, gatherBrakes } from '../../src/app/brakes.ts';
import type { OpenLab } from '../../src/app/open-lab.ts';
import type { Actor } from '../../src/domain/actor.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { EMPTY_JOURNAL } from '../../src/domain/logbook/journal-state.ts';
import { addMs, toRfc3339 } from '../../src/domain/values.ts';
import { createClient } from '../../src/github/call.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { CONFIG } from '../run/parts.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { aComment, NOON } from '../support/run-facts.ts';

const carol = { id: 77, login: 'carol' };
const ROLES: Readonly<Record<string, string>> = { alice: 'maintain', bob: 'maintain', carol: 'read' };
const at = (index: number): Partial<CommentFacts> => ({ id: 100 + index, createdAt: addMs(NOON, index * 1_000) });
const LINE = `/approve-launch ${'ab'.repeat(16)}`;
const approval = aComment(alice, LINE, at(5));

/** Comments in other threads of the repository. */
let abroad: readonly object[] = [];

function inOtherThread(author: Actor, body: string, index: number): object {
  const moment = toRfc3339(addMs(NOON, index * 1_000));
  const user = { ...author, type: 'User' };
  const issue_url = 'https://api.github.example/repos/lab/models/issues/99';
  return { id: 500 + index, body, created_at: moment, updated_at: moment, user, issue_url };
}

const client = createClient({
  octokit: {
    request: async (route, { username }) => {
      if (route.endsWith('/issues/comments')) return { status: 200, data: abroad, headers: {} };
      if (route.endsWith('/pulls/comments')) return { status: 200, data: [], headers: {} };
      if (route.endsWith('/collaborators')) {
        const data = [bob].map(({ id, login }) => ({ id, login, type: 'User', role_name: 'maintain' }));
        return { status: 200, data, headers: {} };
      }
      const login = String(username);
      const user = [alice, bob, carol].find((one) => one.login === login);
      return { status: 200, data: { permission: 'read', role_name: ROLES[login], user }, headers: {} };
    },
  },
  owner: 'lab',
  repo: 'models',
  baseUrl: 'https://api.github.example',
  sleep: async () => undefined,
  now: () => NOON,
});
// Only the parts of a lab that this code uses.
const open = {
  lab: { client, digestOf: (text: string) => `sha256:${sha256Hex(text)}` },
  config: CONFIG,
  store: { current: () => ({ journal: EMPTY_JOURNAL, runs: [] }) },
} as unknown as OpenLab;
const RUN = 'daily-20261121';

/** The brakes that block a launch on alice's approval. */
function brakes(...comments: readonly CommentFacts[]): Promise<readonly string[]> {
  return brakesOf({}, comments);
}

async function brakesOf(change: Partial<BrakedAction>, comments: readonly CommentFacts[]): Promise<readonly string[]> {
  const action = {
    since: NOON,
    basedOn: approval,
    approvers: new Set([alice.id]),
    run: RUN,
    day: { lane: 'daily', date: '2026-11-21' },
    ...change,
  };
  const found = await gatherBrakes(open, action, [approval, ...comments]);
  if (found.kind === 'unknown') throw new Error(found.why);
  return found.value.map(({ name, login }) => `${name} by ${login}`);
}

afterEach(() => {
  abroad = [];
});

it('blocks a launch for a brake after the newest approval, also if a later command lifts it', async () => {
  for (const brake of ['/hold', '/stop please', '/revoke', '/teardown'])
    expect(await brakes(aComment(bob, brake, at(6)), aComment(bob, '/unhold', at(7)))).toEqual([
      `${brake.split(' ')[0]?.slice(1)} by bob`,
    ]);
});

it('ignores a brake before the newest approval, because the record contains its outcome', async () => {
  expect(await brakes(aComment(bob, '/hold', at(3)), aComment(bob, '/stop', at(4)))).toEqual([]);
});

it('counts a brake in the same second as the approval if it may be younger', async () => {
  const second = { createdAt: approval.createdAt };
  expect(await brakes(aComment(bob, '/hold', { ...at(6), ...second }))).toEqual(['hold by bob']);
  expect(await brakes(aComment(bob, '/hold', { ...at(4), ...second }))).toEqual([]);
  const review = { ...at(4), ...second, surface: 'review' } as const;
  expect(await brakes(aComment(bob, '/hold', review))).toEqual(['hold by bob']);
  expect(await brakes(aComment(alice, `${LINE}\n\n/revoke`, at(5)))).toEqual(['revoke by alice']);
  expect(await brakes(aComment(alice, `/revoke\n\n${LINE}`, at(5)))).toEqual([]);
});

it('ignores brakes of people without permission, except a revocation of their own approval', async () => {
  expect(await brakes(aComment(carol, '/stop', at(6)), aComment(carol, '/revoke', at(7)))).toEqual([]);
  expect(await brakes(aComment(alice, '/revoke', at(6)))).toEqual(['revoke by alice']);
});

// threat T200
it('counts a hold by a maintainer among holds of more strangers than can be checked', async () => {
  const flood = Array.from({ length: 250 }, (_, index) =>
    aComment({ id: 9_000 + index, login: `stranger-${index}` }, '/hold reason="no"', at(10 + index)),
  );
  expect(await brakes(...flood)).toEqual([]);
  expect(await brakes(...flood, aComment(bob, '/hold', at(300)))).toEqual(['hold by bob']);
});

// threat T127
it.each([
  [true, `/hold run=${RUN}`],
  [true, '/hold lane=daily'],
  [true, '/hold lane=daily date=2026-11-21'],
  [true, '/hold date=2026-11-21'],
  [true, '/hold scope=repository reason="an incident"'],
  [false, '/hold run=canary-20261121'],
  [false, '/hold lane=other'],
  [false, '/hold date=2026-11-22'],
])('counts (%s) a hold only if it names the run, its lane, its day or the repository: %s', async (counts, text) => {
  const expected = counts ? ['hold by bob'] : [];
  expect(await brakes(aComment(bob, text, at(6)))).toEqual(expected);
  abroad = [inOtherThread(bob, text, 6)];
  expect(await brakes()).toEqual(expected);
});

it('counts a stop, revoke or hold in another thread only if it names the run', async () => {
  const said = async (author: Actor, body: string) => {
    abroad = [inOtherThread(author, body, 6)];
    return await brakes();
  };
  expect(await said(bob, `/stop run=${RUN}`)).toEqual(['stop by bob']);
  expect(await said(bob, `/revoke run="${RUN}"`)).toEqual(['revoke by bob']);
  expect(await said(carol, `/stop run=${RUN}`)).toEqual([]);
  expect(await said(bob, `/stop run=${RUN}-2`)).toEqual([]);
  expect(await said(bob, `/revoke\n\nbecause run=${RUN}`)).toEqual([]);
  expect(await said(bob, '/hold')).toEqual([]);
  expect(await said(bob, '/stop')).toEqual([]);
});

it('ignores holds from before the failure when the attempt is restarted, but no other brake', async () => {
  const held = [aComment(bob, '/hold', at(6)), aComment(bob, '/unhold', at(7))];
  const failedAt = addMs(NOON, 8_000);
  const again = async (...comments: readonly CommentFacts[]) => brakesOf({ failedAt }, comments);
  expect(await again(...held)).toEqual([]);
  expect(await again(...held, aComment(bob, '/hold', at(9)))).toEqual(['hold by bob']);
  expect(await again(aComment(bob, '/revoke', at(6)))).toEqual(['revoke by bob']);
});
