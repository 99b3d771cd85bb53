/** Gathers the facts for a decision about one run: each at most once per trigger, and only if the decision asks for it. */

import type { Permission } from '../../domain/actor.ts';
import { commentName } from '../../domain/answer-key.ts';
import type {
  ClosureLogFacts,
  CommentFacts,
  ConfigHealth,
  RunFacts,
  WorkflowRunFacts,
} from '../../domain/facts.ts';
import { type GitReader, orUnknown } from '../../domain/git.ts';
import { isIssueFirst } from '../../domain/issue-first.ts';
import { failedAttempt } from '../../domain/launch/next-attempt.ts';
import { ownFix } from '../../domain/launch/small-fix.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import type { RunState, SeenCommand } from '../../domain/logbook/run-state.ts';
import { type FactName, type Need, notAsked } from '../../domain/need.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readCited } from '../../github/cited-comment.ts';
import { readPeople } from '../../github/people.ts';
import { readPermission } from '../../github/permission.ts';
import { readProposal } from '../../github/proposal-threads.ts';
import type { ThreadFacts } from '../../github/threads.ts';
import { readFailedJob, readWorkflowRun } from '../../github/workflows.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { sealTagOf } from '../../run/begun-seal.ts';
import { healthFor, type LabConfig, type LaneScopedConfig } from '../../run/lane-scope.ts';
import { threadsSince } from '../../run/pending-commands.ts';
import { configFor } from '../../run/run-config.ts';
import { containerImage } from '../images.ts';
import type { Lab } from '../lab.ts';
import { placeOf, readingOf } from '../reading.ts';
import { ENDING } from '../stop-by-job-id.ts';
import { lastKnownRun, readBody } from './body-facts.ts';
import { branchWorkOf } from './branch-work.ts';
import { changedSince, changeFacts } from './change-facts.ts';
import { foundCheckpoints, searchedOnce, wantedRoots } from './checkpoint-facts.ts';
import { memoized, type Once } from './once.ts';
import { readCardHistory, readProposalTexts } from './shown-facts.ts';
import { fixerFacts, smallFixFacts } from './slip-facts.ts';

type Reader = {
  readonly lab: Lab;
  readonly git: GitReader;
  readonly config: LaneScopedConfig;
  readonly once: Once;
};

/** Facts that decisions asked for, by name. */
type Needed = ReadonlyMap<string, Need>;

/** The run, and its facts that are always read. */
type Looked = {
  readonly state: RunState;
  readonly runs: readonly RunState[];
  readonly comments: Observed<readonly CommentFacts[]>;
  readonly pull: RunFacts['pull'];
  readonly changeNow: () => Promise<RunFacts['change']>;
};

/** Facts that were not asked for are unknown. */
async function neededFacts(
  reader: Reader,
  looked: Looked,
  needed: Needed,
): Promise<
  Pick<
    RunFacts,
    Exclude<FactName, 'comments'> | 'failedJobs' | 'workflowRuns' | 'permissions' | 'cited' | 'proposalTexts'
  >
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
    branchWork: await onceIf(
      'branchWork',
      `branch work ${state.run} ${pull.kind === 'known' ? pull.value.headSha : ''}`,
      async () => branchWorkOf(lab, config, state, { pull, change: await changeNow() }),
    ),
    changedSince: await readIf('changedSince', async () => changedSince(git, state, await changeNow())),
    searchedRoots: await readIf('searchedRoots', async () =>
      known(await searchedOnce(once, wantedRoots(config.checkpoints, state), lab.stores)),
    ),
    cardHistory: await readIf('cardHistory', () => readCardHistory(reader, state, comments)),
    failedJobs: await failedJobsIn(reader, needed),
    workflowRuns: await workflowRunsIn(reader, needed),
    permissions: await permissionsIn(reader, needed),
    cited: await citedIn(reader, state, needed),
    proposalTexts: await readProposalTexts(reader, state.actions, comments, needed),
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
  return orUnknown(async () => {
    return known(await git.resolve(`refs/tags/${sealTagOf(state)}`));
  });
}

/** The file on the target branch. */
async function closureLogOf(
  git: GitReader,
  { kind, lane }: LaneScopedConfig,
): Promise<Observed<ClosureLogFacts>> {
  const log = kind.proposes?.closureLog;
  if (log === undefined) return unknown('the kind adds to no file');
  return orUnknown(async () => {
    const base = await git.resolve(`refs/heads/${lane.targetBranch}`);
    return base === null
      ? unknown(`there is no branch ${lane.targetBranch}`)
      : known({ base, text: await git.readText(base, log.path(lane)) });
  });
}

