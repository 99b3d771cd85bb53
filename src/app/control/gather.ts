/** Gathers the facts for a decision about one run. Each fact is read only if the decision needs it, and once per batch of triggers. */

import { isIssueFirst, type Permission, type Surface } from '../../domain/actor.ts';
import type { ClosureLogFacts, CommentFacts, ProposalText, RunFacts, WorkflowRunFacts } from '../../domain/facts.ts';
import { type GitReader, orUnknown } from '../../domain/git.ts';
import { lastFailure } from '../../domain/launch/next-attempt.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import type { RunState, SeenCommand } from '../../domain/logbook/run-state.ts';
import { commentId } from '../../domain/marker.ts';
import { type FactName, type Need, notAsked } from '../../domain/reconcile-request.ts';
import { type Digest, known, type Observed, unknown } from '../../domain/values.ts';
import { readByCitation } from '../../github/cited-comment.ts';
import { readPeople, readPermission } from '../../github/settings.ts';
import { readProposal, type ThreadFacts } from '../../github/threads.ts';
import { readFailedJob, readWorkflowRun } from '../../github/workflows.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { sealTagName } from '../../run/command-events.ts';
import { configForRun, configHealthFor, type LaneScopedConfig } from '../../run/lane.ts';
import { threadsReadFrom } from '../../run/pending-commands.ts';
import { isOpenProposal } from '../../run/proposal-texts.ts';
import { listPublishedHeads } from '../../run/publications.ts';
import { readContainerImage } from '../images.ts';
import type { Lab } from '../lab.ts';
import { proposalPlace, threadReading } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import type { Record } from '../record-files.ts';
import { ENDING_TRIGGERS } from '../stop-by-job-id.ts';
import { findCheckpoints, fixerFacts, neededRoots, searchedOnce, smallFixFacts } from './attempt-facts.ts';
import { changedSince, gatherChangeFacts, readKnownBranchWork } from './change-facts.ts';
import { findEarlierRun, readBody, readCardHistory, readProposalComment } from './shown-facts.ts';
import type { OncePerBatch } from './turn.ts';

type FactReader = {
  readonly lab: Lab;
  readonly git: GitReader;
  readonly config: LaneScopedConfig;
  readonly once: OncePerBatch;
  readonly state: RunState;
  readonly runs: readonly RunState[];
  readonly comments: Observed<readonly CommentFacts[]>;
  readonly pull: RunFacts['pull'];
};

/** The facts that decisions requested, by name. */
type Needed = ReadonlyMap<string, Need>;

type ReadFact = Exclude<FactName, 'comments'>;

const FACT_READERS: { readonly [Name in ReadFact]: (reader: FactReader) => Promise<RunFacts[Name]> } = {
  containerImage: ({ lab, config, once }) => readContainerImage(lab.images, config, once),
  closureLog: ({ git, config, once }) => once(`closure ${config.laneName}`, () => readClosureLog(git, config)),
  smallFix: (reader) => smallFixFacts(reader, reader.state),
  fixer: (reader) => fixerFacts(reader, reader.state),
  people: ({ lab, once }) => once('people', () => readPeople(lab.client)),
  // Reads the last fetch, which also contains tags that this process pushed.
  sealTag: ({ git, state }) => orUnknown(async () => known(await git.resolve(`refs/tags/${sealTagName(state)}`))),
  checkpoints: ({ lab, config, once, state, runs }) =>
    once(`checkpoints ${state.run}`, () => findCheckpoints(state, runs, config, lab.stores)),
  change: changeNow,
  branchWork: (reader) => {
    const { lab, config, once, state, pull } = reader;
    const head = pull.kind === 'known' ? pull.value.headSha : '';
    return once(`branch work ${state.run} ${head}`, async () =>
      readKnownBranchWork(lab, config, state, { pull, change: await changeNow(reader) }),
    );
  },
  changedSince: async (reader) => changedSince(reader.git, reader.state, await changeNow(reader)),
  searchedRoots: async ({ lab, config, once, state }) =>
    known(await searchedOnce(once, neededRoots(config.checkpoints, state), lab.stores)),
  cardHistory: (reader) => readCardHistory(reader, reader.state, reader.comments),
};

async function changeNow({ lab, git, config, once, state, runs, pull }: FactReader): Promise<RunFacts['change']> {
  if (pull.kind === 'unknown') return pull;
  const { headSha } = pull.value;
  // Key by lane and attempt too: entries recorded meanwhile may select another lane or end the attempt.
  const failed = lastFailure(state)?.submission.commit ?? '';
  const key = `change ${state.run} ${headSha} ${config.laneName} ${config.lane.cluster} ${failed}`;
  return once(key, () => gatherChangeFacts({ lab, git, config }, headSha, { state, runs }));
}

