/** Which lane a person's own pull request or issue asks for. */

import { type AnswerCode, type Answers, answerOf, type NotTakenUp } from '../commands/answers.ts';
import { limits } from '../domain/limits.ts';
import { phaseOf } from '../domain/logbook/job-state.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import {
  hasLabel,
  isIssueFirst,
  isSameLabel,
  type Labelled,
  type OwnIssue,
  type OwnPull,
  type OwnThread,
} from '../domain/own-pull.ts';
import type { Detail, FactsArgument } from '../domain/payload.ts';
import { cutText } from '../domain/text.ts';
import { compactDate, fromRfc3339, isRunId, RUN_ID_MAX, type RunId } from '../domain/values.ts';
import { type LabConfig, type LaneScopedConfig, lanesOf } from './lane-scope.ts';

/** Label of a lane's runs, used by people and by the bot's proposals. */
function laneLabel({ kind, laneName }: Pick<LaneScopedConfig, 'kind' | 'laneName'>): string {
  return `${kind.name}-${laneName}`;
}

/** Labels of every proposal in a lane. */
export function proposalLabels(config: Pick<LaneScopedConfig, 'kind' | 'laneName'>): readonly string[] {
  return [config.kind.name, laneLabel(config)];
}

/** All labels that request a run of the lane. */
export function askedLabels(config: Pick<LaneScopedConfig, 'kind' | 'laneName'>): readonly string[] {
  return [laneLabel(config), ...(config.kind.contracts?.labels ?? [])];
}

const EXPERIMENT = 'experiment';

/** The labels that make this thread request a run, including `experiment` if its content qualifies. */
export function askingLabels(config: LaneScopedConfig, thread: OwnPull | OwnIssue): readonly string[] {
  const { contracts } = config.kind;
  const isClaimed =
    thread.kind === 'issue' && contracts?.claims?.(contracts.read(thread, config.lane)) === true;
  return [...askedLabels(config), ...(isClaimed ? [EXPERIMENT] : [])];
}

/** Labels of threads that may request a run. */
export function lookedAtLabels(config: LabConfig): readonly string[] {
  const lanes = lanesOf(config);
  const mayClaim = lanes.some(({ kind }) => kind.contracts?.claims !== undefined);
  return [...lanes.flatMap(askedLabels), ...(mayClaim ? [EXPERIMENT] : [])];
}

/** Labels by which issues request a run. */
export function contractLabels(config: LabConfig): readonly string[] {
  return lanesOf(config).flatMap((one) => (one.kind.contracts === undefined ? [] : askedLabels(one)));
}

/** Pull requests from these branches request nothing. */
const OUR_BRANCHES = 'ferrybot/';

/** Whether ferrybot created the thread. */
export function isOurWork(thread: OwnPull | OwnIssue, appSlug: string): boolean {
  const isFromOurs = thread.kind === 'pull' && thread.headBranch.startsWith(OUR_BRANCHES);
  return isFromOurs || (thread.author.login === appSlug && appSlug !== 'github-actions');
}

/** Runs of this pull request, including an active one. */
export function runsOfPull(runs: readonly RunState[], pull: number): readonly RunState[] {
  return runs.filter(({ proposal }) => proposal.pull === pull || proposal.issue === pull);
}

/**
 * The newest label event of the lane after all earlier runs of the pull request ended: a remaining label does not request another run. Null
 * if there is none.
 */
export function askedByLabel(pull: OwnThread, label: string, runs: readonly RunState[]): Labelled | null {
  if (!hasLabel(pull.labels, label)) return null;
  const newest = pull.labelled.findLast((one) => isSameLabel(one.label, label));
  const before = runsOfPull(runs, pull.number);
  if (newest === undefined || before.some((run) => !isOver(run))) return null;
  const over = Math.max(0, ...before.map(({ head }) => fromRfc3339(head.at) ?? 0));
  return newest.at > over ? newest : null;
}

/** `ferry-daily-20261121-pr42`, or the contract's name; repeated runs get `-2` and so on. Never collides with a bot's proposal. */
export function ownRunId(
  {
    kind,
    laneName,
    name = null,
  }: Pick<LaneScopedConfig, 'kind' | 'laneName'> & { readonly name?: RunId | null },
  date: string,
  thread: string,
  runs: readonly RunState[],
): RunId {
  const base = name ?? `${kind.name}-${laneName}-${compactDate(date)}-${thread}`;
  const taken = new Set<string>(runs.map(({ run }) => run));
  let run: string = base;
  for (let number = 2; taken.has(run); number += 1) {
    const suffix = `-${number}`;
    run = `${base.slice(0, RUN_ID_MAX - suffix.length)}${suffix}`;
  }
  if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
  return run;
}

export type Answered = { readonly kind: 'answer'; readonly code: string; readonly detail: Detail };

/** Texts are cut to the limit of an event. */
export function answerTo<Code extends AnswerCode>(
  code: Code,
  ...facts: FactsArgument<Answers[Code]>
): Answered {
  return cutAnswer(code, answerOf(code, ...facts).detail);
}

/** Cuts the texts of an answer. */
export function cutAnswer(code: string, detail: Detail): Answered {
  const short = Object.entries(detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? cutText(value, limits.answerTextChars) : value,
  ]);
  return { kind: 'answer', code, detail: Object.fromEntries(short) };
}

/** Refusals that do not depend on the lane. */
export function refusalOf(pull: OwnPull, repository: string): Answered | null {
  if (pull.headRepository !== repository)
    return refused('fork', pull.headRepository ?? 'a deleted fork', repository);
  return pull.isDraft ? refused('draft') : null;
}

/** The change touches no experiment of these lanes. */
export function noExperiment(lanes: readonly LaneScopedConfig[]): Answered {
  const files = lanes.flatMap(({ kind, lane }) => kind.proposes?.change?.file(lane) ?? []);
  return refused('no-experiment', files.join(' '));
}

/** More than one lane fits. */
export function severalLanes(lanes: readonly LaneScopedConfig[]): Answered {
  return refused('several-lanes', lanes.map(({ laneName }) => laneName).join(' '));
}

/** Refuses a pull request or an issue. */
export function refused(why: NotTakenUp, about = '', wanted = ''): Answered {
  return answerTo('propose-refused', { why, about, wanted });
}

/** The run that occupies the lane. `own`: 1 if requested by label, 2 by command, which no label removal withdraws. */
export function inTheWay(standing: RunState, isBusy: boolean): Answered {
  const { run, proposal } = standing;
  const alone = isIssueFirst(proposal) ? { issue: proposal.issue } : {};
  const own = proposal.own === undefined ? {} : { own: proposal.own.label === null ? 2 : 1 };
  const facts = { run, pull: proposal.pull, phase: phaseOf(standing), ...alone, ...own };
  return answerTo(isBusy ? 'propose-busy' : 'propose-standing', facts);
}
