/** The core reads no clock, no chance, no environment and no network: all of that arrives as arguments. */

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
  it('is found', () => {
    expect(files.length).toBeGreaterThan(100);
  });

  it('names nothing of the machine', () => {
    const found = files.flatMap((file) =>
      forbiddenGlobals(readFileSync(join(SRC, file), 'utf8')).map(
        ({ line, what }) => `${file}:${line} ${what}`,
      ),
    );
    expect(found).toEqual([]);
  });
});

describe('the check', () => {
  it.each([
    'Date.now()',
    'const at = new Date();',
    'Date()',
    'new Date',
    'const { now } = Date;',
    "Date['now']()",
    'Math.random()',
    'const { random } = Math;',
    'process.env',
    'const path = process.cwd;',
    'await fetch("https://example.org")',
    'setTimeout(() => 1, 5)',
    'queueMicrotask(f)',
    'performance.now()',
    'crypto.randomUUID()',
    'globalThis.Date',
    'const own = { process };',
    'function f(fetch: () => void): void { fetch(); }',
    "const fs = await import('node:fs');",
    "require('fs')",
    'import.meta.url',
    'at.toLocaleString()',
    'at.getHours()',
  ])('refuses %s', (text) => {
    expect(forbiddenGlobals(text)).not.toEqual([]);
  });

  it.each([
    'new Date(atMs).toISOString()',
    'Date.parse(text)',
    'Date.UTC(2026, 1, 1)',
    'at.getUTCHours()',
    'Math.max(1, 2)',
    'git.fetch()',
    'type Git = { readonly fetch: () => Promise<void>; process(): void };',
    'const git = { fetch: () => 1 };',
    '// process.env and Date.now() in a comment',
    "const text = 'Date.now()';",
  ])('takes %s', (text) => {
    expect(forbiddenGlobals(text)).toEqual([]);
  });
});
