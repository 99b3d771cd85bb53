/**
 * The settings of `ferrybot serve`: an unreadable key is reported at the start, and no part of it is
 * printed.
 */

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readServeOptions } from '../../../src/app/server/serve-options.ts';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const app = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
const control = generateKeyPairSync('ed25519').privateKey.export(pem).toString();
const SETTINGS = {
  APP_ID: '1',
  PRIVATE_KEY: app,
  WEBHOOK_SECRET: 'a webhook secret',
  FERRYBOT_WORK_DIR: '/tmp/ferrybot',
};
const read = (more: Readonly<Record<string, string>>) => readServeOptions({ ...SETTINGS, ...more }, () => 0);

describe('the settings of the server', () => {
  it('accept a key with line breaks or with \\n, and no control key', () => {
    expect(read({}).ok).toBe(true);
    expect(read({ PRIVATE_KEY: app.replaceAll('\n', '\\n') }).ok).toBe(true);
    expect(read({ FERRYBOT_CONTROL_KEY: control }).ok).toBe(true);
    expect(read({ FERRYBOT_CONTROL_KEY: '' }).ok).toBe(true);
  });

  it('have eight workers and half a minute for a stop, and refuse a number out of range', () => {
    expect(read({})).toMatchObject({ value: { workers: 8, stopPatienceMs: 25_000 } });
    expect(read({ FERRYBOT_WORKERS: '3', FERRYBOT_STOP_MS: '0' })).toMatchObject({
      value: { workers: 3, stopPatienceMs: 0 },
    });
    for (const workers of ['0', '65', '1.5', 'many'])
      expect(read({ FERRYBOT_WORKERS: workers })).toMatchObject({
        ok: false,
        error: [expect.stringMatching(/^FERRYBOT_WORKERS: /)],
      });
  });

  it.each([
    ['PRIVATE_KEY', 'MARKER-garbage', 'not an RSA private key in PEM'],
    ['PRIVATE_KEY', control, 'not an RSA private key in PEM'],
    ['FERRYBOT_CONTROL_KEY', 'MARKER-garbage', 'not an Ed25519 private key'],
    ['FERRYBOT_CONTROL_KEY', app, 'not an Ed25519 private key'],
  ])('refuse a malformed %s and print no part of it', (name, value, problem) => {
    const options = read({ [name]: value });
    expect(options).toMatchObject({ ok: false });
    const text = JSON.stringify(options);
    expect(text).toContain(`${name}: ${problem}`);
    expect(text).not.toContain('MARKER');
  });
});
