/** Observes a rented machine and its job. */

import { z } from 'zod';
import type { FoundJob, JobObservation, StopOutcome } from '../../domain/engine.ts';
import {
  foundJob,
  isSubmissionId,
  missingJob,
  stopAndConfirm,
  stoppingOutcome,
  unknownOutcome,
} from '../shared/kit.ts';
import { type Instance, listInstancesOfJob, readMetadata } from './account.ts';
import { type LogTail, readLines, readTail } from './log.ts';
import { call, VAST, type VastSettings } from './request.ts';

/** Lines that are searched for the wrapper's end line. A container may print more lines after it while it ends. */
const LAST_LINES = 20;

/** Observes one job. Only the account proves that an instance is gone, and it does not show how the job ended. */
export async function observeOnVast(
  settings: VastSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: lastSession };
  const found = await listInstancesOfJob(settings, jobId);
  if (found.kind === 'unknown') return unknownOutcome(found.message);
  const [instance] = found.value;
  if (instance === undefined) return missingJob(lastSession, null, GONE);
  const observed = await observeInstance(settings, jobId, instance);
  if (observed.kind !== 'unknown') return observed;
  // The instance may have been destroyed between the two requests; only the account proves it.
  const now = await listInstancesOfJob(settings, jobId);
  return now.kind !== 'unknown' && now.value.length === 0 ? missingJob(lastSession, null, GONE) : observed;
}

const GONE = 'the instance is no longer on the account, which does not say how its job ended';

async function observeInstance(settings: VastSettings, jobId: string, instance: Instance): Promise<JobObservation> {
  const { actual_status: actual } = instance;
  const waits = { ...toFoundJob(instance), status: 'PENDING' } as const;
  switch (actual) {
    case null:
    case 'created':
    case 'loading':
    case 'rebooting':
      return { ...waits, message: `Vast.ai says ${actual ?? 'nothing yet'}: ${statusMessage(instance)}` };
    case 'unknown':
    case 'offline':
      return unknownOutcome(
        `instance ${instance.id} is ${actual} and never returns to running, so it must be destroyed`,
      );
    case 'running':
    case 'frozen':
    case 'exited':
    case 'stopped': {
      const read = await readLines(settings, instance.id, LAST_LINES);
      return read.kind === 'unknown'
        ? unknownOutcome(read.message)
        : judgeInstance(instance, readTail(read.value, jobId));
    }
  }
}

function judgeInstance(instance: Instance, { end }: LogTail): FoundJob {
  const { actual_status: actual, intended_status: intended, id } = instance;
  const base = toFoundJob(instance);
  if (end !== null) {
    const { code, startedMs, endedMs } = end;
    const isFine = code === 0;
    return {
      ...base,
      status: isFine ? 'SUCCEEDED' : 'FAILED',
      message: `The command ended with ${code}.`,
      errorType: isFine ? null : 'JOB_ENTRYPOINT_COMMAND_ERROR',
      exitCode: code,
      startedAtMs: startedMs,
      endedAtMs: endedMs,
    };
  }
  if (actual === 'running') return { ...base, status: 'RUNNING', message: statusMessage(instance) };
  if (actual === 'frozen')
    return { ...base, status: 'RUNNING', message: `Instance ${id} is frozen: it does nothing, and is billed.` };
  if (actual === 'stopped' && intended === 'stopped')
    return { ...base, status: 'STOPPED', message: 'Stopped; its disk is billed until it is destroyed.' };
  const why =
    actual === 'stopped'
      ? `instance ${id} was stopped by Vast.ai, preempted by a higher bid or for want of credit; its disk is billed`
      : `the container of instance ${id} ended without the wrapper's last word`;
  // rule VA-14
  return { ...base, status: 'FAILED', message: `${why}: ${statusMessage(instance)}` };
}

/** All public facts about an instance, without its environment. */
function toFoundJob(instance: Instance): FoundJob {
  const { id, gpu_name, num_gpus, machine_id, dph_total, start_date, gpu_util, actual_status, offer } = instance;
  return foundJob({
    status: 'RUNNING',
    message: '',
    startedAtMs: actual_status === 'running' && start_date !== null ? Math.floor(start_date * 1_000) : null,
    metadata: readMetadata(instance),
    details: {
      instance: String(id),
      ...(machine_id == null ? {} : { machine: String(machine_id) }),
      ...(gpu_name == null ? {} : { gpu: `${num_gpus ?? 1} ${gpu_name}` }),
      ...(dph_total === null ? {} : { dollarsPerHour: dph_total.toFixed(4) }),
      // -1 and null both mean that there is no measurement.
      ...(gpu_util == null || gpu_util < 0 ? {} : { gpuUtil: String(gpu_util) }),
      ...(offer === '' ? {} : { offer }),
    },
    ...readUse(instance),
  });
}

/** -1 and null both mean that there is no measurement. */
function readUse({ gpu_util, mem_usage, mem_limit }: Instance): Pick<FoundJob, 'use'> {
  const gpu = gpu_util == null || gpu_util < 0 ? {} : { accelerators: gpu_util };
  const hasRam = mem_usage != null && mem_usage >= 0 && mem_limit != null && mem_limit > 0;
  const use = { ...gpu, ...(hasRam ? { ram: (100 * mem_usage) / mem_limit } : {}) };
  return Object.keys(use).length === 0 ? {} : { use };
}

function statusMessage({ status_msg }: Instance): string {
  return (status_msg ?? '').trim();
}

/** Requests a stop of every instance of the job, because a repeated create may have made two. A disk is billed until destroyed. */
export function stopOnVast(settings: VastSettings, jobId: string): Promise<StopOutcome> {
  return stopAndConfirm({
    observe: () => observeOnVast(settings, jobId, null),
    ask: async () => {
      const found = await listInstancesOfJob(settings, jobId);
      if (found.kind === 'unknown') return unknownOutcome(found.message);
      let complaint = '';
      for (const { id } of found.value) {
        const path = `/api/v0/instances/${id}/`;
        const body = { state: 'stopped' };
        const said = await call(settings, { method: 'PUT', path, body }, z.looseObject({}));
        if (said.kind === 'unknown') complaint = said.message;
      }
      return complaint;
    },
    giveUp: (_last, complaint) => stoppingOutcome(complaint, 'Vast.ai was asked to stop the instance, and has not yet'),
    sleep: settings.sleep,
    pollMs: VAST.pollMs,
    waitMs: VAST.goneWaitMs,
  });
}
