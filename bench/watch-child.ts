/**
 * One watch process over a thousand runs, as it is in the action, but for GitHub, which the process that measures plays, and
 * for the clock: time passes with the work that is done here and with every wait, and nobody really waits.
 */

import type { Lab, LabGit } from '../src/app/lab.ts';
import { createLabOpener } from '../src/app/open-lab.ts';
import { watch } from '../src/app/watch/tick.ts';
import { brandAs, type Instant, isInstant } from '../src/domain/values.ts';
import { createClient, type Octokit } from '../src/github/call.ts';
import { createGitProgram } from '../src/host/git/git-program.ts';
import { sha256Hex, verifyEd25519 } from '../src/host/keys.ts';
import { createMemorySaver } from '../src/host/memory.ts';
import { digestOf, seededKey } from '../test/logbook/sample-logbook.ts';
import { BEGIN_MS, benchEngine, indexOf, PLAYED_MS, type Reached } from './watch-plan.ts';

/** What the watch tells the process that measures; each is answered before it goes on. */
export type Told =
  | {
      readonly kind: 'request';
      readonly route: string;
      readonly parameters: Record<string, unknown>;
      readonly nowMs: number;
    }
  | { readonly kind: 'sleep'; readonly fromMs: number; readonly untilMs: number }
  | { readonly kind: 'log'; readonly line: string }
  | {
      readonly kind: 'done';
      readonly rssMaxMb: number;
      readonly heapMaxMb: number;
      readonly lateMaxMs: number;
      readonly looks: number;
      readonly turns: number;
      readonly turnMaxMs: number;
      readonly pushesMaxATurn: number;
      /** When a stop had reached which job. */
      readonly stopped: readonly (readonly [number, number])[];
      /** When an incident of which run was recorded. */
      readonly incidents: readonly (readonly [number, number])[];
    };

const GITHUB_MS = 200;
const GIT_MS = 400;

const [remoteUrl = '', directory = ''] = process.argv.slice(2);
const clock = { skippedMs: 0 };
/** Work takes as long as its CPU time: a busy neighbour must not make a look late. */
const nowMs = (): number => {
  const { user, system } = process.cpuUsage();
  return Math.round(BEGIN_MS + clock.skippedMs + (user + system) / 1_000);
};
const now = (): Instant => brandAs(nowMs(), isInstant);
const spend = (ms: number): void => {
  clock.skippedMs += ms;
};

function tell(told: Told): Promise<unknown> {
  const answer = new Promise((resolve) => process.once('message', resolve));
  process.send?.(told);
  return answer;
}

const octokit: Octokit = {
  request: async (route, parameters) => {
    const answer = await tell({ kind: 'request', route, parameters, nowMs: nowMs() });
    spend(GITHUB_MS);
    const { status, data } = answer as { readonly status: number; readonly data: unknown };
    return { status, data, headers: {} };
  },
};

let pushes = 0;

const environment = { PATH: process.env['PATH'] ?? '' };
/** One for all identities, as in the action: what one of them fetched, the others see. */
const gitOf = createGitProgram({ directory, remoteUrl, token: async () => null, environment });

function gitAs(identity: { readonly name: string; readonly email: string }): LabGit {
  const git = gitOf(identity);
  return {
    ...git,
    fetch: async (request) => {
      await git.fetch(request);
      spend(GIT_MS);
    },
    commitAndPush: async (request) => {
      pushes += 1;
      const outcome = await git.commitAndPush(request);
      spend(GIT_MS);
      return outcome;
    },
  };
}

const never = (): never => {
  throw new Error('the bench has no such part');
};

const sleep = async (ms: number): Promise<void> => {
  const fromMs = nowMs();
  await tell({ kind: 'sleep', fromMs, untilMs: fromMs + ms });
  spend(ms);
};

const lab: Lab = {
  images: never,
  repository: 'lab/models',
  client: createClient({ octokit, owner: 'lab', repo: 'models', baseUrl: 'https://api.github.com', sleep, now: nowMs }),
  gitAs,
  signingKeys: { watch: seededKey(3) },
  hash: sha256Hex,
  digestOf,
  verifySignature: verifyEd25519,
  readExperiment: never,
  pythonVersion: never,
  fixSmallMistake: never,
  helpers: { propose: never, check: never } as never,
  sendToChannel: never,
  stores: never,
  now,
  log: (line) => void process.send?.({ kind: 'log', line } satisfies Told),
  boundary: sample,
};

const seen = { rss: 0, heap: 0, turns: 0, turnMaxMs: 0, pushesMax: 0, pushesBefore: 0, turnBegan: nowMs() };

/** At every push and every write, where a turn has the most in its hands. */
function sample(): void {
  const { rss, heapUsed } = process.memoryUsage();
  seen.rss = Math.max(seen.rss, rss);
  seen.heap = Math.max(seen.heap, heapUsed);
}

/** Between two turns: how long this one was, and how often it pushed. */
async function pause(ms: number): Promise<void> {
  sample();
  seen.turns += 1;
  // The first turn reads everything, as every shift does once.
  if (seen.turns > 1) seen.turnMaxMs = Math.max(seen.turnMaxMs, nowMs() - seen.turnBegan);
  seen.pushesMax = Math.max(seen.pushesMax, pushes - seen.pushesBefore);
  seen.pushesBefore = pushes;
  await sleep(ms);
  seen.turnBegan = nowMs();
}

const reached: Reached = { stopped: new Map(), looked: new Map(), looks: 0, lateMaxMs: 0 };
const opener = createLabOpener(lab, 'main');
const engine = benchEngine(nowMs, spend, reached);
await watch({
  opener,
  now,
  sleep: pause,
  shiftMs: PLAYED_MS,
  input: {
    cluster: 'local',
    holder: 'watch-1',
    workflowRun: 1,
    engineOf: () => engine,
    cloudOf: () => null,
    readMetrics: async () => ({}),
    trackerOf: () => null,
    diskOf: async () => null,
    redact: (text) => text,
    unrecorded: new Map(),
    saveMemory: createMemorySaver(),
  },
  log: lab.log,
});

/** When an incident of which run was recorded. */
async function readIncidents(): Promise<readonly (readonly [number, number])[]> {
  const opening = await opener.open();
  if (opening.kind !== 'open') throw new Error('there is no config');
  return opening.open.store
    .histories()
    .flat()
    .filter(({ type }) => type === 'incident')
    .map(({ run, at }) => [indexOf(`-${run}-a1`), Date.parse(at)] as const);
}

const incidents = await readIncidents();
await tell({
  kind: 'done',
  rssMaxMb: seen.rss / 2 ** 20,
  heapMaxMb: seen.heap / 2 ** 20,
  turns: seen.turns,
  turnMaxMs: seen.turnMaxMs,
  pushesMaxATurn: seen.pushesMax,
  stopped: [...reached.stopped],
  incidents,
  looks: reached.looks,
  lateMaxMs: reached.lateMaxMs,
});
process.disconnect();
