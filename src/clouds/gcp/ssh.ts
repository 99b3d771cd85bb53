/** Inspects TPU workers over ssh with constant, read-only commands. Filtering happens here. */

import type { MountPoint, TpuWorker } from '../../domain/care/worker-disk.ts';
import { limits } from '../../domain/limits.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { cutText } from '../../domain/text.ts';
import { failureOf, type GcloudOptions } from './gcloud.ts';

/** A first connection takes 20 s, du of a full disk a minute or two. */
export const SSH_TIMEOUT_MS = 180_000;
/** du of a temporary folder has some thousand lines. */
export const REMOTE_OUTPUT_BYTES_MAX = 1024 * 1024;

/** Outputs; unknown if the worker did not answer or the command failed. */
export type WorkerAnswers = {
  /** Output of `df`, in bytes. */
  readonly disk: Observed<string>;
  /** The worker's whole mount table. */
  readonly mounts: Observed<string>;
  /** Output of `du`, in bytes, for the parent folder of the mount point. */
  readonly folders: Observed<string>;
};

/** Runs all three commands (policy AG-17), unless the first gets no answer. */
export async function inspectWorker(
  gcloud: GcloudOptions,
  project: string,
  worker: TpuWorker,
  mountPoint: MountPoint,
): Promise<WorkerAnswers> {
  // `-x` keeps du on the boot disk; otherwise it would read the whole bucket. The whole mount table is sent, because a
  // filter cannot tell "not mounted" from "failed".
  const commands = {
    disk: 'df -P -B1 /',
    mounts: 'cat /proc/self/mountinfo',
    folders: `sudo -n du -x -B1 --max-depth=2 ${folderOf(mountPoint)}`,
  };
  const ask = (command: string, exitCodes: readonly number[]): Promise<Observed<string>> =>
    answerOf(gcloud, sshArguments(project, worker, command), exitCodes);
  const disk = await ask(commands.disk, [0]);
  if (disk.kind === 'unknown') return { disk, mounts: disk, folders: disk };
  const mounts = await ask(commands.mounts, [0]);
  // Exit code 1: a file vanished or a folder was unreadable; the last line shows whether du finished.
  const folders = await ask(commands.folders, [0, 1]);
  return { disk, mounts, folders };
}

/** gcloud arguments that run a constant command on a worker. */
export function sshArguments(project: string, worker: TpuWorker, command: string): readonly string[] {
  return [
    ...['compute', 'tpus', 'tpu-vm', 'ssh', worker.tpu],
    ...['--zone', worker.zone, '--project', project, `--worker=${worker.worker}`],
    ...['--command', command, '--quiet'],
  ];
}

/** `/tmp` for `/tmp/gcsfuse_mount`. */
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
