/** Reads the facts that a decision has asked for by name; each once a trigger. */

import type { CommentFacts, RunFacts, WorkflowRunFacts } from '../../domain/facts.ts';
import type { GitReader } from '../../domain/git.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Need, notAsked } from '../../domain/need.ts';
import { known, type Observed } from '../../domain/observed.ts';
import { readPeople } from '../../github/people.ts';
import { listWorkflowRuns } from '../../github/workflows.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import { containerImage } from '../images.ts';
import type { Lab } from '../lab.ts';
import type { cachedBranchWork } from './branch-work.ts';
import { changedSince } from './change-facts.ts';
import { foundCheckpoints, searchedOnce, wantedRoots } from './checkpoint-facts.ts';
import { closureLogOf, sealTagIn } from './closing-facts.ts';
import type { Once } from './once.ts';
import { readCardHistory } from './shown-facts.ts';
import { fixerFacts, smallFixFacts } from './slip-facts.ts';

type Reader = {
  readonly lab: Lab;
  readonly git: GitReader;
  readonly config: LaneScopedConfig;
  readonly once: Once;
};

/** The run that is looked at, and what was read of it without being asked for. */
type Looked = {
  readonly state: RunState;
  readonly runs: readonly RunState[];
  readonly comments: Observed<readonly CommentFacts[]>;
  readonly pull: RunFacts['pull'];
  readonly changeNow: () => Promise<RunFacts['change']>;
  readonly branchWorkOf: ReturnType<typeof cachedBranchWork>;
};

/** What was asked for, and of all else that nobody did; a workflow's runs are listed for all runs of a trigger together. */
export async function neededFacts(
  reader: Reader,
  looked: Looked,
  needed: ReadonlySet<Need>,
): Promise<Pick<RunFacts, Need>> {
  const { lab, git, config, once } = reader;
  const { state, runs, comments, pull, changeNow } = looked;
  const { launch, watch, stop, care } = config.workflows;
  const readIf = async <Value>(name: Need, read: () => Promise<Observed<Value>>): Promise<Observed<Value>> =>
    needed.has(name) ? read() : notAsked();
  const onceIf = <Value>(
    name: Need,
    key: string,
    read: () => Promise<Observed<Value>>,
  ): Promise<Observed<Value>> => readIf(name, () => once(key, read));
  const listedIf = (name: Need, workflow: string): Promise<Observed<readonly WorkflowRunFacts[]>> =>
    onceIf(name, name, () => listWorkflowRuns(lab.client, workflow));
  return {
    launchRuns: await listedIf('launchRuns', launch),
    watchRuns: await listedIf('watchRuns', watch),
    stopRuns: await listedIf('stopRuns', stop),
    careRuns: await listedIf('careRuns', care),
    containerImage: await readIf('containerImage', () => containerImage(lab.images, config, once)),
    closureLog: await onceIf('closureLog', `closure ${config.laneName}`, () => closureLogOf(git, config)),
    smallFix: await readIf('smallFix', () => smallFixFacts(reader, state)),
    fixer: await readIf('fixer', () => fixerFacts(reader, state)),
    people: await onceIf('people', 'people', () => readPeople(lab.client)),
    sealTag: await readIf('sealTag', () => sealTagIn(git, state)),
    checkpoints: await onceIf('checkpoints', `checkpoints ${state.run}`, () =>
      foundCheckpoints(state, runs, config, lab.stores),
    ),
    change: await readIf('change', changeNow),
    branchWork: await readIf('branchWork', async () => looked.branchWorkOf(state, pull, await changeNow())),
    changedSince: await readIf('changedSince', async () => changedSince(git, state, await changeNow())),
    searchedRoots: await readIf('searchedRoots', async () =>
      known(await searchedOnce(once, wantedRoots(config.checkpoints, state), lab.stores)),
    ),
    cardHistory: await readIf('cardHistory', () => readCardHistory(reader, state, comments)),
  };
}
