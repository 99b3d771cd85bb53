// Who wrote an entry: somebody who can push is found out, whatever key or role the entry claims.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { logbookPage, pythonVerifier } from '../../scripts/logbook/event-tables.ts';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/event.ts';
import type { PublicKey } from '../../src/domain/logbook/parts.ts';
import { branded, isInstant } from '../../src/domain/values.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { type Signers, sealEvents } from '../../src/logbook/append.ts';
import { GENESIS, lineOf, type Signer, signedText, type UnsealedEvent } from '../../src/logbook/chain.ts';
import {
  commandAnswered,
  fileOf,
  gated,
  keys,
  lifeOfAFerry,
  observed,
  proposed,
  RUN,
  START_MS,
  seededKey,
  signerOf,
  signers,
  strangersKey,
} from './sample-logbook.ts';
import { headOf, verify } from './verify-text.ts';

const ferry = fileOf(lifeOfAFerry(4));
const lines = ferry.text.trimEnd().split('\n');

describe('somebody who can push and holds no key, or another one', () => {
  const head = headOf(ferry.events.slice(0, 3));
  const start = lines
    .slice(0, 3)
    .map((line) => `${line}\n`)
    .join('');

  function forged(draft: EventDraft, as: Signers): string {
    const at = branded(START_MS + 300_000, isInstant);
    const [sealed] = sealEvents({ run: RUN, head, at, signers: as, keys, hash: sha256Hex }, [draft]);
    return `${start}${sealed?.line}\n`;
  }

  it('cannot append: an unknown key, or a known name with another key', () => {
    const draft = commandAnswered(501, 'approved');
    const stranger = strangersKey();
    expect(verify(forged(draft, { control: signerOf('control', stranger) })).bad).toMatchObject({
      reason: 'signature',
      line: 4,
    });
    const unknown = { keyId: 'mallory', role: 'control' as const, sign: stranger.sign };
    expect(verify(forged(draft, { control: unknown })).bad).toMatchObject({ reason: 'signature', line: 4 });
    expect(verify(forged(draft, signers)).bad).toBeNull();
  });

  it('cannot approve with the key of the runner', () => {
    const asControl = { keyId: 'runner-2026', role: 'control' as const, sign: seededKey(2).sign };
    expect(verify(forged(commandAnswered(501, 'approved'), { control: asControl })).bad).toMatchObject({
      reason: 'role',
      line: 4,
    });
  });

  // threat T187
  it("cannot write another role's type under its own role", () => {
    const event = { ...ferry.events[3], role: 'runner', keyId: 'runner-2026' } as unknown as LogbookEvent;
    expect(verify(`${start}${resealed(event, seededKey(2).sign)}\n`).bad).toMatchObject({
      reason: 'role',
      line: 4,
    });
    // Nor does our own code ever sign such an entry.
    const draft = { ...commandAnswered(501, 'approved'), role: 'runner' as const };
    expect(() => forged(draft, signers)).toThrow('runner-may-not-write');
  });

  // threat T192
  it('cannot write with a key before it counts, or after it was retired', () => {
    const window = (from: string, until: string): readonly PublicKey[] =>
      keys.map((key) => (key.role === 'control' ? { ...key, from, until } : key));
    expect(
      verify(ferry.text, { keys: window('2026-11-21T09:00:00Z', '2026-11-22T00:00:00Z') }).bad,
    ).toBeNull();
    expect(
      verify(ferry.text, { keys: window('2026-11-21T09:00:01Z', '2026-11-22T00:00:00Z') }).bad,
    ).toMatchObject({ reason: 'signature', line: 1 });
    expect(
      verify(ferry.text, { keys: window('2026-01-01T00:00:00Z', '2026-11-21T09:02:00Z') }).bad,
    ).toMatchObject({ reason: 'signature', line: 3 });
    expect(verify(ferry.text, { keys: window('someday', '2027-01-01T00:00:00Z') }).bad).toMatchObject({
      reason: 'signature',
      line: 1,
    });
  });

  it('cannot make a logbook that records no keys', () => {
    const bare = { ...ferry.events[0], data: { ...proposed.data, keys: [] } } as unknown as LogbookEvent;
    expect(verify(`${resealed(bare, seededKey(1).sign)}\n`, { keys: null }).bad).toMatchObject({
      reason: 'signature',
    });
  });
});

describe('an entry that ferrybot itself would not write', () => {
  it('does not continue the entry before it, though hash and signature are its own', () => {
    const [first = '', , third] = lines;
    const moved = { ...(JSON.parse(third ?? '') as LogbookEvent), seq: 1 };
    const line = resealed(moved, signers.control.sign);
    expect(verify(`${first}\n${line}\n`).bad).toMatchObject({ reason: 'hash', line: 2 });
  });

  it('breaks a rule of the lifecycle', () => {
    expect(verify(fileOf([proposed, proposed]).text).bad).toMatchObject({ reason: 'transition', line: 2 });
    expect(verify(fileOf([proposed, observed(1)]).text).bad).toMatchObject({ reason: 'transition', line: 2 });
    expect(verify(fileOf([gated]).text, { keys }).bad).toMatchObject({ reason: 'transition', line: 1 });
  });

  it('is of a type that is not known, lacks a field, or has one of the wrong type; a new field is kept', () => {
    const [first] = ferry.events;
    const variant = (change: object): string =>
      `${resealed({ ...first, ...change } as LogbookEvent, signers.control.sign)}\n`;
    expect(verify(variant({ note: { more: 1 } })).bad).toBeNull();
    expect(verify(variant({ note: 1 })).events[0]).toMatchObject({ note: 1 });
    for (const change of [
      { type: 'launched' },
      { v: 2 },
      { at: '2026-11-21 09:00' },
      { at: '2026-13-21T09:00:00.000Z' },
      { data: { ...proposed.data, issue: '12' } },
      { data: {} },
      { actor: { id: 'x' } },
    ]) {
      expect(verify(variant(change)).bad, JSON.stringify(change)).toMatchObject({
        reason: 'canonical',
        line: 1,
      });
    }
  });
});

