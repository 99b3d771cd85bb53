// Keys and hashes: every supported form of a private key, RFC 8032's own test vectors, and an error for all
// others.

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseSigningKey, sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

// RFC 8032, section 7.1, test 2: the message is the one byte 0x72, the letter r.
const SEED = '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb';
const PUBLIC = base64('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c');
const SIGNATURE = base64(
  '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
);

describe('a private key', () => {
  it('signs the same in every form', () => {
    const seed = Buffer.from(SEED, 'hex');
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const pem = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
      .export({ format: 'pem', type: 'pkcs8' })
      .toString();
    for (const text of [
      seed.toString('base64'),
      der.toString('base64'),
      pem,
      pem.replaceAll('\n', '\\n'),
      `  ${seed.toString('base64')}\n`,
    ]) {
      const key = parseSigningKey(text);
      if (!key.ok) throw new Error(key.error);
      expect(key.value.public).toBe(PUBLIC);
      expect(key.value.sign('r')).toBe(SIGNATURE);
    }
  });

  it('of another kind or without a key is refused without quoting it', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
      .privateKey.export({ format: 'pem', type: 'pkcs8' })
      .toString();
    expect(parseSigningKey(rsa)).toEqual({ ok: false, error: 'an Ed25519 key is needed, this one is rsa' });
    for (const text of [
      '',
      '  ',
      'hunter2-hunter2',
      base64('00'.repeat(31)),
      '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----',
    ]) {
      const key = parseSigningKey(text);
      expect(key.ok).toBe(false);
      expect(JSON.stringify(key)).not.toContain('hunter2');
    }
  });
});

describe('a signature', () => {
  it('is valid only for its key and its text', () => {
    expect(verifyEd25519(PUBLIC, 'r', SIGNATURE)).toBe(true);
    expect(verifyEd25519(PUBLIC, 's', SIGNATURE)).toBe(false);
    expect(verifyEd25519(base64('00'.repeat(32)), 'r', SIGNATURE)).toBe(false);
    for (const [key, signature] of [
      ['', SIGNATURE],
      ['not a key', SIGNATURE],
      [PUBLIC, ''],
      [PUBLIC, 'AAAA'],
      [`${PUBLIC}=`, SIGNATURE],
    ]) {
      expect(verifyEd25519(key ?? '', 'r', signature ?? '')).toBe(false);
    }
  });
});

describe('sha256Hex', () => {
  it('hashes UTF-8 bytes', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});
