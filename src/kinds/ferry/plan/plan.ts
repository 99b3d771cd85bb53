/** Plans a proposal from the record, git, and the issues since the last ferry. Changes nothing outside ferrybot. */

import { fillLane } from '../../../config/lane-of-file.ts';
import { diffConfigs } from '../../../delta/config-delta.ts';
import type { KnobChange, ReadSource } from '../../../domain/launch/change-facts.ts';
import { limits } from '../../../domain/limits.ts';
import { commandKey } from '../../../domain/logbook/run-state.ts';
import { cutText, cutTextFromEnd, type Sha } from '../../../domain/values.ts';
import { readAsk } from '../../../run/proposals.ts';
import {
  type Failed,
  failStillRunning,
  type NoProposal,
  noProposal,
  type PlanInput,
  type Planned,
  type PlanWork,
  type Refused,
  type RequestOrigin,
  type TreeResult,
} from '../../../run/proposing.ts';
import { listChanges } from '../gates.ts';
import type { ProposalView } from '../interval.ts';
import { ferryLane, listFixablePaths } from '../settings.ts';
import {
  renderCommitMessage,
  renderIssueBody,
  renderIssueTitle,
  renderPullBody,
  renderPullTitle,
} from '../words/proposal.ts';
import { chooseChange, readExperiment, readIntervalContext } from './experiment.ts';

// The lab's own checks on an edit by ferrybot before the push (policy AG-03): pre-commit, type check, tests.

/** Length of the end of a check's output that people see; the reason is usually there. */
const CHECK_OUTPUT_SHOWN_CHARS = 1_500;

type EditedExperiment = {
  readonly base: Sha;
  readonly path: string;
  readonly text: string;
  readonly isChanged: boolean;
};

/** The result of the lab's checks; `missing`: programs of the repository's own checks that this machine does not have. */
type ChecksPassed = { readonly kind: 'passed'; readonly missing: readonly string[] };

/** An edit that changes nothing needs no check: the branch has the same file, already checked. Throws `GitError`. */
async function runChecks(
  open: PlanWork,
  asked: RequestOrigin,
  edit: EditedExperiment,
): Promise<ChecksPassed | NoProposal | Failed> {
  const { checksBeforePush } = ferryLane(open.config.lane);
  const isStanding = checksBeforePush === 'repository';
  if (!edit.isChanged) return { kind: 'passed', missing: [] };
  let commands = isStanding ? await listApplicableChecks(open, edit) : checksBeforePush;
  const missing: string[] = [];
  while (commands.length > 0) {
    const failed = await open.lab.helpers.check({
      request: asked,
      git: open.git,
      commit: edit.base,
      files: { [edit.path]: edit.text },
      commands,
    });
    // rule AG-03
    if (failed === null) break;
    if ('kind' in failed) return failStillRunning('the lab’s checks');
    // The lab did not name this program. If it is not installed, the checks of the pull request decide.
    if (!isStanding || failed.result.kind !== 'not-started') return refuseByCheck(open, failed);
    const [program = ''] = failed.command;
    missing.push(program);
    commands = commands.filter(([one]) => one !== program);
  }
  return { kind: 'passed', missing };
}

function refuseByCheck(open: PlanWork, { command, result }: NonNullable<TreeResult>): NoProposal {
  const output = open.redact(`${result.stdout}\n${result.stderr}`.trim());
  const how = result.kind === 'exited' ? `exit code ${result.exitCode}` : `${result.kind} ${result.code ?? ''}`;
  return noProposal(
    'checks-failed',
    `${cutText(command.join(' '), limits.shownTextCharsMax)}: ${how.trim()}\n${cutTextFromEnd(output, CHECK_OUTPUT_SHOWN_CHARS)}`.toWellFormed(),
  );
}

