/** Starts a job on an Iris cluster at most once: under a name that is never reused, and that Iris refuses if it is taken. */

import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Job, JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import {
  checkFolder,
  checkSpec,
  findConflict,
  identityFields,
  type Rejected,
  readIdentity,
  reject,
  submitOnce,
  unknownOutcome,
} from '../shared/kit.ts';
import { zipTree } from '../shared/package-files.ts';
import type { IrisCluster } from './definition.ts';
import { IDENTITY, type IrisProcess, isMissing, readProcess } from './observe.ts';
import { buildIrisId, call, type IrisJob, type IrisSettings, irisLimits, maskToken, statusAnswer } from './request.ts';
import { wrapCommand } from './wrapper.ts';

const launchAnswer = z.object({ jobId: z.string().min(1) });

export const IRIS = { name: 'Iris', zipBytesMax: irisLimits.zipBytesMax } as const;

type Submitting = { readonly settings: IrisSettings; readonly spec: JobSpec; readonly process: IrisProcess };

/**
 * Each name belongs to one attempt, and the controller must refuse a taken name, even if that job has ended. After a lost answer the launch
 * is not sent again: a new controller process may come from a checkpoint that has neither the job nor its name.
 */
export async function submitToIris(settings: IrisSettings, spec: JobSpec): Promise<SubmitOutcome> {
  const refusal = await findIrisRefusal(spec, settings.cluster);
  if (refusal !== null) return refusal;
  const process = await readProcess(settings);
  if (process.kind === 'unknown') return process;
  const stand = { settings, spec, process };
  return submitOnce(spec, {
    findJob: () => findSubmitted(stand),
    send: () => sendLaunch(stand),
    sleep: settings.sleep,
    recheckDelaysMs: irisLimits.lookAgainDelaysMs,
  });
}

async function sendLaunch(stand: Submitting): Promise<SubmitOutcome> {
  const { settings, spec } = stand;
  const zip = await zipTree(spec.workingDirectory, spec.files ?? null, IRIS);
  if (zip.kind === 'rejected') return zip;
  const answer = await call(settings, 'launch', launchBody(settings, spec, zip.bytes), launchAnswer);
  switch (answer.kind) {
    case 'unknown':
      return answer;
    case 'said': {
      const asked = buildIrisId(settings, spec.submissionId);
      if (answer.value.jobId === asked)
        return { kind: 'submitted', job: toJob(stand, hash('sha256', zip.bytes, 'hex')) };
      // With authentication the controller uses the key's own user.
      const why = `the controller took the job as ${answer.value.jobId} where ${asked} was asked for: set \`user\` to whose key it is, and stop that job by hand`;
      return unknownOutcome(maskToken(settings, why));
    }
    case 'refused': {
      // Taken by us before a lost answer, by another runner with the same order, or by another job.
      if (answer.status === 409) return unknownOutcome('the name is taken, and nothing is found under it');
      const message = `${answer.status} ${answer.code}: ${answer.message}`;
      return reject(isAuthFailure(answer.status) ? 'unauthorized' : 'refused', message);
    }
  }
}

function isAuthFailure(status: number): boolean {
  return status === 401 || status === 403;
}

async function findSubmitted(stand: Submitting): Promise<SubmitOutcome | null> {
  const { settings, spec } = stand;
  const jobId = buildIrisId(settings, spec.submissionId);
  const answer = await call(settings, 'status', { jobId }, statusAnswer);
  if (answer.kind === 'unknown') return answer;
  if (answer.kind === 'refused') {
    if (isMissing(answer)) return null;
    return isAuthFailure(answer.status)
      ? reject('unauthorized', `${answer.code}: ${answer.message}`)
      : unknownOutcome(`${answer.status} ${answer.code}: ${answer.message}`);
  }
  return compareWithSpec(stand, answer.value);
}

function compareWithSpec(stand: Submitting, { request }: IrisJob): SubmitOutcome {
  const variables = request?.environment?.envVars ?? {};
  // Hidden values cannot be compared, so the job may be ours or another run's.
  if (Object.values(IDENTITY).some((name) => variables[name] === '[REDACTED]'))
    return unknownOutcome('Iris hides whose the job under this name is');
  return (
    findConflict(readIdentity(variables, IDENTITY), stand.spec) ?? {
      kind: 'adopted',
      job: toJob(stand, request?.bundleId ?? ''),
    }
  );
}

function toJob({ settings, spec, process }: Submitting, bundle: string): Job {
  const { submissionId: jobId, metadata } = spec;
  const url = new URL(`#/job/${encodeURIComponent(buildIrisId(settings, jobId))}`, settings.address).href;
  return {
    engine: 'iris',
    jobId,
    metadata,
    session: process.id,
    locator: { kind: 'dashboard', url, ...(bundle === '' ? {} : { bundle }) },
  };
}

const MB = 1024 * 1024;

/** The secrets that the workers have in files. The others are sent if the cluster allows it. */
function inFiles({ secretNames = [] }: JobSpec, { secretFiles, secretValues }: IrisCluster): readonly string[] {
  return secretNames.filter((name) => !secretValues || secretFiles[name] !== undefined);
}

