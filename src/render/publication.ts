/** Every comment that a run's threads are owed, by kind. */

import { assertNever } from '../domain/assert.ts';
import { stateAtEntry } from '../domain/launch/relaunch.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { MarkerKind } from '../domain/marker.ts';
import { renderAnswer } from './answer.ts';
import { headText } from './card.ts';
import { renderClosed } from './closed.ts';
import { comment } from './comment.ts';
import { renderDrop } from './drop.ts';
import { renderEnded } from './ended.ts';
import { renderFirstEval, renderFirstTracker } from './first-eval.ts';
import { renderIncident } from './incident.ts';
import type { RenderInput } from './input.ts';
import { renderLaunch } from './launch.ts';
import { renderMutation } from './mutation.ts';
import { renderNotice } from './notice.ts';
import { renderSealed } from './sealed.ts';

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
      return renderSealed(input.state);
    case 'closed':
      return renderClosed(input.state);
    default:
      return assertNever(kind);
  }
}
