/** Lints the cluster files of a branch before its merge: setup commands that write where a bucket may not be mounted (policy AG-20). */

import { lintClusterFile, unreadFinding } from '../../care/infra/lint.ts';
import { traitsOf } from '../../config/engine-traits.ts';
import type { Sha } from '../../domain/ids.ts';
import { type LintedFile, renderInfraCheck } from '../../render/check.ts';
import type { LabConfig } from '../../run/lane-scope.ts';
import type { OpenLab } from '../open-lab.ts';
import { perform } from './perform.ts';

/** Cluster files of one branch that are linted. */
export const INFRA_FILES_MAX = 30;
/** Thirty files of the maximum size would take half a minute. */
const INFRA_LOOK_CHARACTERS_MAX = 200_000;

/** A file of the branch's head. */
type InfraText = { readonly path: string; readonly text: string };

/** A branch that was pushed to; `fork` is where it left the default branch. */
export type Branch = { readonly head: Sha; readonly fork: Sha };

/** Puts the check on a head that changes cluster files. Returns whether the check is on it. */
export async function checkInfra(open: OpenLab, { head, fork }: Branch): Promise<boolean> {
  const changed = (await open.git.changedPaths(fork, head)).filter((path) => isInfraFile(open.config, path));
  const files: InfraText[] = [];
  for (const path of changed.slice(0, INFRA_FILES_MAX)) {
    const text = await open.git.readText(head, path);
    if (text !== null) files.push({ path, text });
  }
  const unread = Math.max(0, changed.length - INFRA_FILES_MAX);
  const linted = lintTogether(open.config, files);
  if (linted.length === 0 && unread === 0) return false;
  const outcome = await perform(open, {
    kind: 'put-check-run',
    check: 'infra',
    head,
    externalId: 'infra',
    existing: null,
    ...renderInfraCheck(linted, unread),
  });
  return outcome.kind === 'done';
}

/** A file that the config names, or a YAML file in `infra/`. */
function isInfraFile(config: LabConfig, path: string): boolean {
  return mountPointsOf(config, path).length > 0 || /^infra\/[^/]+\.ya?ml$/.test(path);
}
/** Lints the files of one commit, up to a total size. */
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

/** `infra/` may hold other YAML. A file that the config does not name needs command lists to count. */
function isCluster(config: LabConfig, { path, text }: InfraText): boolean {
  return mountPointsOf(config, path).length > 0 || text.includes('_commands');
}

function lint(config: LabConfig, { path, text }: InfraText): LintedFile {
  return { path, findings: lintClusterFile(text, mountPointsOf(config, path)) };
}

function mountPointsOf(config: LabConfig, path: string): readonly string[] {
  return Object.keys(config.clusters).flatMap((cluster) => {
    const disk = traitsOf(config, cluster)?.machines?.disk ?? null;
    return disk?.clusterFile === path ? [disk.mountPoint] : [];
  });
}
