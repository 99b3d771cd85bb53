/** Checks the rented machines of a cluster in each turn of its watch. */

import { tearDown } from '../../actions/destroy.ts';
import { traitsFor } from '../../config/lane-of-file.ts';
import type { RentalAccount } from '../../domain/care/machines.ts';
import type { RentalTerms } from '../../domain/launch/manifest.ts';
import { limits } from '../../domain/limits.ts';
import { openOrphans } from '../../domain/logbook/events/rental-events.ts';
import { rentalDueAtMs } from '../../domain/logbook/holdings.ts';
import { isOver, type RunState } from '../../domain/logbook/run-state.ts';
import { addMs, type Instant } from '../../domain/values.ts';
import { type RentalRecord, rentsOnCluster } from '../../rental/decide-rentals.ts';
import { EVERYWHERE, guard, type Trouble } from '../contained-errors.ts';
import type { OpenLab } from '../open-lab.ts';
import { postPending } from '../outbox.ts';
import { listBrokenRuns } from '../stop-by-job-id.ts';
import type { WatchInput } from './poll-job.ts';
import { addPages, recordTogether } from './record-observations.ts';

/** When to check the account again. `isBusy`: the account may still hold one of our machines. */
type MachinesLeft = { readonly at: Instant; readonly isBusy: boolean };

/** Checks the rented machines if due. Null if the cluster rents nothing. `rental`: a run with a broken record that is being torn down. */
export async function maintainMachines(
  open: OpenLab,
  input: WatchInput,
  troubles: Trouble[],
  rental: RunState | null = null,
): Promise<MachinesLeft | null> {
  const terms = traitsFor(open.config, input.cluster)?.rental;
  const account = input.engineOf(open.config, input.cluster)?.rented;
  if (terms === undefined || account === undefined) return null;
  const dueMs = rental === null ? rentalCheckDueAtMs(open, input.cluster) : 0;
  if (open.lab.now() < dueMs) return { at: dueMs as Instant, isBusy: true };
  const place: RentalContext = { open, input, account, terms, troubles, rental };
  const looked = await guard(open, troubles, EVERYWHERE, () => observeMachines(place));
  return looked ?? { at: addMs(open.lab.now(), limits.rentalAlertMs), isBusy: true };
}

type RentalContext = {
  readonly open: OpenLab;
  readonly input: WatchInput;
  readonly account: RentalAccount;
  readonly terms: RentalTerms;
  readonly troubles: Trouble[];
  readonly rental: RunState | null;
};

/** When the next check is due: now after an unchecked event, without a renting run, or with an open orphan; otherwise by the runs. */
function rentalCheckDueAtMs(open: OpenLab, cluster: string): number {
  const { live, orphans } = rentalRecord(open);
  const renting = live.filter((run) => rentsOnCluster(run, cluster));
  if (renting.length === 0 || openOrphans(orphans).length > 0) return 0;
  return Math.min(...renting.map(rentalDueAtMs));
}

/** A broken or partial record cannot prove that a machine is an orphan. A run with a broken record is checked in its last good state. */
function rentalRecord({ store }: OpenLab, rental: RunState | null = null): RentalRecord {
  const record = store.current();
  const { broken, journal, runs } = record;
  const unrecorded = listBrokenRuns(record).map((one) => (one.run === rental?.run ? rental : one));
  const live = [...runs.filter((run) => !isOver(run)), ...unrecorded];
  const isWhole = broken.length === 0 && live.length < limits.liveRunsReadMax;
  return { live, unrecorded, orphans: journal.orphans, isWhole };
}

async function observeMachines(place: RentalContext): Promise<MachinesLeft> {
  const { open, input, account, terms, troubles } = place;
  const { lab, store } = open;
  const result = await tearDown({
    cluster: input.cluster,
    terms,
    now: lab.now,
    account,
    record: async () => {
      await store.load();
      return rentalRecord(open, place.rental);
    },
    transact: (decide) =>
      recordTogether(open, troubles, async () => (await decide()).map((entry) => addPages(open, entry))),
    boundary: lab.boundary,
    log: (line) => lab.log(input.redact(line)),
  });
  if (result.kind === 'refused') return { at: addMs(lab.now(), limits.rentalAlertMs), isBusy: true };
  await postPending(open, troubles);
  return { at: addMs(lab.now(), result.cadenceMs), isBusy: result.isBusy };
}
