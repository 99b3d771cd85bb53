/** What is owed outside of a run's threads stands once, and says what the record says. */

import { describe, expect, it } from 'vitest';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { markerIdentity, type VerifiedMarker } from '../../src/domain/marker.ts';
import {
  decideComment,
  decideIssue,
  type OwedComment,
  type OwedIssue,
  type StandingIssue,
} from '../../src/run/outbox.ts';

const SEEN: VerifiedMarker = {
  run: 'journal',
  kind: 'notice',
  key: 'k1',
  fields: {},
  role: 'control',
  at: 0 as VerifiedMarker['at'],
  text: '',
  isIntact: true,
};
const marker = markerIdentity(SEEN);
const written = (words: string): string => `${marker} -->\n🤖 ${words}`;
const owed: OwedComment = { thread: 7, marker, body: written('full') };

function comment(words: string, isIntact = true): CommentFacts {
  const facts = { id: 11, thread: 7, body: written(words), marker: { ...SEEN, isIntact } };
  return facts as unknown as CommentFacts;
}

describe('a comment that is owed', () => {
  it('is posted where it does not stand, with a look at who else may have said it', () => {
    const other = { ...comment('full'), marker: { ...SEEN, key: 'k2' } };
    expect(decideComment(owed, [other])).toEqual({
      kind: 'post-comment',
      thread: 7,
      marker,
      body: owed.body,
      isShared: true,
    });
  });

  it('is posted without that look by who alone may say it', () => {
    expect(decideComment({ ...owed, isOursAlone: true }, [])).not.toHaveProperty('isShared');
  });

  it('is posted although somebody else wrote the same words', () => {
    expect(decideComment(owed, [{ ...comment('full'), marker: null }])).toMatchObject({
      kind: 'post-comment',
    });
  });

  it('is left as it was posted, whatever the record says by now', () => {
    expect(decideComment(owed, [comment('half full')])).toBeNull();
  });

  it('is written anew where its words follow the record, and where somebody changed them', () => {
    const kept = { ...owed, isKept: true } as const;
    const edit = { kind: 'edit-comment', thread: 7, comment: 11, body: owed.body };
    expect(decideComment(kept, [comment('half full')])).toEqual(edit);
    expect(decideComment(kept, [comment('full', false)])).toEqual(edit);
    expect(decideComment(kept, [comment('full')])).toBeNull();
  });
});

describe('an issue that is owed', () => {
  const wanted: OwedIssue = {
    label: 'ferrybot-machine',
    marker,
    title: 'A machine',
    body: written('it is there'),
    state: null,
    isOpened: true,
  };
  const standing: StandingIssue = { number: 9, body: wanted.body, isOpen: true, marker: SEEN };
  const edit = { kind: 'edit-issue', issue: 9, expected: null, body: wanted.body };

  it('is opened where there is none, or not at all', () => {
    const { title, body } = wanted;
    expect(decideIssue(wanted, null)).toEqual({
      kind: 'open-issue',
      marker,
      title,
      body,
      labels: ['ferrybot-machine'],
    });
    expect(decideIssue({ ...wanted, isOpened: false }, null)).toBeNull();
  });

  it('is left alone where it says this', () => {
    expect(decideIssue(wanted, standing)).toBeNull();
    expect(decideIssue({ ...wanted, state: 'open' }, standing)).toBeNull();
    // A person closed it: that is theirs.
    expect(decideIssue(wanted, { ...standing, isOpen: false })).toBeNull();
  });

  it('is written anew where it says something else, or not in words that we sealed', () => {
    expect(decideIssue(wanted, { ...standing, body: written('it is gone') })).toEqual({
      ...edit,
      state: null,
    });
    expect(decideIssue(wanted, { ...standing, marker: { ...SEEN, isIntact: false } })).toEqual({
      ...edit,
      state: null,
    });
    expect(decideIssue(wanted, { ...standing, marker: null })).toEqual({ ...edit, state: null });
  });

  it('is closed and opened once, with its words', () => {
    expect(decideIssue({ ...wanted, state: 'closed' }, standing)).toEqual({ ...edit, state: 'closed' });
    expect(decideIssue({ ...wanted, state: 'closed' }, { ...standing, isOpen: false })).toBeNull();
    expect(decideIssue({ ...wanted, state: 'open' }, { ...standing, isOpen: false })).toEqual({
      ...edit,
      state: 'open',
    });
  });
});
