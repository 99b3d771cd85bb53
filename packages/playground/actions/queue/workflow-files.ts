/** Reads and parses workflow files from git, with a cache: the files of a commit never change. */

import { entryAt } from '../../git/store/git-trees.ts';
import { actions } from '../../limits/limits.ts';
import type { Repo } from '../../world/state.ts';
import type { World } from '../../world/world.ts';
import { brokenWorkflow, parseWorkflow } from '../workflow/parse-workflow.ts';
import type { WorkflowFile } from '../workflow/workflow-file.ts';
import { createFindCalled, type FindCalled } from './called-workflow.ts';

export type SourceFile = { readonly path: string; readonly source: string; readonly file: WorkflowFile };

const DIRECTORY = '.github/workflows';

export type WorkflowFiles = {
  /** Every workflow file of a commit; empty when the commit or the folder does not exist. */
  readonly all: (repo: Repo, commit: string) => Promise<readonly SourceFile[]>;
  readonly one: (repo: Repo, commit: string, path: string) => Promise<SourceFile | null>;
  /** The file behind `uses:` of a job that calls a workflow. */
  readonly called: FindCalled;
};

function tooLongProblem(path: string, bytes: number): string {
  return `${path}: a workflow file has at most ${actions.workflowFileBytes} bytes, this one ${bytes}`;
}

/** Files by commit, parsed once per blob. `directories`: folders that serve repositories outside this world. */
export function createWorkflowFiles(world: World, directories: Readonly<Record<string, string>>): WorkflowFiles {
  const parsed = new Map<string, SourceFile>();
  const commits = new Map<string, readonly SourceFile[]>();

  const readBlob = async (repo: Repo, sha: string, path: string): Promise<SourceFile> => {
    const key = `${repo.id}:${sha}:${path}`;
    const known = parsed.get(key);
    if (known !== undefined) return known;
    const bytes = await world.gitOf(repo).readBlob(sha);
    if (bytes === null) throw new Error(`blob ${sha} of ${path} is named by a tree and is not there`);
    const source = new TextDecoder().decode(bytes);
    const tooLong = bytes.length > actions.workflowFileBytes;
    const read = tooLong ? brokenWorkflow(path, [tooLongProblem(path, bytes.length)]) : null;
    const file = { path, source: tooLong ? '' : source, file: read ?? parseWorkflow(path, source) };
    parsed.set(key, file);
    return file;
  };

  const all = async (repo: Repo, commit: string): Promise<readonly SourceFile[]> => {
    const key = `${repo.id}:${commit}`;
    const known = commits.get(key);
    if (known !== undefined) return known;
    const files = await read(repo, commit);
    // The newest commits are read often, old ones rarely.
    for (const [oldest] of [...commits].slice(0, commits.size - actions.commitsRemembered)) commits.delete(oldest);
    commits.set(key, files);
    return files;
  };

  const read = async (repo: Repo, commit: string): Promise<readonly SourceFile[]> => {
    const store = world.gitOf(repo);
    const found = await store.readCommit(commit);
    const folder = found === null ? null : await entryAt(store, found.tree, DIRECTORY);
    const entries = folder === null ? null : await store.readTree(folder.sha);
    const files: SourceFile[] = [];
    for (const entry of (entries ?? []).slice(0, actions.workflowFiles)) {
      if (entry.type !== 'blob' || !/\.ya?ml$/.test(entry.name)) continue;
      files.push(await readBlob(repo, entry.sha, `${DIRECTORY}/${entry.name}`));
    }
    return files;
  };

  const one = async (repo: Repo, commit: string, path: string): Promise<SourceFile | null> =>
    (await all(repo, commit)).find((file) => file.path === path) ?? null;

  const fileAt = async (repo: Repo, commit: string, path: string): Promise<WorkflowFile | null> =>
    (await one(repo, commit, path))?.file ?? null;

  return { all, one, called: createFindCalled(world, fileAt, directories) };
}
