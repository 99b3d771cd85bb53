/** Exports the ordered commit into a new private folder. */

import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { ShipRefusal } from '../../actions/launch.ts';
import { leftOutOfLane } from '../../config/engine-traits.ts';
import { type ExportedFile, type ExportedTree, GitError } from '../../domain/git.ts';
import type { RefusalCode } from '../../domain/launch/refusal.ts';
import { WHOLE_TREE } from '../../domain/launch/whole-tree.ts';
import type { IssuedOrder } from '../../domain/logbook/run-state.ts';
import { filesOnDisk, firstOf, idsOf } from '../../host/git/tree-on-disk.ts';
import { codeOf } from '../../host/publish-once.ts';
import { namedBy } from '../../settings/left-out.ts';
import type { OpenLane } from '../open-lab.ts';

export type ShippedTree = {
  readonly kind: 'shipped';
  readonly directory: string;
  /** All files with their ids in the approved trees. */
  readonly files: readonly ExportedFile[];
  /** Removes a folder without a running job. */
  readonly discard: () => Promise<void>;
};

/** Exports the ordered commit below `parent`; replaced in tests. */
export type ShipTree = (
  open: OpenLane,
  order: IssuedOrder,
  parent: string,
) => Promise<ShippedTree | ShipRefusal>;

/**
 * The folder's random name prevents preparation, and only its owner can read it. Its content is compared with the approved trees here,
 * and again before use (docs/decisions/0134-ship-exactly-the-approved-tree.md).
 */
export async function shipTree(
  open: OpenLane,
  { order }: IssuedOrder,
  parent: string,
): Promise<ShippedTree | ShipRefusal> {
  const { ships } = open.config.lane;
  await mkdir(parent, { recursive: true, mode: 0o700 });
  // Resolve links now, so that they cannot be redirected later.
  const directory = await mkdtemp(join(await realpath(parent), 'tree-'));
  const discard = (): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const refused = async (code: RefusalCode, why: string): Promise<ShipRefusal> => {
    await discard();
    return { kind: 'refused', code, effect: code === 'unreadable' ? 'standing' : 'ending', why };
  };
  try {
    const leavesOut = leftOutOfLane(open.config);
    const tree = await without(
      directory,
      await open.git.exportTree(order.commit, ships, directory),
      leavesOut,
    );
    const absent = await absentIn(directory, tree);
    if (absent.length > 0) return await refused('files-left-out', firstOf(absent));
    for (const path of ships) {
      const approved = await open.git.treeId(order.commit, path, namedBy(leavesOut));
      if (tree.ids[path] !== approved)
        return await refused(
          'tree-differs',
          `${path} is ${tree.ids[path] ?? 'not there'}, approved: ${approved}`,
        );
    }
    return { kind: 'shipped', directory, files: tree.files, discard };
  } catch (error) {
    if (error instanceof GitError) return refused('unreadable', error.message);
    await discard();
    throw error;
  }
}

/** Removes the paths that a whole tree is shipped without. The id is that of the remaining files. */
async function without(
  directory: string,
  tree: ExportedTree,
  leavesOut: readonly string[],
): Promise<ExportedTree> {
  if (leavesOut.length === 0) return tree;
  const isLeftOut = namedBy(leavesOut);
  for (const { path } of tree.files) if (isLeftOut(path)) await rm(join(directory, path));
  const files = await filesOnDisk(directory);
  const submodules = tree.submodules.filter((path) => !isLeftOut(path));
  return { files, submodules, ids: idsOf(files, {}, [WHOLE_TREE]) };
}

/** Approved entries without content: submodules, and links that lead outside. */
async function absentIn(directory: string, { files, submodules }: ExportedTree): Promise<readonly string[]> {
  const absent = submodules.map((path) => `${path} is a submodule, whose files are not shipped`);
  const root = await realpath(directory);
  for (const { path, target } of files) {
    if (target === null) continue;
    const place = await placeOf(join(directory, path));
    if (place === null) absent.push(`${path} is a link to nothing that is shipped`);
    else if (!place.startsWith(root + sep))
      absent.push(`${path} is a link that leads out of the shipped files`);
  }
  return absent;
}

async function placeOf(link: string): Promise<string | null> {
  try {
    return await realpath(link);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(codeOf(error) ?? '')) return null;
    throw error;
  }
}
