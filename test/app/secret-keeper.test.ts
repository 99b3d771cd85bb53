/**
 * Secrets are recognized by value: by a telling name, by the config's list, and by each line of a long
 * value.
 */

import { describe, expect, it } from 'vitest';
import { createSecretRegistry } from '../../src/app/secret-registry.ts';
import type { LabConfig } from '../../src/run/lane.ts';
import { aConfig } from '../support/run-parts.ts';

const passing = (...names: readonly string[]): LabConfig => {
  const config = aConfig();
  return { ...config, lanes: { daily: { ...config.lane, passSecrets: [...names] } } };
};

describe('the text that a process masks', () => {
  it('includes values of variables with a secret-like name, without any config', () => {
    const { redact } = createSecretRegistry({ DEPLOY_TOKEN: 'tugboat-7741', COLOUR: 'ultramarine' }, () => undefined);
    expect(redact('tugboat-7741 is ultramarine')).toBe('*** is ultramarine');
  });

  it('includes secrets that the config passes to jobs, also in base64 and in JSON', () => {
    const masked: string[] = [];
    const store = createSecretRegistry({ HARBOUR: 'salt"and\\brine' }, (value) => masked.push(value));
    expect(store.redact('salt"and\\brine')).toBe('salt"and\\brine');
    expect(store.addSecretsOf(passing('HARBOUR'))).toEqual([]);
    const base64 = Buffer.from('salt"and\\brine').toString('base64');
    const json = JSON.stringify({ value: 'salt"and\\brine' });
    expect(store.redact(`salt"and\\brine ${base64} ${json}`)).toBe('*** ***= {"value":"***"}');
    expect(masked).toEqual(['salt"and\\brine']);
  });

  it('includes the address of a channel that the config names', () => {
    const config = aConfig();
    const channels = { ops: { kind: 'discord', address: 'HARBOUR' } } as const;
    const store = createSecretRegistry({ HARBOUR: 'https://chat.example/hooks/1' }, () => undefined);
    store.addSecretsOf({ ...config, onCall: { ...config.onCall, channels } });
    expect(store.redact('posted to https://chat.example/hooks/1')).toBe('posted to ***');
  });

  it('includes each line of a multi-line secret', () => {
    const store = createSecretRegistry({ CERTIFICATE: 'first line of it\nsecond line of it\n}' }, () => undefined);
    store.addSecretsOf(passing('CERTIFICATE'));
    expect(store.redact('read second line of it, then }')).toBe('read ***, then }');
  });

  it('includes all output of a job that has a secret unknown to this process', () => {
    const store = createSecretRegistry({}, () => undefined);
    expect(store.cleanJobText('loss=3.4')).toBe('loss=3.4');
    expect(store.addSecretsOf(passing('HARBOUR'))).toEqual(['HARBOUR']);
    expect(store.cleanJobText('RuntimeError: bad password hunter2')).toBe(
      '(withheld: this process was not given HARBOUR and cannot redact it)',
    );
    expect(store.cleanJobText('')).toBe('');
    expect(store.redact('our own words')).toBe('our own words');
  });
});
