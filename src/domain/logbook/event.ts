/** The events of the logbook, the only authoritative record (docs/logbook.md). Numbers in `data` are integers; decimals are strings. */

import type { Actor } from '../actor.ts';
import type { CareEventData } from './events/care-events.ts';
import type { CheckpointEventData } from './events/checkpoint-events.ts';
import type { ClosureEventData } from './events/closure-events.ts';
import type { CommandEventData } from './events/command-events.ts';
import type { JobEventData } from './events/job-events.ts';
import type { LaunchEventData } from './events/launch-events.ts';
import type { NoticeEventData } from './events/notice-events.ts';
import type { ProposalEventData } from './events/proposal-events.ts';
import type { RecordEventData } from './events/record-events.ts';
import type { RentalEventData } from './events/rental-events.ts';
import type { WatchEventData } from './events/watch-events.ts';
import type { Role } from './parts.ts';

/** What an event of each type carries; each family stands in a file of its own. */
export type EventDataByType = ProposalEventData &
  LaunchEventData &
  JobEventData &
  ClosureEventData &
  CommandEventData &
  CareEventData &
  CheckpointEventData &
  NoticeEventData &
  RentalEventData &
  RecordEventData &
  WatchEventData;

export type EventType = keyof EventDataByType;

/** The writer's part of an event; appending adds sequence, time, chain and signature. */
export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly role: Role;
    readonly actor?: Actor;
    readonly data: EventDataByType[Type];
  };
}[EventType];

/** One line of `events.jsonl`. `prev` and `hash`: 64 hex digits; `sig`: base64; `at`: RFC 3339 UTC. */
export type LogbookEvent = {
  readonly [Type in EventType]: {
    readonly v: 1;
    readonly run: string;
    readonly seq: number;
    readonly at: string;
    readonly type: Type;
    readonly role: Role;
    readonly actor?: Actor;
    readonly data: EventDataByType[Type];
    readonly prev: string;
    readonly keyId: string;
    readonly hash: string;
    readonly sig: string;
  };
}[EventType];

export type EventOf<Type extends EventType> = Extract<LogbookEvent, { readonly type: Type }>;
