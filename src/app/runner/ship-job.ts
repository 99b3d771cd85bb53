/** Turns an order into a job: the approved tree in a folder of its own, the exact command and environment, secrets apart. */

import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobSpec } from '../../domain/engine.ts';
import type { IssuedOrder, RunState } from '../../domain/logbook/run-state.ts';
import { codeOf } from '../../host/publish-once.ts';
import { redact } from '../../host/redactor.ts';
import { fillLane } from '../../run/fill.ts';
import type { OpenLab } from '../open-lab.ts';

export type ShippedJob = {
  readonly spec: JobSpec;
  readonly scrubbedCommand: readonly string[];
  readonly urlsOf: (jobId: string) => Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string | number>>;
};

/** Ships the ordered commit's configured paths. The job gets no token of ours: only what the config names. */
export async function shipJob(
  open: OpenLab,
  state: RunState,
  order: IssuedOrder,
  input: {
    readonly stateDirectory: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly shipTree: ShipTree;
  },
): Promise<ShippedJob> {
  const lane = open.config.lanes.daily;
  const filled = fillLane(lane, { run: state.run, date: state.proposal.date });
  const workingDirectory = await input.shipTree(open, order, input.stateDirectory);
  const secrets = Object.fromEntries(
    lane.passSecrets.flatMap((name) =>
      input.environment[name] === undefined ? [] : [[name, input.environment[name] ?? '']],
    ),
  );
  const values = Object.values(secrets);
  const isLocal = open.config.clusters[lane.cluster]?.engine === 'local';
  const { submissionId, attempt, digest } = order.order;
  return {
    spec: {
      submissionId,
      command: filled.command,
      env: { ...filled.environment, ...secrets, GIT_COMMIT: order.order.commit },
      workingDirectory,
      metadata: { run: state.run, attempt, manifest: digest },
    },
    scrubbedCommand: [
      ...Object.entries(filled.environment).map(([name, value]) => `${name}=${value}`),
      ...filled.command,
    ].map((part) => redact(part, values)),
    urlsOf: (jobId) => linksOf(open, state, jobId),
    details: {
      // Elsewhere the job runs in a copy: what it leaves there is not to be had from this machine.
      ...(isLocal ? { workingDirectory } : {}),
      outputRoot: filled.outputRoot,
      metricsFile: filled.metricsFile,
    },
  };
}

function linksOf(open: OpenLab, state: RunState, jobId: string): Readonly<Record<string, string>> {
  const links = open.config.clusters[open.config.lanes.daily.cluster]?.links ?? {};
  return Object.fromEntries(
    Object.entries(links).map(([name, link]) => [
      name,
      link.replaceAll('{jobId}', jobId).replaceAll('{run}', state.run),
    ]),
  );
}

/** Puts the ordered commit's files where the job will run, and says where; replaced where no job really runs. */
export type ShipTree = (open: OpenLab, order: IssuedOrder, stateDirectory: string) => Promise<string>;

/** Exported beside and renamed: a tree that stands under its name is whole, also after a crash in between. */
export async function shipTree(open: OpenLab, order: IssuedOrder, stateDirectory: string): Promise<string> {
  const target = join(stateDirectory, 'trees', order.order.submissionId);
  if (await exists(target)) return target;
  const beside = `${target}.${process.pid}.part`;
  await rm(beside, { recursive: true, force: true });
  await mkdir(beside, { recursive: true });
  await open.git.exportTree(order.order.commit, open.config.lanes.daily.ships, beside);
  try {
    await rename(beside, target);
  } catch (error) {
    // Another try of the same order was quicker: its tree is of the same commit.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    await rm(beside, { recursive: true, force: true });
  }
  return target;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
