/**
 * Every regular expression of the source takes time linear in the length of its text, for any untrusted
 * input. recheck searches an attack on each, by automaton or with generated texts, and counts steps instead
 * of seconds.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listSourcePatterns } from './patterns-of-source.ts';

// Run in this process: the other backends start a program per pattern.
process.env['RECHECK_SYNC_BACKEND'] = 'pure';
const require = createRequire(new URL('../../checks/package.json', import.meta.url));
const isThere = existsSync(new URL('../../checks/node_modules', import.meta.url));
const { checkSync } = isThere ? require('recheck') : {};
const meta = { skipReason: 'recheck is missing: npm run checks installs it' };

/** The largest patterns are automata with some ten thousand states; the margin is for a loaded machine. */
const TIMEOUT_MS = 120_000;
const VERDICT = z.object({
  status: z.enum(['safe', 'vulnerable', 'unknown']),
  complexity: z.object({ type: z.string(), summary: z.string().optional() }).optional(),
  attack: z
    .object({
      pattern: z.string(),
      pumps: z.array(z.object({ prefix: z.string(), pump: z.string() })),
      suffix: z.string(),
      string: z.string(),
    })
    .optional(),
});
type Attack = NonNullable<z.infer<typeof VERDICT>['attack']>;

/** Not written in the source: the lab's own patterns, from the config of its default branch. */
const FROM_THE_CONFIG = ['src/care/disk/worker-answers.ts', 'src/diagnosis/trainers.ts', 'src/settings/machines.ts'];
/**
 * Patterns that were judged before, one `/pattern/flags` per line: a verdict depends only on the pattern. CI
 * judges another fifth again for each commit, and `FERRYBOT_JUDGE=all` judges all, which takes a quarter of
 * an hour.
 */
const JUDGED = new Set(
  readFileSync(new URL('../../fixtures/policy/linear-patterns.txt', import.meta.url), 'utf8').split('\n'),
);

/** True if a pattern is judged in this run. */
function isDue({ source, flags }: { readonly source: string; readonly flags: string }): boolean {
  const pattern = `/${source}/${flags}`;
  if (!JUDGED.has(pattern) || process.env['FERRYBOT_JUDGE'] === 'all') return true;
  if (process.env['CI'] === undefined) return false;
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  return (createHash('sha256').update(`${head} ${pattern}`).digest()[0] ?? 0) % 5 === 0;
}

const all = listSourcePatterns();
const written = all.flatMap(({ source, ...rest }) => (source === null ? [] : [{ source, ...rest }]));

/**
 * An attack that recheck computed, if it is also slow here: recheck counts its own steps, and its guess may
 * be wrong.
 */
function faultOf(source: string, flags: string): string | null {
  const { status, complexity, attack } = VERDICT.parse(checkSync(source, flags, { timeout: TIMEOUT_MS }));
  if (status === 'safe') return null;
  if (status === 'unknown' || attack === undefined) return `${status}: make it smaller`;
  const pattern = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  const read = (text: string): unknown => text.replace(pattern, '');
  if (complexity?.type === 'exponential' && isExponential(read, attack)) return `exponential: ${attack.pattern}`;
  const growth = growthOf(read, attack);
  return growth < GROWTH_MAX
    ? null
    : `${complexity?.summary}: ${attack.pattern}, ${growth.toFixed(0)} times as long on eight times as much`;
}

/** No other search takes so long on a text of recheck's length, even on a loaded machine. */
const EXPONENTIAL_MS = 100;

/** Whether the time explodes on the way to the length that recheck gives: each pump multiplies it, so the first slow text ends the search. */
function isExponential(read: (text: string) => unknown, attack: Attack): boolean {
  const pump = Math.max(...attack.pumps.map((one) => one.pump.length)) * attack.pumps.length;
  for (let characters = pump; characters <= attack.string.length; characters += pump)
    if (quickestMs(() => read(attackOf(attack, characters))) > EXPONENTIAL_MS) return true;
  return false;
}

/** Eight if each character is read once; the margin is for a loaded machine and memory. */
const GROWTH_MAX = 24;
const SHORT_CHARACTERS = 2_048;
/** Below this, a time measurement is meaningless. */
const MEASURED_MS = 0.1;

function growthOf(read: (text: string) => unknown, attack: Attack): number {
  const short = quickestMs(() => read(attackOf(attack, SHORT_CHARACTERS)));
  const long = quickestMs(() => read(attackOf(attack, 8 * SHORT_CHARACTERS)));
  return long / Math.max(short, MEASURED_MS);
}

function attackOf({ pumps, suffix }: Attack, characters: number): string {
  const each = characters / pumps.length;
  return pumps.reduce((text, { prefix, pump }) => text + prefix + pump.repeat(each / pump.length), '') + suffix;
}

function quickestMs(act: () => unknown): number {
  const tries = Array.from({ length: 3 }, () => {
    const start = performance.now();
    act();
    return performance.now() - start;
  });
  return Math.min(...tries);
}

describe.skipIf(!isThere)('the check for linear patterns', { meta }, () => {
  it.each(['\\s+$', '<!--[\\s\\S]*?-->', '^(a|aa)+$'])('rejects the pattern %s', (source) => {
    expect(faultOf(source, 'g')).not.toBeNull();
  });

  it('also finds patterns that are assembled from parts', () => {
    const word = written.find(
      ({ place, source }) => place.startsWith('src/commands/grammar/') && source?.includes('Ignorable'),
    );
    expect(word).toBeDefined();
    const unread = all.filter(({ source }) => source === null).map(({ place }) => place.replace(/:\d+$/, ''));
    expect(unread).toEqual(FROM_THE_CONFIG);
  });

  // threat T198
  it(
    'passes for every pattern of the source',
    () => {
      const once = new Map(written.filter(isDue).map((one) => [`/${one.source}/${one.flags}`, one]));
      const faults = [...once.values()].flatMap(({ place, source, flags }) => {
        const fault = faultOf(source, flags);
        return fault === null ? [] : [`${place} ${source}: ${fault}`];
      });
      expect(faults).toEqual([]);
    },
    30 * 60_000,
  );
});
