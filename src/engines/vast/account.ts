/** Reads all instances of the account. An incomplete list is unknown. */

import { z } from 'zod';
import { spendCapability } from '../../domain/actions/capability.ts';
import {
  type AccountRead,
  destroyStep,
  MACHINE_STATUSES,
  type RentalAccount,
  type RentedInstance,
} from '../../domain/care/machines.ts';
import { instantFromMs, parseJson } from '../../domain/values.ts';
import { isSubmissionId, jobMetadata, type Unknown, unknownOutcome } from '../shared/kit.ts';
import { instanceLabel } from './definition.ts';
import { readOffer } from './market.ts';
import { buildNoAnswer, call, type Reply, readVastSession, VAST, type VastSettings } from './request.ts';

/** Variable of an instance that identifies its job. Only these two variables are kept, because others contain secrets. */
export const JOB_VARIABLE = 'FERRYBOT_JOB';
/** Variable with the reason for the chosen offer. */
export const OFFER_VARIABLE = 'FERRYBOT_OFFER';

const instanceSchema = z
  .object({
    id: z.int(),
    label: z.string().nullable(),
    /** Null: still provisioned. A status that ferrybot does not know proves nothing about the job. */
    actual_status: z.enum(MACHINE_STATUSES).nullable().catch('unknown'),
    intended_status: z.string().nullish(),
    status_msg: z.string().nullish(),
    machine_id: z.int().nullish(),
    gpu_name: z.string().nullish(),
    num_gpus: z.int().nullish(),
    /** Null or -1 without a measurement. */
    gpu_util: z.number().nullish(),
    /** The machine's own memory and its limit, in the same unit; null or negative without a measurement. */
    mem_usage: z.number().nullish(),
    mem_limit: z.number().nullish(),
    dph_total: z.number().nullable(),
    /** The part of `dph_total` that the disk costs. */
    storage_total_cost: z.number().nullish(),
    dph_base: z.number().nullish(),
    /** GB of traffic so far, and dollars per GB. */
    inet_up_billed: z.number().nullish(),
    inet_down_billed: z.number().nullish(),
    inet_up_cost: z.number().nullish(),
    inet_down_cost: z.number().nullish(),
    start_date: z.number().nullable(),
    extra_env: z.array(z.tuple([z.string(), z.unknown()])).nullish(),
  })
  .transform(({ extra_env: variables, ...row }) => {
    const variable = (name: string): string => String(variables?.find(([key]) => key === name)?.[1] ?? '');
    return { ...row, job: variable(JOB_VARIABLE), offer: variable(OFFER_VARIABLE) };
  })
  .readonly();

export type Instance = z.infer<typeof instanceSchema>;

const page = z.object({
  instances: z.array(instanceSchema).nullable(),
  next_token: z.string().nullable(),
  total_instances: z.int().min(0),
});

/**
 * All instances of the account. An unreadable page, or fewer rows than the account reports, makes the list unknown: an empty
 * list would lead to new launches.
 */
export async function listInstances(settings: VastSettings): Promise<Reply<readonly Instance[]>> {
  const found = new Map<number, Instance>();
  let after: string | null = null;
  for (let count = 0; count < VAST.pagesMax; count += 1) {
    const query: URLSearchParams = new URLSearchParams({
      select_filters: '{}',
      order_by: JSON.stringify([{ col: 'id', dir: 'asc' }]),
      limit: String(VAST.pageRows),
      ...(after === null ? {} : { after_token: after }),
    });
    const path = `/api/v1/instances/?${query}`;
    const said: Reply<z.infer<typeof page>> = await call(settings, { method: 'GET', path }, page);
    if (said.kind === 'unknown') return said;
    for (const instance of said.value.instances ?? []) found.set(instance.id, instance);
    after = said.value.next_token;
    if (after !== null && after !== '') continue;
    return found.size >= said.value.total_instances
      ? { kind: 'said', value: [...found.values()] }
      : buildNoAnswer('lost', 200, `${found.size} of ${said.value.total_instances} instances were listed`);
  }
  return buildNoAnswer('lost', 200, `the list has more than ${VAST.pagesMax} pages`);
}

