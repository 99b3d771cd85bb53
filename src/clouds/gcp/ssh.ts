/** Inspects TPU workers over ssh with constant, read-only commands. Filtering happens here. */

import type { ChangeStep } from '../../domain/actions/action.ts';
import type { MountPoint, TpuWorker } from '../../domain/care/machines.ts';
import { limits } from '../../domain/limits.ts';
import { cutText, known, type Observed, unknown } from '../../domain/values.ts';
import { describeFailure, type GcloudOptions } from './gcloud.ts';

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
    folders: `sudo -n du -x -B1 --max-depth=2 ${cacheFolder(mountPoint)}`,
  };
  const runCommand = (command: string, exitCodes: readonly number[]): Promise<Observed<string>> =>
    runOverSsh(gcloud, sshArguments(project, worker, command), exitCodes);
  const disk = await runCommand(commands.disk, [0]);
  if (disk.kind === 'unknown') return { disk, mounts: disk, folders: disk };
  const mounts = await runCommand(commands.mounts, [0]);
  // Exit code 1: a file vanished or a folder was unreadable; the last line shows whether du finished.
  const folders = await runCommand(commands.folders, [0, 1]);
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
export function cacheFolder(mountPoint: MountPoint): string {
  return mountPoint.slice(0, mountPoint.lastIndexOf('/'));
}

async function runOverSsh(
  { program, env, run }: GcloudOptions,
  args: readonly string[],
  exitCodes: readonly number[],
): Promise<Observed<string>> {
  const result = await run(program, args, { env, timeoutMs: SSH_TIMEOUT_MS, outputBytesMax: REMOTE_OUTPUT_BYTES_MAX });
  return result.exitCode !== null && exitCodes.includes(result.exitCode)
    ? known(result.stdout)
    : unknown(cutText(describeFailure(result), limits.messageCharactersMax));
}

/** Clears the mount point on one worker, or stops with the reason (`buildCleanCommand`). */
export function buildCleanStep(project: string, worker: TpuWorker, mountPoint: MountPoint): ChangeStep {
  return { kind: 'clean-disk', command: ['gcloud', ...sshArguments(project, worker, buildCleanCommand(mountPoint))] };
}

/**
 * The remote cleanup command for one mount point. The `rm -rf` of policy AG-18 would delete the bucket's content if the
 * mount returned meanwhile. This command instead
 *
 * 1. holds the parent folder open (`cd -P`), and stops unless the complete mount table has no mount at or below the path
 *    and the path is a real folder on the disk of `/`;
 * 2. renames the folder. The kernel refuses to rename a mount point (EBUSY), and a later mount uses the old name;
 * 3. enters the renamed folder, checks its identity and the mount table again, and renames it back if a mount moved along;
 * 4. deletes inside it, only on its own file system. Remains of an interrupted command are deleted first.
 *
 * The mount point is a `MountPoint` without shell characters and arrives as `$1`. The last output line is for programs:
 * `ferrybot-clean 1 OUTCOME CODE freed=BYTES left=FILES`. perl or python does the rename, because `mv` may copy.
 */
export function buildCleanCommand(mountPoint: MountPoint): string {
  return `sudo -n sh -c '${SCRIPT}' ferrybot-clean ${mountPoint}`;
}

// No single quotes, because the text is quoted with them.
const SCRIPT = `set -u
export LC_ALL=C
name=\${1##*/} parent=\${1%/*}
aside=$name.ferrybot-aside

available() {
  df -P -B1 / | {
    read -r head
    read -r device size used available rest
    case \${available:-none} in *[!0-9]*) echo 0 ;; *) echo "$available" ;; esac
  }
}
before=$(available)

finish() {
  echo "ferrybot-clean 1 $1 $2 freed=$(($(available) - before)) left=\${3:-0}"
  case $1 in deleted|nothing) exit 0 ;; *) exit 3 ;; esac
}

mounts() {
  table=$(cat /proc/self/mountinfo) || return 0
  root=no seen=none
  while read -r id above device from at rest; do
    case $at in
      /) root=yes ;;
      "$1") seen=mounted ;;
      "$1"/*) test "$seen" = mounted || seen=mounted-below ;;
    esac
  done <<END
$table
END
  test "$root" = no || echo "$seen"
}
unmounted() {
  seen=$(mounts "$parent/$1")
  test "$seen" = none || finish refused "\${2:-}\${seen:-unread}"
}

absent() {
  found=$(find . -mindepth 1 -maxdepth 1 -name "$1") || finish refused unread
  test -z "$found"
}

move() {
  if command -v perl >/dev/null; then perl -e "rename(shift, shift) or exit 1" -- "$1" "$2"
  elif command -v python3 >/dev/null; then python3 -c "import os, sys; os.rename(*sys.argv[1:])" "$1" "$2"
  else finish refused no-tool
  fi
}

clear_aside() {
  fault=$(
    test ! -L "$aside" && cd -P -- "./$aside" && test "$(stat -c %d:%i .)" = "$2" || { echo changed; exit; }
    seen=$(mounts "$parent/$aside")
    test "$seen" = none || { echo "\${seen:-unread}"; exit; }
    find . -xdev -mindepth 1 -delete
  )
  if test -n "$fault"; then
    test "$1" = leftover || put_back "$fault"
    finish refused "aside-$fault"
  fi
  rmdir -- "./$aside"
  absent "$aside" || finish incomplete "$1" "$(find "./$aside" -xdev | wc -l)"
}

put_back() {
  if absent "$name" && move "$aside" "$name"; then finish refused "$1"; fi
  finish refused "$1-aside"
}

cd -P -- "$parent" || finish refused no-parent
test "$(pwd -P)" = "$parent" || finish refused link
disk=$(stat -c %d /) || finish refused unread
test "$(stat -c %d .)" = "$disk" || finish refused other-disk
unmounted "$name"
unmounted "$aside" aside-
test ! -L "$name" || finish refused link
test ! -L "$aside" || finish refused aside-link

leftover=no
if ! absent "$aside"; then
  leftover=yes
  identity=$(stat -c %d:%i "$aside") || finish refused unread
  test "\${identity%:*}" = "$disk" || finish refused other-disk
  clear_aside leftover "$identity"
fi
if absent "$name"; then
  test "$leftover" = no || finish deleted leftover
  finish nothing absent
fi
test -d "$name" || finish refused no-folder
identity=$(stat -c %d:%i "$name") || finish refused unread
test "\${identity%:*}" = "$disk" || finish refused other-disk

if ! move "$name" "$aside"; then
  unmounted "$name"
  finish refused not-moved
fi
clear_aside moved "$identity"
finish deleted moved`;
