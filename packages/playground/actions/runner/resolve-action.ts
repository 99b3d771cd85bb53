/** Resolves a step's `uses:`: the native checkout, a local action, or a directory that serves a repository. */

import path from 'node:path';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { findBundle } from './action-bundles.ts';
import { type ActionManifest, readActionManifest } from './action-manifest.ts';
import { CHECKOUT } from './checkout.ts';

export type ResolvedAction = {
  readonly kind: 'checkout' | 'remote' | 'local';
  readonly uses: string;
  readonly directory: string | null;
  /** Null for checkout, and where functions replace actions that are not on disk. */
  readonly manifest: ActionManifest | null;
  readonly repository: string | null;
  readonly ref: string | null;
  /** True for ferrybot itself: it looks its server up by name, so it gets the name that this machine can resolve. */
  readonly isOurs: boolean;
};

export type ActionSources = {
  /** Maps `owner/repo` to the directory that serves it. */
  readonly directories: Readonly<Record<string, string>>;
  /** A folder with third-party actions, or null. */
  readonly bundles: string | null;
  /** False where functions replace actions: then an action needs no directory. */
  readonly required: boolean;
};

/**
 * A remote action, resolved before the first step runs; null for `./path`. Throws WorkflowFault with the missing name.
 */
export async function resolveRemote(uses: string, sources: ActionSources): Promise<ResolvedAction | null> {
  if (uses.startsWith('./')) return null;
  const found = /^([^/@]+\/[^/@]+)((?:\/[^@]*)?)@(.+)$/.exec(uses);
  if (found === null) {
    throw new WorkflowFault(`The playground cannot run '${uses}': expected owner/repository[/path]@ref or ./path`);
  }
  const [, repository = '', inside = '', ref = ''] = found;
  if (repository.toLowerCase() === CHECKOUT && inside === '') {
    return { kind: 'checkout', uses, directory: null, manifest: null, repository, ref, isOurs: false };
  }
  const ours = findDirectory(repository, sources);
  const root = ours ?? findBundle(sources.bundles, repository, ref);
  if (root === null) {
    if (!sources.required) {
      return { kind: 'remote', uses, directory: null, manifest: null, repository, ref, isOurs: false };
    }
    throw new WorkflowFault(`Unable to resolve action '${uses}': the playground has no directory for ${repository}`);
  }
  const directory = path.join(root, inside);
  if (path.relative(root, directory).startsWith('..')) {
    throw new WorkflowFault(`Unable to resolve action '${uses}': its path leads out of ${repository}`);
  }
  const manifest = readActionManifest(directory, uses);
  return { kind: 'remote', uses, directory, manifest, repository, ref, isOurs: ours !== null };
}

/** A local action, resolved after the checkout has put it into the workspace. */
export async function resolveLocal(uses: string, workspace: string, sources: ActionSources): Promise<ResolvedAction> {
  const directory = path.resolve(workspace, uses);
  const manifest = sources.required ? readActionManifest(directory, uses) : null;
  return { kind: 'local', uses, directory, manifest, repository: null, ref: null, isOurs: false };
}

function findDirectory(repository: string, sources: ActionSources): string | null {
  const wanted = repository.toLowerCase();
  const found = Object.entries(sources.directories).find(([name]) => name.toLowerCase() === wanted);
  return found?.[1] ?? null;
}
