/** A runner's own look for brakes that are younger than the approval: who may pull one, and who may lift it. */

import { afterEach, expect, it } from 'vitest';
import { gatherBrakes } from '../../src/app/brakes.ts';
import type { OpenLab } from '../../src/app/open-lab.ts';
import type { Actor } from '../../src/domain/actor.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { branded, isDigest } from '../../src/domain/ids.ts';
import type { FallenApproval } from '../../src/domain/logbook/fallen-approvals.ts';
import { commandKey, type SeenCommand } from '../../src/domain/logbook/run-state.ts';
import { after, toRfc3339 } from '../../src/domain/time.ts';
import { createClient } from '../../src/github/call.ts';
import { CONFIG } from '../run/parts.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { aComment, NOON } from '../support/run-facts.ts';

const carol = { id: 77, login: 'carol' };
const ROLES: Readonly<Record<string, string>> = { alice: 'maintain', bob: 'maintain', carol: 'read' };
const at = (index: number): Partial<CommentFacts> => ({
  id: 100 + index,
  createdAt: after(NOON, index * 1_000),
});
const DAY = { lane: 'daily', date: '2026-11-21' };
const MANIFEST = branded(`sha256:${'ab'.repeat(32)}`, isDigest);
const LINE = `/approve-launch ${'ab'.repeat(16)}`;
const approval = aComment(alice, LINE, at(5));

/** What stands in other threads of the repository. */
let abroad: readonly object[] = [];

function inOtherThread(author: Actor, body: string, index: number): object {
  const moment = toRfc3339(after(NOON, index * 1_000));
  const user = { ...author, type: 'User' };
  const issue_url = 'https://api.github.example/repos/lab/models/issues/99';
  return { id: 500 + index, body, created_at: moment, updated_at: moment, user, issue_url };
}

/** What the record has of other threads, whatever it answers; and what GitHub shows of the newest of it. */
let recorded: readonly (readonly [author: Actor, body: string])[] = [];
const ELSEWHERE = 700;

function recordedCommands(): ReadonlyMap<string, SeenCommand> {
  return new Map(
    recorded.map(([actor, body], index) => {
      const place = { surface: 'comment', comment: ELSEWHERE + index, index: 0, thread: 99 } as const;
      const answer = { code: 'not-permitted', detail: {}, at: toRfc3339(NOON), seq: 9 } as const;
      const name = /\w+/.exec(body)?.[0] ?? '';
      const rest = { name, args: { run: 'daily-20261121' }, actor, at: toRfc3339(NOON), seq: 8, answer };
      return [commandKey(place), { ...place, bodyDigest: MANIFEST, ...rest }];
    }),
  );
}

function shownElsewhere(id: number): object {
  const [author = alice, body = ''] = recorded[id - ELSEWHERE] ?? [];
  const createdAt = toRfc3339(after(NOON, 1_000 + (id - ELSEWHERE) * 1_000));
  return {
    ...{ id: `N${id}`, body, createdAt, updatedAt: createdAt, lastEditedAt: null, viewerDidAuthor: false },
    author: { __typename: 'User', login: author.login, databaseId: author.id },
  };
}