type Unread = ReturnType<typeof unknown>;

/** All facts that a decision must request, each set to unknown. */
function fillUnread(value: Unread): { readonly [Name in ReadFact]: Unread } {
  const names = Object.keys(FACT_READERS) as ReadFact[];
  return Object.fromEntries(names.map((name) => [name, value])) as ReturnType<typeof fillUnread>;
}

const NOT_REQUESTED = fillUnread(notAsked());

type RequestedFacts = Pick<
  RunFacts,
  ReadFact | 'failedJobs' | 'workflowRuns' | 'permissions' | 'cited' | 'proposalTexts'
>;

/** Reads the requested facts. All others stay unknown. */
async function gatherRequestedFacts(reader: FactReader, needed: Needed): Promise<RequestedFacts> {
  const { lab, once } = reader;
  const facts = {
    failedJobs: new Map<number, Observed<string>>(),
    workflowRuns: new Map<number, Observed<WorkflowRunFacts | null>>(),
    permissions: new Map<number, Observed<Permission>>(),
    cited: new Map<string, Observed<CommentFacts | null>>(),
    proposalTexts: new Map<Digest, Observed<ProposalText | null>>(),
  };
  const read: { [name: string]: unknown } = {};
  for (const [name, one] of needed) {
    if (one === 'comments' || one === 'gates') continue;
    if (typeof one === 'string') read[one] = await FACT_READERS[one](reader);
    else if (one.fact === 'failedJobs')
      facts.failedJobs.set(one.of, await once(name, () => readFailedJob(lab.client, one.of)));
    else if (one.fact === 'workflowRuns')
      facts.workflowRuns.set(one.of, await once(name, () => readWorkflowRun(lab.client, one.of)));
    else if (one.fact === 'permissions')
      facts.permissions.set(one.of.id, await once(name, () => readPermission(lab.client, one.of)));
    else if (one.fact === 'cited') {
      const { surface, comment } = one.of;
      facts.cited.set(commentId({ surface, id: comment }), await once(name, () => readCitedComment(reader, one.of)));
    } else facts.proposalTexts.set(one.of, await readProposalText(reader, one.of));
  }
  return { ...NOT_REQUESTED, ...read, ...facts };
}

/** The comment of an open proposal, with its versions. Only an edited comment costs a request. */
async function readProposalText(reader: FactReader, digest: Digest): Promise<Observed<ProposalText | null>> {
  const { state, comments } = reader;
  if (comments.kind === 'unknown') return comments;
  const one = state.actions.find((action) => action.digest === digest && isOpenProposal(action));
  return one === undefined ? known(null) : readProposalComment(reader, one, comments.value);
}

/** Reads an approving comment that is missing from the threads. Usually it was deleted, but only GitHub can confirm that. */
function readCitedComment(
  { lab, config, state }: FactReader,
  { surface, comment }: { readonly surface: Surface; readonly comment: number },
): ReturnType<typeof readByCitation> {
  const citation = { surface, comment, pull: state.proposal.pull };
  return readByCitation(lab.client, citation, threadReading(lab, config));
}

/** Reads the log file on the target branch. */
async function readClosureLog(git: GitReader, { kind, lane }: LaneScopedConfig): Promise<Observed<ClosureLogFacts>> {
  const log = kind.proposals?.closureLog;
  if (log === undefined) return unknown('the kind adds to no file');
  return orUnknown(async () => {
    const base = await git.resolve(`refs/heads/${lane.targetBranch}`);
    return base === null
      ? unknown(`there is no branch ${lane.targetBranch}`)
      : known({ base, text: await git.readText(base, log.path(lane)) });
  });
}

export type FactGatherer = {
  /** `needed`: facts that the decision requested. `withoutText`: blanks comments that caused an error. */
  readonly gather: (state: RunState, needed: Needed, withoutText: WithoutText) => Promise<RunFacts>;
};

export type WithoutText = (comments: readonly CommentFacts[]) => readonly CommentFacts[];

