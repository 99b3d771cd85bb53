/** Turns a person's own pull request or issue into a run of a lane. */

import { findStartPoint, parentRoot } from '../../checkpoints/start.ts';
import { describeSecretToRemove, fieldNames } from '../../contracts/fields.ts';
import { type Actor, hasLabel, type OwnIssue, type OwnPull } from '../../domain/actor.ts';
import { findRootHolder } from '../../domain/checkpoint/stored.ts';
import type { ContractIssue } from '../../domain/launch/contract.ts';
import { lastFailure } from '../../domain/launch/next-attempt.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/define.ts';
import type { ProposalRequest } from '../../domain/logbook/events/launch-events.ts';
import type { Proposing } from '../../domain/logbook/events/proposal-events.ts';
import { isBilled } from '../../domain/logbook/job-state.ts';
import { type Ending, isOver, type RunState, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { known, type Observed, type RunId, toRfc3339, utcDate } from '../../domain/values.ts';
import { readOwnThread } from '../../github/proposal-work.ts';
import { markdownPath, runFolder } from '../../logbook/segments.ts';
import { renderRunIssue } from '../../render/issues.ts';
import type { Contracts } from '../../run/kind.ts';
import { allLanes, type LaneScopedConfig, withContract } from '../../run/lane.ts';
import {
  answerAdoptionRefused,
  answerNoExperiment,
  answerSeveralLanes,
  buildProposed,
  chooseRunId,
  findPullRefusal,
  listProposalLabels,
  listRequestLabels,
  listRunsOfPull,
  readAsk,
  reply,
} from '../../run/proposals.ts';
import type { Planned } from '../../run/proposing.ts';
import { searchRoots } from '../control/attempt-facts.ts';
import type { OpenLab, OpenLane } from '../open-lab.ts';
import { beginProposal } from './begin.ts';
import { answerObstacle, findObstacle, planWork, type RequestOutcome, requestOutcome } from './outcome.ts';

/** The run that continues under a new identity, and its last entry if it is not over. */
type ContinuedRun = {
  readonly old: RunState;
  readonly reason: string;
  readonly draft: EventDraft | null;
  /** The changed fields of the contract. */
  readonly knobs: ProposalRequest['knobs'];
};

/** Who requested the run: a command, or the person who set the label (null: not a person). */
export type RequestSource =
  | { readonly kind: 'command'; readonly command: SeenCommand; readonly continues?: ContinuedRun }
  | { readonly kind: 'label'; readonly by: Actor | null };

/** The one lane that fits the thread, or a refusal. Null for an issue if no lane starts runs from issues. Throws `GitError`. */
export async function fittingLane(
  open: OpenLab,
  thread: OwnPull | OwnIssue,
  lanes: readonly LaneScopedConfig[],
): Promise<{ readonly kind: 'lane'; readonly lane: LaneScopedConfig } | RequestOutcome | null> {
  const fitting: LaneScopedConfig[] = [];
  if (thread.kind === 'issue') fitting.push(...lanes.filter(({ kind }) => kind.contracts !== undefined));
  else {
    const refusal = findPullRefusal(thread, open.lab.repository);
    if (refusal !== null) return refusal;
    for (const config of lanes) {
      const { change, planOfPull } = config.kind.proposals ?? {};
      if (change === undefined || planOfPull === undefined) continue;
      const base = await findForkPoint({ ...open, config }, thread);
      if (base === null) return { kind: 'wait', why: 'its head is not fetched yet' };
      if ((await open.git.changedPaths(base, thread.headSha)).includes(change.file(config.lane))) fitting.push(config);
    }
  }
  const [lane, second] = fitting;
  if (lane === undefined) return thread.kind === 'issue' ? null : answerNoExperiment(lanes);
  return second === undefined ? { kind: 'lane', lane } : answerSeveralLanes(fitting);
}

/** Starts the run. Records the issue's current text; the gates read later edits. Throws `GitError`. */
export async function adopt(open: OpenLane, thread: OwnPull | OwnIssue, asked: RequestSource): Promise<RequestOutcome> {
  const { config } = open;
  const { command = null, continues } = asked.kind === 'command' ? asked : {};
  const obstacle = findObstacle(open, { closes: continues?.old.run ?? null });
  if (obstacle !== null) return answerObstacle(obstacle);
  const planned =
    thread.kind === 'pull' ? await planPull(open, thread, command) : planIssue(open, thread, command, continues);
  if ('kind' in planned) return planned;
  const label = asked.kind === 'label' ? listRequestLabels(config).find((one) => hasLabel(thread.labels, one)) : null;
  const proposed = {
    ...planned.proposed,
    author: thread.author,
    requestedBy: asked.kind === 'command' ? asked.command.actor : asked.by,
    own: { label: label ?? null },
    ...(continues === undefined ? {} : { continues: { run: continues.old.run, reason: continues.reason } }),
  };
  const intent = { ...planned, proposed, labels: [...listProposalLabels(config)] };
  const { old, draft = null } = continues ?? {};
  const closes = old === undefined || draft === null ? undefined : { old, draft };
  return requestOutcome(await beginProposal(open, { intent, command, closes }));
}

type PlannedThread = Omit<Proposing, 'labels'>;

/** Plans the issue for a pull request, and the comment that offers its missing parts. */
async function planPull(
  open: OpenLane,
  pull: OwnPull,
  request: SeenCommand | null,
): Promise<PlannedThread | RequestOutcome> {
  const { lab, config, store } = open;
  const planOfPull = config.kind.proposals?.planOfPull;
  if (planOfPull === undefined) throw new Error(`a ${config.kind.name} is no pull request of a person`);
  const date = utcDate(lab.now());
  const mergeBase = await findForkPoint(open, pull);
  if (mergeBase === null) return { kind: 'wait', why: `the head of #${pull.number} is not fetched yet` };
  const run = chooseRunId(config, date, `pr${pull.number}`, store.current().runs);
  const { number, body, headSha: head } = pull;
  const planned = await planOfPull(planWork(open), { run, date, request, pull: number, body, mergeBase, head });
  if (planned.kind === 'failed') return { kind: 'wait', why: planned.why };
  const linked = await findLinkedIssue(open, planned.linked, pull);
  if (linked.kind === 'unknown') return { kind: 'wait', why: linked.why };
  const { recorded, issue, missing } = planned;
  const place = { config, repository: lab.repository };
  const proposed = buildProposed(place, { run, date, recorded, knobs: [] }, request, pull);
  return { run, proposed, issue: linked.value ?? issue, pull: number, missing };
}

function planIssue(
  open: OpenLane,
  issue: OwnIssue,
  command: SeenCommand | null,
  continues: ContinuedRun | undefined,
): PlannedThread {
  const { lab, config, store } = open;
  const { contracts } = config.kind;
  if (contracts === undefined) throw new Error(`a ${config.kind.name} begins from no issue`);
  const knobs = continues?.knobs ?? requestedKnobs(contracts, command);
  const contract = contracts.read({ ...issue, requestedValues: knobs }, config.lane);
  const name = contracts.name(contract);
  const { runs } = store.current();
  const run = chooseRunId({ ...config, name }, utcDate(lab.now()), `issue${issue.number}`, runs);
  const begun = { run, experiment: '', objective: contracts.objective(contract), knobs };
  const proposed = issueData({ ...open, config: withContract(config, contract) }, begun, command);
  return { run, proposed, contract, issue: issue.number, pull: null, missing: null };
}

/** The contract fields that the command itself sets. */
function requestedKnobs({ command: name }: Contracts, command: SeenCommand | null): ProposalRequest['knobs'] {
  if (command?.name !== name) return [];
  return Object.entries(command?.args ?? {}).flatMap(([path, after]) => (path === 'lane' ? [] : [{ path, after }]));
}

/**
 * The recorded data of a run that starts in an issue and changes no experiment file, except its threads and their author. `config` already
 * contains the contract's values.
 */
export function issueData(
  { lab, config }: OpenLane,
  { run, knobs, ...begun }: Pick<Planned, 'run' | 'knobs'> & Pick<Proposing['proposed'], 'experiment' | 'objective'>,
  request: SeenCommand | null,
): Proposing['proposed'] {
  const date = utcDate(lab.now());
  const interval = { sinceCommit: null, sinceDate: date, fallback: true, lastRun: null };
  const recorded = { ...begun, interval, candidate: null };
  const place = { config, repository: lab.repository };
  const branch = { headBranch: config.lane.targetBranch };
  return { ...buildProposed(place, { run, date, recorded, knobs }, request, branch), own: { label: null } };
}

/** The commit where the pull request's change starts; null if the fetched branch differs from GitHub's head. */
async function findForkPoint(
  { git, config }: OpenLane,
  { headBranch, headSha }: OwnPull,
): Promise<OwnPull['headSha'] | null> {
  const target = await git.resolve(`refs/heads/${config.lane.targetBranch}`);
  if (target === null || (await git.resolve(`refs/heads/${headBranch}`)) !== headSha) return null;
  return git.mergeBase(target, headSha);
}

/** The first linked issue that is open and was never a run's; null if there is none. */
async function findLinkedIssue(
  { lab, store }: OpenLane,
  linked: readonly number[],
  pull: OwnPull,
): Promise<Observed<number | null>> {
  for (const number of linked.slice(0, limits.linkedIssuesMax)) {
    if (number === pull.number || listRunsOfPull(store.current().runs, number).length > 0) continue;
    const linked = await readOwnThread(lab.client, number);
    if (linked.kind === 'unknown') return linked;
    if (linked.value?.kind === 'issue' && linked.value.isOpen) return known(number);
  }
  return known(null);
}

/** Opens an issue for a run, with the values from the command. Throws `GitError`. */
export async function openIssueFor(open: OpenLane, command: SeenCommand): Promise<RequestOutcome> {
  const { config } = open;
  const { contracts } = config.kind;
  if (contracts?.opensIssue === undefined) throw new Error(`a ${config.kind.name} is opened no issue`);
  const obstacle = findObstacle(open);
  if (obstacle !== null) return answerObstacle(obstacle);
  const { knobs, objective } = readAsk(command);
  const names = fieldNames(contracts.fields);
  const unknownKnob = knobs.find(([name]) => !names.includes(name));
  if (unknownKnob !== undefined) return answerAdoptionRefused('no-value', unknownKnob[0], names.join(' '));
  const known = contracts.opensIssue.known({ login: command.actor.login, objective });
  const said = { ...known, ...Object.fromEntries(knobs) };
  const requestedValues = Object.entries(said).map(([path, after]) => ({ path, after }));
  const asIssue = { title: objective ?? '', body: '', author: command.actor, requestedValues };
  const run = chooseRunName(open, contracts, asIssue);
  if (run === null) return answerAdoptionRefused('no-name', '', 'slug=…');
  const title = `${contracts.opensIssue.title}: ${run}`;
  const body = renderRunIssueBody(open, command, contracts, { run, said });
  const contract = contracts.read({ title, body, author: command.actor, requestedValues: [] }, config.lane);
  const begun = { run, experiment: '', objective: contracts.objective(contract), knobs: [] };
  const proposed = issueData({ ...open, config: withContract(config, contract) }, begun, command);
  const labels = [...contracts.labels, ...listProposalLabels(config)];
  const intent = { run, proposed, issue: { title, body }, pull: null, contract, labels, missing: null };
  return requestOutcome(await beginProposal(open, { intent, command }));
}

/** The run's name from the issue's contract, or from its title if the contract has none. */
function chooseRunName({ config, lab, store }: OpenLane, contracts: Contracts, issue: ContractIssue): RunId | null {
  const name = contracts.name(contracts.read(issue, config.lane));
  if (name === null) return null;
  return chooseRunId({ ...config, name }, utcDate(lab.now()), '', store.current().runs);
}

function renderRunIssueBody(
  { config, lab }: OpenLane,
  { actor: by, thread }: SeenCommand,
  { fields }: Contracts,
  { run, said }: { readonly run: RunId; readonly said: Readonly<Record<string, string>> },
): string {
  const answers = fieldNames(fields).map(
    (name) => [fields[name]?.label ?? name, name === 'slug' ? run : (said[name] ?? null)] as const,
  );
  const logbook = markdownPath(runFolder(run, toRfc3339(lab.now())));
  return renderRunIssue({ by, thread, logbookBranch: config.logbookBranch, logbook, answers });
}

const NEVER_RAN =
  'no attempt of it has ended; to be rid of a run that was never launched, close the issue, and open it again to go on from the one before';

function wasEverLaunched({ submission, attempts }: RunState): boolean {
  return submission !== null || attempts.length > 0;
}

/** Continues the thread's run under a new identity (`/resume-as`). Throws `GitError`. */
export async function resume(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const { lab, store } = open;
  const { runs } = store.current();
  const { id = '', reason = '' } = command.args;
  const here = listRunsOfPull(runs, command.thread);
  // Skip a run that continued an earlier one but never launched: it left nothing to continue.
  const old = here.find((run) => !isOver(run)) ?? here.find(wasEverLaunched) ?? here[0];
  const config = allLanes(open.config).find(({ laneName }) => laneName === old?.proposal.lane);
  const contracts = config?.kind.contracts;
  const knobs = old === undefined ? undefined : contracts?.continuationValues?.(old.run, command.args);
  if (old === undefined || config === undefined || contracts === undefined || knobs === undefined)
    return reply('not-now', { status: 'no run of this thread can go on as another one' });
  const holder = runs.find((run) => run.run === id || run.order?.manifest?.tracker.runId === id);
  if (holder !== undefined)
    return reply('resume-as-unclear', { name: 'id', said: id, wanted: conflictText(holder.run) });
  const read = await readOwnThread(lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const issue = read.value;
  if (issue === null || issue.kind !== 'issue' || !issue.isOpen)
    return reply('not-now', { status: 'its issue is not open, so that it is reopened first' });
  const refused = isOver(old)
    ? null
    : (resumeObstacle(old) ??
      (await checkResumeArguments({ ...open, config }, contracts, { ...issue, requestedValues: knobs })));
  if (refused !== null) return refused;
  const end = isOver(old) ? null : lastEnding(old);
  const continues = { old, reason, knobs, draft: end === null ? null : closeContinuedRun(end, command) };
  return adopt({ ...open, config }, issue, { kind: 'command', command, continues });
}

/** The last entry of the old run. */
function closeContinuedRun({ status }: Ending, { actor, args }: SeenCommand): EventDraft {
  const { id = '', reason = '' } = args;
  const outcome = status === 'FAILED' ? 'failed' : 'rejected';
  const data = { outcome, reason: `goes on as ${id}: ${reason}`, closurePull: null } as const;
  return { type: 'closed', role: 'control', actor, data };
}

/** Why the old run cannot be continued now; null if an attempt has ended and no hold is set. */
function resumeObstacle(old: RunState): RequestOutcome | null {
  if (isBilled(old) || lastEnding(old) === null)
    return reply('not-now', { status: wasEverLaunched(old) ? 'no attempt of it has ended' : NEVER_RAN });
  return old.holds.length > 0 ? reply('not-now', { status: 'it is on hold' }) : null;
}

/** Wording for a conflict: runs of different lineages must not share an identity or an output root. */
function conflictText(run: string): string {
  return `another than that of the run ${run}`;
}

function lastEnding(old: RunState): Ending | null {
  return old.end ?? lastFailure(old)?.end ?? null;
}

/**
 * Checks the arguments of `/resume-as`, which override the text of the new run's issue. Refuses invalid ones now, while the old run still
 * exists and the person can ask again. Null if nothing is known against them; the launch gates wait for facts that cannot be read now.
 */
async function checkResumeArguments(
  { lab, store, config: { lane } }: OpenLane,
  contracts: Contracts,
  issue: ContractIssue,
): Promise<RequestOutcome | null> {
  const { requestedValues = [] } = issue;
  for (const { path, after } of requestedValues) {
    const field = contracts.fields[path];
    const read = field?.read(after) ?? { value: after };
    const wanted = describeSecretToRemove(after) ?? ('unclear' in read ? read.unclear : null);
    if (wanted !== null) return reply('resume-as-unclear', { name: field?.label ?? path, said: after, wanted });
  }
  const { runs } = store.current();
  const root = requestedValues.find(({ path }) => path === 'outputRoot')?.after;
  const place = { roots: root === undefined ? [] : [root], cluster: lane.cluster, shared: [] };
  const holder = findRootHolder(runs, place, { run: '', lineage: () => false });
  if (root !== undefined && holder !== null)
    return reply('resume-as-unclear', { name: 'root', said: root, wanted: conflictText(holder.run) });
  const from = contracts.checkpoints?.(contracts.read(issue, lane), lane).from ?? null;
  if (from === null) return null;
  const start = findStartPoint(from, await searchRoots([parentRoot(from.path)], lab.stores), known(runs));
  return start.kind === 'known' && start.value.kind === 'refused'
    ? reply('resume-as-refused', { path: start.value.path, why: start.value.code })
    : null;
}