const client = createClient({
  octokit: {
    request: async (route, { username, comment_id: id, variables }) => {
      if (route.endsWith('/issues/comments/{comment_id}')) {
        const issue_url = 'https://api.github.example/repos/lab/models/issues/99';
        return { status: 200, data: { id, node_id: `N${String(id)}`, issue_url }, headers: {} };
      }
      if (route === 'POST /graphql') {
        const node = shownElsewhere(Number(/\d+/.exec(JSON.stringify(variables))?.[0]));
        return { status: 200, data: { data: { node } }, headers: {} };
      }
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
// Of a lab only what is asked for here.
const open = {
  lab: { client, digestOf: () => MANIFEST },
  config: CONFIG,
  store: { current: () => ({ journal: { commands: recordedCommands(), lifted: [] }, runs: [] }) },
} as unknown as OpenLab;

/** The record has an answer to each of these, as whoever holds the control key can write it. */
function brakes(...comments: readonly CommentFacts[]): Promise<readonly string[]> {
  return brakesAfter([], comments);
}

async function brakesAfter(
  fallen: readonly FallenApproval[],
  comments: readonly CommentFacts[],
): Promise<readonly string[]> {
  const commands = new Map(
    comments.map((comment) => {
      const { surface, id, thread, bodyDigest, author, body } = comment;
      const place = { surface, comment: id, index: 0, thread, bodyDigest };
      const answer = { code: 'not-permitted', detail: {}, at: '2026-11-21T12:00:00.000Z', seq: 9 } as const;
      const name = /\w+/.exec(body)?.[0] ?? '';
      const seen: SeenCommand = { ...place, name, args: {}, actor: author, at: answer.at, seq: 8, answer };
      return [commandKey(place), seen];
    }),
  );
  const place = {
    commands,
    since: NOON,
    restsOn: approval,
    approvers: new Set([alice.id]),
    manifest: MANIFEST,
    fallen,
    run: 'daily-20261121',
    day: DAY,
  };
  const found = await gatherBrakes(open, place, [approval, ...comments]);
  if (found.kind === 'unknown') throw new Error(found.why);
  return found.value.map(({ name, login }) => `${name} by ${login}`);
}

it('a hold stands until somebody who may lifts it in the thread', async () => {
  const hold = aComment(bob, '/hold reason="wait"', at(6));
  expect(await brakes(hold)).toEqual(['hold by bob']);
  expect(await brakes(hold, aComment(carol, '/unhold', at(7)))).toEqual(['hold by bob']);
  expect(await brakes(hold, aComment(alice, '/unhold', at(7)))).toEqual([]);
});

it('what lifts the hold of a run that it names lifts no skipped day', async () => {
  const lift = aComment(alice, '/unhold run=daily-20261121', at(7));
  expect(await brakes(aComment(bob, '/hold reason="wait"', at(3)), lift)).toEqual([]);
  expect(await brakes(aComment(bob, '/skip reason="wait"', at(3)), lift)).toEqual(['skip by bob']);
});

it('a freeze of another lane is no brake here, one of the repository is, whatever lane it names; and another lane’s thaw lifts none', async () => {
  const frozen = (more: string, index = 6): CommentFacts =>
    aComment(bob, `/freeze reason="wait" ${more}`, at(index));
  for (const index of [3, 6]) {
    expect(await brakes(frozen('lane=other', index))).toEqual([]);
    expect(await brakes(frozen('lane=other scope=repository', index))).toEqual(['freeze by bob']);
    expect(await brakes(frozen('', index))).toEqual(['freeze by bob']);
    expect(await brakes(frozen('', index), aComment(alice, '/thaw lane=other', at(7)))).toEqual([
      'freeze by bob',
    ]);
    expect(await brakes(frozen('', index), aComment(alice, '/thaw', at(7)))).toEqual([]);
  }
});

it('the hold of one who may stands among those of more strangers than can be asked about', async () => {
  const flood = Array.from({ length: 250 }, (_, index) =>
    aComment({ id: 9_000 + index, login: `stranger-${index}` }, '/hold reason="no"', at(10 + index)),
  );
  expect(await brakes(...flood)).toEqual([]);
  expect(await brakes(...flood, aComment(bob, '/hold reason="wait"', at(300)))).toEqual(['hold by bob']);
});

afterEach(() => {
  abroad = [];
  recorded = [];
});

it('a hold that the record has of another thread, however long before the approval, is read again, and so is what lifted it', async () => {
  const hold = [bob, '/hold run=daily-20261121 reason="wait"'] as const;
  recorded = [hold];
  expect(await brakes()).toEqual(['hold by bob']);
  recorded = [hold, [carol, '/unhold run=daily-20261121']];
  expect(await brakes()).toEqual(['hold by bob']);
  recorded = [hold, [alice, '/unhold  run=daily-20261121']];
  expect(await brakes()).toEqual([]);
});

it('a brake in another thread counts where it names the run, and nothing else that is said there', async () => {
  const said = async (author: Actor, body: string, index = 6) => {
    abroad = [inOtherThread(author, body, index)];
    return await brakes();
  };
  expect(await said(bob, '/stop run=daily-20261121')).toEqual(['stop by bob']);
  expect(await said(bob, '/hold run="daily-20261121" reason="wait"')).toEqual(['hold by bob']);
  expect(await said(carol, '/stop run=daily-20261121')).toEqual([]);
  expect(await said(bob, '/revoke run="daily-20261121"')).toEqual(['revoke by bob']);
  expect(await said(bob, '/stop run=daily-20261121-2')).toEqual([]);
  expect(await said(bob, '/hold reason="not run=daily-20261121"')).toEqual([]);
  expect(await said(bob, '/revoke\n\nbecause run=daily-20261121')).toEqual([]);
  expect(await brakes(aComment(bob, '/stop run=canary-20261121', at(6)))).toEqual([]);
});

it('what somebody says who may not is no brake', async () => {
  expect(await brakes(aComment(carol, '/stop', at(6)))).toEqual([]);
});

it('a revocation takes back one’s own approval, or everybody’s where there is none of one’s own', async () => {
  expect(await brakes(aComment(alice, '/revoke', at(6)))).toEqual(['revoke by alice']);
  expect(await brakes(aComment(bob, '/revoke', at(6)))).toEqual(['revoke by bob']);
  expect(await brakes(aComment(bob, LINE, at(3)), aComment(bob, '/revoke', at(8)))).toEqual([]);
});

it.each([
  ['was of another manifest', [aComment(bob, `/approve-launch ${'cd'.repeat(16)}`, at(3))]],
  ['named none', [aComment(bob, '/approve-launch', at(3))]],
  ['was written into a comment of theirs', [aComment(bob, LINE, { ...at(3), editedAt: NOON })]],
  ['was taken back before', [aComment(bob, LINE, at(1)), aComment(bob, '/revoke', at(2))]],
  ['fell with a hold', [aComment(bob, LINE, at(1)), ...holdAndLift(alice)]],
])('a revocation takes back everybody’s where one’s own %s', async (_, before) => {
  expect(await brakes(...before, aComment(bob, '/revoke', at(8)))).toEqual(['revoke by bob']);
});

it.each([
  ['fell when the branch moved, and came back', { user: bob.id, at: 4 }],
  ['was of before the attempt that it started had ended', { user: null, at: 4 }],
])(
  'a revocation takes back everybody’s where the record has that one’s own %s',
  async (_, { user, at: second }) => {
    const fallen = [{ user, at: after(NOON, second * 1_000), isSaid: false }];
    const said = (line: string) => [aComment(bob, line, at(3)), aComment(bob, '/revoke', at(8))];
    expect(await brakesAfter(fallen, said(LINE))).toEqual(['revoke by bob']);
    const others = [{ user: alice.id, at: after(NOON, second * 1_000), isSaid: false }];
    expect(await brakesAfter(others, said(LINE))).toEqual([]);
    // What fell by the very words that are judged was standing until then.
    const own = [{ user: bob.id, at: after(NOON, 8_000), isSaid: true }];
    expect(await brakesAfter(own, said(LINE))).toEqual([]);
    const again = `/relaunch ${'ab'.repeat(16)}`;
    expect(await brakesAfter([], said(again))).toEqual([]);
  },
);

it('a hold of somebody who may not makes no revocation one of everybody’s', async () => {
  const before = [aComment(bob, LINE, at(1)), ...holdAndLift(carol)];
  expect(await brakes(...before, aComment(bob, '/revoke', at(8)))).toEqual([]);
});

it('who approved anew rests on that, and what they had taken back of others stays taken back', async () => {
  const anew = [aComment(alice, '/revoke', at(8)), aComment(alice, LINE, at(9))];
  expect(await brakes(...anew)).toEqual([]);
  const hold = aComment(alice, '/hold reason="wait"', at(6));
  const lifted = aComment(alice, '/unhold', at(7));
  expect(await brakes(hold, lifted, ...anew)).toEqual(['revoke by alice']);
});

function holdAndLift(who: Actor): readonly CommentFacts[] {
  return [aComment(who, '/hold reason="wait"', at(2)), aComment(alice, '/unhold', at(3))];
}
