/** What somebody who revokes still rests on, by the words and times of their comments. */

import { expect, it } from 'vitest';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { after } from '../../src/domain/time.ts';
import { approvedAnew, approves, hasFallen, isBefore, saidHold } from '../../src/run/said-approvals.ts';
import { alice, bob, digestOf } from '../support/run-drafts.ts';
import { aComment, NOON } from '../support/run-facts.ts';
import { lineFor } from './parts.ts';

const MANIFEST = digestOf('a manifest');
const at = (second: number, change: Partial<CommentFacts> = {}): Partial<CommentFacts> => ({
  id: 100 + second,
  createdAt: after(NOON, second * 1_000),
  ...change,
});
const approval = aComment(bob, lineFor(MANIFEST), at(1));
const revocation = aComment(bob, '/revoke', at(5));
const brake = { comment: revocation, name: 'revoke', isAnswered: true, lifts: [], index: 0 } as never;

it('an approval names its manifest, and is as it was written', () => {
  expect(approves(approval, MANIFEST, [])).toBe(true);
  expect(approves(approval, digestOf('another'), [])).toBe(false);
  expect(approves({ ...approval, editedAt: NOON }, MANIFEST, [])).toBe(false);
  expect(approves(aComment(bob, '/status'), MANIFEST, [])).toBe(false);
});

it('within one second the numbers of comments tell which was first', () => {
  const [first, second] = [aComment(bob, 'one', at(1)), aComment(bob, 'two', { ...at(1), id: 200 })];
  expect([isBefore(first, second), isBefore(second, first), isBefore(first, first)]).toEqual([
    true,
    false,
    false,
  ]);
});

it('who approved after they had revoked rests on the later words, and nobody on those of another', () => {
  const anew = aComment(bob, lineFor(MANIFEST), at(9));
  expect(approvedAnew(brake, MANIFEST, [approval, revocation], [])).toBe(false);
  expect(approvedAnew(brake, MANIFEST, [approval, revocation, anew], [])).toBe(true);
  expect(approvedAnew(brake, null, [anew], [])).toBe(false);
  expect(approvedAnew(brake, MANIFEST, [{ ...anew, author: alice }], [])).toBe(false);
});

it('an approval had fallen where the record says so before the revocation, of everybody or of them', () => {
  const fell = (second: number, user: number | null, isSaid = false) =>
    hasFallen([{ user, at: after(NOON, second * 1_000), isSaid }], approval, revocation);
  expect([fell(3, null), fell(3, bob.id), fell(3, alice.id)]).toEqual([true, true, false]);
  expect([fell(0, null), fell(5, null), fell(5, null, true), fell(6, null)]).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

it('an answered freeze or skipped day is one that may be lifted elsewhere', () => {
  const day = { lane: 'daily', date: '2026-11-21' };
  const freeze = aComment(bob, '/freeze reason="x"', at(2));
  const hold = (change: object) =>
    saidHold({ comment: freeze, name: 'freeze', isAnswered: true, ...change } as never, day);
  expect(hold({})).toMatchObject({ name: 'freeze', lane: 'daily', login: bob.login, at: freeze.createdAt });
  expect([hold({ isAnswered: false }), hold({ name: 'hold' })]).toEqual([null, null]);
});