// threat T239
it('an entry that is longer than anybody reads is never written: the file would be broken from there on', () => {
  const draft = commandAnswered(501, 'approved');
  const at = branded(START_MS, isInstant);
  const context = { run: RUN, head: headOf(ferry.events), at, signers, keys, hash: sha256Hex };
  const told = (characters: number) => ({
    ...draft,
    data: { ...draft.data, detail: { why: '\u0001'.repeat(characters) } },
  });
  expect(() => sealEvents(context, [told(200_000) as EventDraft])).toThrow('logbook-line-too-long');
  expect(sealEvents(context, [told(100_000) as EventDraft])).toHaveLength(1);
});

describe('an entry of a type that this release does not know', () => {
  const start = lines
    .slice(0, 3)
    .map((line) => `${line}\n`)
    .join('');
  const last = headOf(ferry.events.slice(0, 3));

  /** As the next release would append it, but for what is changed before it is hashed and signed. */
  function later(change: object = {}, as: Signer = signers.control): string {
    const [sealed] = sealEvents(
      { run: RUN, head: last, at: branded(START_MS + 300_000, isInstant), signers, keys, hash: sha256Hex },
      [commandAnswered(501, 'approved')],
    );
    const { hash: _hash, sig: _sig, ...event } = sealed?.event ?? {};
    const unsealed = {
      ...event,
      keyId: as.keyId,
      role: as.role,
      type: 'launched-twice',
      ...change,
    } as unknown as UnsealedEvent;
    const hash = sha256Hex(lineOf(unsealed));
    return `${start}${lineOf({ ...unsealed, hash, sig: as.sign(signedText(hash)) } as LogbookEvent)}\n`;
  }

  it('is told apart from tampering where a key of its role has signed it, whatever role that is', () => {
    for (const as of Object.values(signers)) {
      const { bad, events } = verify(later({}, as));
      expect(bad).toMatchObject({ line: 4, seq: 3, reason: 'canonical', isOfUnknownType: true });
      expect(bad?.message).toContain(
        `"launched-twice"), and signed by ${as.keyId}: a newer release wrote it`,
      );
      expect(events).toHaveLength(3);
    }
  });

  it.each([
    ["a stranger's key", later({}, { ...signers.control, sign: strangersKey().sign })],
    ['a key of another role', later({ role: 'runner' })],
    ['a key that is not known', later({ keyId: 'mallory' })],
    ['a moment at which no key was in force', later({ at: '2031-01-01T00:00:00.000Z' })],
    ['another place in the file', later({ seq: 9 })],
    ['another chain', later({ prev: GENESIS })],
    ['another run', later({ run: 'ferry-daily-20261120' })],
    ['a version that is not known either', later({ v: 2 })],
    ['no name for its type', later({ type: '' })],
    ['data that is none', later({ data: 'x' })],
    ['a hash of something else', later().replace('launched-twice', 'launched-thrice')],
  ])('is tampering with %s', (_, text) => {
    const { bad } = verify(text);
    expect(bad).toMatchObject({ line: 4 });
    expect(bad).not.toHaveProperty('isOfUnknownType');
  });

  it('is believed of no reader that looks at no signature', () => {
    expect(verify(later(), { verifySignature: null }).bad).not.toHaveProperty('isOfUnknownType');
  });

  it('shows a bounded part of the name that it has', () => {
    expect(verify(later({ type: 'x'.repeat(5_000) })).bad?.message.length).toBeLessThan(250);
  });
});

describe('docs/logbook.md', () => {
  it('has an example that is what it says', () => {
    const page = readFileSync(new URL('../../docs/logbook.md', import.meta.url), 'utf8');
    const example = /```json\n(.*)\n```/.exec(page)?.[1] ?? '';
    expect(verify(`${example}\n`, { keys: null })).toMatchObject({ bad: null, run: 'journal' });
    expect(JSON.parse(example).sig).toBe(
      seededKey(1).sign(`ferrybot.logbook.v1:${JSON.parse(example).hash}`),
    );
  });

  it('is current in its tables of events, as the Python verifier is: node scripts/logbook-docs.ts', () => {
    const read = (name: string): string =>
      readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    expect(logbookPage(read('logbook.md'))).toBe(read('logbook.md'));
    expect(pythonVerifier(read('verify_logbook.py'))).toBe(read('verify_logbook.py'));
  });
});

/** Signs a changed event as its forger would: chain and hash fit, whoever holds the key signs. */
function resealed(event: LogbookEvent, sign: (utf8: string) => string): string {
  const { hash: _hash, sig: _sig, ...rest } = event;
  const unsealed = { ...rest, prev: event.seq === 0 ? GENESIS : event.prev };
  const hash = sha256Hex(lineOf(unsealed as LogbookEvent));
  return lineOf({ ...unsealed, hash, sig: sign(signedText(hash)) } as LogbookEvent);
}
