/** Closed vocabularies have no dead words: each code is made somewhere in src, outside of its list, and not only asked for. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ANSWERS } from '../../src/commands/answers.ts';
import { INCIDENT_CODES } from '../../src/domain/incidents.ts';
import { REFUSALS } from '../../src/domain/launch/verdict.ts';
import { DROP_REASONS } from '../../src/domain/logbook/events/launch-events.ts';
import { EFFECT_KINDS } from '../support/effect-kinds.ts';
import { ROOT } from './cruise.ts';

/** Where a list of codes stands as bare words; a table has them as keys, which count for nothing anyway. */
const LISTS = ['domain/effect.ts', 'domain/launch/refusal.ts', 'domain/reasons.ts'];
/** Sentences are no makers. */
const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('render/') && !LISTS.includes(path),
);
/** A word in quotes that is no key, and is compared with nothing. */
const MADE = /(?<!(?:[!=]==|\bcase) )'([a-z]+(?:-[a-z]+)*)'(?!:)/g;
const texts = files.map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'));
const made = texts.flatMap((text) => [...text.matchAll(MADE)].map(([, word]) => word));
/** Beginnings that a word is put behind: `approval-${code}`. */
const beginnings = texts.flatMap((text) =>
  [...text.matchAll(/`([a-z]+-)\$\{/g)].map(([, word]) => word ?? ''),
);
/** An effect is made as an object; the name of its kind alone stands where one is carried out. */
const kinds = texts.flatMap((text) => [...text.matchAll(/\bkind: '([a-z-]+)',/g)].map(([, word]) => word));

it.each([
  ['answer', Object.keys(ANSWERS)],
  ['incident', INCIDENT_CODES],
  ['refusal', REFUSALS],
  ['reason why an approval falls', DROP_REASONS],
  ['effect', EFFECT_KINDS],
])('each %s is made somewhere', (what, codes) => {
  const words = new Set(what === 'effect' ? kinds : made);
  const isMade = (code: string): boolean =>
    words.has(code) ||
    beginnings.some((beginning) => code.startsWith(beginning) && words.has(code.slice(beginning.length)));
  expect(codes.filter((code) => !isMade(code))).toEqual([]);
});