/** The instances of one job, oldest first: a create with a lost answer may have made two. */
export async function listInstancesOfJob(settings: VastSettings, jobId: string): Promise<Reply<readonly Instance[]>> {
  const all = await listInstances(settings);
  if (all.kind === 'unknown') return all;
  const label = instanceLabel(settings.cluster, jobId);
  return { kind: 'said', value: all.value.filter((one) => one.label === label).toSorted((a, b) => a.id - b.id) };
}

/** The run that owns an instance's job; null if it cannot be read. */
export function readMetadata({ job }: Pick<Instance, 'job'>): z.infer<typeof jobMetadata> | null {
  return jobMetadata.safeParse(parseJson(job)).data ?? null;
}

/** Requests the destruction of an instance, and reads the whole account until the instance is gone. Only that counts. */
export async function destroyInstance(
  settings: VastSettings,
  id: number,
): Promise<{ readonly kind: 'destroyed' } | Unknown> {
  const path = `/api/v0/instances/${id}/`;
  const said = await call(settings, { method: 'DELETE', path, body: {} }, z.looseObject({}));
  let message = said.kind === 'unknown' ? said.message : 'it was confirmed';
  for (let waitedMs = 0; waitedMs <= VAST.goneWaitMs; waitedMs += VAST.pollMs) {
    const left = await listInstances(settings);
    if (left.kind === 'said' && left.value.every((one) => one.id !== id)) return { kind: 'destroyed' };
    if (left.kind === 'unknown') message = left.message;
    await settings.sleep(VAST.pollMs);
  }
  return unknownOutcome(`instance ${id} shall be destroyed and is still there: ${message}`);
}

/** The rental account of a cluster. */
export function createVastAccount(settings: VastSettings): RentalAccount {
  return {
    read: () => readAccount(settings),
    offer: () => readOffer(settings),
    destroy: async (condemned, permit) => {
      spendCapability(permit, destroyStep(condemned));
      const listed = await listInstances(settings);
      if (listed.kind === 'unknown') return unknownOutcome(listed.message);
      const found = listed.value.find(({ id }) => id === condemned.id);
      if (found === undefined) return { kind: 'destroyed' };
      // The current label decides which job owns the instance, even if the record differs.
      if (found.label !== instanceLabel(settings.cluster, condemned.jobId))
        return unknownOutcome(`instance ${condemned.id} does not carry the label of its job`);
      return destroyInstance(settings, condemned.id);
    },
  };
}

/** Reads the remaining credit before the list, so that a failure does not discard a list that was read. */
async function readAccount(settings: VastSettings): Promise<AccountRead> {
  const session = await readVastSession(settings);
  const listed = await listInstances(settings);
  if (listed.kind === 'unknown') return unknownOutcome(listed.message);
  const instances = listed.value.map((one) => toRentedInstance(settings, one));
  return { kind: 'read', instances, credit: session.kind === 'unknown' ? null : session.credit };
}

/** For an unknown part of the price, the higher reading counts: a cap may apply too early, but never too late. */
function toRentedInstance(settings: VastSettings, instance: Instance): RentedInstance {
  const { dph_total, dph_base, storage_total_cost, start_date } = instance;
  const hourly = dph_total ?? Number(settings.cluster.dollarsPerHourMax);
  const stored = storage_total_cost ?? (dph_base == null ? hourly : hourly - dph_base);
  const up = (instance.inet_up_billed ?? 0) * (instance.inet_up_cost ?? 0);
  const down = (instance.inet_down_billed ?? 0) * (instance.inet_down_cost ?? 0);
  return {
    id: instance.id,
    jobId: jobIdFromLabel(settings, instance.label),
    status: instance.actual_status,
    ...(instance.machine_id == null ? {} : { machine: String(instance.machine_id) }),
    createdAtMs: instantFromMs((start_date ?? Number.NaN) * 1_000) ?? settings.now(),
    hourly: Math.max(0, hourly),
    storageHourly: Math.max(0, stored),
    traffic: Math.max(0, up + down),
  };
}

/** The job in the label; null if the label is not exactly one of ours. */
function jobIdFromLabel({ cluster }: VastSettings, label: string | null): string | null {
  const prefix = instanceLabel(cluster, '');
  const jobId = label?.startsWith(prefix) === true ? label.slice(prefix.length) : '';
  return isSubmissionId(jobId) ? jobId : null;
}
