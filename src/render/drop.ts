/** An approval that no longer counts: why, and how to approve what is there now. */

import type { DropReason } from '../domain/reasons.ts';
import type { RenderInput } from './input.ts';
import { type PlaceWord, placeWord } from './place-word.ts';
import { wantedLine } from './wanted.ts';
import { digestHex, listed, person, text } from './words.ts';

/** The drop whose sequence number is `key`. */
export function renderDrop(key: string, input: RenderInput): string {
  const { state } = input;
  const drop = state.drops.find(({ seq }) => String(seq) === key);
  if (drop === undefined) throw new Error(`no dropped approval ${key} in ${state.run}`);
  const why = WHY[drop.data.reason](placeWord(state));
  const who = drop.data.users.map((id) => nameOf(id, input));
  const whose = who.length === 1 ? 'The approval' : 'The approvals';
  return `**${whose} by ${listed(who)} no longer count${who.length === 1 ? 's' : ''}:** ${why} It was given to manifest \`${digestHex(drop.data.digest)}\`.

**Wanted now: ${wantedLine(input)}**`;
}

/** The person as the record named them when they commanded; otherwise the numeric id, which is what counts. */
function nameOf(id: number, { state }: RenderInput): string {
  const known = [...state.commands.values()].find((command) => command.actor.id === id);
  return known === undefined ? text(`user ${id}`) : person(known.actor);
}

const WHY: Readonly<Record<DropReason, (place: PlaceWord) => string>> = {
  'manifest-changed': () => 'what would run is not what was approved any more.',
  'body-edited': (place) => `the ${place}'s text was edited after the approval.`,
  'gate-fails': () => 'a launch gate does not pass any more.',
  'comment-edited': () => 'the approving comment was edited.',
  'comment-gone': () => 'the approving comment is gone.',
  'permission-lost': () => 'the approver may not approve any more.',
  'runner-refused': () => 'the runner refused the order that rested on it.',
  revoked: () => 'it was taken back.',
  held: () => 'the run was put on hold.',
  'approval-expired': () =>
    'the approval is older than this lab allows. Whoever still means it says it again.',
  'other-commit': () => 'the review was written on another commit than what would run.',
};
