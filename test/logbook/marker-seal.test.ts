/** A marker's seal: what it covers, which key counts, and which changes of a text are no edit. */

import { describe, expect, it } from 'vitest';
import type { PublicKey } from '../../src/domain/logbook/parts.ts';
import { isSameContent, markerText, readMarker } from '../../src/domain/marker.ts';
import type { Instant } from '../../src/domain/values.ts';
import { parseSigningKey, sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';
import { sealMarker, verifyMarker } from '../../src/logbook/mark.ts';
import { measureCpuMs } from '../support/cpu-ms.ts';
import { DEMO_KEYS } from '../support/demo-keys.ts';
import { createKeyPair } from '../support/key-pair.ts';

const AT = Date.UTC(2026, 10, 21, 9) as Instant;
const PLACE = { repository: 'lab/ferries', thread: 13 };
const MARKER = { run: 'ferry-daily-20261121', kind: 'card', key: 'card', fields: { head: '3:0123456789ab' } } as const;
const BODY = `${markerText(MARKER)}\n🤖 **Wanted: an approval.**\n\n| a | b |\n`;

function key(id: string, role: PublicKey['role'], publicHalf: string): PublicKey {
  return { id, role, public: publicHalf, from: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' };
}

const KEYS = [
  key('control-2026', 'control', DEMO_KEYS.control.public),
  key('watch-2026', 'watch', DEMO_KEYS.watch.public),
];

function signer(seed: string, keyId = 'control-2026') {
  const parsed = parseSigningKey(seed);
  if (!parsed.ok) throw new Error(parsed.error);
  return { keyId, role: 'control', sign: parsed.value.sign } as const;
}

function sealed(change: { at?: Instant; seed?: string; keyId?: string; body?: string; thread?: number } = {}): string {
  const { at = AT, seed = DEMO_KEYS.control.seed, keyId, body = BODY, thread = 13 } = change;
  return sealMarker(body, { ...PLACE, thread }, { signer: signer(seed, keyId), at, hash: sha256Hex });
}

function verify(body: string, place = PLACE, keys = KEYS) {
  return verifyMarker(body, place, { keys, hash: sha256Hex, verifySignature: verifyEd25519 });
}

describe('a sealed marker', () => {
  it('names what was sealed, with which key and when, to the byte of docs/logbook.md', () => {
    expect(sealed().split('\n')[0]).toMatchInlineSnapshot(
      `"<!-- ferrybot:v1 run=ferry-daily-20261121 kind=card key=card head=3:0123456789ab at=2026-11-21T09:00:00.000Z text=1826ceff26b3e3b199317005f54816f88411783968a24380cf8132d68d8907f9 by=control-2026 sig=r7H6JSWDcwvpYWl8GOGybNNJc6bYN5fpB8nfkIJxmzfVft_D5jdSmNcCZNXUuFwVuqXS4iknRJUJcH14AF7VBQ -->"`,
    );
    expect(verify(sealed())).toEqual({
      ...MARKER,
      role: 'control',
      at: AT,
      text: sha256Hex('🤖 **Wanted: an approval.**\n\n| a | b |'),
      isIntact: true,
    });
    expect(readMarker(sealed())).toEqual(MARKER);
  });

  it('is rejected in another thread, in another repository, or below the first line', () => {
    expect(verify(sealed(), { ...PLACE, thread: 14 })).toBeNull();
    expect(verify(sealed(), { ...PLACE, repository: 'lab/other' })).toBeNull();
    expect(verify(`so it begins\n${sealed()}`)).toBeNull();
    expect(verify(` ${sealed()}`)).toBeNull();
  });

  it.each([
    ['run', 'run=ferry-daily-20261121', 'run=ferry-daily-20261122'],
    ['kind', 'kind=card', 'kind=drop'],
    ['key', 'key=card', 'key=other'],
    ['head', 'head=3:0123456789ab', 'head=9:0123456789ab'],
    ['time', 'at=2026-11-21T09', 'at=2026-11-21T10'],
    ['digest', /text=[0-9a-f]{64}/, `text=${'0'.repeat(64)}`],
    ['key id', 'by=control-2026', 'by=watch-2026'],
    ['seal, which is missing', / at=.* -->/, ' -->'],
  ])('is rejected with another %s', (_, from, to) => {
    const changed = sealed().replace(from, to);
    expect(changed).not.toBe(sealed());
    expect(verify(changed)).toBeNull();
  });

  it('is rejected with an unlisted key, or a key that was not valid at that time', () => {
    expect(verify(sealed({ seed: createKeyPair().seed }))).toBeNull();
    expect(verify(sealed({ keyId: 'control-2025' }))).toBeNull();
    expect(verify(sealed({ at: Date.UTC(2027, 0, 1) as Instant }))).toBeNull();
    expect(verify(sealed({ at: (Date.UTC(2026, 0, 1) - 1) as Instant }))).toBeNull();
    expect(verify(sealed({ seed: DEMO_KEYS.watch.seed, keyId: 'watch-2026' }))?.role).toBe('watch');
  });

  it('has a signature that is not valid for the logbook', () => {
    const [line = ''] = sealed().split('\n');
    const signature = `${/ sig=([^ ]+) /.exec(line)?.[1]?.replaceAll('-', '+').replaceAll('_', '/')}==`;
    const signed = line.slice(0, line.indexOf(' sig='));
    const hash = sha256Hex(`lab/ferries\n13\n${signed}`);
    expect(verifyEd25519(DEMO_KEYS.control.public, `ferrybot.marker.v1:${hash}`, signature)).toBe(true);
    expect(verifyEd25519(DEMO_KEYS.control.public, `ferrybot.logbook.v1:${hash}`, signature)).toBe(false);
  });

  it.each([
    ['1899-11-21T09:00:00.000Z', 'before the first moment'],
    ['2026-99-99T99:99:99.999Z', 'no time'],
    ['::::::::::::::::::::::::', 'no time at all'],
  ])('with the time %s (%s) is rejected without an exception', (at) => {
    expect(verify(sealed().replace(/ at=[^ ]+/, ` at=${at}`))).toBeNull();
  });
});

describe('the text below the marker', () => {
  it.each([
    ['line endings, as a web form writes them', (body: string) => body.replaceAll('\n', '\r\n')],
    ['white space at the end of a line', (body: string) => body.replace('approval.**\n', 'approval.**  \n')],
    ['blank lines at the end', (body: string) => body.trimEnd()],
    ['more blank lines at the end', (body: string) => `${body}\n\n`],
  ])('is intact with other %s', (_, change) => {
    expect(verify(change(sealed()))).toMatchObject({ isIntact: true });
    expect(isSameContent(change(sealed()), BODY)).toBe(true);
  });

  it.each([
    ['a word', (body: string) => body.replace('approval', 'Approval')],
    ['a line added before it', (body: string) => body.replace('\n', '\nApprove this.\n')],
    ['a line added after it', (body: string) => `${body}| c | d |\n`],
    ['white space inside', (body: string) => body.replace('an approval', 'an  approval')],
    ['no text left', (body: string) => body.split('\n')[0] ?? ''],
  ])('is not intact with %s changed, but the marker is still valid', (_, change) => {
    expect(verify(change(sealed()))).toMatchObject({ ...MARKER, isIntact: false });
    expect(isSameContent(change(sealed()), BODY)).toBe(false);
  });

  it('with a seal is not sealed again, so that foreign edits get no seal', () => {
    const edited = `${sealed()}and more\n`;
    expect(sealed({ body: edited })).toBe(edited);
    expect(sealed({ body: 'no marker' })).toBe('no marker');
  });

  it('of 65,536 hostile characters is verified quickly', () => {
    const hostile = [
      ' at='.repeat(16_384),
      `${'<!-- ferrybot:v1 run=a kind=card key=a'}${' a=a'.repeat(16_000)}`,
      `\n${' \t'.repeat(32_000)}x`,
    ];
    for (const body of hostile) expect(measureCpuMs(() => verify(body))).toBeLessThan(500);
  });
});
