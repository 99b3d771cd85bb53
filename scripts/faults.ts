/**
 * `npm run faults -- [--seeds N] [--http N] [--real N] [--first-seed N] [--json] [KIND…]`: ferries under each fault at
 * 20 %, N seeds each on virtual time, the first of them (`--http`) with real git over real HTTP; and N in all, the kinds
 * by turns, on real time with real processes; prints the table. It is run with a small young generation: each of a
 * ferry's thousand git processes begins as a copy of this one's page tables.
 */

import { parseArgs } from 'node:util';
import { waitForInterrupt } from '../demo/interrupted.ts';
import { type FaultKind, faultKinds } from '../packages/playground/faults/fault.ts';
import { type FaultReport, playUnderFault } from '../test/support/fault-ferry.ts';
import { playForReal } from '../test/support/real-fault-ferry.ts';
import { listProblems, TABLE_HEAD, tableRow } from './faults/table.ts';

const SEEDS_MAX = 1_000;
/** So many of each fault go over HTTP unless `--http` says otherwise. */
const HTTP_USUAL = 10;
/** So many more seeds of stale reads are played until one strikes. */
const STALE_SEEDS_MORE = 10;
/** One thinks while the other waits for git's processes; more would wait for each other's processors. */
const HTTP_LANES = 2;
/** A real ferry takes a minute or more. */
const REAL_MAX = 100;

type Clock = 'virtual' | 'real';
type Ferry = FaultReport & { readonly clock: Clock; readonly seconds: number };

const { values, positionals } = readArguments();
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
if (!isUsable) exitWithUsage();

const printLine = (line: string): void => (values.json ? console.error(line) : console.log(line));
const ferries: Ferry[] = [];
const problems: string[] = [];
for (const line of TABLE_HEAD) printLine(line);
const overHttp = startOverHttp();
for (const kind of kinds) {
  ferries.push(...(await Promise.all(overHttp.get(kind) ?? [])), ...(await playInMemory(kind)));
  printRow(kind, 'virtual');
}
if (real > 0) await playReal();
for (const problem of problems) console.error(problem);
printLine(problems.length === 0 ? 'every ferry reached its seal' : `${problems.length} things are not as they should`);
if (values.json) console.log(JSON.stringify({ ok: problems.length === 0, ferries, problems }));
process.exitCode = problems.length === 0 ? 0 : 1;

/** The first seeds of all kinds, some at a time; who waits for a kind has its ferries in the order of their seeds. */
function startOverHttp(): ReadonlyMap<FaultKind, readonly Promise<Ferry>[]> {
  const inTurn = createLanes(HTTP_LANES);
  return new Map(
    kinds.map((kind) => [
      kind,
      Array.from({ length: http }, (_, index) => inTurn(async () => playTimed(kind, firstSeed + index, true))),
    ]),
  );
}

async function playInMemory(kind: FaultKind): Promise<readonly Ferry[]> {
  const played: Ferry[] = [];
  for (let index = http; index < seeds; index += 1) played.push(await playTimed(kind, firstSeed + index, false));
  // A read is stale only if the same read came within a minute, which half of the seeds do not do.
  const isIdle = (): boolean => kind === 'stale-read' && played.every(({ struck }) => struck === 0);
  for (let index = seeds; isIdle() && index < seeds + STALE_SEEDS_MORE; index += 1)
    played.push(await playTimed(kind, firstSeed + index, false));
  return played;
}

async function playTimed(kind: FaultKind, seed: number, isOverHttp: boolean): Promise<Ferry> {
  const since = performance.now();
  const ferry = await playUnderFault(kind, seed, isOverHttp);
  const seconds = Math.round((performance.now() - since) / 100) / 10;
  if (isOverHttp)
    console.error(
      `${kind}, seed ${seed}, over HTTP: ${ferry.problem ?? 'fine'} after ${seconds} s, struck ${ferry.struck} times`,
    );
  return { ...ferry, clock: 'virtual', seconds };
}

/** One after the other: side by side they would wait for each other's processors. */
async function playReal(): Promise<void> {
  const stop = new AbortController();
  // The signal that ends this program ends the ferry first, with every process of it.
  void waitForInterrupt().then(() => stop.abort(new Error('interrupted')));
  for (let turn = 0; turn < real && !stop.signal.aborted; turn += 1) {
    const kind = kinds[turn % kinds.length];
    if (kind === undefined) break;
    const ferry = await playForReal(kind, firstSeed + turn, stop.signal);
    ferries.push({ ...ferry, clock: 'real' });
    console.error(
      `${kind}, seed ${ferry.seed}, real: ${ferry.problem ?? 'fine'} after ${ferry.seconds} s, struck ${ferry.struck} times`,
    );
  }
  for (const kind of kinds) printRow(kind, 'real');
}

/** A row, and what is wrong with it. */
function printRow(kind: FaultKind, clock: Clock): void {
  const those = ferries.filter((ferry) => ferry.kind === kind && ferry.clock === clock);
  if (those.length === 0) return;
  printLine(tableRow(kind, clock, those));
  problems.push(...listProblems(kind, clock, those));
}

/** At most `count` pieces of work at a time, begun in the order in which they came. */
function createLanes(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((go) => waiting.push(go));
    else free -= 1;
    try {
      return await work();
    } finally {
      const go = waiting.shift();
      if (go === undefined) free += 1;
      else go();
    }
  };
}

/** The options as they were given; one that there is not ends this program with its usage. */
function readArguments(): ReturnType<typeof parseArguments> {
  try {
    return parseArguments();
  } catch (error) {
    // What Node says of an option stands in its message; anything else is a bug.
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
    return exitWithUsage();
  }
}

function parseArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      seeds: { type: 'string' },
      http: { type: 'string' },
      real: { type: 'string', default: '0' },
      'first-seed': { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
}

function exitWithUsage(): never {
  console.error(
    `usage: npm run faults -- [--seeds 1..${SEEDS_MAX}] [--http 0..SEEDS] [--real 1..${REAL_MAX}] [--first-seed N] [--json] [${faultKinds.join('|')}]…`,
  );
  process.exit(2);
}

function isCount(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}
