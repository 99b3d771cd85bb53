/** Renders a proposal: title and body of the pull request and the ferry issue, with everything that the policy requires. */

import { limits } from '../../../domain/limits.ts';
import { assertNever } from '../../../domain/values.ts';
import { describeNotTaken } from '../../../render/card-manifest.ts';
import {
  bullets,
  cleanLine,
  code,
  folded,
  inlineText,
  joinAnd,
  paragraphs,
  person,
  text,
} from '../../../render/words.ts';
import type { ChoiceRationale, SkippedCandidate } from '../candidates.ts';
import { describeInterval, formatReferences, type ProposalView } from '../interval.ts';
import { DELTA_TABLE_HEAD, declaredName, declaredRow, PART_HEADINGS, toOneLine } from '../pull-body.ts';
import { describeUnanswered } from '../requested-change.ts';

/** `Daily ferry 2026-11-21: learning_rate 3e-3 -> 6e-3`, plain text. */
export function renderPullTitle(proposal: ProposalView): string {
  return cleanLine(`${ferryName(proposal)}: ${describeChange(proposal)}`, limits.titleCharsMax);
}

/** The issue's title, plain text. */
export function renderIssueTitle(proposal: ProposalView): string {
  return cleanLine(`Experiment: ${ferryName(proposal)} (${describeChange(proposal)})`, limits.titleCharsMax);
}

/** The commit message; it names only the lab's run. */
export function renderCommitMessage(proposal: ProposalView): string {
  const reason = cleanLine(proposal.reason, limits.shownBlockCharsMax);
  // rule AG-05
  return `${renderPullTitle(proposal)}\n${reason === '' ? '' : `\n${reason}\n`}`;
}

/** The parts that a person's own pull request must add before a launch, ready to paste into its description. */
export function renderPullParts(proposal: ProposalView, preconditions: readonly string[]): string {
  return paragraphs(...commonParts(proposal), renderHeading(PART_HEADINGS.checklist), renderChecklist(preconditions));
}

/** The body of the pull request; `pull-body.ts` reads it back. `preconditions`: the lab's boxes to tick before a launch. */
export function renderPullBody(proposal: ProposalView, preconditions: readonly string[]): string {
  const intro = `${ferryName(proposal)}, run ${code(proposal.run)}. The card below says what is missing for the launch; what is approved there is the manifest, not this text.`;
  return `${paragraphs(intro, ...commonParts(proposal), renderHeading(PART_HEADINGS.checklist), renderChecklist(preconditions), ...renderFallbackParts(proposal, 'in this pull request'))}\n`;
}

/** The ferry issue's body: the same facts without the checklist, and a link to the pull request if it is open. */
export function renderIssueBody(proposal: ProposalView): string {
  const where = proposal.pull === null ? '' : `, proposed in #${proposal.pull}`;
  const intro = `${ferryName(proposal)}, run ${code(proposal.run)}${where}. Launch, first eval, incidents and the end are posted here; the status card is in the pull request. Comments by \`github-actions\` are ferrybot's: its workflows post under that name.`;
  return `${paragraphs(intro, ...commonParts(proposal), ...renderFallbackParts(proposal, 'in the pull request'))}\n`;
}

function commonParts(proposal: ProposalView): readonly string[] {
  return [
    renderHeading(PART_HEADINGS.lastFerry),
    formatReferences(proposal.context.last, proposal.context.configured),
    renderHeading(PART_HEADINGS.objective),
    // rule DF-03
    renderObjective(proposal),
    renderHeading(PART_HEADINGS.interval),
    describeInterval(proposal),
    renderHeading(PART_HEADINGS.delta),
    renderDelta(proposal),
    renderHeading(PART_HEADINGS.risk),
    // rule DF-17
    proposal.risk,
  ];
}

function renderHeading(title: string): string {
  return `### ${title}`;
}

// The quote is a person's text. The kind is read from the sentence above the quote, not from the quoted words.
function renderObjective({ objective, unanswered }: ProposalView): string {
  const quoted = (sentence: string): string => {
    const isSaid = objective.text !== '' && `${objective.text}.`.toLowerCase() !== sentence.toLowerCase();
    const whence = unanswered === undefined ? null : describeUnanswered(unanswered);
    return paragraphs(sentence, isSaid ? `> ${text(objective.text)}` : null, whence);
  };
  switch (objective.kind) {
    case 'integration':
      return quoted('Normal daily integration check.');
    case 'regression':
      return quoted('Targeted regression confirmation.');
    case 'production':
      throw new Error('a ferry is no production run');
    default:
      return assertNever(objective.kind);
  }
}

function renderDelta(proposal: ProposalView): string {
  const { experiment, runName, start, targetBranch } = proposal;
  const { total } = start;
  const rows = total.map((change) => declaredRow(change, declaredName(change, total)));
  const paths = total.map(
    (change) => `- ${code(change.path)}, line ${change.line}${change.bucket === null ? '' : `, ${change.bucket}`}`,
  );
  return paragraphs(
    `File: ${code(experiment)}, run name ${code(runName)}.`,
    total.length === 0
      ? proposal.isMore === true
        ? 'More changes than values of knobs.'
        : `Nothing changes on ${code(targetBranch)}${start.passedRun === null ? ': the same configuration again' : ''}.`
      : [...DELTA_TABLE_HEAD, ...rows].join('\n'),
    paths.length === 0 ? null : paths.join('\n'),
    describeStart(proposal),
    renderUnchecked(proposal),
    // rule DF-16
    explainChange(proposal),
  );
}

