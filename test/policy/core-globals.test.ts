/** The core uses no clock, randomness, environment or network directly: all of them are arguments. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forbiddenGlobals } from './forbidden-globals.ts';

const SRC = join(import.meta.dirname, '../../src');
const CORE = [
  'domain',
  'commands',
  'gates',
  'run',
  'kinds',
  'contracts',
  'watch',
  'care',
  'logbook',
  'render',
  'settings',
  'config',
];
const files = CORE.filter((room) => existsSync(join(SRC, room))).flatMap((room) =>
  readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
    .map((file) => `${room}/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('logbook/store/')),
);

describe('the core', () => {
  it('has files to check', () => {
    expect(files.length).toBeGreaterThan(100);
  });

  it('uses no global of the machine', () => {
    const found = files.flatMap((file) =>
      forbiddenGlobals(readFileSync(join(SRC, file), 'utf8')).map(({ line, what }) => `${file}:${line} ${what}`),
    );
    expect(found).toEqual([]);
  });
});
