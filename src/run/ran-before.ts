/** What the next attempt is compared with: the one before it, or the last one of the run that it goes on from under an identity of its own. */

import { continuedAttempt } from '../domain/launch/next-attempt.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { PastAttempt, RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { RanBefore } from '../gates/gate.ts';

type Asking = {
  readonly proposal: Pick<EventDataByType['proposed'], 'continues'>;
  readonly failed?: PastAttempt | null;
  readonly facts: { readonly recordedRuns: Observed<readonly RunState[]> };
};

/** Null where nothing ran before; unknown where the record of the other run does not say what its last attempt ran. */
export function ranBefore({ proposal, failed = null, facts }: Asking): Observed<RanBefore> | null {
  if (failed !== null) {
    const { manifest } = failed.order;
    return manifest === null ? null : known({ manifest, isOfAnotherRun: false });
  }
  if (proposal.continues === undefined) return null;
  const { recordedRuns } = facts;
  if (recordedRuns.kind === 'unknown') return recordedRuns;
  const manifest = continuedAttempt(proposal, recordedRuns.value)?.order.manifest ?? null;
  return manifest === null
    ? unknown(`the record does not say what ${proposal.continues.run} ran last`)
    : known({ manifest, isOfAnotherRun: true });
}
