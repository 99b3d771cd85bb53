// Who wrote an entry: a person with push access is detected, with any claimed key or role.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { logbookPage, pythonVerifier } from '../../scripts/logbook/event-tables.ts';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/define.ts';
import type { PublicKey } from '../../src/domain/logbook/parts.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { type Signers, sealEvents } from '../../src/logbook/append.ts';
import { formatLine, GENESIS, type Signer, textToSign, type UnsealedEvent } from '../../src/logbook/chain.ts';
import {
  commandAnswered,
  composeFile,
  createForeignKey,
  createSigner,
  gated,
  keys,
  listFerryEvents,
  observed,
  proposed,
  RUN,
  START_MS,
  seededKey,
  signers,
} from './sample-logbook.ts';
import { lastAnchor, verify } from './verify-text.ts';

const ferry = composeFile(listFerryEvents(4));
const lines = ferry.text.trimEnd().split('\n');

describe('a person with push access and a wrong key or no key', () => {
  const head = lastAnchor(ferry.events.slice(0, 3));
  const start = lines
    .slice(0, 3)
    .map((line) => `${line}\n`)
    .join('');

  function forged(draft: EventDraft, as: Signers): string {
    const at = brandAs(START_MS + 300_000, isInstant);
    const [sealed] = sealEvents({ run: RUN, head, at, signers: as, keys, hash: sha256Hex }, [draft]);
    return `${start}${sealed?.line}\n`;
  }

  it('cannot append with an unknown key, or under a known name with another key', () => {
    const draft = commandAnswered(501, 'approved');
    const stranger = createForeignKey();
    expect(verify(forged(draft, { control: createSigner('control', stranger) })).badEntry).toMatchObject({
      reason: 'signature',
      line: 4,
    });
    const unknown = { keyId: 'mallory', role: 'control' as const, sign: stranger.sign };
    expect(verify(forged(draft, { control: unknown })).badEntry).toMatchObject({ reason: 'signature', line: 4 });
    expect(verify(forged(draft, signers)).badEntry).toBeNull();
  });

  it('cannot approve with the key of the runner', () => {
    const asControl = { keyId: 'runner-2026', role: 'control' as const, sign: seededKey(2).sign };
    expect(verify(forged(commandAnswered(501, 'approved'), { control: asControl })).badEntry).toMatchObject({
      reason: 'role',
      line: 4,
    });
  });

  // threat T187
  it("cannot write another role's event type under its own role", () => {
    const event = { ...ferry.events[3], role: 'runner', keyId: 'runner-2026' } as unknown as LogbookEvent;
    expect(verify(`${start}${resealed(event, seededKey(2).sign)}\n`).badEntry).toMatchObject({
      reason: 'role',
      line: 4,
    });
    // Our own code never signs such an entry either.
    const draft = { ...commandAnswered(501, 'approved'), role: 'runner' as const };
    expect(() => forged(draft, signers)).toThrow('runner-may-not-write');
  });

  // threat T192
  it('cannot write with a key before or after its validity', () => {
    const window = (from: string, until: string): readonly PublicKey[] =>
      keys.map((key) => (key.role === 'control' ? { ...key, from, until } : key));
    expect(verify(ferry.text, { keys: window('2026-11-21T09:00:00Z', '2026-11-22T00:00:00Z') }).badEntry).toBeNull();
    expect(verify(ferry.text, { keys: window('2026-11-21T09:00:01Z', '2026-11-22T00:00:00Z') }).badEntry).toMatchObject(
      { reason: 'signature', line: 1 },
    );
    expect(verify(ferry.text, { keys: window('2026-01-01T00:00:00Z', '2026-11-21T09:02:00Z') }).badEntry).toMatchObject(
      { reason: 'signature', line: 3 },
    );
    expect(verify(ferry.text, { keys: window('someday', '2027-01-01T00:00:00Z') }).badEntry).toMatchObject({
      reason: 'signature',
      line: 1,
    });
  });

  it('cannot create a logbook that records no keys', () => {
    const bare = { ...ferry.events[0], data: { ...proposed.data, keys: [] } } as unknown as LogbookEvent;
    expect(verify(`${resealed(bare, seededKey(1).sign)}\n`, { keys: null }).badEntry).toMatchObject({
      reason: 'signature',
    });
  });
});

describe('an entry that ferrybot would not write', () => {
  it('is rejected if it does not continue the entry before it, even with a valid hash and signature', () => {
    const [first = '', , third] = lines;
    const moved = { ...(JSON.parse(third ?? '') as LogbookEvent), seq: 1 };
    const line = resealed(moved, signers.control.sign);
    expect(verify(`${first}\n${line}\n`).badEntry).toMatchObject({ reason: 'hash', line: 2 });
  });

  it('is rejected if it breaks a rule of the lifecycle', () => {
    expect(verify(composeFile([proposed, proposed]).text).badEntry).toMatchObject({ reason: 'transition', line: 2 });
    expect(verify(composeFile([proposed, observed(1)]).text).badEntry).toMatchObject({ reason: 'transition', line: 2 });
    expect(verify(composeFile([gated]).text, { keys }).badEntry).toMatchObject({ reason: 'transition', line: 1 });
  });

  it('is rejected with an unknown type or a missing or wrong field, but may have new fields', () => {
    const [first] = ferry.events;
    const variant = (change: object): string =>
      `${resealed({ ...first, ...change } as LogbookEvent, signers.control.sign)}\n`;
    expect(verify(variant({ note: { more: 1 } })).badEntry).toBeNull();
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
      expect(verify(variant(change)).badEntry, JSON.stringify(change)).toMatchObject({ reason: 'canonical', line: 1 });
    }
  });
});

