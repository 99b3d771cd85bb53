/**
 * Since when a text has shown a proposal, by its edit history: people with write access may change it and
 * restore the old text.
 */

import { describe, expect, it } from 'vitest';
import type { ProposalVersion } from '../../src/domain/facts.ts';
import { markerIdentity, type VerifiedMarker } from '../../src/domain/marker.ts';
import type { Instant } from '../../src/domain/values.ts';
import { canRewrite, findShownSince, TEXT_RESTORES_MAX } from '../../src/run/decide-shown.ts';
import { classifyText, judgeText } from '../../src/run/proposal-texts.ts';
import { anActionRecord, at } from '../care/consent-parts.ts';

/** A version of this minute, sealed in the same minute unless an older sealed text was restored. */
const ours = (minute: number, sealed = minute): ProposalVersion => ({
  editedAt: at(minute),
  shows: 'this',
  sealedAt: at(sealed),
});
const other = (minute: number): ProposalVersion => ({ ...ours(minute), shows: 'other' });
const theirs = (minute: number): ProposalVersion => ({ ...ours(minute), shows: 'foreign', sealedAt: null });
const since = (minute: number, ...versions: readonly ProposalVersion[]): Instant | null =>
  findShownSince(versions.toReversed(), at(minute));

describe('the time since which a text shows a proposal', () => {
  it.each<[string, Instant | null, Instant | null]>([
    ['is when the text was written', since(10, ours(1)), at(1)],
    ['is when the first version was written if ferrybot rewrites it', since(10, ours(1), ours(3)), at(1)],
    ['does not exist if the text is newer than the approval', since(10, ours(11)), null],
    ['does not exist if the current text is an edit by another person', since(10, ours(1), theirs(5)), null],
    ['does not exist if that edit came in the same second as the approval', since(10, ours(1), theirs(10)), null],
    ['does not exist if the old text was restored after that edit', since(10, ours(1), theirs(5), ours(6, 1)), null],
    ['is when ferrybot rewrote the text after that edit', since(10, ours(1), theirs(5), ours(7)), at(7)],
    [
      'does not exist if ferrybot rewrote it in the same second as the approval',
      since(10, ours(1), theirs(5), ours(10)),
      null,
    ],
    ['is when the text was written, even in the same second as the approval', since(10, ours(10)), at(10)],
    [
      'is when ferrybot wrote a new text, not when the old one was restored',
      since(10, ours(1), theirs(5), ours(6, 1), ours(7)),
      at(7),
    ],
    [
      'does not exist if the newest own text was restored after another edit',
      since(10, ours(1), theirs(2), ours(4), theirs(5), ours(6, 4)),
      null,
    ],
    ['is unchanged by an edit after the approval', since(10, ours(1), theirs(11)), at(1)],
    ['is when the version that names the proposal was written', since(10, other(1), ours(3)), at(3)],
    ['does not exist if the own text no longer names the proposal', since(10, ours(1), other(3)), null],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('a version of a text', () => {
  const one = anActionRecord();
  const identity = markerIdentity({ run: one.proposal.record, kind: 'action', key: '20' });
  const marker: VerifiedMarker = {
    run: one.proposal.record,
    kind: 'action',
    key: '20',
    fields: {},
    role: 'control',
    at: at(0),
    text: 'w',
    isIntact: true,
  };
  const body = `read it, then /approve ${one.digest.slice(7, 39)}`;
  const shows = (change: Partial<VerifiedMarker>, text = body): string =>
    classifyText(one, { body: text, marker: { ...marker, ...change }, identity, words: 'w' });

  it('is ours if control sealed it and its marker is intact', () => {
    expect(shows({})).toBe('this');
    expect(shows({}, 'nothing is proposed')).toBe('other');
  });

  // threat T191
  it.each<[string, Partial<VerifiedMarker>]>([
    ['that was edited after it was sealed', { isIntact: false }],
    ['of another publication', { kind: 'incident' }],
    ['of another proposal', { key: '21' }],
    ['that the watch sealed with other words', { role: 'watch', text: 'harmless' }],
  ])('is foreign: a version %s', (_, change) => {
    expect(shows(change)).toBe('foreign');
  });

  it('is ours if the watch sealed the same words that control would write', () => {
    expect(shows({ role: 'watch' })).toBe('this');
  });

  it('is foreign if only control may write the text and the watch sealed it', () => {
    const sealed = (role: VerifiedMarker['role']): VerifiedMarker => ({ ...marker, role });
    const versions = (['watch', 'control'] as const).map((role) => ({
      editedAt: at(1),
      isDeleted: false,
      by: null,
      body,
      marker: sealed(role),
    }));
    const judged = judgeText(one, null, versions, null).versions;
    expect(judged.map(({ shows }) => shows)).toEqual(['foreign', 'this']);
  });

  it('is foreign without a seal', () => {
    expect(classifyText(one, { body, marker: null, identity, words: 'w' })).toBe('foreign');
  });
});

describe('an edited text', () => {
  const now = at(59);

  it('is rewritten a few times within an hour, and then left unchanged', () => {
    const earlier = Array.from({ length: TEXT_RESTORES_MAX }, (_, n) => at(50 + n));
    expect(canRewrite(earlier, now)).toBe(true);
    expect(canRewrite([...earlier, at(58)], now)).toBe(false);
  });

  it('is rewritten again when the earlier rewrites are more than an hour old', () => {
    expect(canRewrite([at(-10), at(-9), at(-8), at(-7), at(50)], now)).toBe(true);
  });
});
