/** The changed files between two trees in memory, with renames and patches. */

import type { FileChange, Sha, TreeEntry } from './git-store.ts';
import { type LinePatch, linePatch } from './line-patch.ts';
import { detectRenames, type Moved } from './rename-detection.ts';
import { type FileSide, type RawChange, treeChanges } from './tree-changes.ts';

type Contents = { readonly treeOf: (tree: Sha) => readonly TreeEntry[]; readonly blobOf: (blob: Sha) => Uint8Array };

/** What `git diff -M` lists between two trees, ordered by (new) path. */
export function memoryDiff(contents: Contents, before: Sha, after: Sha): readonly FileChange[] {
  const changes = treeChanges(contents.treeOf, before, after);
  const origins = detectRenames(
    changes.flatMap(({ path, before: was, after: is }): readonly Moved[] =>
      was !== null && is === null ? [{ path, side: was }] : [],
    ),
    changes.flatMap(({ path, before: was, after: is }): readonly Moved[] =>
      was === null && is !== null ? [{ path, side: is }] : [],
    ),
    ({ side }) => readContent(contents, side),
  );
  const sources = new Map(changes.map((change) => [change.path, change.before]));
  const moved = new Set(origins.values());
  return changes
    .filter(({ path, after: is }) => is !== null || !moved.has(path))
    .map((change) => {
      const origin = origins.get(change.path) ?? null;
      const was = origin === null ? change.before : (sources.get(origin) ?? null);
      return toFileChange(contents, { ...change, before: was }, origin);
    });
}

function toFileChange(contents: Contents, change: RawChange, previousPath: string | null): FileChange {
  const { path, before, after } = change;
  const shown = after ?? before;
  return {
    path,
    previousPath,
    status: changeStatus(change, previousPath),
    ...buildPatch(contents, before, after),
    blobSha: shown === null || shown.mode === '160000' ? null : shown.sha,
  };
}

function changeStatus({ before, after }: RawChange, previousPath: string | null): FileChange['status'] {
  if (previousPath !== null) return 'renamed';
  if (before === null) return 'added';
  return after === null ? 'removed' : 'modified';
}

/** A file that changes its type (to a link, a submodule) is removed and added, as in git's output. */
function buildPatch(contents: Contents, before: FileSide | null, after: FileSide | null): LinePatch {
  const nothing = new Uint8Array();
  const old = before === null ? nothing : readContent(contents, before);
  const now = after === null ? nothing : readContent(contents, after);
  if (before === null || after === null || sideKind(before) === sideKind(after)) return linePatch(old, now);
  const [removal, addition] = [linePatch(old, nothing), linePatch(nothing, now)];
  const patches = [removal.patch, addition.patch].filter((patch) => patch !== null);
  return {
    additions: addition.additions,
    deletions: removal.deletions,
    patch: patches.length === 0 ? null : patches.join('\n'),
  };
}

function readContent(contents: Contents, side: FileSide): Uint8Array {
  return side.mode === '160000' ? Buffer.from(`Subproject commit ${side.sha}\n`) : contents.blobOf(side.sha);
}

function sideKind(side: FileSide): string {
  return side.mode.slice(0, 3);
}
