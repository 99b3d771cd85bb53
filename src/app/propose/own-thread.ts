/** Takes somebody's own pull request or issue up as a run of a lane. */

import type { Actor } from '../../domain/actor.ts';
import type { RunId } from '../../domain/ids.ts';
import type { Contract } from '../../domain/launch/contract.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import type { ProposalRequest } from '../../domain/logbook/events/launch-events.ts';
import type { Proposing } from '../../domain/logbook/events/proposal-events.ts';
import type { RunState, SeenCommand } from '../../domain/logbook/run-state.ts';
import { known, type Observed } from '../../domain/observed.ts';
import { hasLabel, type OwnIssue, type OwnPull } from '../../domain/own-pull.ts';
import { dateOf } from '../../domain/time.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import type { Contracts } from '../../run/kind.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import { askedLabels, ownRunId, proposalLabels, runsOfPull } from '../../run/own-pull.ts';
import { proposedData } from '../../run/proposal-record.ts';
import { noExperiment, refusalOf, severalLanes } from '../../run/propose-answers.ts';
import { configWith } from '../../run/run-config.ts';
import type { OpenLab, OpenLane } from '../open-lab.ts';
import { begin } from './begin.ts';
import { planWork } from './day-name.ts';
import { answerObstacle, obstacleIn, type RequestOutcome, requestOutcome } from './outcome.ts';

/** The run that goes on under another identity, and its last entry if it is not over. */
type Continued = {
  readonly old: RunState;
  readonly reason: string;
  readonly draft: EventDraft | null;
  /** What of the contract changes. */
  readonly knobs: ProposalRequest['knobs'];
};

/** Who made it a run: a command, or whoever put the label on (null: no person did). */
export type AskedBy =
  | { readonly kind: 'command'; readonly command: SeenCommand; readonly continues?: Continued }
  | { readonly kind: 'label'; readonly by: Actor | null };

/** The one of these lanes that the thread is for, or why it is for none; null for an issue that none begins from. Throws `GitError`. */
export async function fittingLane(
  open: OpenLab,
  thread: OwnPull | OwnIssue,
  lanes: readonly LaneScopedConfig[],
): Promise<{ readonly kind: 'lane'; readonly lane: LaneScopedConfig } | RequestOutcome | null> {
  const fitting: LaneScopedConfig[] = [];
  if (thread.kind === 'issue') fitting.push(...lanes.filter(({ kind }) => kind.contracts !== undefined));
  else {
    const refusal = refusalOf(thread, open.lab.repository);
    if (refusal !== null) return refusal;
    for (const config of lanes) {
      const { change, planOfPull } = config.kind.proposes ?? {};
      if (change === undefined || planOfPull === undefined) continue;
      const base = await forkPoint({ ...open, config }, thread);
      if (base === null) return { kind: 'wait', why: 'its head is not fetched yet' };
      if ((await open.git.changedPaths(base, thread.headSha)).includes(change.file(config.lane)))
        fitting.push(config);
    }
  }
  const [lane, second] = fitting;
  if (lane === undefined) return thread.kind === 'issue' ? null : noExperiment(lanes);
  return second === undefined ? { kind: 'lane', lane } : severalLanes(fitting);
}

/** What is recorded at once of an issue is what it says now; the gates read what it says later. Throws `GitError`. */
export async function takeUp(
  open: OpenLane,
  thread: OwnPull | OwnIssue,
  asked: AskedBy,
): Promise<RequestOutcome> {
  const { config } = open;
  const { command = null, continues } = asked.kind === 'command' ? asked : {};
  const obstacle = obstacleIn(open, { closes: continues?.old.run ?? null });
  if (obstacle !== null) return answerObstacle(obstacle);
  const planned =
    thread.kind === 'pull'
      ? await planPull(open, thread, command)
      : planIssue(open, thread, command, continues);
  if ('kind' in planned) return planned;
  const label =
    asked.kind === 'label' ? askedLabels(config).find((one) => hasLabel(thread.labels, one)) : null;
  const proposed = {
    ...planned.proposed,
    author: thread.author,
    requestedBy: asked.kind === 'command' ? asked.command.actor : asked.by,
    own: { label: label ?? null },
    ...(continues === undefined ? {} : { continues: { run: continues.old.run, reason: continues.reason } }),
  };
  const intent = { ...planned, proposed, labels: [...proposalLabels(config)] };
  const { old, draft = null } = continues ?? {};
  const closes = old === undefined || draft === null ? undefined : { old, draft };
  return requestOutcome(await begin(open, { intent, command, closes }));
}

type PlannedThread = Omit<Proposing, 'labels'>;

