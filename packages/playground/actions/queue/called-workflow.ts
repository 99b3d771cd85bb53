/**
 * Finds the workflow file that a job calls: in the same repository, in another one here, or in a directory that serves
 * one.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ifThereSync } from '../../world/if-there.ts';
import { findRepo } from '../../world/lookup.ts';
import type { Repo } from '../../world/state.ts';
import type { World } from '../../world/world.ts';
import { parseWorkflow } from '../workflow/parse-workflow.ts';
import type { WorkflowFile } from '../workflow/workflow-file.ts';

/** The source of a workflow file. `ref` is what the caller wrote after the `@`; null for the run's own repository. */
export type WorkflowHome =
  | { readonly kind: 'repository'; readonly repo: Repo; readonly commit: string; readonly ref: string | null }
  | {
      readonly kind: 'directory';
      readonly owner: string;
      readonly name: string;
      readonly directory: string;
      readonly ref: string;
    };

export type CalledWorkflow = { readonly home: WorkflowHome; readonly file: WorkflowFile };

/** Null when there is no such file; the caller reports the missing name. */
export type FindCalled = (uses: string, from: WorkflowHome) => Promise<CalledWorkflow | null>;

/** `directories` maps `owner/name` to the folder that serves it, for any ref (as with actions). */
export function createFindCalled(
  world: World,
  read: (repo: Repo, commit: string, path: string) => Promise<WorkflowFile | null>,
  directories: Readonly<Record<string, string>>,
): FindCalled {
  const parsed = new Map<string, { readonly source: string; readonly file: WorkflowFile }>();
  const readFromDirectory = (directory: string, file: string): WorkflowFile | null => {
    const source = ifThereSync(() => readFileSync(path.join(directory, file), 'utf8'));
    if (source === null) return null;
    const known = parsed.get(`${directory}/${file}`);
    if (known?.source === source) return known.file;
    const read = { source, file: parseWorkflow(file, source) };
    parsed.set(`${directory}/${file}`, read);
    return read.file;
  };
  const readAt = async (home: WorkflowHome, file: string): Promise<CalledWorkflow | null> => {
    const found =
      home.kind === 'directory' ? readFromDirectory(home.directory, file) : await read(home.repo, home.commit, file);
    return found === null ? null : { home, file: found };
  };
  return async (uses, from) => {
    const named = readUses(uses);
    if (named === null) return null;
    if (named.kind === 'same') return readAt(from, named.path);
    const home =
      directoryHome(directories, named) ??
      (await repositoryHome(world, named, from.kind === 'repository' ? from.repo.owner : from.owner));
    return home === null ? null : readAt(home, named.path);
  };
}

/** `owner/name` of the repository that contains a file. */
export function homeOwner(home: WorkflowHome): string {
  return home.kind === 'repository' ? home.repo.owner : home.owner;
}

/** `owner/name/.github/workflows/FILE@REF` as runner groups and `workflow_ref` name it; `runRef` for the run's own files. */
export function workflowLocation(home: WorkflowHome, file: string, runRef: string): string {
  const name = home.kind === 'repository' ? home.repo.name : home.name;
  return `${homeOwner(home)}/${name}/${file}@${home.ref ?? runRef}`;
}

type Named =
  | { readonly kind: 'same'; readonly path: string }
  | {
      readonly kind: 'other';
      readonly owner: string;
      readonly name: string;
      readonly path: string;
      readonly ref: string;
    };

/** `./` and, since 2026-07-30, `$/` refer to the repository and commit of the calling file itself. */
function readUses(uses: string): Named | null {
  const same = /^[.$]\/(\.github\/workflows\/[^/@]+\.ya?ml)$/.exec(uses)?.[1];
  if (same !== undefined) return { kind: 'same', path: same };
  const other = /^([^/@]+)\/([^/@]+)\/(\.github\/workflows\/[^/@]+\.ya?ml)@(.+)$/.exec(uses);
  if (other === null) return null;
  const [, owner = '', name = '', file = '', ref = ''] = other;
  return { kind: 'other', owner, name, path: file, ref };
}

function directoryHome(
  directories: Readonly<Record<string, string>>,
  { owner, name, ref }: Extract<Named, { kind: 'other' }>,
): WorkflowHome | null {
  const wanted = `${owner}/${name}`.toLowerCase();
  const directory = Object.entries(directories).find(([known]) => known.toLowerCase() === wanted)?.[1];
  return directory === undefined ? null : { kind: 'directory', owner, name, directory, ref };
}

/**
 * A private repository can share its workflows only with other repositories of its owner (docs: access to reusable
 * workflows).
 */
async function repositoryHome(
  world: World,
  { owner, name, ref }: Extract<Named, { kind: 'other' }>,
  callingOwner: string,
): Promise<WorkflowHome | null> {
  const repo = findRepo(world, owner, name);
  if (repo === null || (repo.private && repo.owner !== callingOwner)) return null;
  const store = world.gitOf(repo);
  const refs = await store.refs();
  const named = refs.get(`refs/tags/${ref}`) ?? refs.get(`refs/heads/${ref}`) ?? refs.get(ref);
  const commit = named ?? (/^[0-9a-f]{40}$/.test(ref) ? ref : null);
  if (commit === null || (await store.readCommit(commit)) === null) return null;
  return { kind: 'repository', repo, commit, ref };
}
