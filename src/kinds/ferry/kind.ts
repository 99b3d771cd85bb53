/** The ferry: a small scheduled regression run that changes one or two settings of one experiment file each time. */

import { isWithinBounds, parseMarkdown, plainText } from '../../commands/grammar/markdown.ts';
import { metricsHaveARule } from '../../config/rules/lane-rules.ts';
import { QUIET_INCIDENTS } from '../../domain/incidents.ts';
import type { Delta } from '../../domain/launch/change-facts.ts';
import { isPathCovered, type Manifest } from '../../domain/launch/manifest.ts';
import { limits } from '../../domain/limits.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import type { RunVerdict } from '../../domain/past-runs.ts';
import { cutText } from '../../domain/values.ts';
import type { Gate } from '../../gates/gate.ts';
import { preemptedText } from '../../render/card.ts';
import { incidentTitle } from '../../render/incident-words.ts';
import { trackerUrl } from '../../render/job-table.ts';
import { renderMetrics } from '../../render/state-line.ts';
import {
  cleanLine,
  code,
  formatHead,
  jobWords,
  joinAnd,
  nonEmpty,
  paragraphs,
  safeUrl,
  text,
} from '../../render/words.ts';
import { type ClosureDecision, type ClosureLog, type ClosureView, defineKind } from '../../run/kind.ts';
import type { Failed, PlannedPull, PlanWork, PullToPlan } from '../../run/proposing.ts';
import { readStartFile } from './edit.ts';
import {
  budgetGate,
  deltaDeclaredGate,
  deltaReadableGate,
  identicalRerunGate,
  lastFerryLinkedGate,
  riskPresentGate,
  scaleStableGate,
  scopeGate,
  sizeReader,
} from './gates.ts';
import type { ProposalView } from './interval.ts';
import { createSourceReader, readIntervalContext, readStartOn } from './plan/experiment.ts';
import { buildProposalView, diffKnobs, planProposal } from './plan/plan.ts';
import { readBodyFacts, readPullBody } from './pull-body.ts';
import { assessRisk, objectiveQuestion, readFerryObjective, USUAL_OBJECTIVE } from './requested-change.ts';
import { FERRY_RULES, ferryLane, ferrySettings, listFixablePaths, listUnshippedPaths } from './settings.ts';
import { ferryName, laneTitle, renderIssueBody, renderIssueTitle, renderPullParts } from './words/proposal.ts';

// The closure: one entry in the ferry log, in a pull request that contains nothing else (policy DF-29 to DF-32).

export const FERRY_CLOSURE_LOG: ClosureLog = {
  path: (lane) => ferryLane(lane).closureLog,
  text: renderClosureLog,
  pull: (view) => ({
    title: renderClosureTitle(view),
    body: renderClosureBody(view),
    labels: [
      'ferry',
      `ferry-${view.state.proposal.lane}`,
      'ferry-log-only',
      ...(view.decision.kind === 'seal' ? ['ferry-sealed'] : []),
    ],
  }),
};

/** Appends the entry of this run, newest last; unchanged if the log has the entry. `before` null = there is no file yet. */
export function renderClosureLog(
  input: ClosureView & { readonly before: string | null; readonly verdict: RunVerdict | null },
): string {
  const { before, state } = input;
  const heading = `## ${state.proposal.date} ${code(state.run)}`;
  const log = (before ?? `# ${laneTitle(state.proposal.lane)} ferry log\n`).trimEnd();
  if (log.split(/\r?\n/).includes(heading)) return before ?? `${log}\n`;
  return `${log}\n\n${heading}\n\n${entryLines(input).join('\n')}\n`;
}

/** The closure PR's title, plain text. */
function renderClosureTitle({ state, decision }: ClosureView): string {
  const what = decision.kind === 'seal' ? 'final seal' : `closed as ${decision.outcome}`;
  return cleanLine(`${ferryName(state.proposal)}: log ${what}`, limits.titleCharsMax);
}

