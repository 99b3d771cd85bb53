/** What is sent to start a job: the same bytes each time it is sent, and no value of a secret among them. */

import type { JobSpec } from '../../domain/engine.ts';
import { identityVariables } from './identity.ts';
import { type IrisSettings, irisIdOf } from './settings.ts';
import { wrappedCommand } from './wrapper.ts';

const MB = 1024 * 1024;

/** Never a task index, a worker or a controller of somebody else's: everything is named. `zip`: the approved tree. */
export function launchBody(settings: IrisSettings, spec: JobSpec, zip: Uint8Array): object {
  const { cluster, now } = settings;
  const { timeoutSeconds, regions, preemptible, setupCommands } = cluster;
  const secrets = new Set(spec.secretNames ?? []);
  const open = Object.fromEntries(Object.entries(spec.env).filter(([name]) => !secrets.has(name)));
  const constraints = [
    ...(preemptible === null ? [] : [constraint('preemptible', 'CONSTRAINT_OP_EQ', [String(preemptible)])]),
    ...(regions.length === 0 ? [] : [constraint('region', 'CONSTRAINT_OP_IN', regions)]),
  ];
  return {
    name: irisIdOf(settings, spec.submissionId),
    entrypoint: {
      ...(setupCommands.length === 0 ? {} : { setupCommands }),
      runCommand: { argv: wrappedCommand(spec, cluster) },
    },
    environment: { envVars: { ...open, ...identityVariables(spec.metadata) } },
    bundleBlob: Buffer.from(zip).toString('base64'),
    resources: {
      cpuMillicores: cluster.cpuMillicores,
      memoryBytes: String(cluster.memoryMb * MB),
      diskBytes: String(cluster.diskMb * MB),
      ...deviceOf(cluster.device),
    },
    ...(constraints.length === 0 ? {} : { constraints }),
    ...(timeoutSeconds === null ? {} : { timeout: { milliseconds: String(timeoutSeconds * 1_000) } }),
    replicas: 1,
    maxRetriesFailure: cluster.maxRetriesFailure,
    maxRetriesPreemption: cluster.maxRetriesPreemption,
    existingJobPolicy: 'EXISTING_JOB_POLICY_ERROR',
    // Iris refuses clients older than a fortnight. Each submit reads two answers of this controller first: today it is understood.
    clientRevisionDate: new Date(now()).toISOString().slice(0, 10),
  };
}

function deviceOf(device: IrisSettings['cluster']['device']): object {
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
