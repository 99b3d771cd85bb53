/** Comments without a run: an experiment issue, orphaned machines, jobs and holds that a config leaves behind, a thread left open. */

import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import { findStrayHolds, type LeftBehind, type StrayHold } from '../config/lane-of-file.ts';
import type { LabConfig } from '../config/schema.ts';
import type { Effect } from '../domain/effect.ts';
import type { Detail } from '../domain/incidents.ts';
import { filterHolds, type Hold } from '../domain/launch/hold.ts';
import { limits } from '../domain/limits.ts';
import type { Orphan } from '../domain/logbook/events/rental-events.ts';
import { isLive, runPhase } from '../domain/logbook/job-state.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { type Marker, markerIdentity } from '../domain/marker.ts';
import { assertNever, formatMicrodollars, type Observed } from '../domain/values.ts';
import { commandTable } from './answer.ts';
import { answerWords } from './answer-words.ts';
import {
  cardLink,
  code,
  comment,
  fenced,
  folded,
  holdText,
  paragraphs,
  person,
  table,
  text,
  unholdText,
  utc,
} from './words.ts';

/** One list item for each; null without any. */
export function renderLeftBehind(left: readonly LeftBehind[]): string | null {
  return left.length === 0 ? null : left.map((one) => `- ${describeLeftBehind(one)}`).join('\n');
}

function describeLeftBehind(left: LeftBehind): string {
  switch (left.kind) {
    case 'job':
      return `**${code(left.run)} has a job on the cluster ${code(left.cluster)}, which this config does not have.** After the merge ferrybot could neither watch nor stop that job. Keep the cluster until the job has ended.`;
    case 'hold': {
      const { hold } = left;
      return `**A hold would be left behind: ${describeStrayHold(hold)}.** If the lane was renamed, hold it again under its new name; ${unholdText(hold)} lifts this hold.`;
    }
    case 'unknown':
      return `Whether a job or a hold would be left behind is not known: ${text(left.why)}.`;
    default:
      return assertNever(left);
  }
}

function describeStrayHold(hold: StrayHold): string {
  const { actor, reason } = hold;
  return `${holdText(hold, person(actor), reason)}, and blocks nothing: the config has no such lane`;
}

type IssueCardView = {
  readonly config: LabConfig;
  /** The run that this thread had, if it had one; it is over. */
  readonly past: RunState | null;
  readonly recordedRuns: Observed<readonly RunState[]>;
  readonly journalHolds: Observed<readonly Hold[]>;
  /** YYYY-MM-DD. */
  readonly today: string;
};

/** Key of the card's marker: one card an issue. */
export const ISSUE_CARD_KEY = 'issue';

const ISSUE_CARD_MARKER = { run: 'journal', kind: 'card', key: ISSUE_CARD_KEY, fields: {} } as const;

/** The same card while a run belongs to the issue. */
export function renderOwnedIssueCard(run: string, card: { readonly thread: number; readonly id: number }): string {
  return comment(ISSUE_CARD_MARKER, `The run ${code(run)} belongs to this issue. ${cardLink(card)}`);
}

/** The card's source. It contains no time, so that it changes only with its content. */
export function renderIssueCard(view: IssueCardView): string {
  return comment(
    ISSUE_CARD_MARKER,
    paragraphs(
      '**This is an experiment issue, and no run belongs to it now.**',
      table(
        ['State', ''],
        [
          ['This thread', describeThread(view.past)],
          ['Lane', describeLanes(view.recordedRuns)],
          ['Holds', describeHolds(view)],
        ],
      ),
      `**Missing:** ${describeMissing(view)}`,
      commandTable(COMMANDS, view.config),
    ),
  );
}

// Each proposal names the command that approves it.
const COMMANDS = COMMAND_DEFINITIONS.filter(
  ({ name, decideWithoutRun }) => decideWithoutRun !== undefined && !name.startsWith('approve'),
);

function describeThread(past: RunState | null): string {
  return past === null ? 'no run yet' : `${code(past.run)}, which is ${runPhase(past)}`;
}

function describeLanes(runs: Observed<readonly RunState[]>): string {
  if (runs.kind === 'unknown') return `unknown: ${text(runs.why)}`;
  const open = runs.value.find((run) => !isOver(run));
  if (open === undefined)
    return runs.value[0] === undefined ? 'free; no run yet' : `free; last was ${runName(runs.value[0])}`;
  return `${runName(open)} is ${isLive(open) ? 'live' : runPhase(open)}`;
}

function runName(run: RunState): string {
  return `${code(run.run)} (#${run.proposal.issue})`;
}

function describeHolds(view: IssueCardView): string {
  const { config, journalHolds, today } = view;
  if (journalHolds.kind === 'unknown') return `unknown: ${text(journalHolds.why)}`;
  const binding = filterActiveHolds(view, journalHolds.value).map((hold) =>
    holdText(hold, person(hold.actor), hold.reason),
  );
  const stray = findStrayHolds(journalHolds.value, Object.keys(config.lanes), today).map(describeStrayHold);
  return [...(binding.length === 0 ? ['none'] : binding), ...stray].join('; ');
}