export type FactGatherer = {
  /** `needed` is what the decision asked for; `withoutText` blanks comments that caused an error. */
  readonly gather: (
    state: RunState,
    record: VerifiedRecord,
    needed: Needed,
    withoutText: WithoutText,
  ) => Promise<RunFacts>;
};

export type WithoutText = (comments: readonly CommentFacts[]) => readonly CommentFacts[];

type VerifiedRecord = {
  readonly runs: readonly RunState[];
  readonly broken: readonly { readonly run: string }[];
  readonly journal: JournalState;
};

/** Caches all reads for one trigger. Each run uses its lane's config. */
export function createGatherer(
  lab: Lab,
  git: GitReader,
  labConfig: LabConfig,
  health: ConfigHealth,
): FactGatherer {
  const once = memoized();
  return {
    gather: async (state, { runs, broken, journal }, needed, withoutText) => {
      const config = configFor(labConfig, state);
      const { run } = state;
      const readAt = await once(`read ${run}`, async () => lab.now());
      const threads = [...needed.keys()].some(readsThreads)
        ? await once(`threads ${run} ${ownFix(state)?.commit ?? ''}`, () => threadsOf(lab, config, state))
        : notAsked();
      const pull = threads.kind === 'known' ? threads.value.pull : threads;
      const text = threads.kind === 'known' ? textOf(state, threads.value) : threads;
      const changeNow = async (): Promise<RunFacts['change']> => {
        if (pull.kind === 'unknown') return pull;
        const { headSha } = pull.value;
        // A contract or an order that is recorded meanwhile may name another lane, or end the attempt.
        const key = `change ${run} ${headSha} ${config.laneName} ${config.lane.cluster} ${failedAttempt(state)?.submission.commit ?? ''}`;
        return once(key, () => changeFacts(lab, git, config, headSha, { state, runs }));
      };
      const change = needed.has('change') ? await changeNow() : notAsked();
      const comments = threads.kind === 'known' ? known(withoutText(threads.value.comments)) : threads;
      return {
        pull,
        issue: threads.kind === 'known' ? threads.value.issue : threads,
        comments,
        readAt,
        // Few decisions read the text, and parsing it takes time.
        get body() {
          return text.kind === 'known'
            ? readBody(lab, config, text.value, change, lastKnownRun(state, runs))
            : text;
        },
        checks: threads.kind === 'known' ? threads.value.checks : threads,
        configHealth: known(healthFor(config, health)),
        handedOver: handedOverOf(state, journal),
        ...recordFactsOf({ runs, broken, journal }),
        ...(await neededFacts(
          { lab, git, config, once },
          { state, runs, comments, pull, changeNow },
          needed,
        )),
      };
    },
  };
}

/** Facts that are found by what stands in the threads. */
const IN_THREADS = ['comments', 'change', 'branchWork', 'changedSince', 'cardHistory', 'proposalTexts'];

function readsThreads(name: string): boolean {
  return IN_THREADS.some((fact) => name.startsWith(fact));
}

/** The proposal's text. An issue keeps it even after the branch is deleted. */
function textOf({ proposal }: RunState, { pull, issue }: ThreadFacts): Observed<string> {
  if (isIssueFirst(proposal)) return issue.kind === 'known' ? known(issue.value.body) : issue;
  return pull.kind === 'known' ? known(pull.value.body) : pull;
}

/** What the journal recorded in the run's threads. An unhandled stop is processed again after a repair. */
function handedOverOf({ proposal }: RunState, journal: JournalState): RunFacts['handedOver'] {
  const threads = [proposal.pull, proposal.issue];
  const isOpenStop = ({ name, answer }: SeenCommand): boolean =>
    answer?.code === 'logbook-broken' && ENDING.includes(name);
  return new Map([...journal.commands].filter(([, one]) => threads.includes(one.thread) && !isOpenStop(one)));
}

/** Record-wide facts. A broken run may be live, and a broken journal may contain a hold: both make the facts unknown. */
export function recordFactsOf({
  runs,
  broken,
  journal,
}: VerifiedRecord): Pick<RunFacts, 'recordedRuns' | 'journalHolds' | 'clusterActions'> {
  const first = broken[0];
  const isBroken = broken.some(({ run }) => run === JOURNAL);
  const unreadable = unknown('the repository journal is broken');
  return {
    recordedRuns: first === undefined ? known(runs) : unknown(`the logbook of ${first.run} is broken`),
    journalHolds: isBroken ? unreadable : known(journal.holds),
    clusterActions: isBroken ? unreadable : known(journal.actions),
  };
}

function threadsOf(lab: Lab, config: LaneScopedConfig, state: RunState): Promise<Observed<ThreadFacts>> {
  return readProposal(
    lab.client,
    placeOf(state.proposal, config),
    readingOf(lab, config),
    threadsSince(state),
  );
}
