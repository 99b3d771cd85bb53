/** Comments about what belongs to no run: an experiment issue without one, orphaned jobs, holds without a lane, a thread that was left open. */

import { policyOf } from '../commands/policy.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import { type LeftBehind, type StrayHold, strayOf } from '../config/left-behind.ts';
import type { LabConfig } from '../config/schema.ts';
import { assertNever } from '../domain/assert.ts';
import type { Effect } from '../domain/effect.ts';
import { type Hold, holdsOn } from '../domain/launch/hold.ts';
import { limits } from '../domain/limits.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import type { Orphan } from '../domain/logbook/orphans.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { type Marker, markerIdentity } from '../domain/marker.ts';
import type { Observed } from '../domain/observed.ts';
import { comment } from './comment.ts';
import {
  code,
  count,
  heldWords,
  inlineText,
  liftWords,
  listed,
  paragraphs,
  person,
  table,
  text,
  utc,
} from './words.ts';

/** For the title: a few plain words, empty where nothing is left behind. */
export function leftBehindTitle(left: readonly LeftBehind[]): string {
  const jobs = left.filter(({ kind }) => kind === 'job').length;
  const holds = left.filter(({ kind }) => kind === 'hold').length;
  const parts = [
    ...(jobs > 0 ? [`${count(jobs, 'running job')} out of reach`] : []),
    ...(holds > 0 ? [`${count(holds, 'hold')} without a lane`] : []),
  ];
  const known = parts.length === 0 ? '' : `It would leave ${listed(parts)}. `;
  return left.some(({ kind }) => kind === 'unknown')
    ? `${known}Not all that it would leave behind is known. `
    : known;
}

/** One line of a list for each; null where there is none. */
export function leftBehindLines(left: readonly LeftBehind[]): string | null {
  return left.length === 0 ? null : left.map((one) => `- ${leftWords(one)}`).join('\n');
}

function leftWords(left: LeftBehind): string {
  switch (left.kind) {
    case 'job':
      return `**${code(left.run)} has a job on the cluster ${code(left.cluster)}, which this config does not have.** From the merge on nothing could watch that job, and a \`/stop\` would not reach it. Keep the cluster until the job has ended.`;
    case 'hold': {
      const { hold } = left;
      return `**A hold would be left behind: ${strayHoldWords(hold)}.** If the lane has another name here, hold it again under that name; ${liftWords(hold)} lifts this hold.`;
    }
    case 'unknown':
      return `Whether a job or a hold would be left behind is not known: ${text(left.why)}.`;
    default:
      return assertNever(left);
  }
}

