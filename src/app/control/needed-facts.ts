/** Reads the facts that a decision asked for by name, each once per trigger. */

import type { Permission } from '../../domain/actor.ts';
import { commentName } from '../../domain/answer-key.ts';
import type { ClosureLogFacts, CommentFacts, RunFacts, WorkflowRunFacts } from '../../domain/facts.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type FactName, type Need, notAsked } from '../../domain/need.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readCited } from '../../github/cited-comment.ts';
import { readPeople } from '../../github/people.ts';
import { readPermission } from '../../github/permission.ts';
import { readFailedJob, readWorkflowRun } from '../../github/workflows.ts';
import { sealTagOf } from '../../run/begun-seal.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import { containerImage } from '../images.ts';
import type { Lab } from '../lab.ts';
import { readingOf } from '../reading.ts';
import type { cachedBranchWork } from './branch-work.ts';
import { changedSince } from './change-facts.ts';
import { foundCheckpoints, searchedOnce, wantedRoots } from './checkpoint-facts.ts';
import type { Once } from './once.ts';
import { readCardHistory, readProposalTexts } from './shown-facts.ts';
import { fixerFacts, smallFixFacts } from './slip-facts.ts';

type Reader = {
  readonly lab: Lab;
  readonly git: GitReader;
  readonly config: LaneScopedConfig;
  readonly once: Once;
};

/** Facts that decisions asked for, by name. */
export type Needed = ReadonlyMap<string, Need>;

/** The run, and its facts that are always read. */
type Looked = {
  readonly state: RunState;
  readonly runs: readonly RunState[];
  readonly comments: Observed<readonly CommentFacts[]>;
  readonly pull: RunFacts['pull'];
  readonly changeNow: () => Promise<RunFacts['change']>;
  readonly branchWorkOf: ReturnType<typeof cachedBranchWork>;
};

/** Facts that were not asked for are unknown. */
export async function neededFacts(
  reader: Reader,
  looked: Looked,
  needed: Needed,
): Promise<
  Pick<RunFacts, FactName | 'failedJobs' | 'workflowRuns' | 'permissions' | 'cited' | 'proposalTexts'>
> {
  const { lab, git, config, once } = reader;
  const { state, runs, comments, pull, changeNow } = looked;
  const readIf = async <Value>(
    name: FactName,
    read: () => Promise<Observed<Value>>,
  ): Promise<Observed<Value>> => (needed.has(name) ? read() : notAsked());
  const onceIf = <Value>(
    name: FactName,
    key: string,
    read: () => Promise<Observed<Value>>,
  ): Promise<Observed<Value>> => readIf(name, () => once(key, read));
  return {
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
    failedJobs: await failedJobsIn(reader, needed),
    workflowRuns: await workflowRunsIn(reader, needed),
    permissions: await permissionsIn(reader, needed),
    cited: await citedIn(reader, state, needed),
    proposalTexts: await readProposalTexts(reader, state.mutations, comments, needed),
  };
}

async function failedJobsIn({ lab, once }: Reader, needed: Needed): Promise<RunFacts['failedJobs']> {
  const found = new Map<number, Observed<string>>();
  for (const one of needed.values())
    if (typeof one !== 'string' && one.fact === 'failedJobs')
      found.set(one.of, await once(`failed job ${one.of}`, () => readFailedJob(lab.client, one.of)));
  return found;
}

async function workflowRunsIn({ lab, once }: Reader, needed: Needed): Promise<RunFacts['workflowRuns']> {
  const found = new Map<number, Observed<WorkflowRunFacts | null>>();
  for (const one of needed.values())
    if (typeof one !== 'string' && one.fact === 'workflowRuns')
      found.set(one.of, await once(`workflow run ${one.of}`, () => readWorkflowRun(lab.client, one.of)));
  return found;
}

async function permissionsIn({ lab, once }: Reader, needed: Needed): Promise<RunFacts['permissions']> {
  const found = new Map<number, Observed<Permission>>();
  for (const one of needed.values())
    if (typeof one !== 'string' && one.fact === 'permissions')
      found.set(one.of.id, await once(`permission ${one.of.id}`, () => readPermission(lab.client, one.of)));
  return found;
}

/** Approving comments that the threads do not show. Usually they were deleted, but only GitHub can confirm it. */
async function citedIn(
  { lab, config, once }: Reader,
  { proposal }: RunState,
  needed: Needed,
): Promise<RunFacts['cited']> {
  const found = new Map<string, Observed<CommentFacts | null>>();
  for (const one of needed.values()) {
    if (typeof one === 'string' || one.fact !== 'cited') continue;
    const { surface, comment } = one.of;
    const name = commentName({ surface, id: comment });
    const citation = { surface, comment, pull: proposal.pull };
    const read = (): ReturnType<typeof readCited> => readCited(lab.client, citation, readingOf(lab, config));
    found.set(name, await once(`cited ${name}`, read));
  }
  return found;
}

/** From the last fetch; it includes tags that this process pushed. */
async function sealTagIn(git: GitReader, state: RunState): Promise<RunFacts['sealTag']> {
  try {
    return known(await git.resolve(`refs/tags/${sealTagOf(state)}`));
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

/** The file on the target branch. */
async function closureLogOf(
  git: GitReader,
  { kind, lane }: LaneScopedConfig,
): Promise<Observed<ClosureLogFacts>> {
  const log = kind.proposes?.closureLog;
  if (log === undefined) return unknown('the kind adds to no file');
  try {
    const base = await git.resolve(`refs/heads/${lane.targetBranch}`);
    return base === null
      ? unknown(`there is no branch ${lane.targetBranch}`)
      : known({ base, text: await git.readText(base, log.path(lane)) });
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}
