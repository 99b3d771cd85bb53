/** The TPU VMs of a cluster on Google Cloud. */

import { type DeleteOutcome, deleteStep, type TpuCloud } from '../../domain/care/tpu-vm.ts';
import type { ProgramResult } from '../../host/process.ts';
import { changeWithGcloud, failureOf, type GcloudOptions } from './gcloud.ts';
import { listVms } from './list-vms.ts';

/** gcloud waits some minutes for a deletion. */
const CLOUD_DELETE_TIMEOUT_MS = 15 * 60 * 1_000;

/** `project` and `zones` come from the config's `gcp`. */
export function createTpuCloud(
  gcloud: GcloudOptions,
  place: { readonly project: string; readonly zones: readonly string[] },
): TpuCloud {
  return {
    list: () => listVms(gcloud, place),
    deleteVm: async (vm, permit) => {
      const step = deleteStep(place.project, vm);
      return outcomeOf(await changeWithGcloud(gcloud, step, permit, CLOUD_DELETE_TIMEOUT_MS));
    },
  };
}

/** Only a program that did not start certainly changed nothing. */
function outcomeOf(result: ProgramResult): DeleteOutcome {
  if (result.ok) return { kind: 'deleted' };
  const message = failureOf(result);
  return result.kind === 'not-started' ? { kind: 'failed', message } : { kind: 'unknown', message };
}
