/**
 * The action of destroying rented machines, which the watch itself carries out (docs/decisions). The watch reads the account, then
 * the record, pushes its decision, and only then calls the account. A second complete read verifies the result.
 * The process can be ended at any moment: the next one finds the started tear-downs in the record and continues them.
 */

import type { Permit } from '../domain/actions/capability.ts';
import type { Condemnation, RentalAccount } from '../domain/care/machines.ts';
import type { RentalTerms } from '../domain/launch/manifest.ts';
import { openOrphans } from '../domain/logbook/events/rental-events.ts';
import { rentedJobs } from '../domain/logbook/holdings.ts';
import type { Instant, RunId } from '../domain/values.ts';
import type { Entry, Recorded } from '../logbook/append.ts';
import { decideRentals, type RentalDecision, type RentalInput, type RentalRecord } from '../rental/decide-rentals.ts';
import { mintDestruction, type RecordedTearDown } from './mint.ts';

/** The ports of a tear-down. Simulated days pass an account and a record of their own. */
export type TearDownPorts = {
  readonly cluster: string;
  readonly terms: RentalTerms;
  readonly now: () => Instant;
  readonly account: RentalAccount;
  /** Reads the record. Called after the account is read, because a machine is rented only after its claim was pushed. */
  readonly record: () => Promise<RentalRecord>;
  /** Records the decision in one push. After a lost race it calls `decide` again. */
  readonly transact: (decide: () => Promise<readonly Entry[]>) => Promise<Recorded>;
  readonly boundary: (kind: string, moment: 'before' | 'after') => void;
  readonly log: (line: string) => void;
  readonly decide?: RentalInput['decide'];
};

/** `refused`: the decision could not be recorded, so nothing was destroyed. */
export type TearDownResult =
  | ({ readonly kind: 'looked'; readonly recorded: readonly RunId[] } & Pick<RentalDecision, 'cadenceMs' | 'isBusy'>)
  | { readonly kind: 'refused' };

/** Reads the account of a cluster, destroys the condemned machines, and reads the account again if it destroyed any. */
export async function tearDown(ports: TearDownPorts): Promise<TearDownResult> {
  const first = await observeOnce(ports);
  if (first === null) return { kind: 'refused' };
  if (first.decision.destroy.length === 0) return buildResult(first);
  const begun = listRecordedTearDowns(first);
  for (const condemned of first.decision.destroy) await destroy(ports, condemned, begun);
  const second = await observeOnce(ports);
  return second === null
    ? { kind: 'refused' }
    : { ...buildResult(second), recorded: [...new Set([...first.recorded, ...second.recorded])] };
}

type AccountObservation = {
  readonly decision: RentalDecision;
  /** The record after this read's entries were pushed. */
  readonly record: RentalRecord;
  readonly recorded: readonly RunId[];
};

function buildResult({ decision, recorded }: AccountObservation): Extract<TearDownResult, { kind: 'looked' }> {
  return { kind: 'looked', recorded, cadenceMs: decision.cadenceMs, isBusy: decision.isBusy };
}

/** Null if the decision could not be recorded. After a lost race, account and record are read again for a new decision. */
async function observeOnce(ports: TearDownPorts): Promise<AccountObservation | null> {
  const { cluster, terms, decide } = ports;
  let looked = null as AccountObservation | null;
  const outcome = await ports.transact(async () => {
    const account = await ports.account.read();
    const record = await ports.record();
    const now = ports.now();
    const given = decide === undefined ? {} : { decide };
    const look = decideRentals({ cluster, terms, account, record, now, ...given });
    const { unrecorded = [] } = record;
    const isRecorded = (run: RunId): boolean => unrecorded.every((one) => one.run !== run);
    const runs = look.drafts.filter(({ run, drafts }) => drafts.length > 0 && isRecorded(run));
    looked = { decision: look, record, recorded: runs.map(({ run }) => run) };
    return [...runs, { run: 'journal', drafts: look.journal }];
  });
  if (outcome.kind === 'refused' || looked === null) return null;
  return outcome.kind === 'recorded' ? { ...looked, record: await ports.record() } : looked;
}

/** Recorded tear-downs that have not ended, and those that cannot be recorded because their run's record is broken. */
function listRecordedTearDowns({ record, decision }: AccountObservation): readonly RecordedTearDown[] {
  const { live, orphans, unrecorded = [] } = record;
  const jobs = new Set(unrecorded.flatMap(rentedJobs).map(({ jobId }) => jobId));
  const ofRuns = live
    .flatMap(({ rental }) => rental.machines)
    .filter(({ tearDown: one }) => one !== null && one.endedAt === null);
  const unwritten = decision.destroy.filter(({ jobId }) => jobs.has(jobId));
  return [...ofRuns, ...openOrphans(orphans), ...unwritten.map(({ id, jobId }) => ({ instance: id, jobId }))];
}

/** Destroys one machine. Only the next complete read of the account decides whether it is gone. */
async function destroy(
  ports: TearDownPorts,
  condemned: Condemnation,
  begun: readonly RecordedTearDown[],
): Promise<void> {
  const now = ports.now();
  const permit: Permit = { capability: mintDestruction(condemned, begun, now), now };
  ports.boundary('destroy-machine', 'before');
  const outcome = await ports.account.destroy(condemned, permit);
  ports.boundary('destroy-machine', 'after');
  const why = outcome.kind === 'unknown' ? `: ${outcome.message}` : '';
  ports.log(`machine ${condemned.id} of ${condemned.jobId}: ${outcome.kind}${why}`);
}
