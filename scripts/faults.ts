/**
 * `npm run faults -- [--seeds N] [--http N] [--real N] [--first-seed N] [--json] [KIND…]`: ferries under each fault at
 * 20 %, N seeds each on virtual time, the first of them (`--http`) with real git over real HTTP; and N in all, the kinds
 * by turns, on real time with real processes; prints the table. It is run with a small young generation: each of a
 * ferry's thousand git processes begins as a copy of this one's page tables.
 */

import { parseArgs } from 'node:util';
import { type FaultKind, faultKinds } from '../playground/faults/fault.ts';
import { interrupted } from '../playground/start/interrupted.ts';
import { type FaultReport, playUnderFault } from '../test/support/fault-ferry.ts';
import { playForReal } from '../test/support/real-fault-ferry.ts';
import { TABLE_HEAD, tableRow } from './faults/table.ts';

const SEEDS_MAX = 1_000;
/** So many of each fault go over HTTP unless `--http` says otherwise. */
const HTTP_USUAL = 10;
/** One thinks while the other waits for git's processes; more would wait for each other's processors. */
const HTTP_LANES = 2;
/** A real ferry takes a minute or more. */
const REAL_MAX = 100;

type Clock = 'virtual' | 'real';
type Ferry = FaultReport & { readonly clock: Clock; readonly seconds: number };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string' },
    http: { type: 'string' },
    real: { type: 'string', default: '0' },
    'first-seed': { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const real = Number(values.real);
// Who asks for real ferries alone gets those alone.
const seeds = Number(values.seeds ?? (real > 0 ? '0' : '5'));
// A few ferries for a first look need no minutes.
const http = Number(values.http ?? Math.min(HTTP_USUAL, Math.floor(seeds / 5)));
const firstSeed = Number(values['first-seed']);
const kinds = faultKinds.filter((kind) => positionals.length === 0 || positionals.includes(kind));
const isUsable =
  isCount(seeds, SEEDS_MAX) &&
  isCount(http, seeds) &&
  isCount(real, REAL_MAX) &&
  seeds + real > 0 &&
  Number.isSafeInteger(firstSeed) &&
  positionals.every((name) => faultKinds.some((kind) => kind === name));
if (!isUsable) {
  console.error(
    `usage: npm run faults -- [--seeds 1..${SEEDS_MAX}] [--http 0..SEEDS] [--real 1..${REAL_MAX}] [--first-seed N] [--json] [${faultKinds.join('|')}]…`,
  );
  process.exit(2);
}

const say = (line: string): void => (values.json ? console.error(line) : console.log(line));
const ferries: Ferry[] = [];
for (const line of TABLE_HEAD) say(line);
for (const kind of kinds) {
  ferries.push(...(await playSeeds(kind)));
  sayRow(kind, 'virtual');
}
if (real > 0) await playReal();
const failed = ferries.filter(({ problem }) => problem !== null);
for (const { kind, clock, overHttp, seed, problem } of failed)
  console.error(
    `${kind}, seed ${seed}, ${clock === 'real' ? 'real' : overHttp ? 'over HTTP' : 'in memory'}: ${problem}`,
  );
say(
  failed.length === 0 ? 'every ferry reached its seal' : `${failed.length} ferries did not go as they should`,
);
if (values.json) console.log(JSON.stringify({ ok: failed.length === 0, ferries }));
process.exitCode = failed.length === 0 ? 0 : 1;

/** All seeds of a kind, in their order whichever ended first. */
async function playSeeds(kind: FaultKind): Promise<readonly Ferry[]> {
  const all = Array.from({ length: seeds }, (_, index) => firstSeed + index);
  const played = new Map<number, Ferry>();
  const waiting = all.slice(0, http);
  const lane = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift())
      played.set(seed, await playTimed(kind, seed, true));
  };
  await Promise.all(Array.from({ length: HTTP_LANES }, lane));
  for (const seed of all.slice(http)) played.set(seed, await playTimed(kind, seed, false));
  return all.flatMap((seed) => played.get(seed) ?? []);
}

async function playTimed(kind: FaultKind, seed: number, overHttp: boolean): Promise<Ferry> {
  const since = performance.now();
  const ferry = await playUnderFault(kind, seed, overHttp);
  const seconds = Math.round((performance.now() - since) / 100) / 10;
  if (overHttp) console.error(`${kind}, seed ${seed}, over HTTP: ${seconds} s, struck ${ferry.struck} times`);
  return { ...ferry, clock: 'virtual', seconds };
}

/** One after the other: side by side they would wait for each other's processors. */
async function playReal(): Promise<void> {
  const stop = new AbortController();
  // The signal that ends this program ends the ferry first, with every process of it.
  void interrupted().then(() => stop.abort(new Error('interrupted')));
  for (let turn = 0; turn < real && !stop.signal.aborted; turn += 1) {
    const kind = kinds[turn % kinds.length];
    if (kind === undefined) break;
    const ferry = await playForReal(kind, firstSeed + turn, stop.signal);
    ferries.push({ ...ferry, clock: 'real' });
    console.error(`${kind}, seed ${ferry.seed}, real: ${ferry.seconds} s, struck ${ferry.struck} times`);
  }
  for (const kind of kinds) sayRow(kind, 'real');
}

function sayRow(kind: FaultKind, clock: Clock): void {
  const those = ferries.filter((ferry) => ferry.kind === kind && ferry.clock === clock);
  if (those.length > 0) say(tableRow(kind, clock, those));
}

function isCount(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}