function renderUnchecked({ missingChecks = [] }: ProposalView): string | null {
  return missingChecks.length === 0
    ? null
    : `Not checked before the push with ${joinAnd(missingChecks.map(code))}: the machine that proposed does not have ${missingChecks.length === 1 ? 'it' : 'them'}.`;
}

function renderChecklist(preconditions: readonly string[]): string {
  const boxes = [
    { label: 'human approval', ticked: false },
    ...preconditions.map((label) => ({ label, ticked: label === 'issue created/updated' })),
    { label: 'monitoring loop started', ticked: false },
    { label: 'optional/manual Discord update posted', ticked: false },
  ];
  return boxes.map(({ label, ticked }) => `- [${ticked ? 'x' : ' '}] ${text(label)}`).join('\n');
}

/** `where`: where to make the change, in words. */
function renderFallbackParts({ fixable }: ProposalView, where: string): readonly string[] {
  return [
    renderHeading('Relaunch fallback if this run fails'),
    [
      `1. A small and obvious bug: fix it ${where} once the attempt has failed. A fix may touch ${joinAnd(fixable.map(code))}. The card then shows what it changes against what failed; approved anew, it is launched as the next attempt of this run.`,
      '2. The same failure again after one fix: no further try of this run; escalate here.',
      '3. Trouble of the whole cluster (quota, nodes, memory): escalate at once.',
    ].join('\n'),
  ];
}

/** `Daily ferry 2026-11-21`. */
export function ferryName({ lane, date }: Pick<ProposalView, 'lane' | 'date'>): string {
  return `${laneTitle(lane)} ferry ${date}`;
}

/** The capitalised lane name for a title. */
export function laneTitle(lane: string): string {
  return `${lane.slice(0, 1).toUpperCase()}${lane.slice(1)}`;
}

function describeChange({ changes, isMore }: ProposalView): string {
  const [first, ...rest] = changes;
  if (first === undefined) return isMore === true ? 'more than knobs' : 'identical rerun';
  const value = (source: string | null): string => (source === null ? 'absent' : toOneLine(source));
  const more = rest.length === 0 ? '' : `, and ${rest.length} more`;
  return `${first.knob} ${value(first.before)} -> ${value(first.after)}${more}`;
}

/** The text below the table of all changes on the target branch. */
function describeStart({ changes, start, targetBranch }: ProposalView): string {
  const { passedRun, notTaken, total, isOwn } = start;
  if (passedRun === null && isOwn === true)
    return `Is held against ${code(targetBranch)}: there is no sealed pass of this lane.`;
  if (passedRun === null)
    return `Starts from ${code(targetBranch)}: there is no sealed pass of this lane to go on from.`;
  const kept = total.filter(({ path }) => !changes.some((change) => change.path === path));
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  return paragraphs(
    `${isOwn === true ? 'Is held against' : 'Starts from'} what ${code(passedRun.run)} ran, the last ferry that was sealed as a pass (launch commit ${passedRun.commit}). The table is held against ${code(targetBranch)}; of it, this is new and this is not:`,
    bullets([
      ...changes.map(({ path, before, after }) => `new today: ${code(path)}, from ${value(before)} to ${value(after)}`),
      ...(changes.length === 0 ? ['new today: nothing'] : []),
      ...kept.map(({ path, after }) => `as that ferry ran it: ${code(path)}, ${value(after)}`),
      ...notTaken.map((one) => describeNotTaken(one, targetBranch)),
    ]),
  );
}

/** The rationale of a proposal: reason, origin, and skipped candidates. Policy DF-16. */
function explainChange({ reason, candidate, request, rationale, changes }: ProposalView): string {
  const origin = [
    request === null ? '' : `Asked for by ${person(request.by)} in #${request.thread}. `,
    inlineText(reason, limits.shownBlockCharsMax),
    candidate === null ? '' : ` (candidate ${code(candidate)})`,
  ].join('');
  const said = origin.trim() === '' ? (changes.length === 0 ? 'an identical rerun' : 'no reason was given') : origin;
  return paragraphs(
    `Rationale: ${said.trim()}`,
    rationale === null ? null : explainDue(rationale),
    rationale === null || rationale.skipped.length === 0 ? null : describeSkipped(rationale.skipped),
  );
}

function explainDue({ bucket, signal, bucketLastTried, candidateLastTried }: ChoiceRationale): string {
  const formatLast = (last: string | null): string =>
    last === null ? 'by no ferry on record' : `last by the ferry of ${last}`;
  return `Why now: ${SIGNAL[signal]}; the ${bucket} bucket was changed ${formatLast(bucketLastTried)}, this knob ${formatLast(candidateLastTried)}.`;
}

function describeSkipped(skipped: readonly SkippedCandidate[]): string {
  const lines = skipped.slice(0, limits.shownRowsMax).map(({ id, why }) => `- ${code(id)}: ${SKIPPED[why]}`);
  return folded('Candidates that were passed over', lines.join('\n'));
}

const SKIPPED: Readonly<Record<SkippedCandidate['why'], string>> = {
  'path-missing': 'its knob is not in the file',
  'step-too-large': 'each value that is left is no small step from what runs now',
  'all-values-recent': 'each of its values is there already, was tried lately, or was followed by a failed run',
};

const SIGNAL: Readonly<Record<ChoiceRationale['signal'], string>> = {
  validation: 'it validates the pipeline, which comes before exploring the model',
  exploration: 'it explores the model, and nothing that validates the pipeline is due',
};