/** Opens the issue of a pull request, and offers what its text lacks. */
async function planPull(
  open: OpenLane,
  pull: OwnPull,
  request: SeenCommand | null,
): Promise<PlannedThread | RequestOutcome> {
  const { lab, config, store } = open;
  const planOfPull = config.kind.proposes?.planOfPull;
  if (planOfPull === undefined) throw new Error(`a ${config.kind.name} is no pull request of a person`);
  const date = dateOf(lab.now());
  const mergeBase = await forkPoint(open, pull);
  if (mergeBase === null) return { kind: 'wait', why: `the head of #${pull.number} is not fetched yet` };
  const run = ownRunId(config, date, `pr${pull.number}`, store.current().runs);
  const { number, body, headSha: head } = pull;
  const planned = await planOfPull(planWork(open), {
    ...{ run, date, request, pull: number, body, mergeBase, head },
  });
  if (planned.kind === 'failed') return { kind: 'wait', why: planned.why };
  const linked = await linkedIssue(open, planned.linked, pull);
  if (linked.kind === 'unknown') return { kind: 'wait', why: linked.why };
  const { recorded, issue, missing } = planned;
  const place = { config, repository: lab.repository };
  const proposed = proposedData(place, { run, date, recorded, knobs: [] }, request, pull);
  return { run, proposed, issue: linked.value ?? issue, pull: number, missing };
}

function planIssue(
  open: OpenLane,
  issue: OwnIssue,
  command: SeenCommand | null,
  continues: Continued | undefined,
): PlannedThread {
  const { lab, config, store } = open;
  const { contracts } = config.kind;
  if (contracts === undefined) throw new Error(`a ${config.kind.name} begins from no issue`);
  const knobs = continues?.knobs ?? knobsIn(contracts, command);
  const contract = contracts.read({ ...issue, asked: knobs }, config.lane);
  const name = contracts.name(contract);
  const { runs } = store.current();
  const run = ownRunId({ ...config, name }, dateOf(lab.now()), `issue${issue.number}`, runs);
  const proposed = issueData(open, { contracts, run, contract }, command, knobs);
  return { run, proposed, contract, issue: issue.number, pull: null, missing: null };
}

/** What the command itself says of the contract. */
function knobsIn({ command: name }: Contracts, command: SeenCommand | null): ProposalRequest['knobs'] {
  if (command?.name !== name) return [];
  return Object.entries(command?.args ?? {}).flatMap(([path, after]) =>
    path === 'lane' ? [] : [{ path, after }],
  );
}

/** What is recorded of a run that an issue is the contract of, except its threads and their author. */
export function issueData(
  { lab, config }: OpenLane,
  {
    contracts,
    run,
    contract,
  }: { readonly contracts: Contracts; readonly run: RunId; readonly contract: Contract },
  request: SeenCommand | null,
  knobs: ProposalRequest['knobs'] = [],
): Proposing['proposed'] {
  const date = dateOf(lab.now());
  const recorded = { ...withoutChange(date), experiment: '', objective: contracts.objective(contract) };
  const place = { config: configWith(config, contract), repository: lab.repository };
  const branch = { headBranch: config.lane.targetBranch };
  return {
    ...proposedData(place, { run, date, recorded, knobs }, request, branch),
    own: { label: null },
  };
}

/** A run without a change of an experiment file. */
export function withoutChange(date: string): Pick<Proposing['proposed'], 'interval' | 'candidate'> {
  return {
    interval: { sinceCommit: null, sinceDate: date, fallback: true, lastRun: null },
    candidate: null,
  };
}

/** Where its change begins; null where its branch was not fetched as GitHub shows it. */
async function forkPoint(
  { git, config }: OpenLane,
  { headBranch, headSha }: OwnPull,
): Promise<OwnPull['headSha'] | null> {
  const target = await git.resolve(`refs/heads/${config.lane.targetBranch}`);
  if (target === null || (await git.resolve(`refs/heads/${headBranch}`)) !== headSha) return null;
  return git.mergeBase(target, headSha);
}

/** The issue that its text links, where that is open and was no run's; null where there is none. */
async function linkedIssue(
  { lab, store }: OpenLane,
  linked: readonly number[],
  pull: OwnPull,
): Promise<Observed<number | null>> {
  for (const number of linked.slice(0, limits.linkedIssuesMax)) {
    if (number === pull.number || runsOfPull(store.current().runs, number).length > 0) continue;
    const linked = await readOwnThread(lab.client, number);
    if (linked.kind === 'unknown') return linked;
    if (linked.value?.kind === 'issue' && linked.value.isOpen) return known(number);
  }
  return known(null);
}
