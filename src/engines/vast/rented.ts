/** The account as the watch sees it: every instance with what it costs, and the destruction of one of ours. */

import { spendCapability } from '../../domain/actions/capability.ts';
import {
  type AccountRead,
  destroyStep,
  type RentalAccount,
  type RentedInstance,
} from '../../domain/rented.ts';
import { momentOfMs } from '../../domain/time.ts';
import { isSubmissionId } from '../file-records.ts';
import { destroyInstance, type Instance, listInstances } from './account.ts';
import { labelOf } from './label.ts';
import { readOffer } from './market.ts';
import { readVastSession } from './session.ts';
import type { VastSettings } from './settings.ts';

/** The account of a cluster. */
export function rentedOnVast(settings: VastSettings): RentalAccount {
  return {
    read: () => readAccount(settings),
    offer: () => readOffer(settings),
    destroy: async (condemned, permit) => {
      spendCapability(permit, destroyStep(condemned));
      const listed = await listInstances(settings);
      if (listed.kind === 'unknown') return { kind: 'unknown', message: listed.message };
      const found = listed.value.find(({ id }) => id === condemned.id);
      if (found === undefined) return { kind: 'destroyed' };
      // The label at this moment decides whose it is, whatever the record says.
      if (found.label !== labelOf(settings.cluster, condemned.jobId))
        return { kind: 'unknown', message: `instance ${condemned.id} does not carry the label of its job` };
      return destroyInstance(settings, condemned.id);
    },
  };
}

/** What the account still has is asked before the list: a list that was read is not thrown away for it. */
async function readAccount(settings: VastSettings): Promise<AccountRead> {
  const session = await readVastSession(settings);
  const listed = await listInstances(settings);
  if (listed.kind === 'unknown') return { kind: 'unknown', message: listed.message };
  const instances = listed.value.map((one) => rentedOf(settings, one));
  return { kind: 'read', instances, credit: session.kind === 'unknown' ? null : session.credit };
}

/** Where a part of the price is not told the dearer reading counts: a cap may be met early, and never late. */
function rentedOf(settings: VastSettings, instance: Instance): RentedInstance {
  const { dph_total, dph_base, storage_total_cost, start_date } = instance;
  const hourly = dph_total ?? Number(settings.cluster.dollarsPerHourMax);
  const stored = storage_total_cost ?? (dph_base == null ? hourly : hourly - dph_base);
  const up = (instance.inet_up_billed ?? 0) * (instance.inet_up_cost ?? 0);
  const down = (instance.inet_down_billed ?? 0) * (instance.inet_down_cost ?? 0);
  return {
    id: instance.id,
    jobId: jobOf(settings, instance.label),
    status: instance.actual_status,
    ...(instance.machine_id == null ? {} : { machine: String(instance.machine_id) }),
    createdAtMs: momentOfMs((start_date ?? Number.NaN) * 1_000) ?? settings.now(),
    hourly: Math.max(0, hourly),
    storageHourly: Math.max(0, stored),
    traffic: Math.max(0, up + down),
  };
}

/** Whose job the label names; null where it is not one of ours to the last letter. */
function jobOf({ cluster }: VastSettings, label: string | null): string | null {
  const prefix = labelOf(cluster, '');
  const jobId = label?.startsWith(prefix) === true ? label.slice(prefix.length) : '';
  return isSubmissionId(jobId) ? jobId : null;
}