// threat T239
it('an entry over the length limit is never written, because it would break the file', () => {
  const draft = commandAnswered(501, 'approved');
  const at = brandAs(START_MS, isInstant);
  const context = { run: RUN, head: lastAnchor(ferry.events), at, signers, keys, hash: sha256Hex };
  const told = (characters: number) => ({
    ...draft,
    data: { ...draft.data, detail: { why: '\u0001'.repeat(characters) } },
  });
  expect(() => sealEvents(context, [told(200_000) as EventDraft])).toThrow('logbook-line-too-long');
  expect(sealEvents(context, [told(100_000) as EventDraft])).toHaveLength(1);
});

describe('an entry of an unknown type', () => {
  const start = lines
    .slice(0, 3)
    .map((line) => `${line}\n`)
    .join('');
  const last = lastAnchor(ferry.events.slice(0, 3));

  /** As the next release would append it, except for changes before hashing and signing. */
  function later(change: object = {}, as: Signer = signers.control): string {
    const [sealed] = sealEvents(
      { run: RUN, head: last, at: brandAs(START_MS + 300_000, isInstant), signers, keys, hash: sha256Hex },
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
    const hash = sha256Hex(formatLine(unsealed));
    return `${start}${formatLine({ ...unsealed, hash, sig: as.sign(textToSign(hash)) } as LogbookEvent)}\n`;
  }

  it('is not reported as tampering if a key of its role signed it, for any role', () => {
    for (const as of Object.values(signers)) {
      const { badEntry, events } = verify(later({}, as));
      expect(badEntry).toMatchObject({ line: 4, seq: 3, reason: 'canonical', isOfUnknownType: true });
      expect(badEntry?.message).toContain(`"launched-twice"), and signed by ${as.keyId}: a newer release wrote it`);
      expect(events).toHaveLength(3);
    }
  });

  it.each([
    ['a key of a stranger', later({}, { ...signers.control, sign: createForeignKey().sign })],
    ['a key of another role', later({ role: 'runner' })],
    ['an unknown key', later({ keyId: 'mallory' })],
    ['a time at which no key is valid', later({ at: '2031-01-01T00:00:00.000Z' })],
    ['another line of the file', later({ seq: 9 })],
    ['another chain', later({ prev: GENESIS })],
    ['another run', later({ run: 'ferry-daily-20261120' })],
    ['an unknown version', later({ v: 2 })],
    ['an empty type name', later({ type: '' })],
    ['invalid data', later({ data: 'x' })],
    ['a hash of something else', later().replace('launched-twice', 'launched-thrice')],
  ])('is tampering with %s', (_, text) => {
    const { badEntry } = verify(text);
    expect(badEntry).toMatchObject({ line: 4 });
    expect(badEntry).not.toHaveProperty('isOfUnknownType');
  });

  it('gets no exception when signatures are not checked', () => {
    expect(verify(later(), { verifySignature: null }).badEntry).not.toHaveProperty('isOfUnknownType');
  });

  it('shows a limited part of its type name', () => {
    expect(verify(later({ type: 'x'.repeat(5_000) })).badEntry?.message.length).toBeLessThan(250);
  });
});

describe('docs/logbook.md', () => {
  it('has a valid example', () => {
    const page = readFileSync(new URL('../../docs/logbook.md', import.meta.url), 'utf8');
    const example = /```json\n(.*)\n```/.exec(page)?.[1] ?? '';
    expect(verify(`${example}\n`, { keys: null })).toMatchObject({ badEntry: null, run: 'journal' });
    expect(JSON.parse(example).sig).toBe(seededKey(1).sign(`ferrybot.logbook.v1:${JSON.parse(example).hash}`));
  });

  it('has current tables of events, as has the Python verifier: node scripts/logbook-docs.ts', () => {
    const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    expect(logbookPage(read('logbook.md'))).toBe(read('logbook.md'));
    expect(pythonVerifier(read('verify_logbook.py'))).toBe(read('verify_logbook.py'));
  });
});

/** Signs a changed event as its forger would: chain and hash fit, and the key's holder signs. */
function resealed(event: LogbookEvent, sign: (utf8: string) => string): string {
  const { hash: _hash, sig: _sig, ...rest } = event;
  const unsealed = { ...rest, prev: event.seq === 0 ? GENESIS : event.prev };
  const hash = sha256Hex(formatLine(unsealed as LogbookEvent));
  return formatLine({ ...unsealed, hash, sig: sign(textToSign(hash)) } as LogbookEvent);
}