function renderClosureBody({ state, decision, tag }: ClosureView): string {
  const outcome =
    decision.kind === 'seal'
      ? `Sealed ${decision.verdict === 'pass' ? 'as a pass' : `with the reason: ${text(decision.accept ?? '')}`}; tag ${code(tag)}.`
      : `Closed as ${decision.outcome}${decision.outcome === 'failed' ? '' : ` with the reason: ${text(decision.reason)}`}; there is no tag.`;
  return `${paragraphs(
    `Adds the entry of ${code(state.run)} to the ferry log and changes nothing else.`,
    outcome,
    [
      `- Issue: #${state.proposal.issue}`,
      `- Proposal: #${state.proposal.pull}`,
      `- Launch commit: ${state.submission?.commit ?? 'none'}`,
      `- Job: ${state.submission === null ? 'none' : jobWords(state.submission)}`,
      `- Record: ${code(formatHead(state, 64))}`,
    ].join('\n'),
    'What was tried and debugged on the way stands in the issue.',
  )}\n`;
}

function entryLines(input: Parameters<typeof renderClosureLog>[0]): readonly string[] {
  const { state, decision, tag, verdict } = input;
  const { end, submission, proposal } = state;
  const tracker = trackerUrl(state);
  const notable = state.incidents.filter(({ code: known }) => known === null || !QUIET_INCIDENTS.includes(known));
  const failures = nonEmpty(
    ...new Set(notable.map(incidentTitle)),
    end?.status === 'SUCCEEDED' && end.diagnosis !== undefined && `its log ends with ${code(end.diagnosis.class)}`,
    preemptedText(state.observation?.course?.preemptions) ?? false,
  );
  return [
    `- Outcome: ${describeOutcome(decision)}`,
    `- Final status: ${end?.status ?? 'unknown'}`,
    `- Issue: #${proposal.issue}`,
    `- Pull request: #${proposal.pull}`,
    `- Seal tag: ${decision.kind === 'seal' ? code(tag) : 'N/A'}`,
    `- Launch commit: ${submission?.commit ?? 'none'}`,
    `- Job: ${submission === null ? 'none' : `${jobWords(submission)} on ${code(submission.cluster)}`}`,
    `- W&B: ${(tracker === null ? null : safeUrl(tracker)) ?? 'none recorded'}`,
    `- Config delta: ${describeDelta(state)}`,
    ...describeStart(state),
    `- Last step: ${end?.lastStep ?? 'unknown'} of ${end?.totalSteps ?? 'unknown'}`,
    `- Metrics: ${end === null ? 'none' : renderMetrics(end, verdict)}`,
    `- Notable failures and fixes: ${joinAnd(failures) || 'none'}`,
    `- Record: ${code(formatHead(state, 64))}`,
  ];
}

function describeOutcome(decision: ClosureDecision): string {
  if (decision.kind === 'close')
    return decision.outcome === 'failed' ? decision.outcome : `${decision.outcome}: ${text(decision.reason)}`;
  return decision.verdict === 'pass' ? 'pass' : `accepted (${text(decision.accept ?? '')})`;
}

function describeDelta({ gate }: RunState): string {
  return formatChanges(gate?.manifest?.delta ?? []) || 'none (the same configuration again)';
}

function describeStart({ gate }: RunState): readonly string[] {
  const base = gate?.manifest?.base;
  if (base === undefined) return [];
  return [`- Started from: ${code(base.run)}, new against it: ${formatChanges(base.changes) || 'nothing'}`];
}

function formatChanges(changes: Manifest['delta']): string {
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  return changes.map((c) => `${code(c.knob)} ${value(c.before)} to ${value(c.after)}`).join(', ');
}

// Ferries in a person's own pull request: that person made the change and wrote the text.

/** GitHub's closing keywords, and the words that labs use to link issues and pull requests; expects single spaces. */
const LINK =
  /\b(?:close|closes|closed|fix|fixes|fixed|resolve|resolves|resolved|part of|tracked in|issue):? #(\d{1,9})\b/gi;

/** Throws `GitError` if git cannot answer. */
async function planPull(open: PlanWork, pull: PullToPlan): Promise<PlannedPull | Failed> {
  const { run, date, request, mergeBase, head, body, pull: number } = pull;
  const context = await readIntervalContext(open, mergeBase, date);
  if ('kind' in context) return context;
  const lane = ferryLane(open.config.lane);
  const file = await readProposedFile(open, { mergeBase, head });
  const knobs = file?.knobs ?? null;
  const start: ProposalView['start'] = {
    passedRun: null,
    notTaken: [],
    ...file?.start,
    total: knobs?.total ?? [],
    isOwn: true,
  };
  const objective = readObjective(body);
  const view: ProposalView = {
    ...buildProposalView(open, { run, date, objective, request }, context),
    changes: knobs?.changes ?? [],
    start,
    ...(knobs === null ? { isMore: true } : {}),
    pull: number,
    risk: knobs === null ? 'high' : assessRisk(knobs.changes, lane),
    reason: `what #${number} says`,
    candidate: null,
    rationale: null,
  };
  const { experiment, interval } = view;
  return {
    kind: 'planned-pull',
    issue: { title: renderIssueTitle(view), body: renderIssueBody(view) },
    linked: listLinkedIssues(body),
    missing: hasAllParts(body, view) ? null : renderPullParts(view, lane.checklist.preconditions),
    recorded: {
      experiment,
      objective,
      interval,
      candidate: null,
      ...(start.passedRun === null ? {} : { base: start.passedRun }),
    },
  };
}

