/** The entries about checkpoints, told for people. */

import type { EventOf, LogbookEvent } from '../domain/logbook/event.ts';
import type { CheckpointEventData } from '../domain/logbook/events/checkpoint-events.ts';
import { code, prose } from '../domain/logbook/plain-text.ts';

type Told = {
  readonly status: string;
  readonly evidence: string;
  readonly decision: string;
  readonly next: string;
};

export const checkpointTellers: {
  readonly [Type in keyof CheckpointEventData]: (event: EventOf<Type>) => Told;
} = {
  milestone: (event) => ({
    status: `${personOf(event)} sealed the milestone ${code(event.data.name)} at step ${event.data.checkpoint.step}`,
    evidence: `tag ${code(event.data.tag)} on commit ${code(event.data.commit)}, checkpoint ${code(event.data.checkpoint.path)}`,
    decision: 'its checkpoint is deleted no more',
    next: 'the run goes on',
  }),
  'checkpoint-rejected': (event) => ({
    status: `${personOf(event)} rejected the checkpoints from step ${event.data.step} on`,
    evidence: prose(event.data.reason),
    decision:
      'these, as the attempts so far have written them, and what was made from them are used for nothing',
    next: 'what goes on does so from an earlier one',
  }),
};

function personOf({ actor }: LogbookEvent): string {
  return actor === undefined ? 'nobody' : `@${prose(actor.login)} (${actor.id})`;
}

/** Why there is a new identity, with both (policy HR-53); checkpoint, output and commit are the contract's and the launch's. */
export function continuesText({ continues, runName }: EventOf<'proposed'>['data']): string {
  // rule HR-53
  if (continues === undefined) return '';
  return `; ${code(continues.run)} goes on as ${code(runName)}: ${prose(continues.reason)}`;
}