function filterActiveHolds({ config, today }: IssueCardView, holds: readonly Hold[]): readonly Hold[] {
  return filterHolds(holds, { lane: null, date: today }).filter(
    ({ lane }) => lane === null || Object.hasOwn(config.lanes, lane),
  );
}

function describeMissing(view: IssueCardView): string {
  const { recordedRuns, journalHolds } = view;
  if (journalHolds.kind === 'known' && filterActiveHolds(view, journalHolds.value).length > 0)
    return 'the hold has to be lifted before anything is launched.';
  const open = recordedRuns.kind === 'known' ? recordedRuns.value.find((run) => !isOver(run)) : undefined;
  return open === undefined
    ? 'a command that starts a run.'
    : `nothing here; the lane has ${runName(open)}, and the next proposal comes after it.`;
}

/** The marker of the only issue about an orphaned machine. */
export function buildOrphanMarker({ cluster, instance }: Orphan): Marker {
  return { run: 'journal', kind: 'issue', key: `machine-${cluster}-${instance}`, fields: {} };
}

/** The title of the issue, which never changes. */
export function orphanTitle({ cluster, instance }: Orphan): string {
  return `Rented machine ${instance} of ${text(cluster)} had no live run`;
}

/** The source of the issue's description. */
export function renderOrphan(orphan: Orphan): string {
  const { instance, jobId, cluster, since, endedAt, microdollars } = orphan;
  const cost = formatMicrodollars(microdollars);
  return comment(
    buildOrphanMarker(orphan),
    paragraphs(
      `**Machine ${instance} on ${code(cluster)} has ferrybot's label and the job ${code(jobId)}, but no live run.**`,
      `- Found: ${utc(since)}, in a complete list of the account\n- Cost until then: about ${cost}, at the highest rate since its creation`,
      endedAt === null
        ? "**ferrybot is destroying it** and tries again at every check. While this issue is open, the account still lists the machine. You can also destroy it in the provider's console."
        : `**Destroyed**: a complete list of the account at ${utc(endedAt)} no longer contains it. Nothing has to be done.`,
      'Causes: the answer to its creation was late, or its run was given up before the machine was gone.',
    ),
  );
}

/** `atMs`: when ferrybot left the thread open; each occurrence gets its own comment. */
type LeftOpen = { readonly thread: number; readonly atMs: number; readonly why: string };

/** The comment, which GitHub accepts while the thread is open. */
export function leftOpenNotice({ thread, atMs, why }: LeftOpen): Extract<Effect, { kind: 'post-comment' }> {
  const marker = { run: 'journal', kind: 'notice', key: `left-open-${thread}-${atMs}`, fields: {} } as const;
  const body = comment(
    marker,
    paragraphs(
      '**This thread was locked, and is open now.** ferrybot unlocked it to write here, because GitHub rejects comments of an App or a workflow in a locked thread. GitHub then rejected the lock.',
      `Its answer: ${text(why)}. A person with write permission can lock the thread again.`,
    ),
  );
  const summons = { people: [], permission: 'maintain' } as const;
  return { kind: 'post-comment', thread, marker: markerIdentity(marker), body, mentions: summons };
}

/** Text to paste into a description: all its parts, with every listed commit and issue. */
const PASTED_CHARS_MAX = 20_000;

/** Why the label of a lane creates no run, in the words of the answer to a command. */
export function renderNotTaken(key: string, why: { readonly code: string; readonly detail: Detail }): string {
  const after = WAIT_REASONS.has(why.code) ? 'ferrybot creates the run after that, if the label is still there.' : null;
  return renderJournalComment(
    key,
    paragraphs(`The label asks for a run, and ${answerWords(why, { input: null })}`, after),
  );
}

const WAIT_REASONS: ReadonlySet<string> = new Set(['propose-held', 'propose-standing', 'propose-busy']);

/** The parts of the description that a launch needs, to paste: ferrybot does not edit text of people. */
export function renderMissingParts(key: string, parts: string): string {
  const intro =
    'The description of this pull request lacks parts that a launch needs. ferrybot does not edit your text: paste what is missing, and correct what is wrong:';
  return renderJournalComment(
    key,
    paragraphs(intro, folded('Parts of the description', fenced(parts, PASTED_CHARS_MAX))),
  );
}

function renderJournalComment(key: string, content: string): string {
  return comment({ run: 'journal', kind: 'own-pull', key, fields: {} }, content);
}

export type RunIssue = {
  readonly by: { readonly login: string; readonly id: number };
  readonly thread: number;
  readonly logbookBranch: string;
  readonly logbook: string;
  /** In the order of the form; null: unknown. */
  readonly answers: readonly (readonly [label: string, value: string | null])[];
};

/** The description of the issue, without the marker. Values are outside text, in blocks of code. */
export function renderRunIssue({ by, thread, logbookBranch, logbook, answers }: RunIssue): string {
  return paragraphs(
    `🤖 Opened by ferrybot: ${person(by)} requested this run in #${thread}, which had no issue. The text below is its contract; replace each *No response* by the missing value. Nothing launches before it is complete and approved by another person.`,
    `Logbook: ${code(logbook)} on the branch ${code(logbookBranch)}.`,
    ...answers.map(
      ([label, value]) =>
        `### ${label}\n\n${value === null ? '_No response_' : fenced(value, limits.shownBlockCharsMax)}`,
    ),
  );
}