/** The checks set up at this commit of the default branch: pre-commit, type check, and that Python compiles the file. */
async function listApplicableChecks(
  { git, config, defaultBranch }: PlanWork,
  { base, path }: EditedExperiment,
): Promise<readonly (readonly string[])[]> {
  const isPython = path.endsWith('.py');
  // Isolated: a `py_compile.py` of the branch must not run instead.
  const parsed = isPython ? [['python3', '-I', '-m', 'py_compile', path]] : [];
  // Both run branch code next to the key that signs decisions, which the lab allows only for its default branch.
  if (config.lane.targetBranch !== defaultBranch) return parsed;
  const fileExists = async (file: string): Promise<boolean> => (await git.treeId(base, file)) !== null;
  const own = (await fileExists('uv.lock')) ? ['uv', 'run'] : [];
  const python = own.length > 0 ? [...own, 'python'] : ['python3'];
  const settings = (await git.readText(base, 'pyproject.toml')) ?? '';
  const isTyped = isPython && (/^\[tool\.mypy[.\]]/m.test(settings) || (await fileExists('mypy.ini')));
  return [
    ...parsed,
    ...((await fileExists('infra/pre-commit.py'))
      ? [[...python, 'infra/pre-commit.py', '--all-files']]
      : (await fileExists('.pre-commit-config.yaml'))
        ? [[...own, 'pre-commit', 'run', '--files', path]]
        : []),
    // rule AG-23
    ...(isTyped ? [[...own, 'mypy', path]] : []),
  ];
}

/** Plans a change on the tip of the lane's branch. Throws `GitError` if git cannot answer. */
export async function planProposal(open: PlanWork, input: PlanInput): Promise<Planned | NoProposal | Failed | Refused> {
  const experiment = await readExperiment(open);
  if (experiment.kind === 'nothing') return experiment;
  const { base } = experiment;
  const context = await readIntervalContext(open, base, input.date);
  if ('kind' in context) return context;
  const { request } = input;
  const knobs = request === null ? [] : readAsk(request).knobs;
  const asked = request === null ? null : { by: commandKey(request), thread: request.thread };
  const change = await chooseChange(open, experiment, { ...input, request: asked, context, knobs });
  if (change.kind !== 'change') return change;
  const path = ferryLane(open.config.lane).experiment;
  const isChanged = change.text !== experiment.onBranch;
  const total = await diffKnobs(experiment.read, experiment.onBranch, change.text);
  if (total === null) return noProposal('edit-refused', `${path} would change in more than knobs`);
  const checks = await runChecks(open, asked, { base, path, text: change.text, isChanged });
  if (checks.kind !== 'passed') return checks;
  const { passedRun, notTaken } = experiment;
  const view = {
    ...buildProposalView(open, input, context),
    ...change,
    missingChecks: checks.missing,
    start: { passedRun: passedRun, notTaken, total },
  };
  const { run, date, objective, interval, candidate, changes } = view;
  return {
    kind: 'planned',
    run,
    date,
    branch: { base, files: isChanged ? { [path]: change.text } : {}, message: renderCommitMessage(view) },
    issue: { title: renderIssueTitle(view), body: renderIssueBody(view) },
    pull: {
      title: renderPullTitle(view),
      body: renderPullBody(view, ferryLane(open.config.lane).checklist.preconditions),
    },
    recorded: { experiment: path, objective, interval, candidate, ...(passedRun === null ? {} : { base: passedRun }) },
    knobs: changes.map(({ path: knob, after }) => ({ path: knob, after: after ?? '' })),
  };
}

/** The knobs that differ between two texts of the file; null if more than knobs differs. */
export async function diffKnobs(
  read: ReadSource,
  before: string,
  after: string,
): Promise<readonly KnobChange[] | null> {
  return listChanges(diffConfigs(await read(before), await read(after)));
}

/** The view of a proposal without its change. */
export function buildProposalView(
  open: PlanWork,
  { run, date, objective, unanswered, request }: PlanInput,
  context: ProposalView['context'],
): Omit<ProposalView, 'changes' | 'start' | 'risk' | 'reason' | 'candidate' | 'rationale'> {
  const lane = ferryLane(open.config.lane);
  return {
    run,
    date,
    lane: open.config.laneName,
    runName: fillLane(lane, { run, date }).runName,
    experiment: lane.experiment,
    targetBranch: lane.targetBranch,
    fixable: listFixablePaths(lane),
    objective,
    ...(unanswered === undefined ? {} : { unanswered }),
    context,
    interval: context.start,
    pull: null,
    request: request === null ? null : { by: request.actor, thread: request.thread },
  };
}
