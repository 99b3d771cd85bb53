/** A `python3` that reports another version than its own, because machines rarely have two. */

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/**
 * Writes the program into a folder and returns its path. It reports `version` if the file `onlyIf` exists, or
 * always without `onlyIf`; otherwise it is the Python of this machine.
 */
export async function pythonOfVersion(
  folder: string,
  version: readonly [number, number],
  onlyIf: string | null = null,
): Promise<string> {
  const { stdout: real } = await execa('python3', ['-I', '-S', '-c', 'import sys; print(sys.executable)']);
  const program = join(folder, 'python3');
  const text = `#!/bin/sh
start="$4"
${onlyIf === null ? '' : `[ -e '${onlyIf}' ] && `}start="import sys; sys.version_info = (${version.join(', ')}, 0)
$4"
shift 4
exec '${real}' -I -S -c "$start" "$@"
`;
  await writeFile(program, text);
  await chmod(program, 0o755);
  return program;
}