/** The file's change against the branch and the pass; null if a commit lacks the file. `knobs` null: not only knobs. Throws `GitError`. */
async function readProposedFile(
  open: PlanWork,
  { mergeBase, head }: Pick<PullToPlan, 'mergeBase' | 'head'>,
): Promise<ProposedFile | null> {
  const { git, config } = open;
  const path = ferryLane(config.lane).experiment;
  const [onBranch, text] = [await git.readText(mergeBase, path), await git.readText(head, path)];
  if (onBranch === null || text === null) return null;
  const { text: from, passedRun, notTaken } = await readStartOn(open, mergeBase, onBranch);
  const read = createSourceReader(open);
  const changes = await diffKnobs(read, from, text);
  const total = await diffKnobs(read, onBranch, text);
  return { start: { passedRun, notTaken }, knobs: changes === null || total === null ? null : { changes, total } };
}

type ProposedFile = {
  readonly start: Pick<ProposalView['start'], 'passedRun' | 'notTaken'>;
  readonly knobs: { readonly changes: ProposalView['changes']; readonly total: ProposalView['start']['total'] } | null;
};

/** The objective that the text declares, verbatim; without one, the usual objective. */
function readObjective(body: string): Objective {
  const said = readPullBody(body)?.objective ?? null;
  return said === null ? USUAL_OBJECTIVE : { kind: said.kind, text: cutText(said.text, limits.answerTextChars) };
}

/** Whether the text has every part that a gate reads. The gates compare its table with the change. */
function hasAllParts(body: string, { start, context, isMore }: ProposalView): boolean {
  const { total: changes } = start;
  const delta: Delta = changes.length === 0 || isMore === true ? { kind: 'none' } : { kind: 'knobs', changes };
  const read = readBodyFacts(body, { delta, last: context.last });
  return (
    read !== null &&
    read.risk !== null &&
    read.linksLastFerry &&
    (read.hasDeltaTable || changes.length === 0) &&
    read.boxes.length > 0
  );
}

/** Unique issue numbers in order; numbers in code, quotes or struck text do not count. */
function listLinkedIssues(markdown: string): readonly number[] {
  if (!isWithinBounds(markdown)) return [];
  const text = parseMarkdown(markdown).children.map(plainText).join('\n');
  return [...new Set([...text.matchAll(LINK)].map((match) => Number(match[1])))];
}

const FERRY_GATES: readonly Gate[] = [
  scopeGate,
  deltaReadableGate,
  deltaDeclaredGate,
  budgetGate,
  scaleStableGate,
  identicalRerunGate,
  riskPresentGate,
  lastFerryLinkedGate,
];

export const ferryKind = defineKind({
  name: 'ferry',
  settings: ferrySettings,
  rules: [metricsHaveARule, ...FERRY_RULES],
  leavesOut: (lane) => listUnshippedPaths(ferryLane(lane)),
  settingsOf: ({ experiment }) => ({ experiment, scope: [experiment] }),
  fixes: (lane) => {
    const { scope, fixScope, fixer, preApprovedFixes } = ferryLane(lane);
    // Automatic fixes exclude the files in `scope`, which people review: a change of more than values would hide the knobs.
    const isInScope = (path: string): boolean =>
      !scope.includes(path) && fixScope.some((folder) => isPathCovered(folder, path));
    return {
      fixable: listFixablePaths(ferryLane(lane)),
      mayFix: fixScope.length === 0 ? null : isInScope,
      fixer,
      preApproved: preApprovedFixes,
    };
  },
  gates: FERRY_GATES,
  policy: (lane) => {
    const { experiment, scope, fixScope, budget, steps, scaleKnobs, scale } = ferryLane(lane);
    return {
      'lane.experiment': experiment,
      'lane.scope': scope.join(','),
      ...(fixScope.length === 0 ? {} : { 'lane.fixScope': fixScope.join(',') }),
      'lane.budget': `${budget.knobs} ${budget.enforce}`,
      ...(JSON.stringify(steps) === USUAL_STEPS ? {} : { 'lane.steps': JSON.stringify(steps) }),
      'lane.scaleKnobs': scaleKnobs.join(','),
      ...(scale === null ? {} : { 'lane.scale': JSON.stringify(scale) }),
    };
  },
  proposals: {
    change: { file: (lane) => ferryLane(lane).experiment, size: sizeReader, start: readStartFile },
    readText: readBodyFacts,
    usual: USUAL_OBJECTIVE,
    objectiveChoice: { objective: readFerryObjective, question: objectiveQuestion },
    plan: planProposal,
    planOfPull: planPull,
    closureLog: FERRY_CLOSURE_LOG,
    afterSeal: (lane) => ferryLane(lane).afterSeal,
  },
});

/** A lane without configured steps keeps the manifests it had before steps existed. */
const USUAL_STEPS = JSON.stringify(ferrySettings.shape.steps.parse(undefined));
