/** Every comment that a run's threads are owed, by kind. */

import { assertNever } from '../domain/assert.ts';
import { stateAtEntry } from '../domain/launch/relaunch.ts';
import { awaitsAdoption, isAdopted } from '../domain/logbook/adoption.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { MarkerKind } from '../domain/marker.ts';
import { renderAnswer } from './answer.ts';
import { headText } from './card.ts';
import { comment } from './comment.ts';
import { renderDrop } from './drop.ts';
import { renderEnded } from './ended.ts';
import { renderFirstEval, renderFirstTracker } from './first-eval.ts';
import { renderIncident } from './incident.ts';
import type { RenderInput } from './input.ts';
import { renderLaunch } from './launch.ts';
import { renderMutation } from './mutation.ts';
import { renderNotice } from './notice.ts';
import { rentalReport } from './rental-words.ts';
import { renderSealed } from './sealed.ts';
import { code, paragraphs, text, utc } from './words.ts';

/** What is to be told: `key` names the comment that is answered (`<surface>-<id>`) or the event's sequence number. */
export type PublicationView = {
  readonly kind: Exclude<
    MarkerKind,
    'card' | 'issue' | 'pull' | 'closure' | 'disk' | 'disk-change' | 'disk-end' | 'disk-answer' | 'own-pull'
  >;
  readonly key: string;
};

/** The comment's source. Throws where the record has no such event: what is owed comes from the same record. */
export function renderPublication(publication: PublicationView, input: RenderInput): string {
  const { kind, key } = publication;
  const fields = { head: headText(input.state, 12) };
  return comment({ run: input.state.run, kind, key, fields }, contentOf(publication, input));
}

/** The comment for this entry about a change of the cluster. */
export function mutationComment(key: string, state: RunState): string {
  const fields = { head: headText(state, 12) };
  return comment({ run: state.run, kind: 'mutation', key, fields }, renderMutation(key, state));
}

function contentOf({ kind, key }: PublicationView, input: RenderInput): string {
  switch (kind) {
    case 'answer':
      return renderAnswer(key, input);
    case 'launch':
      return renderLaunch(stateAtEntry(input.state, Number(key)));
    case 'first-eval':
      return renderFirstEval(stateAtEntry(input.state, Number(key)));
    case 'tracker':
      return renderFirstTracker(stateAtEntry(input.state, Number(key)));
    case 'incident':
      return renderIncident(key, input.state);
    case 'mutation':
      return renderMutation(key, input.state);
    case 'drop':
      return renderDrop(key, input);
    case 'ended':
      return renderEnded({ ...input, state: stateAtEntry(input.state, Number(key)) });
    case 'notice':
      return renderNotice(key, input);
    case 'sealed':
      return renderSealed(input);
    case 'closed':
      return renderClosed(input);
    default:
      return assertNever(kind);
  }
}

/** The run is closed; nothing more is recorded. */
function renderClosed({ state, past }: RenderInput): string {
  const { closed } = state;
  if (closed === null) throw new Error('a closing comment without a close');
  const lines = [
    ...(closed.reason === '' ? [] : [`- Reason: ${text(closed.reason)}`]),
    ...(closed.closurePull === null ? [] : [`- Log-only pull request: #${closed.closurePull}, to be merged`]),
    `- Record: ${code(headText(state, 64))}`,
    ...(state.proposal.adopts === undefined && state.contract === null ? [TOMORROW] : []),
  ];
  return paragraphs(
    `**Closed** at ${utc(closed.at)}: ${outcomeWords(closed.outcome, state)}`,
    lines.join('\n'),
    rentalReport(state, past),
  );
}

const TOMORROW =
  '- Tomorrow: the next ferry can be proposed. It starts from the configuration of the last sealed pass, and its interval from the last ferry that was launched.';

function outcomeWords(outcome: EventDataByType['closed']['outcome'], state: RunState): string {
  const { end } = state;
  switch (outcome) {
    case 'failed':
      return 'the job FAILED. There is no tag.';
    case 'stopped':
      return 'the job was STOPPED and its result was not accepted. There is no tag.';
    case 'rejected':
      return end === null
        ? 'the proposal was rejected. Nothing was launched.'
        : `the job ${end.status} and its result was not accepted. There is no tag.`;
    case 'withdrawn':
      if (awaitsAdoption(state))
        return 'the job was not taken over. It goes on as it did, and nothing of its log was read.';
      return end === null
        ? 'the proposal was withdrawn. Nothing was launched.'
        : `the next attempt was withdrawn before it was launched; attempt ${end.attempt} ${end.status}. There is no tag.`;
    case 'lost':
      return 'nobody can say what became of the job, and a person gave it up. There is no tag.';
    case 'unsealed':
      if (isAdopted(state))
        return `the job that was taken over has ended ${end?.status ?? 'somehow'}. There is no tag.`;
      return 'nobody decided about it in the time that the lane gives, and it closed itself as not sealed. There is no tag.';
    default:
      return assertNever(outcome);
  }
}
