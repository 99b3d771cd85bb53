/** Looks at TPU workers over ssh: constant remote commands that only read, whole answers, and nothing filtered on the far side. */

import type { MountPoint, TpuWorker } from '../../domain/care/worker-disk.ts';
import { cutText } from '../../domain/cut-text.ts';
import { limits } from '../../domain/limits.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { failureOf, type GcloudOptions } from './gcloud.ts';

/** One look at a worker over ssh: a first connection takes 20 s, du over a full boot disk a minute or two. */
export const SSH_TIMEOUT_MS = 180_000;
/** A mount table has some dozen lines, du of a folder of temporary files some thousand. */
export const REMOTE_OUTPUT_BYTES_MAX = 1024 * 1024;

/** What the commands printed; each is unknown where the worker did not answer or the command failed. */
export type WorkerAnswers = {
  /** Of `df`, in bytes. */
  readonly disk: Observed<string>;
  /** The mount table of the worker, whole. */
  readonly mounts: Observed<string>;
  /** Of `du`, in bytes, for the folder that the mount point is in. */
  readonly folders: Observed<string>;
};

/**
 * Asks one worker all three, one after the other (policy AG-17). Once it did
 * not answer at all it is not asked again.
 */
export async function inspectWorker(
  gcloud: GcloudOptions,
  project: string,
  worker: TpuWorker,
  mountPoint: MountPoint,
): Promise<WorkerAnswers> {
  const commands = readingCommands(mountPoint);
  const ask = (command: string, exitCodes: readonly number[]): Promise<Observed<string>> =>
    answerOf(gcloud, sshArguments(project, worker, command), exitCodes);
  const disk = await ask(commands.disk, [0]);
  if (disk.kind === 'unknown') return { disk, mounts: disk, folders: disk };
  const mounts = await ask(commands.mounts, [0]);
  // 1: something vanished while du was looking, or one folder could not be read; its last line says whether it ended.
  const folders = await ask(commands.folders, [0, 1]);
  return { disk, mounts, folders };
}

/** The arguments of `gcloud` that run one constant command on one worker. */
export function sshArguments(project: string, worker: TpuWorker, command: string): readonly string[] {
  return [
    ...['compute', 'tpus', 'tpu-vm', 'ssh', worker.tpu],
    ...['--zone', worker.zone, '--project', project, `--worker=${worker.worker}`],
    ...['--command', command, '--quiet'],
  ];
}

type ReadingCommands = { readonly [Name in keyof WorkerAnswers]: string };

/**
 * Remote commands that change nothing. `-x` keeps du on the boot disk: without it the whole bucket would be read. The
 * mount table is sent whole, because a filter on the worker answers "not mounted" and "could not look" alike.
 */
export function readingCommands(mountPoint: MountPoint): ReadingCommands {
  return {
    disk: 'df -P -B1 /',
    mounts: 'cat /proc/self/mountinfo',
    folders: `sudo -n du -x -B1 --max-depth=2 ${folderOf(mountPoint)}`,
  };
}

/** The folder that the mount point is in, `/tmp` of `/tmp/gcsfuse_mount`. */
export function folderOf(mountPoint: MountPoint): string {
  return mountPoint.slice(0, mountPoint.lastIndexOf('/'));
}

async function answerOf(
  { program, env, run }: GcloudOptions,
  args: readonly string[],
  exitCodes: readonly number[],
): Promise<Observed<string>> {
  const result = await run(program, args, {
    env,
    timeoutMs: SSH_TIMEOUT_MS,
    outputBytesMax: REMOTE_OUTPUT_BYTES_MAX,
  });
  return result.exitCode !== null && exitCodes.includes(result.exitCode)
    ? known(result.stdout)
    : unknown(cutText(failureOf(result), limits.messageCharactersMax));
}
