/** The card of an `experiment` issue that has no run: what ferrybot sees there, what is missing, and what can be done. */

import { policyOf } from '../commands/policy.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import { strayOf } from '../config/left-behind.ts';
import type { LabConfig } from '../config/schema.ts';
import { type Hold, holdsOn } from '../domain/launch/hold.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import { comment } from './comment.ts';
import { heldWords } from './hold-words.ts';
import { strayHoldWords } from './left-behind-words.ts';
import { code, paragraphs, person, table, text } from './words.ts';

export type IssueCardView = {
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

/** Those that hold back a lane of the lab today. */
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
    ({ name, decideWithoutRun }) => decideWithoutRun !== undefined && !name.startsWith('approve-'),
  ).map((definition) => {
    const least = definition.who(policyOf(config));
    return [
      code(definition.example),
      definition.summary,
      least === null ? 'everybody' : `${least} permission or more`,
    ];
  });
}
