/** One look at the gates as it was recorded, and what a gate would have answered. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import type { Verdict } from '../../domain/launch/verdict.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';

export type RecordedLook = {
  readonly proposal: EventDataByType['proposed'];
  readonly gated: EventDataByType['gated'];
  readonly at: string;
};

/** `why`: a reason code of the gate, or of the replay where the fact is not recorded. */
export type GateAnswer = { readonly outcome: Verdict['outcome']; readonly why: string };

/** A gate of a recorded look under another config; null: the same answer as then. `verdict` null: it was not asked then. */
export type ReplayGate = (look: RecordedLook, lane: LaneConfig, verdict: Verdict | null) => GateAnswer | null;

/** For a fact that the record lacks. */
export function notRecorded(why: string): GateAnswer {
  return { outcome: 'unknown', why };
}
