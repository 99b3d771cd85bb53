/** What is told of a ferry whose pull request is somebody's own: its change is theirs, and so is its text. */

import { isWithinBounds } from '../../../commands/grammar/bounds.ts';
import { parseMarkdown } from '../../../commands/grammar/parse-markdown.ts';
import { plainText } from '../../../commands/grammar/plain-text.ts';
import { cutText } from '../../../domain/cut-text.ts';
import type { Delta } from '../../../domain/launch/delta.ts';
import { limits } from '../../../domain/limits.ts';
import type { Objective } from '../../../domain/logbook/events/launch-events.ts';
import type { Failed, PlannedPull, PlanWork, PullToPlan } from '../../../run/proposing.ts';
import { USUAL_OBJECTIVE } from '../ask/objective.ts';
import { riskOf } from '../ask/risk-of.ts';
import { bodyFacts } from '../body/compare-declared.ts';
import { presentValue, readPullBody } from '../body/read-pull-body.ts';
import { ferryLane } from '../settings.ts';
import { renderIssueBody, renderIssueTitle, renderPullParts } from '../words/proposal.ts';
import type { ProposalView } from '../words/proposal-context.ts';
import { readerOf, sinceLastFerry, startOn } from './experiment.ts';
import { knobsBetween, viewOf } from './plan.ts';

/** GitHub's own closing words, and those by which issues and pull requests of a lab name each other; white space is one space. */
const LINK =
  /\b(?:close|closes|closed|fix|fixes|fixed|resolve|resolves|resolved|part of|tracked in|issue):? #(\d{1,9})\b/gi;

/** Throws `GitError` where git cannot tell. */
export async function planOfPull(open: PlanWork, pull: PullToPlan): Promise<PlannedPull | Failed> {
  const { run, date, request, mergeBase, head, body, pull: number } = pull;
  const context = await sinceLastFerry(open, mergeBase, date);
  if ('kind' in context) return context;
  const lane = ferryLane(open.config.lane);
  const file = await proposedFile(open, { mergeBase, head });
  const knobs = file?.knobs ?? null;
  const start: ProposalView['start'] = {
    pass: null,
    notTaken: [],
    ...file?.start,
    total: knobs?.total ?? [],
    isOwn: true,
  };
  const objective = objectiveOf(body);
  const view: ProposalView = {
    ...viewOf(open, { run, date, objective, request }, context),
    changes: knobs?.changes ?? [],
    start,
    ...(knobs === null ? { isMore: true } : {}),
    pull: number,
    risk: knobs === null ? 'high' : riskOf(knobs.changes, lane),
    reason: `what #${number} says`,
    candidate: null,
    rationale: null,
  };
  const { experiment, interval } = view;
  return {
    kind: 'planned-pull',
    issue: { title: renderIssueTitle(view), body: renderIssueBody(view) },
    linked: linkedIssues(body),
    missing: isWhole(body, view) ? null : renderPullParts(view, lane.checklist.preconditions),
    recorded: {
      experiment,
      objective,
      interval,
      candidate: null,
      ...(start.pass === null ? {} : { base: start.pass }),
    },
  };
}

/** The change of the experiment's file, against the branch and against the pass; null where a commit lacks the file. `knobs` null: it changes more than knobs. Throws `GitError`. */
async function proposedFile(
  open: PlanWork,
  { mergeBase, head }: Pick<PullToPlan, 'mergeBase' | 'head'>,
): Promise<ProposedFile | null> {
  const { git, config } = open;
  const path = ferryLane(config.lane).experiment;
  const [onBranch, text] = [await git.readText(mergeBase, path), await git.readText(head, path)];
  if (onBranch === null || text === null) return null;
  const { text: from, pass, notTaken } = await startOn(open, mergeBase, onBranch);
  const read = readerOf(open);
  const changes = await knobsBetween(read, from, text);
  const total = await knobsBetween(read, onBranch, text);
  return { start: { pass, notTaken }, knobs: changes === null || total === null ? null : { changes, total } };
}

type ProposedFile = {
  readonly start: Pick<ProposalView['start'], 'pass' | 'notTaken'>;
  readonly knobs: {
    readonly changes: ProposalView['changes'];
    readonly total: ProposalView['start']['total'];
  } | null;
};

/** What the text says it is for, as it says it; a person who says nothing means the usual. */
function objectiveOf(body: string): Objective {
  const read = readPullBody(body);
  const said = read === null ? null : presentValue(read.objective);
  return said === null
    ? USUAL_OBJECTIVE
    : { kind: said.kind, text: cutText(said.text, limits.answerTextChars) };
}

/** Whether the text has every part that a gate reads; what its table says of the change is the gates' own to judge. */
function isWhole(body: string, { start, context, isMore }: ProposalView): boolean {
  const { total: changes } = start;
  const delta: Delta =
    changes.length === 0 || isMore === true ? { kind: 'none' } : { kind: 'knobs', changes };
  const read = bodyFacts(body, { delta, last: context.last });
  return (
    read !== null &&
    read.risk !== null &&
    read.linksLastFerry &&
    (read.hasDeltaTable || changes.length === 0) &&
    read.boxes.length > 0
  );
}

/** Numbers in their order, each once; what stands in code, quotes or struck text links nothing. */
function linkedIssues(markdown: string): readonly number[] {
  if (!isWithinBounds(markdown)) return [];
  const text = parseMarkdown(markdown).children.map(plainText).join('\n');
  return [...new Set([...text.matchAll(LINK)].map((match) => Number(match[1])))];
}
