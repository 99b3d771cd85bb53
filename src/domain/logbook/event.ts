/** The events of the logbook, the only authoritative record (docs/logbook.md). Numbers in `data` are integers, decimals strings. */

import type { Actor } from '../actor.ts';
import type { CareEventData } from './events/care-events.ts';
import type { CheckpointEventData } from './events/checkpoint-events.ts';
import type { ClosureEventData } from './events/closure-events.ts';
import type { CommandEventData } from './events/command-events.ts';
import type { JobEventData } from './events/job-events.ts';
import type { LaunchEventData } from './events/launch-events.ts';
import type { NoticeEventData } from './events/notice-events.ts';
import type { RentalEventData } from './events/rental-events.ts';
import type { WatchEventData } from './events/watch-events.ts';
import type { Role } from './role.ts';

/** What an event of each type carries; each family stands in a file of its own. */
export type EventDataByType = LaunchEventData &
  JobEventData &
  ClosureEventData &
  CommandEventData &
  CareEventData &
  CheckpointEventData &
  NoticeEventData &
  RentalEventData &
  WatchEventData;

export const EVENT_TYPES = [
  'proposed',
  'gated',
  'shown',
  'approved',
  'approval-dropped',
  'ordered',
  'dispatched',
  'claimed',
  'submitted',
  'observed',
  'stop-requested',
  'ended',
  'sealed',
  'closed',
  'incident',
  'held',
  'released',
  'command-seen',
  'command-answered',
  'mutation-proposed',
  'consented',
  'mutation-begun',
  'mutation-ended',
  'disk-scanned',
  'notified',
  'delivered',
  'objective-asked',
  'handoff',
  'watch-bounded',
  'watch-ended',
  'watch-resumed',
  'taken',
  'checkpoint-rejected',
  'milestone',
  'contracted',
  'machines-seen',
  'tear-down-begun',
  'tear-down-ended',
  'machine-kept',
  'tear-down-asked',
  'offer-seen',
  'described',
  'adopted',
] as const satisfies readonly (keyof EventDataByType)[];
export type EventType = (typeof EVENT_TYPES)[number];

/** Which role may write an event of each type: the chain shows that nothing changed, the signature shows who wrote it. */
export const WRITERS = {
  proposed: ['control'],
  gated: ['control'],
  shown: ['control'],
  approved: ['control'],
  'approval-dropped': ['control'],
  ordered: ['control'],
  dispatched: ['control'],
  claimed: ['runner'],
  submitted: ['runner'],
  observed: ['watch'],
  'stop-requested': ['control'],
  ended: ['watch'],
  sealed: ['control'],
  closed: ['control'],
  incident: ['control', 'runner', 'watch'],
  held: ['control'],
  released: ['control'],
  'command-seen': ['control'],
  'command-answered': ['control'],
  'mutation-proposed': ['control', 'watch'],
  consented: ['control'],
  'mutation-begun': ['runner'],
  'mutation-ended': ['runner'],
  'disk-scanned': ['watch'],
  notified: ['control', 'watch'],
  delivered: ['control', 'watch'],
  'objective-asked': ['control'],
  handoff: ['control'],
  'watch-bounded': ['control'],
  'watch-ended': ['control', 'watch'],
  'watch-resumed': ['control'],
  taken: ['control'],
  'checkpoint-rejected': ['control'],
  milestone: ['control'],
  contracted: ['control'],
  'machines-seen': ['watch'],
  'tear-down-begun': ['watch'],
  'tear-down-ended': ['watch'],
  'machine-kept': ['control'],
  'tear-down-asked': ['control'],
  'offer-seen': ['watch'],
  described: ['watch'],
  adopted: ['control'],
} as const satisfies { readonly [Type in EventType]: readonly Role[] };

/** What the writer decides; sequence, time, chain and signature are added when it is appended. */
export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly role: Role;
    readonly actor?: Actor;
    readonly data: EventDataByType[Type];
  };
}[EventType];

/** One line of `events.jsonl`. `prev` and `hash` are 64 hex digits, `sig` is base64, `at` RFC 3339 UTC. */
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

/** The events of one type. */
export type EventOf<Type extends EventType> = Extract<LogbookEvent, { readonly type: Type }>;
