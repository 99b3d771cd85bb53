/**
 * The suites of the tests: what `npm test` runs, and suites with their own command because they are slow or
 * need a real engine.
 */

import { globSync, readFileSync } from 'node:fs';

export type Suite = {
  readonly name: string;
  /** Its subject, as a short phrase. */
  readonly about: string;
  /** Minutes on two idle cores. */
  readonly minutes: number;
  /** Paths from the project's root. */
  readonly files: readonly string[];
};

/** Without real processes, or on virtual time. */
const SHARED =
  /^test\/(actions|campaign|care|checkpoints|commands|config|delta|detectors|diagnosis|domain|gates|handlers|interleavings|kinds|lifecycle|logbook|rental|render|run|watch)\//;

/** Each has its own command, `npm run test:NAME`; `.ci/run` runs a part of each. */
const OWN: readonly Suite[] = [
  {
    name: 'recovery',
    about:
      'what follows an ending, on virtual time: relaunches, fixes, bad nodes, days of hero runs and rentals, clean-ups, and the attacks on each',
    minutes: 4,
    files: findTestFiles(
      'test/lifecycle/{response,relaunch-attacks,next-attempt-attacks,bad-node,fix,fixer-attacks,small-fix,reminders,start-ends,trackers,disk-care-many,checkpoint-cleanup,adopted}.test.ts',
      'test/lifecycle/hero-{recovery,between-attempts,seal,attacks,resume-attacks,resume-as}.test.ts',
      'test/lifecycle/{rental,rented,rental-market}.test.ts',
    ),
  },
  {
    name: 'processes',
    about: 'real processes: git, Python, object stores, trackers, the programs of the engines and of a lab',
    minutes: 4,
    files: findTestFiles(
      'test/host/{git/git-program,git/idle-program,python-child,process}.test.ts',
      'test/logbook/python-*.test.ts',
      'test/app/{hostile-logbook,cli/command-line,server/stop}.test.ts',
      'test/engines/{vast-engine,ray-submit,local-engine,ray-scripts-edges,engine-contract}.test.ts',
      'test/{clouds/gcp-clean,lab/lab,stores/real-stores,trackers/mlflow}.test.ts',
    ),
  },
  {
    name: 'trust',
    about: 'attacks on the real bundle with real git, and a lab adopted from an empty repository',
    minutes: 12,
    files: findTestFiles('test/trust/{real-*,adoption,repair,private-keys,control-key,taken-back}.test.ts'),
  },
  {
    name: 'demo',
    about: 'the demo and `ferrybot playground`: a ferry in Chromium, a checkout of your own, act, other programs',
    minutes: 4,
    files: findTestFiles(
      'test/demo/{act,programs}/*.test.ts',
      'test/demo/{pages/ferry,own-lab,actions/composite}.test.ts',
    ),
  },
  {
    name: 'ray',
    about: 'real Ray heads: faults, restarts, a hundred submits',
    minutes: 3,
    files: findTestFiles('test/ray/*.test.ts'),
  },
  {
    name: 'slurm',
    about: 'a real Slurm cluster: faults, doubled submits, a controller that is down, submits with kills',
    minutes: 3,
    files: findTestFiles('test/slurm/*.test.ts'),
  },
  {
    name: 'iris',
    about:
      'a real Iris: faults, restarts, a lost worker; ten thousand submits to the recorded one; the contract on your own with `-- --controller URL`',
    minutes: 7,
    files: findTestFiles('test/iris/*.test.ts', 'test/engines/iris-wrapper.test.ts'),
  },
  {
    name: 'long',
    about:
      'processes that die at every boundary, interleavings, days of a hero run, ferries in real time, floods and slow servers, the campaign with each defence taken out, every regular expression attacked, the worked examples of docs/extending.md',
    minutes: 18,
    files: findTestFiles(
      'test/lifecycle/{crash,fix-crash,propose-crash,faults,hostile-thread,hero-update,real-*}.test.ts',
      'test/interleavings/*.test.ts',
      'test/{app/long-record,app/server/hostile-bodies,engines/ray-drip}.test.ts',
      'test/campaign/permissive*.test.ts',
      'test/policy/{linear-patterns,extending}.test.ts',
    ),
  },
];

/** A file of each suite that `npm test` runs too, as a check of a few seconds. */
const SAMPLES = findTestFiles(
  'test/lifecycle/{adopted,hero-seal,rental}.test.ts',
  'test/engines/engine-contract.test.ts',
  'test/trust/real-launch.test.ts',
  'test/demo/actions/composite.test.ts',
  'test/ray/rest-contract.test.ts',
  'test/slurm/contract.test.ts',
  'test/iris/contract.test.ts',
  'test/campaign/permissive-record.test.ts',
);

const owned = new Set(OWN.flatMap(({ files }) => files).filter((file) => !SAMPLES.includes(file)));

/** What `npm test` runs without arguments. */
export const MAIN: Suite = {
  name: 'main',
  about: 'everything else, and a sample of each suite that has a command of its own',
  minutes: 10,
  files: findTestFiles('test/**/*.test.ts').filter((file) => !owned.has(file)),
};

export const SUITES: readonly Suite[] = [
  MAIN,
  {
    name: 'quick',
    about: 'everything pure, for the hand: no process, no server, no git program',
    minutes: 1,
    files: findTestFiles(
      'test/{commands,config,delta,domain,gates,handlers,kinds,render,run,watch}/**/*.test.ts',
    ).filter(sharesProcess),
  },
  ...OWN,
];

/**
 * One of the parts of a suite, which CI runs completely over several commits. Each file is in one part,
 * except files that `npm test` runs. The digits of `commit` choose the part.
 */
export function selectPart({ files }: Suite, parts: number, commit: string): readonly string[] {
  const chosen = Number.parseInt(commit.slice(0, 8), 16) % parts;
  if (Number.isNaN(chosen)) throw new Error(`a part is chosen by a commit, and ${commit} is none`);
  return files.filter((file) => !SAMPLES.includes(file)).filter((_, index) => index % parts === chosen);
}

/**
 * True if a file shares one process and its loaded modules with others, so that GitHub's schemas, zod and
 * our modules load once. False for files that wait for real processes or replace a module.
 */
export function sharesProcess(file: string): boolean {
  return SHARED.test(file) && !file.includes('/real-') && !readFileSync(file, 'utf8').includes('vi.mock(');
}

function findTestFiles(...patterns: readonly string[]): readonly string[] {
  return globSync([...patterns]).toSorted();
}
