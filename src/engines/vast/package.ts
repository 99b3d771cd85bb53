/** The shipped tree as variables of an instance: there is no folder that both sides have. */

import { execa } from 'execa';
import type { JobSpec } from '../../domain/engine.ts';
import { differencesOnDisk, firstOf } from '../../host/git/tree-on-disk.ts';
import { isFolder } from '../../host/is-folder.ts';
import { VAST } from './settings.ts';

export type Packed =
  | { readonly kind: 'packed'; readonly variables: Readonly<Record<string, string>> }
  | {
      readonly kind: 'rejected';
      readonly code: 'refused' | 'no-working-directory';
      readonly message: string;
    };

/** Packs what was approved, byte for byte; a tree that is too large for this way is refused. */
export async function packTree({ workingDirectory, files }: JobSpec): Promise<Packed> {
  if (!(await isFolder(workingDirectory)))
    return { kind: 'rejected', code: 'no-working-directory', message: `${workingDirectory} is no folder` };
  const differences = files === undefined ? [] : await differencesOnDisk(workingDirectory, files);
  if (differences.length > 0)
    return refused(`what lies there is not what was shipped: ${firstOf(differences)}`);
  const tar = await execa(
    'tar',
    ['--create', '--gzip', '--owner=0', '--group=0', '--directory', workingDirectory, '.'],
    { encoding: 'buffer', reject: false, maxBuffer: VAST.packageBytesMax + 1, stdin: 'ignore' },
  );
  if (tar.isMaxBuffer || (!tar.failed && tar.stdout.length > VAST.packageBytesMax))
    return refused(
      `the shipped tree has more than ${VAST.packageBytesMax} bytes when it is packed, which is what can be handed over with the creation: ship less, or build it into the image`,
    );
  if (tar.failed) return refused(`the shipped tree could not be packed: ${tar.shortMessage}`);
  const text = Buffer.from(tar.stdout).toString('base64');
  const parts = Array.from({ length: Math.ceil(text.length / VAST.packagePartCharacters) }, (_, index) =>
    text.slice(index * VAST.packagePartCharacters, (index + 1) * VAST.packagePartCharacters),
  );
  return {
    kind: 'packed',
    variables: Object.fromEntries(parts.map((part, index) => [`FERRYBOT_TREE_${index}`, part])),
  };
}

function refused(message: string): Packed {
  return { kind: 'rejected', code: 'refused', message };
}
