/**
 * `npm run campaign -- [--sequences N] [--from SEED] [--processes N]`: plays sequences of test/campaign, the seeds dealt out
 * to processes as each becomes free, and says what was broken. A large young generation: a sequence makes much that is
 * forgotten at once.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Outcome } from '../test/campaign/outcome.ts';
import { playSequence } from '../test/campaign/sequence.ts';
import { summarize } from '../test/campaign/summary.ts';

const SEQUENCES_MAX = 100_000;
const PROCESSES_MAX = 64;
/** So many seeds are dealt at once: a minute's work on a slow machine. */
const SEEDS_PER_DEAL = 20;
const REPORT_EVERY = 200;
const PROBLEMS_SHOWN = 50;

type SeedRange = { readonly from: number; readonly count: number };

if (process.send === undefined) await runParent();
else runChild(process.send.bind(process));

/** Plays whatever seeds the leading process deals. */
function runChild(send: (outcomes: readonly Outcome[]) => void): void {
  process.on('message', ({ from, count }: SeedRange) => {
    playSequences(from, count).then(send, (error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
}

async function playSequences(from: number, count: number): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let seed = from; seed < from + count; seed += 1) outcomes.push(await playOneSequence(seed));
  return outcomes;
}

/** A sequence that breaks off is one more thing to look at, and no end of the others. */
async function playOneSequence(seed: number): Promise<Outcome> {
  try {
    return await playSequence(seed);
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { seed, faults: [`broke off: ${why}`], starts: 0, moves: [] };
  }
}

async function runParent(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sequences: { type: 'string', default: '2000' },
      from: { type: 'string', default: '1' },
      processes: { type: 'string', default: '2' },
    },
  });
  const sequences = Number(values.sequences);
  const from = Number(values.from);
  const processes = Number(values.processes);
  if (!isCount(sequences, SEQUENCES_MAX) || !Number.isSafeInteger(from) || !isCount(processes, PROCESSES_MAX)) {
    console.error(`--sequences 1..${SEQUENCES_MAX}, --from an integer, --processes 1..${PROCESSES_MAX}`);
    process.exitCode = 2;
    return;
  }
  const outcomes: Outcome[] = [];
  let next = from;
  const nextRange = (): SeedRange | null => {
    const count = Math.min(SEEDS_PER_DEAL, from + sequences - next);
    if (count <= 0) return null;
    next += count;
    return { from: next - count, count };
  };
  const addOutcomes = (more: readonly Outcome[]): void => {
    const before = Math.floor(outcomes.length / REPORT_EVERY);
    outcomes.push(...more);
    for (const { seed, faults } of more) for (const fault of faults) console.log(`seed ${seed}: ${fault}`);
    if (Math.floor(outcomes.length / REPORT_EVERY) > before)
      console.log(`${outcomes.length} of ${sequences} sequences, ${Math.round(process.uptime())} s`);
  };
  const lanes = Array.from({ length: processes }, () => runLane(nextRange, addOutcomes));
  const ends = await Promise.all(lanes);
  const { launched, moves, problems } = summarize(outcomes);
  console.log(moves.join('\n'));
  console.log(`${outcomes.length} sequences, ${launched} launched, ${problems.length} problems`);
  for (const problem of problems.slice(0, PROBLEMS_SHOWN)) console.error(problem);
  const isWhole = outcomes.length === sequences && ends.every((code) => code === 0);
  if (!isWhole) console.error('not every sequence was played');
  process.exitCode = isWhole && problems.length === 0 ? 0 : 1;
}

/** One process until nothing is left to deal; its exit code. */
function runLane(deal: () => SeedRange | null, take: (outcomes: readonly Outcome[]) => void): Promise<number | null> {
  const child = fork(fileURLToPath(import.meta.url), [], { execArgv: ['--max-semi-space-size=64'] });
  const go = (to: ChildProcess): void => {
    const seeds = deal();
    if (seeds === null) to.disconnect();
    else to.send(seeds);
  };
  return new Promise((resolve, reject) => {
    child.on('message', (outcomes: readonly Outcome[]) => {
      take(outcomes);
      go(child);
    });
    child.on('error', reject);
    child.on('exit', resolve);
    go(child);
  });
}

function isCount(value: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= most;
}
