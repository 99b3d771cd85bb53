/** Which comment of GitHub's proves that a hold, a freeze or a skipped day was lifted, whatever the record says of it. */

import { describe, expect, it } from 'vitest';
import type { AnswerCode } from '../../src/commands/registry.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { Hold } from '../../src/domain/launch/hold.ts';
import { EMPTY_JOURNAL, type JournalState } from '../../src/domain/logbook/journal-state.ts';
import { commandKey, type RunState, type SeenCommand } from '../../src/domain/logbook/run-state.ts';
import { after, toRfc3339 } from '../../src/domain/time.ts';
import {
  LIFTS_READ_MAX,
  type LiftedHold,
  liftedFor,
  lifts,
  liftsRecorded,
} from '../../src/run/lifted-holds.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { aComment, NOON, someFacts } from '../support/run-facts.ts';
import { gatedOn } from './parts.ts';

const DAY = { lane: 'daily', date: '2026-11-21', run: null };
const at = (index: number): Partial<CommentFacts> => ({
  id: 100 + index,
  createdAt: after(NOON, index * 1_000),
});
const FREEZE = aComment(alice, '/freeze reason="wait"', { ...at(5), thread: 90 });

function hold(change: Partial<Hold> = {}): Hold {
  const time = toRfc3339(after(NOON, 60_000));
  return {
    kind: 'freeze',
    scope: 'lane',
    lane: 'daily',
    reason: 'wait',
    date: null,
    actor: alice,
    at: time,
    ...change,
  };
}

function seen(
  { surface, id, thread, bodyDigest, author }: CommentFacts,
  name: string,
  code: AnswerCode = 'thawed',
): readonly [string, SeenCommand] {
  const place = { surface, comment: id, index: 0, thread, bodyDigest };
  const { at: time } = hold();
  const answer = { code, detail: {}, at: time, seq: 1 };
  return [commandKey(place), { ...place, name, args: {}, actor: author, at: time, seq: 1, answer }];
}

function journal(
  lifted: readonly Hold[],
  ...commands: readonly (readonly [string, SeenCommand])[]
): JournalState {
  return { ...EMPTY_JOURNAL, lifted, commands: new Map([seen(FREEZE, 'freeze'), ...commands]) };
}

const lab = { runs: [], lanes: ['daily', 'canary'], otherBots: [] };

function only(of: JournalState): LiftedHold {
  const [first, ...more] = liftedFor(of, DAY, []);
  if (first === undefined || more.length > 0) throw new Error('one was expected');
  return first;
}

describe('a hold that is said to be lifted', () => {
  it('is looked up where it would concern this lane and day', () => {
    expect(only(journal([hold()]))).toMatchObject({
      name: 'freeze',
      login: 'alice',
      said: { comment: FREEZE.id },
    });
    expect(liftedFor(journal([hold({ lane: 'canary' })]), DAY, [])).toEqual([]);
    expect(liftedFor(journal([hold({ kind: 'skip', date: '2026-11-20' })]), DAY, [])).toEqual([]);
    expect(liftedFor(journal([hold({ lane: null, scope: 'repository' })]), DAY, [])).toHaveLength(1);
  });

  it('is looked for in the newest commands alone', () => {
    const thaws = Array.from({ length: 9 }, (_, index) =>
      seen(aComment(alice, '/thaw', at(10 + index)), 'thaw'),
    );
    const found = liftsRecorded(only(journal([hold()])), journal([hold()], ...thaws), lab);
    expect(found.map(({ comment }) => comment)).toEqual([118, 117, 116, 115].slice(0, LIFTS_READ_MAX));
  });

  it('is not looked for in what was said by somebody who may not', () => {
    const stranger = seen(aComment(bob, '/thaw', at(20)), 'thaw', 'not-permitted');
    const one = seen(aComment(alice, '/thaw', at(10)), 'thaw', 'thaw-nothing');
    const found = liftsRecorded(only(journal([hold()])), journal([hold()], one, stranger), lab);
    expect(found.map(({ comment }) => comment)).toEqual([110]);
  });

  const freeze = only(journal([hold()]));
  const thaw = (body: string, change: Partial<CommentFacts> = {}): CommentFacts =>
    aComment(bob, body, { ...at(6), thread: 90, ...change });
  it.each<[string, CommentFacts, boolean]>([
    ['by a younger comment of its lane', thaw('/thaw lane=daily'), true],
    ['by one that says no lane', thaw('/thaw'), true],
    ['by none that is older', thaw('/thaw', at(4)), false],
    ['by none for another lane', thaw('/thaw lane=canary'), false],
    ['by no other command', thaw('/unhold'), false],
    ['by nothing that was edited', thaw('/thaw', { editedAt: NOON }), false],
    ['by nothing that is hidden', thaw('/thaw', { minimized: true }), false],
    ['by no bot', thaw('/thaw', { authorIsBot: true }), false],
  ])('is lifted %s', (_, comment, isLifted) => {
    expect(lifts(comment, freeze, lab)).toBe(isLifted);
  });

  it('whose own comment the record does not name is lifted by what is younger than its entry', () => {
    const nameless = only({ ...journal([hold()]), commands: new Map() });
    expect(lifts(thaw('/thaw'), nameless, lab)).toBe(false);
    expect(lifts(thaw('/thaw', at(61)), nameless, lab)).toBe(true);
  });

  describe('and was of one run', () => {
    const base = gatedOn(someFacts()).state;
    const ofRun = { kind: 'hold', scope: 'run', lane: null } as const;
    const state: RunState = { ...base, lifted: [hold(ofRun)] };
    const spoken = { ...lab, runs: [state] };
    const [own, ...more] = liftedFor(journal([]), { ...DAY, run: state.run }, [state]);
    if (own === undefined || more.length > 0) throw new Error('one was expected');
    const { pull } = state.proposal;
    const unhold = (body: string, change: Partial<CommentFacts> = {}): CommentFacts =>
      aComment(bob, body, { ...at(90), thread: pull, ...change });

    it('is looked up for that run and no other', () => {
      expect(liftedFor(journal([]), DAY, [state])).toEqual([]);
      expect(liftedFor(journal([]), { ...DAY, run: 'ferry-other' }, [state])).toEqual([]);
      expect(own).toMatchObject({ name: 'hold', run: state.run });
    });

    it.each<[string, CommentFacts, boolean]>([
      ['by an /unhold in its thread', unhold('/unhold'), true],
      ['by one anywhere that names it', unhold(`/unhold run=${state.run}`, { thread: 99 }), true],
      ['by none elsewhere that does not', unhold('/unhold', { thread: 99 }), false],
      ['by none that names another run', unhold('/unhold run=ferry-other'), false],
      ['by no /thaw', unhold('/thaw'), false],
      ['by none that is older', unhold('/unhold', at(1)), false],
    ])('is lifted %s', (_, comment, isLifted) => {
      expect(lifts(comment, own, spoken)).toBe(isLifted);
    });
  });
});
