/** Removes folders in which jobs ran long ago: each launch makes a new one, and nobody else would ever take one away. */

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../host/publish-once.ts';
import { jobPaths, readClaim, readExit, readProcess } from './job-folder.ts';

/** The newest folders of local jobs stay whatever their age: a lab that rests for months finds its last outputs. */
export const TREES_KEPT = 20;
/** Outputs and checkpoints lie in the folder; who wants them longer has copied them within a month. */
const ENDED_TREE_KEPT_MS = 30 * 24 * 60 * 60_000;
/** A folder that no job took: an order lives two hours, so nothing will ever start in it a day later. */
const UNUSED_TREE_KEPT_MS = 24 * 60 * 60_000;
/** Folders looked at in one launch. */
const OLD_TREES_READ_MAX = 5_000;

type Tree = { readonly path: string; readonly wantedUntilMs: number };

/**
 * Of the folders in `trees`, those go in which a job of `jobs` ended long ago, or that no job ever took; the newest few
 * stay. Outputs lie in them, so a job of which anything cannot be told keeps its folder. Gives the removed paths.
 */
export async function removeOldTrees(trees: string, jobs: string, nowMs: number): Promise<readonly string[]> {
  const names = (await namesIn(trees)).slice(0, OLD_TREES_READ_MAX);
  if (names.length <= TREES_KEPT) return [];
  const ends = await endsByTree(jobs);
  const found: Tree[] = [];
  for (const name of names) {
    const path = join(trees, name);
    const { mtimeMs } = await stat(path);
    const ended = ends.get(path);
    // No job has it: a launch that ended before its job began, or one that is shipping at this moment.
    const wantedUntilMs = ended === undefined ? mtimeMs + UNUSED_TREE_KEPT_MS : ended + ENDED_TREE_KEPT_MS;
    found.push({ path, wantedUntilMs });
  }
  const oldest = found.toSorted((a, b) => a.wantedUntilMs - b.wantedUntilMs);
  const gone = oldest
    .slice(0, oldest.length - TREES_KEPT)
    .filter(({ wantedUntilMs }) => wantedUntilMs < nowMs);
  for (const { path } of gone) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  return gone.map(({ path }) => path);
}

/** When the job in each folder ended; not yet, or not to be told: at the end of time. */
async function endsByTree(jobs: string): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (const id of await namesIn(jobs)) {
    const paths = jobPaths(jobs, id);
    const [claim, started, exit] = [await readClaim(paths), await readProcess(paths), await readExit(paths)];
    if (claim.kind !== 'there') continue;
    const runsIn =
      started.kind === 'there' && started.value.workingDirectory !== undefined
        ? started.value.workingDirectory
        : claim.value.workingDirectory;
    const endedAtMs = exit.kind === 'there' ? exit.value.endedAtMs : Number.POSITIVE_INFINITY;
    ends.set(runsIn, Math.max(endedAtMs, ends.get(runsIn) ?? 0));
  }
  return ends;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.flatMap((entry) =>
      entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : [],
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
