/** Lints the cluster files of a branch before it is merged: set-up commands that write where a bucket may not be mounted (policy AG-20). */

import { lintClusterFile, unreadFinding } from '../../care/infra/lint.ts';
import { traitsOf } from '../../config/engine-traits.ts';
import type { Sha } from '../../domain/ids.ts';
import { type LintedFile, renderInfraCheck } from '../../render/check.ts';
import type { LabConfig } from '../../run/lane-scope.ts';
import type { OpenLab } from '../open-lab.ts';
import type { Branch } from './branch.ts';
import { perform } from './perform.ts';

/** Cluster files of one branch that are linted, and how long each may be: a fork may send anything. */
export const INFRA_FILES_MAX = 30;
/** All cluster files of one look together: thirty of the longest would take half a minute. */
const INFRA_LOOK_CHARACTERS_MAX = 200_000;

/** A file of the branch's head. */
export type InfraText = { readonly path: string; readonly text: string };

/** Puts the check on a branch's head that changes cluster files; whether it stands there. */
export async function checkInfra(open: OpenLab, { head, fork }: Branch): Promise<boolean> {
  const changed = (await open.git.changedPaths(fork, head)).filter((path) => isInfraFile(open.config, path));
  const files: InfraText[] = [];
  for (const path of changed.slice(0, INFRA_FILES_MAX)) {
    const text = await open.git.readText(head, path);
    if (text !== null) files.push({ path, text });
  }
  const unread = Math.max(0, changed.length - INFRA_FILES_MAX);
  return (await putInfraCheck(open, head, files, unread)) === 'put';
}

/** A file that the config in force names, or any YAML file of `infra/`. */
export function isInfraFile(config: LabConfig, path: string): boolean {
  return mountPointsOf(config, path).length > 0 || /^infra\/[^/]+\.ya?ml$/.test(path);
}

/** Puts the check for these files on a commit. `unread`: how many more it changes. */
export async function putInfraCheck(
  open: OpenLab,
  head: Sha,
  files: readonly InfraText[],
  unread: number,
): Promise<'put' | 'not-put' | 'nothing-to-say'> {
  const linted = lintTogether(open.config, files);
  if (linted.length === 0 && unread === 0) return 'nothing-to-say';
  const outcome = await perform(open, {
    kind: 'put-check-run',
    check: 'infra',
    head,
    externalId: 'infra',
    existing: null,
    ...renderInfraCheck(linted, unread),
  });
  return outcome.kind === 'done' ? 'put' : 'not-put';
}

/** What is found in the files of one commit. A fork may send thirty of the longest: together they have a bound. */
export function lintTogether(config: LabConfig, files: readonly InfraText[]): readonly LintedFile[] {
  let characters = 0;
  return files
    .filter((file) => isCluster(config, file))
    .map((file): LintedFile => {
      characters += file.text.length;
      return characters > INFRA_LOOK_CHARACTERS_MAX
        ? { path: file.path, findings: [unreadFinding({ line: 1, what: LOOK_TOO_LARGE })] }
        : lint(config, file);
    });
}

const LOOK_TOO_LARGE = `not judged: too large: this commit's cluster files have more than ${INFRA_LOOK_CHARACTERS_MAX} characters`;

/** Other YAML may lie in `infra/`: a file that the config does not name is a cluster's where it has lists of commands. */
function isCluster(config: LabConfig, { path, text }: InfraText): boolean {
  return mountPointsOf(config, path).length > 0 || text.includes('_commands');
}

function lint(config: LabConfig, { path, text }: InfraText): LintedFile {
  return { path, findings: lintClusterFile(text, mountPointsOf(config, path)) };
}

/** Mount points of the clusters whose file this is. */
function mountPointsOf(config: LabConfig, path: string): readonly string[] {
  return Object.keys(config.clusters).flatMap((cluster) => {
    const disk = traitsOf(config, cluster)?.machines?.disk ?? null;
    return disk?.clusterFile === path ? [disk.mountPoint] : [];
  });
}
