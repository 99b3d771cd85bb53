/** What is heard in a thread that belongs to no active run, and what there is left to those who talk there. */

import { describe, expect, it } from 'vitest';
import { EMPTY_JOURNAL } from '../../src/domain/logbook/journal-state.ts';
import { known } from '../../src/domain/observed.ts';
import { type PendingItem, pendingItems } from '../../src/run/pending-commands.ts';
import { concerns, isAside, isConsent, isSpokenIn } from '../../src/run/said-without-run.ts';
import { bob } from '../support/run-drafts.ts';
import { aComment, NOON, permissions } from '../support/run-facts.ts';

function said(text: string): PendingItem {
  const held = permissions([bob, 'maintain']);
  const options = { since: NOON, otherBots: [], permissions: held };
  const [item] = pendingItems(new Map(), [aComment(bob, text)], options);
  if (item === undefined) throw new Error(`${text} says nothing`);
  return item;
}

const PLAIN = { isOpenPull: false, isOpenIssue: false };

describe('a thread with which ferrybot has nothing else to do', () => {
  it.each([
    '/hold lane=daily reason="the disk"',
    '/hold scope=repository',
    '/unhold date=2026-11-21',
    '/status lane=daily',
    '/stop run=daily-20261121 reason="it burns"',
    '/stop run=daily-20261121',
    `/approve-node-delete ${'ab'.repeat(16)}`,
    '/watch job_id=raysubmit_1 cluster=big experiment=experiments/a.py',
  ])('is heard for %s', (text) => {
    expect(concerns(said(text), PLAIN)).toBe(true);
  });

  it.each(['/status', '/hold reason="not yet"', '/help', '/approve-launch'])(
    'is not heard for %s',
    (text) => {
      expect(concerns(said(text), PLAIN)).toBe(false);
    },
  );

  it('is heard for a run of its own pull request, or of its own issue', () => {
    const heard = (text: string) =>
      [PLAIN, { ...PLAIN, isOpenPull: true }, { ...PLAIN, isOpenIssue: true }].map((thread) =>
        concerns(said(text), thread),
      );
    expect(heard('/propose')).toEqual([false, true, false]);
    expect(heard('/rent reason="does it train?"')).toEqual([false, false, true]);
  });

  it('is no place for strangers to ask how a lane has done', () => {
    const asked = said('/status lane=daily');
    expect(isAside(asked, permissions([bob, 'none']))).toBe(true);
    expect(isAside(asked, permissions([bob, 'triage']))).toBe(false);
    expect(isAside(asked, new Map())).toBe(false);
    expect(isAside(said('/hold lane=daily reason="x"'), new Map([[bob.id, known('none')]]))).toBe(false);
  });
});

it('is a consent also where it is misspelt in its arguments', () => {
  expect(isConsent(said('/approve-disk-cleanup'))).toBe(true);
  expect(isConsent(said('/approve-launch'))).toBe(false);
});

it('is spoken in where a lane was held back there, and nowhere else', () => {
  const command = { thread: 7, name: 'hold' } as never;
  const journal = { ...EMPTY_JOURNAL, commands: new Map([['comment-1-0', command]]) };
  expect([isSpokenIn(journal, 7), isSpokenIn(journal, 8), isSpokenIn(EMPTY_JOURNAL, 7)]).toEqual([
    true,
    false,
    false,
  ]);
});