/** The request that starts a job. Secret values are left out unless the cluster's settings allow them. `zip`: the approved tree. */
function launchBody(settings: IrisSettings, spec: JobSpec, zip: Uint8Array): object {
  const { cluster, now } = settings;
  const { timeoutSeconds, regions, preemptible, setupCommands } = cluster;
  const { targetCluster, priority, extras, taskImage, ports } = cluster;
  const secrets = new Set(inFiles(spec, cluster));
  const open = Object.fromEntries(Object.entries(spec.env).filter(([name]) => !secrets.has(name)));
  const constraints = [
    ...(preemptible === null ? [] : [constraint('preemptible', 'CONSTRAINT_OP_EQ', [String(preemptible)])]),
    ...(regions.length === 0 ? [] : [constraint('region', 'CONSTRAINT_OP_IN', regions)]),
  ];
  return {
    name: buildIrisId(settings, spec.submissionId),
    entrypoint: {
      ...(setupCommands.length === 0 ? {} : { setupCommands }),
      runCommand: { argv: wrapCommand({ ...spec, secretNames: inFiles(spec, cluster) }, cluster) },
    },
    environment: {
      envVars: { ...open, ...identityFields(spec.metadata, IDENTITY) },
      ...(extras.length === 0 ? {} : { extras }),
    },
    ...(targetCluster === null ? {} : { targetCluster }),
    ...(priority === null ? {} : { priorityBand: `PRIORITY_BAND_${priority.toUpperCase()}` }),
    ...(taskImage === null ? {} : { taskImage }),
    ...(ports.length === 0 ? {} : { ports }),
    bundleBlob: Buffer.from(zip).toString('base64'),
    resources: {
      cpuMillicores: cluster.cpuMillicores,
      memoryBytes: String(cluster.memoryMb * MB),
      diskBytes: String(cluster.diskMb * MB),
      ...deviceResources(cluster.device),
    },
    ...(constraints.length === 0 ? {} : { constraints }),
    ...(timeoutSeconds === null ? {} : { timeout: { milliseconds: String(timeoutSeconds * 1_000) } }),
    replicas: 1,
    maxRetriesFailure: cluster.maxRetriesFailure,
    maxRetriesPreemption: cluster.maxRetriesPreemption,
    existingJobPolicy: 'EXISTING_JOB_POLICY_ERROR',
    // Iris refuses clients older than two weeks. Each submit first parses two answers of this controller, so it knows today's format.
    clientRevisionDate: new Date(now()).toISOString().slice(0, 10),
  };
}

function deviceResources(device: IrisSettings['cluster']['device']): object {
  switch (device?.kind) {
    case undefined:
      return {};
    case 'gpu':
      return { device: { gpu: { variant: device.variant, count: device.count } } };
    case 'tpu':
      return { device: { tpu: { variant: device.variant } } };
  }
}

function constraint(key: string, op: string, values: readonly string[]): object {
  const [value = ''] = values;
  return {
    key,
    op,
    ...(op === 'CONSTRAINT_OP_IN'
      ? { values: values.map((stringValue) => ({ stringValue })) }
      : { value: { stringValue: value } }),
    mode: 'CONSTRAINT_MODE_REQUIRED',
  };
}

/** Iris or ferrybot sets these. A job with one of them would pass for another task, or for a task's child. */
const SET_BY_IRIS =
  /^(?:FERRYBOT_|IRIS_(?:TASK_|NUM_TASKS|JOB_|WORKER_|WORKDIR|CONTROLLER_|BUNDLE_|ATTEMPT_|ADVERTISE_|BIND_))/;

/** Why Iris cannot take the job; null if nothing prevents it. */
async function findIrisRefusal(spec: JobSpec, cluster: IrisCluster): Promise<Rejected | null> {
  const refusal = checkSpec(spec, {
    isGiven: (name) => /^[A-Za-z_]\w*$/.test(name) && !SET_BY_IRIS.test(name),
    complaint: (names) => `no job of Iris is given the variable ${names}, or a NUL in one`,
  });
  if (refusal !== null) return refusal;
  const homeless = inFiles(spec, cluster).filter((name) => cluster.secretFiles[name] === undefined);
  if (homeless.length > 0)
    return reject(
      'refused',
      `Iris would show ${homeless.join(', ')} to each administrator: name the file of the workers that has it under secretFiles, or set secretValues`,
    );
  const leaking = findLeak(spec);
  return leaking === null
    ? checkFolder(spec)
    : reject(
        'refused',
        `the value of the secret ${leaking} stands in the command or in another variable, which everybody can read`,
      );
}

/** Shorter values also occur in ordinary text. */
const SECRET_CHARACTERS_MIN = 8;

function findLeak({ command, env, secretNames = [] }: JobSpec): string | null {
  const open = [
    ...command,
    ...Object.entries(env).flatMap(([name, value]) => (secretNames.includes(name) ? [] : [value])),
  ];
  return (
    secretNames.find((name) => {
      const value = env[name] ?? '';
      return value.length >= SECRET_CHARACTERS_MIN && open.some((text) => text.includes(value));
    }) ?? null
  );
}