/** Caches all reads for one batch of triggers. Uses the config of each run's lane. */
export function createGatherer(open: OpenLab): FactGatherer {
  const { lab, git, config: labConfig, configHealth, store } = open;
  const values = new Map<string, unknown>();
  const readOnce: OncePerBatch = async <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    if (!values.has(key)) values.set(key, await read());
    // Each key is created in one place and has one type.
    return values.get(key) as Value;
  };
  return {
    gather: async (state, needed, withoutText) => {
      const config = configForRun(labConfig, state);
      const readAt = await readOnce(`read ${state.run}`, async () => lab.now());
      const isInThreads = [...needed.values()].some((one) =>
        THREAD_FACTS.includes(typeof one === 'string' ? one : one.fact),
      );
      const threads = isInThreads
        ? await readOnce(`threads ${state.run} ${config.pinned?.commit}`, () => readRunThreads(open, config, state))
        : notAsked();
      const record = store.current();
      const { runs, journal } = record;
      const pull = threads.kind === 'known' ? threads.value.pull : threads;
      const comments = threads.kind === 'known' ? known(withoutText(threads.value.comments)) : threads;
      const asked = await gatherRequestedFacts(
        { lab, git, config, once: readOnce, state, runs, comments, pull },
        needed,
      );
      return {
        ...asked,
        pull,
        issue: threads.kind === 'known' ? threads.value.issue : threads,
        comments,
        readAt,
        // A getter, because few decisions read the text and parsing is slow.
        get body() {
          const text = threads.kind === 'known' ? currentText(state, threads.value) : threads;
          return text.kind === 'known'
            ? readBody({ lab, config }, text.value, asked.change, findEarlierRun(state, runs))
            : text;
        },
        get checks() {
          return threads.kind === 'known' ? threads.value.checks() : threads;
        },
        configHealth: known(configHealthFor(config, configHealth)),
        journalCommands: listHandedOver(state, journal),
        ...factsFromRecord(record),
      };
    },
  };
}

/** Facts that can only be read after the threads. */
const THREAD_FACTS: readonly string[] = [
  'comments',
  'change',
  'branchWork',
  'changedSince',
  'cardHistory',
  'proposalTexts',
];

/** The proposal's text. An issue-first proposal keeps it in the issue, even after the branch is deleted. */
function currentText({ proposal }: RunState, { pull, issue }: ThreadFacts): Observed<string> {
  if (isIssueFirst(proposal)) return issue.kind === 'known' ? known(issue.value.body) : issue;
  return pull.kind === 'known' ? known(pull.value.body) : pull;
}

/** Commands in the run's threads that the journal recorded. Excludes unhandled stops, which are processed again after a repair. */
function listHandedOver({ proposal }: RunState, journal: JournalState): RunFacts['journalCommands'] {
  const threads = [proposal.pull, proposal.issue];
  const isUnansweredStop = ({ name, answer }: SeenCommand): boolean =>
    answer?.code === 'logbook-broken' && ENDING_TRIGGERS.includes(name);
  return new Map([...journal.commands].filter(([, one]) => threads.includes(one.thread) && !isUnansweredStop(one)));
}

/** Facts of the whole record. A broken run may be live, and a broken journal may contain a hold: both make the facts unknown. */
export function factsFromRecord({
  runs,
  broken,
  journal,
}: Pick<Record, 'runs' | 'broken' | 'journal'>): Pick<RunFacts, 'recordedRuns' | 'journalHolds' | 'clusterActions'> {
  const first = broken[0];
  const isBroken = broken.some(({ run }) => run === JOURNAL);
  const unreadable = unknown('the repository journal is broken');
  return {
    recordedRuns: first === undefined ? known(runs) : unknown(`the logbook of ${first.run} is broken`),
    journalHolds: isBroken ? unreadable : known(journal.holds),
    clusterActions: isBroken ? unreadable : known(journal.actions),
  };
}

/** Reads the run's threads. If a card names an entry that the record lacks, the branch was rewound: reload it. */
async function readRunThreads(
  { lab, store }: OpenLab,
  config: LaneScopedConfig,
  state: RunState,
): Promise<Observed<ThreadFacts>> {
  const place = proposalPlace(state.proposal, config);
  const read = await readProposal(lab.client, place, threadReading(lab, config), threadsReadFrom(state));
  for (const card of read.kind === 'known' ? listPublishedHeads(read.value.comments) : [])
    if (card.run === state.run) await store.expectEntry(state.run, card.anchor, card.thread);
  return read;
}

/** The facts of a process that only posts: the record, and the comments in the run's threads. */
export function factsForPosting({ lab, store }: OpenLab, state: RunState, comments: RunFacts['comments']): RunFacts {
  const unread = unknown('a process that only posts does not read it');
  return {
    ...fillUnread(unread),
    ...{ pull: unread, issue: unread, body: unread, checks: unread, configHealth: unread },
    ...{ comments, readAt: lab.now(), journalCommands: new Map(), permissions: new Map(), cited: new Map() },
    ...{ workflowRuns: new Map(), journalHolds: unread, clusterActions: unread },
    proposalTexts: new Map(state.actions.map(({ digest }) => [digest, unread])),
    recordedRuns: known(store.current().runs),
  };
}
