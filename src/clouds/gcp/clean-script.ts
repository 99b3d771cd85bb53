/** The only command that deletes on a worker. If anything is unexpected, it stops. */

import type { MutationStep } from '../../domain/care/mutation.ts';
import type { MountPoint, TpuWorker } from '../../domain/care/worker-disk.ts';
import { sshArguments } from './ssh.ts';

/** Clears the mount point on one worker, or stops with the reason (`cleanCommand`). */
export function cleanStep(project: string, worker: TpuWorker, mountPoint: MountPoint): MutationStep {
  return {
    does: 'clean-disk',
    command: ['gcloud', ...sshArguments(project, worker, cleanCommand(mountPoint))],
  };
}

/**
 * The remote command for one mount point. The command behind policy AG-18 deletes with `rm -rf` on the mount point, which
 * deletes the bucket's content if the mount came back meanwhile. This one
 *
 * 1. holds the parent folder open (`cd -P`), and does nothing unless the mount table, read to its end, has no mount on
 *    the path or below it, and the path is a real folder (no link) on the disk of `/`;
 * 2. moves the folder aside under a name that nobody mounts on. The kernel refuses that for a mount point (EBUSY), and a
 *    mount that comes later lands on the old name, never on the moved folder;
 * 3. goes into the moved folder, makes sure that it is the one, and reads the table again for it: a mount below it that
 *    came in between was moved along, so the folder is put back;
 * 4. deletes from there, on its own file system only: what is mounted over a folder does not reach who stands in it.
 *    What an interrupted command left aside goes first, in the same way.
 *
 * It is the same text for every worker. The mount point, a `MountPoint` of the config, holds no character that a shell
 * reads; it arrives as `$1`. The last line of its output is for programs:
 * `ferrybot-clean 1 OUTCOME CODE freed=BYTES left=FILES`. The rename is perl's or python's: `mv` copies where it may not
 * rename.
 */
export function cleanCommand(mountPoint: MountPoint): string {
  return `sudo -n sh -c '${SCRIPT}' ferrybot-clean ${mountPoint}`;
}

// Without a single quote: the text stands between two of them.
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
