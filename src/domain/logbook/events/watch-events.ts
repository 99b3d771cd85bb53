/** Who owns the watch of a run and until when it goes on: what each event of it carries. */

import type { Actor } from '../../actor.ts';

export const HANDOFF_STATES = ['offered', 'accepted', 'expired'] as const;
/** `person`: somebody ended it. `step`, `time`: a stopping point that somebody named was reached. */
export const WATCH_END_CAUSES = ['person', 'step', 'time'] as const;
export type WatchEndCause = (typeof WATCH_END_CAUSES)[number];

export type WatchEventData = {
  /** `until`: RFC 3339; from then on nobody can accept the offer. */
  readonly handoff: {
    readonly state: (typeof HANDOFF_STATES)[number];
    readonly to: Actor;
    readonly until: string;
  };
  /** Where the watch ends, whichever comes first; it replaces what was named before. `time`: RFC 3339. */
  readonly 'watch-bounded': { readonly step: number | null; readonly time: string | null };
  /** The job goes on. `reason`: in the words of the person who ended it. */
  readonly 'watch-ended': {
    readonly attempt: number;
    readonly cause: WatchEndCause;
    readonly reason: string | null;
  };
  /** A person wants the same attempt watched again, to its end. */
  readonly 'watch-resumed': { readonly attempt: number };
};
