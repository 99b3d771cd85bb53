/**
 * Closed vocabularies have no unused words: each code is produced somewhere in src, outside its list, and
 * not only compared.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ANSWERS } from '../../src/commands/decision.ts';
import { INCIDENT_CODES } from '../../src/domain/incidents.ts';
import { REFUSALS } from '../../src/domain/launch/verdict.ts';
import { DROP_REASONS } from '../../src/domain/logbook/events/launch-events.ts';
import { EFFECT_KINDS } from '../support/effect-kinds.ts';
import { ROOT } from './cruise.ts';

/** Files that list codes as plain words; in tables the codes are keys, which the pattern ignores. */
const LISTS = ['domain/effect.ts', 'domain/launch/refusal.ts', 'domain/reasons.ts'];
/** Texts of the bot produce no codes. */
const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('render/') && !LISTS.includes(path),
);
/** A quoted word that is neither a key nor compared. */
const MADE = /(?<!(?:[!=]==|\bcase) )'([a-z]+(?:-[a-z]+)*)'(?!:)/g;
const texts = files.map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'));
const made = texts.flatMap((text) => [...text.matchAll(MADE)].map(([, word]) => word));
/** Prefixes that a code is appended to: `approval-${code}`. */
const beginnings = texts.flatMap((text) => [...text.matchAll(/`([a-z]+-)\$\{/g)].map(([, word]) => word ?? ''));
/** An effect is created as an object; its kind alone occurs where an effect is performed. */
const kinds = texts.flatMap((text) => [...text.matchAll(/\bkind: '([a-z-]+)',/g)].map(([, word]) => word));

it.each([
  ['answer', Object.keys(ANSWERS)],
  ['incident', INCIDENT_CODES],
  ['refusal', REFUSALS],
  ['reason why an approval falls', DROP_REASONS],
  ['effect', EFFECT_KINDS],
])('each %s is produced somewhere', (what, codes) => {
  const words = new Set(what === 'effect' ? kinds : made);
  const isMade = (code: string): boolean =>
    words.has(code) ||
    beginnings.some((beginning) => code.startsWith(beginning) && words.has(code.slice(beginning.length)));
  expect(codes.filter((code) => !isMade(code))).toEqual([]);
});
