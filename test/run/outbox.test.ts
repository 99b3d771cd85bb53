/** The outbox's rules: who posts what an entry reports, and what is posted when GitHub's limits leave little room. */

import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { decideCard, decideComments, type PublishInput } from '../../src/run/decide-publications.ts';
import { hasWriteBudget, isShared, mayPost } from '../../src/run/publications.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { someFacts } from '../support/run-facts.ts';
import { reconcileInput } from './parts.ts';

const entry = { seq: 7, at: '2026-11-21T12:00:00.000Z', role: 'runner' } as const;
const written = brandAs(Date.parse(entry.at), isInstant);
const later = brandAs(written + limits.publishGraceMs, isInstant);
const author = { appended: new Set([7]) };
const other = { appended: new Set([8]) };

describe('a text', () => {
  it('is posted immediately by the process that appended its entry, and by no other process', () => {
    expect(mayPost(entry, author, written)).toBe(true);
    expect(isShared(entry, author, written)).toBe(false);
  });

  it('is posted immediately by a process that speaks for its author, and may be posted twice', () => {
    const speaker = { ...other, publishesFor: ['runner'] as const };
    expect(mayPost(entry, speaker, written)).toBe(true);
    expect(isShared(entry, speaker, written)).toBe(true);
  });

  it('is posted by any other process after the grace period, and may be posted twice from then on', () => {
    expect(mayPost(entry, other, written)).toBe(false);
    expect(mayPost(entry, other, later)).toBe(true);
    expect(isShared(entry, author, later)).toBe(true);
  });
});

it('counts the writes of the last minute and the last hour, and leaves room for alerts', () => {
  const writes = (count: number, ageMs: number) => ({
    writtenAt: Array.from({ length: count }, () => written - ageMs),
  });
  expect(hasWriteBudget(writes(40, 1_000), written, false)).toBe(false);
  expect(hasWriteBudget(writes(40, 1_000), written, true)).toBe(true);
  expect(hasWriteBudget(writes(40, 61_000), written, false)).toBe(true);
  expect(hasWriteBudget(writes(200, 61_000), written, false)).toBe(false);
  expect(hasWriteBudget(writes(450, 61_000), written, true)).toBe(false);
});

it('posts answers and incidents when there is no room for other texts', () => {
  const run = aRun()
    .gated()
    .approved(bob)
    .ordered()
    .submitted()
    .incident('engine-unreadable', { why: 'no answer', looks: 3 });
  const keys = new Set<string>();
  const next = (only?: PublishInput['only']) => {
    const input: PublishInput = {
      ...reconcileInput(run, someFacts()),
      memory: {
        outcomes: new Map([...keys].map((key) => [key, { kind: 'done', number: 14 }])),
        tries: new Map(),
        appended: new Set(Array.from({ length: 30 }, (_, seq) => seq)),
      },
      only,
    };
    return decideComments(input) ?? (only === undefined ? decideCard(input) : null);
  };
  const posted = (only?: PublishInput['only']): readonly string[] => {
    keys.clear();
    const texts: string[] = [];
    for (let step = next(only); step?.kind === 'perform'; step = next(only)) {
      keys.add(step.key);
      texts.push(step.effect.kind === 'post-comment' ? step.key.split(':').slice(0, 2).join(' ') : step.effect.kind);
    }
    return texts;
  };
  expect(posted(['answer', 'incident'])).toEqual(['publish answer', 'publish incident']);
  expect(posted()).toEqual([
    'publish answer',
    'publish incident',
    'publish launch',
    'put-check-run',
    expect.stringMatching('^card '),
  ]);
});
