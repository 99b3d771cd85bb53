/** A notice: that something waits for people, which run it is, what it waits for, who can give it, and by which command. */

import type { Notice } from '../domain/logbook/run-state.ts';
import { comment } from './comment.ts';
import type { RenderInput } from './input.ts';
import { PROPOSE_WORDS } from './propose-words.ts';
import { wantedLine } from './wanted.ts';
import { code, paragraphs, text } from './words.ts';

/** The notice whose sequence number is `key`. */
export function renderNotice(key: string, input: RenderInput): string {
  const notice = input.state.notices.find(({ seq }) => String(seq) === key);
  if (notice === undefined) throw new Error(`no notice ${key} in ${input.state.run}`);
  return laneBlocked(notice, input);
}

function laneBlocked({ about }: Notice, input: RenderInput): string {
  const { run, proposal } = input.state;
  return paragraphs(
    `**No ferry in the lane ${code(proposal.lane)} on ${text(about)}**: ${code(run)} is not over, and a lane has one run at a time.`,
    `**Wanted: ${wantedLine(input)}**`,
    'When it is over, the next start of the workflow that proposes brings the next ferry; `/propose` does at once.',
  );
}

/** Why a lane has nothing to propose on a day, in the thread of its last run. */
export function renderNothingDue(day: NothingDue): string {
  const { lane, date, code: reason, why } = day;
  return comment(
    nothingDueMarker(day),
    `**No ferry in the lane ${code(lane)} on ${text(date)}**: ${PROPOSE_WORDS['propose-nothing']({ reason, why }, { input: null })}`,
  );
}

export type NothingDue = {
  readonly lane: string;
  readonly date: string;
  readonly code: string;
  readonly why: string;
};

/** By which the comment of this day is found again. */
export function nothingDueMarker({ lane, date }: Pick<NothingDue, 'lane' | 'date'>) {
  return { run: 'journal', kind: 'notice', key: `nothing-${lane}-${date}`, fields: {} } as const;
}

/** The issue of a lane that has no run whose thread could be used. */
export function laneWithoutRuns(lane: string): { readonly title: string; readonly body: string } {
  return {
    title: `Lane ${text(lane)}: why there is no ferry`,
    body: `🤖 The lane ${code(lane)} has had no ferry yet. Until it has one, ferrybot says here on each day of its schedule why there is none.`,
  };
}
