/** Whose comments can be a second card: a bot's and a writer's, and of ferrybot's own only what its seal does not cover. */

import { describe, expect, it } from 'vitest';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { secondCard } from '../../src/run/second-card.ts';
import { alice, bob, digestOf } from '../support/run-drafts.ts';
import { aComment, instant, permissions } from '../support/run-facts.ts';

const digest = digestOf('the manifest');
const CARD = `# Ready\n\n/approve-launch ${digest.slice('sha256:'.length)}`;
const bot = { id: 41_898_282, login: 'github-actions' };
const asked = {
  state: { shown: null, cardEdit: { seq: 5, comment: 7 } },
  digest,
  approval: aComment(bob, 'the approval', { id: 2_000, createdAt: instant('2026-11-21T12:10:00Z') }),
};
const held = permissions([alice, 'write']);

function found(comment: CommentFacts, who = held): string {
  const second = secondCard(asked, [comment], who);
  if (second.kind === 'need') return 'need';
  if (second.kind === 'unknown') return second.why;
  return second.value === null ? 'none' : `${second.value.id}`;
}

describe('a second card', () => {
  it.each([
    ['a bot', aComment(bot, CARD, { authorIsBot: true })],
    ['a bot under our own name without our seal', aComment(bot, CARD, { authorIsBot: true, byUs: true })],
    ['a person with write permission', aComment(alice, CARD)],
    [
      'somebody who wrote it in the second of the approval',
      aComment(alice, CARD, { createdAt: asked.approval.createdAt }),
    ],
    ['somebody in a review', aComment(alice, CARD, { surface: 'review' })],
  ])('can be by %s', (_, comment) => {
    expect(found(comment)).toBe('1000');
  });

  it.each([
    ['hidden', aComment(alice, CARD, { minimized: true })],
    ['later than the approval', aComment(alice, CARD, { createdAt: instant('2026-11-21T12:10:01Z') })],
    ['the approval itself', aComment(alice, CARD, { id: 2_000 })],
    ['the card that the record names', aComment(bot, CARD, { id: 7, authorIsBot: true })],
    ['by a deleted account', aComment({ id: 0, login: 'ghost' }, CARD, { authorIsBot: true })],
    ['of another manifest', aComment(alice, CARD.replace(/[0-9a-f]{64}/, 'ab'.repeat(32)))],
    [
      'sealed by ferrybot',
      aComment(bot, `<!-- ferrybot:v1 run=r kind=answer key=k -->\n${CARD}`, {
        byUs: true,
        authorIsBot: true,
      }),
    ],
  ])('is none that is %s', (_, comment) => {
    expect(found(comment)).toBe('none');
  });

  it.each(['none', 'read', 'triage'] as const)('is none by a person with the permission %s', (permission) => {
    expect(found(aComment(alice, CARD), permissions([alice, permission]))).toBe('none');
  });

  it('asks what its author may do, and nobody else', () => {
    expect(found(aComment(bob, CARD))).toBe('need');
    expect(found(aComment(bob, 'Good morning.'))).toBe('none');
  });

  it('is not known where GitHub does not tell what its author may do', () => {
    const away = new Map([[alice.id, unknown('GitHub is away')]]);
    expect(found(aComment(alice, CARD), away)).toBe('the permission of alice: GitHub is away');
  });

  it('is the oldest of several', () => {
    const later = aComment(alice, CARD, { id: 1_500, createdAt: instant('2026-11-21T12:05:00Z') });
    expect(secondCard(asked, [later, aComment(alice, CARD)], held)).toMatchObject(known({ id: 1_000 }));
  });
});
