/** The TPU VMs of one cluster on Google Cloud, through gcloud. */

import { type DeleteOutcome, deleteStep, type TpuCloud } from '../../domain/care/tpu-vm.ts';
import type { ProgramResult } from '../../host/process.ts';
import { changeWithGcloud, failureOf, type GcloudOptions } from './gcloud.ts';
import { listVms } from './list-vms.ts';

/** A deletion of a TPU VM is waited for by gcloud: minutes. */
const CLOUD_DELETE_TIMEOUT_MS = 15 * 60 * 1_000;

/** `project` and `zones` are of the config's `gcp`. */
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

/** Only a program that never began is sure to have changed nothing; whatever it says after that, we look. */
function outcomeOf(result: ProgramResult): DeleteOutcome {
  if (result.ok) return { kind: 'deleted' };
  const message = failureOf(result);
  return result.kind === 'not-started' ? { kind: 'failed', message } : { kind: 'unknown', message };
}