function strayHoldWords(hold: StrayHold): string {
  const { actor, reason } = hold;
  return `${heldWords(hold, person(actor), reason)}, and blocks nothing: the config has no such lane`;
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

/** The card's source. It tells no time, so that it changes only when what it tells does. */
export function renderIssueCard(view: IssueCardView): string {
  const marker = { run: 'journal', kind: 'card', key: ISSUE_CARD_KEY, fields: {} } as const;
  return comment(
    marker,
    paragraphs(
      '**This is an experiment issue, and no run belongs to it now.**',
      table(
        ['What ferrybot sees', ''],
        [
          ['This thread', threadWords(view.past)],
          ['Lane', laneWords(view.recordedRuns)],
          ['Kept back by', holdWords(view)],
        ],
      ),
      `**Missing:** ${missingWords(view)}`,
      table(['What can be done here', '', 'Who may'], commandRows(view.config)),
    ),
  );
}

function threadWords(past: RunState | null): string {
  return past === null ? 'no run yet' : `${code(past.run)}, which is ${phaseOf(past)}`;
}

function laneWords(runs: Observed<readonly RunState[]>): string {
  if (runs.kind === 'unknown') return `unknown: ${text(runs.why)}`;
  const open = runs.value.find((run) => !isOver(run));
  if (open === undefined)
    return runs.value[0] === undefined ? 'free; no ferry yet' : `free; last was ${nameOf(runs.value[0])}`;
  return `${nameOf(open)} is ${isLive(open) ? 'under way' : phaseOf(open)}`;
}

function nameOf(run: RunState): string {
  return `${code(run.run)} (#${run.proposal.issue})`;
}

function holdWords(view: IssueCardView): string {
  const { config, journalHolds, today } = view;
  if (journalHolds.kind === 'unknown') return `unknown: ${text(journalHolds.why)}`;
  const binding = bindingHolds(view, journalHolds.value).map((hold) =>
    heldWords(hold, person(hold.actor), hold.reason),
  );
  const stray = strayOf(journalHolds.value, Object.keys(config.lanes), today).map(strayHoldWords);
  return [...(binding.length === 0 ? ['nothing'] : binding), ...stray].join('; ');
}

function bindingHolds({ config, today }: IssueCardView, holds: readonly Hold[]): readonly Hold[] {
  return holdsOn(holds, { lane: null, date: today }).filter(
    ({ lane }) => lane === null || Object.hasOwn(config.lanes, lane),
  );
}

function missingWords(view: IssueCardView): string {
  const { recordedRuns, journalHolds } = view;
  if (journalHolds.kind === 'known' && bindingHolds(view, journalHolds.value).length > 0)
    return 'the hold has to be lifted before anything is launched.';
  const open = recordedRuns.kind === 'known' ? recordedRuns.value.find((run) => !isOver(run)) : undefined;
  return open === undefined
    ? 'a proposal. It says which knobs change and what the run is for.'
    : `nothing here; the lane has ${nameOf(open)}, and the next proposal comes after it.`;
}

function commandRows(config: LabConfig): readonly (readonly string[])[] {
  // A consent is asked for where something was proposed, and there its command is named.
  return COMMAND_DEFINITIONS.filter(
    ({ name, decideWithoutRun }) => decideWithoutRun !== undefined && !name.startsWith('approve'),
  ).map((definition) => {
    const least = definition.who(policyOf(config));
    return [
      code(definition.example),
      definition.summary,
      least === null ? 'everybody' : `${least} permission or more`,
    ];
  });
}

/** Marker of the one issue of such a machine. */
export function orphanMarker({ cluster, instance }: Orphan): Marker {
  return { run: 'journal', kind: 'issue', key: `machine-${cluster}-${instance}`, fields: {} };
}

/** Its title, whatever became of the machine. */
export function orphanTitle({ cluster, instance }: Orphan): string {
  return `Rented machine ${instance} of ${text(cluster)} had no live run`;
}

/** The source of its description. */
export function renderOrphan(orphan: Orphan): string {
  const { instance, jobId, cluster, since, endedAt, microdollars } = orphan;
  const cost = `$${(microdollars / 1_000_000).toFixed(2)}`;
  return comment(
    orphanMarker(orphan),
    paragraphs(
      `**Machine ${instance} on ${code(cluster)} carried our label with the job ${code(jobId)}, for which no live run is known.**`,
      `- Found: ${utc(since)}, by a whole read of the account\n- Cost until then: about ${cost}, as if it had done since its creation what it did then; one that had stopped, as if it had run`,
      endedAt === null
        ? '**It is being destroyed**, and asked to go at every look. As long as this issue is open the account has not been seen without it: who wants to be sure destroys it in the console.'
        : `**Destroyed**: a whole read of the account at ${utc(endedAt)} has it no more. Nothing has to be done.`,
      'A creation whose answer came late, or a run that was given up while its machine was there, leaves one behind.',
    ),
  );
}

/** `atMs`: when it was left open, so that each time is told. */
type LeftOpen = { readonly thread: number; readonly atMs: number; readonly why: string };

/** The comment, which the thread takes while it is open. */
export function leftOpenNotice({ thread, atMs, why }: LeftOpen): Extract<Effect, { kind: 'post-comment' }> {
  const marker = { run: 'journal', kind: 'notice', key: `left-open-${thread}-${atMs}`, fields: {} } as const;
  const body = comment(
    marker,
    paragraphs(
      '**This thread was locked, and is open now.** It was opened to write here, since GitHub takes no word of an App or a workflow in a locked thread, and GitHub did not take the lock back.',
      `What it said: ${inlineText(why, limits.shownTextCharsMax)}. Whoever may write can lock the thread again.`,
    ),
  );
  const summons = { people: [], permission: 'maintain' } as const;
  return { kind: 'post-comment', thread, marker: markerIdentity(marker), body, summons };
}
