/** Since when a text has shown a proposal, by its edit history: who may write may change it and put the old one back. */

import { describe, expect, it } from 'vitest';
import type { ProposalVersion } from '../../src/domain/facts.ts';
import { branded, type Instant, isInstant } from '../../src/domain/ids.ts';
import { markerIdentity, type VerifiedMarker } from '../../src/domain/marker.ts';
import { judgedText, shownIn } from '../../src/run/proposal-texts.ts';
import { editsOf, leftUntil, shownSince, TEXT_RESTORES_MAX } from '../../src/run/shown-text.ts';
import { at, record } from '../care/consent-parts.ts';

/** A version of this minute; ours are sealed then, unless an older seal was put back. */
const ours = (minute: number, sealed = minute): ProposalVersion => ({
  editedAt: at(minute),
  isDeleted: false,
  by: 'ferrybot',
  shows: 'this',
  sealedAt: at(sealed),
});
const other = (minute: number): ProposalVersion => ({ ...ours(minute), shows: 'other' });
const theirs = (minute: number): ProposalVersion => ({
  ...ours(minute),
  by: 'ada',
  shows: 'foreign',
  sealedAt: null,
});
const since = (minute: number, ...versions: readonly ProposalVersion[]): Instant | null =>
  shownSince({ comment: 1, versions: versions.toReversed() }, at(minute));

describe('a text shows a proposal', () => {
  it.each<[string, Instant | null, Instant | null]>([
    ['from when it was written', since(10, ours(1)), at(1)],
    ['from then on also where we wrote it again', since(10, ours(1), ours(3)), at(1)],
    ['not before it was written', since(10, ours(11)), null],
    ['not while somebody else’s text stands', since(10, ours(1), theirs(5)), null],
    ['also where that came in the very second', since(10, ours(1), theirs(10)), null],
    ['not where the old text was put back', since(10, ours(1), theirs(5), ours(6, 1)), null],
    ['once we wrote it anew', since(10, ours(1), theirs(5), ours(7)), at(7)],
    ['not in the second in which we wrote it anew', since(10, ours(1), theirs(5), ours(10)), null],
    ['in the second in which it was first written', since(10, ours(10)), at(10)],
    [
      'from our own new text, not from the old one',
      since(10, ours(1), theirs(5), ours(6, 1), ours(7)),
      at(7),
    ],
    [
      'not where our newest was put back after another edit',
      since(10, ours(1), theirs(2), ours(4), theirs(5), ours(6, 4)),
      null,
    ],
    ['whatever came after the consent', since(10, ours(1), theirs(11)), at(1)],
    ['from where it names the proposal', since(10, other(1), ours(3)), at(3)],
    ['not where our text names it no more', since(10, ours(1), other(3)), null],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('a version of it', () => {
  const one = record();
  const identity = markerIdentity({ run: one.proposal.record, kind: 'mutation', key: '20' });
  const marker: VerifiedMarker = {
    run: one.proposal.record,
    kind: 'mutation',
    key: '20',
    fields: {},
    role: 'control',
    at: at(0),
    text: 'w',
    isIntact: true,
  };
  const body = `read it, then /approve ${one.digest.slice(7, 39)}`;
  const shows = (change: Partial<VerifiedMarker>, text = body): string =>
    shownIn(one, { body: text, marker: { ...marker, ...change }, identity, words: 'w' });

  it('is ours where control sealed it and it stands', () => {
    expect(shows({})).toBe('this');
    expect(shows({}, 'nothing is proposed')).toBe('other');
  });

  it.each<[string, Partial<VerifiedMarker>]>([
    ['that was changed below its seal', { isIntact: false }],
    ['of another publication', { kind: 'incident' }],
    ['of another proposal', { key: '21' }],
    ['that the watch sealed with other words', { role: 'watch', text: 'harmless' }],
  ])('is somebody else’s: one %s', (_, change) => {
    expect(shows(change)).toBe('foreign');
  });

  it('is ours where the watch said what control would say', () => {
    expect(shows({ role: 'watch' })).toBe('this');
  });

  it('is somebody else’s where control alone writes, and the watch sealed it', () => {
    const sealed = (role: VerifiedMarker['role']): VerifiedMarker => ({ ...marker, role });
    const versions = (['watch', 'control'] as const).map((role) => ({
      editedAt: at(1),
      isDeleted: false,
      by: null,
      body,
      marker: sealed(role),
    }));
    const judged = judgedText(one, null, versions, null).versions;
    expect(judged.map(({ shows }) => shows)).toEqual(['foreign', 'this']);
  });

  it('is nobody’s without a seal', () => {
    expect(shownIn(one, { body, marker: null, identity, words: 'w' })).toBe('foreign');
  });
});

describe('edits of one text', () => {
  const now = at(59);
  const edit = (minute: number, detail = {}) =>
    ({
      code: 'card-edited',
      detail: { how: 'text', ...detail },
      role: 'control',
      at: new Date(at(minute)).toISOString(),
      seq: minute,
    }) as const;

  it('are answered by a new text so often within an hour, and then it is left for one', () => {
    const edits = [];
    for (let n = 1; n <= TEXT_RESTORES_MAX; n += 1) {
      expect(editsOf(edits, now)).toEqual({ edits: n });
      edits.push(edit(50 + n));
    }
    const last = editsOf(edits, now);
    expect(last).toEqual({ edits: TEXT_RESTORES_MAX + 1, until: '2026-11-21T13:59:00.000Z' });
    expect(leftUntil([...edits, edit(59, last)], now)).toBe(last.until);
    expect(
      leftUntil([...edits, edit(59, last)], branded(Date.parse(last.until ?? ''), isInstant)),
    ).toBeNull();
  });

  it('of more than an hour ago do not count', () => {
    expect(editsOf([edit(-10), edit(-9), edit(-8), edit(50)], now)).toEqual({ edits: 2 });
  });
});
