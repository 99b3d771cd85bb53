/** The `local` engine: a job is a real detached process of this machine, with its records in a folder. */

import { isAbsolute, join } from 'node:path';
import { spendCapability } from '../../domain/actions/capability.ts';
import {
  described,
  type Engine,
  type JobDescription,
  type LogRead,
  stopStep,
  submitStep,
} from '../../domain/engine.ts';
import { currentPidScope } from '../../host/process-identity.ts';
import { redact } from '../../host/redactor.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { isSubmissionId, ownerOfFile } from '../file-records.ts';
import { readLogFile } from '../read-log-file.ts';
import { shellLineOf, withinLine } from '../shell-line.ts';
import { jobPaths, readClaim } from './job-folder.ts';
import { observeLocally } from './observe.ts';
import { removeOldTrees } from './old-trees.ts';
import type { LocalEngineOptions, LocalSettings } from './settings.ts';
import { stopLocally } from './stop.ts';
import { submitLocally } from './submit.ts';

/** From SIGTERM to SIGKILL for a job: a temporary checkpoint of a small model is written in less. */
const JOB_STOP_GRACE_MS = 10_000;

/** The engine of a cluster of the config. */
export function compose(
  { stateDirectory, now }: EngineHost,
  { jobs }: { readonly jobs: string },
): ComposedEngine {
  const directory = isAbsolute(jobs) ? jobs : join(stateDirectory, jobs);
  return { engine: createLocalEngine({ directory, now }), close: async () => undefined };
}

/** An engine over `directory`; any number of them, in any number of processes, may share it. */
export function createLocalEngine(options: LocalEngineOptions): Engine {
  const settings: LocalSettings = {
    nodePath: process.execPath,
    baseEnv: leastEnvironment(process.env),
    stopGraceMs: JOB_STOP_GRACE_MS,
    ...options,
  };
  return {
    name: 'local',
    session: async () => ({
      kind: 'session',
      id: (await currentPidScope()).bootId,
      version: process.version,
    }),
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      return submitLocally(settings, spec);
    },
    observe: (jobId, lastSession) => observeLocally(settings, jobId, lastSession),
    describe: (jobId) => describeLocally(settings, jobId),
    readLog: (jobId, offset) => readLogLocally(settings, jobId, offset),
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      return stopLocally(settings, jobId);
    },
    removeOldTrees: (trees) => removeOldTrees(trees, settings.directory, settings.now()),
  };
}

function leastEnvironment(ours: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const path = ours['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  return { PATH: path, LANG: ours['LANG'] ?? 'C.UTF-8' };
}

/** Looks once. The submitter is whose file the claim is. */
async function describeLocally(settings: LocalSettings, jobId: string): Promise<JobDescription> {
  const seen = await observeLocally(settings, jobId, null);
  if (seen.kind !== 'found') return seen;
  const paths = jobPaths(settings.directory, jobId);
  const claim = await readClaim(paths);
  if (claim.kind !== 'there')
    return { kind: 'unknown', message: `the claim of ${paths.folder} is ${claim.kind}` };
  const line = shellLineOf(claim.value.command);
  return described(seen, {
    submitter: await ownerOfFile(paths.claim),
    entrypoint: withinLine(redact(line ?? '', [])),
    gitCommit: claim.value.gitCommit ?? null,
  });
}

/** At most `limits.logChunkBytesMax` bytes; a job that has not written yet gives an empty chunk. */
async function readLogLocally(settings: LocalSettings, jobId: string, offset: number): Promise<LogRead> {
  if (!isSubmissionId(jobId)) return { kind: 'absent' };
  const paths = jobPaths(settings.directory, jobId);
  const claim = await readClaim(paths);
  if (claim.kind === 'missing') return { kind: 'absent' };
  if (claim.kind === 'unreadable') return { kind: 'unknown', message: claim.why };
  return readLogFile(paths.log, offset);
}
