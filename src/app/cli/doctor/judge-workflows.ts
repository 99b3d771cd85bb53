/** Judges the workflow files of the default branch by their text. */

import { type LabConfig, lanesOf } from '../../../run/lane-scope.ts';
import { configSecrets } from '../../secret-registry.ts';

export const WORKFLOWS = '.github/workflows';
/** The text of every workflow file of the default branch by path. */
export type WorkflowFiles = ReadonlyMap<string, string>;

/** The placeholder in the example workflows. */
const EXAMPLE_COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** Missing files, and uses of ferrybot that do not name one commit: two versions may read an order differently. */
export function workflowFaults(config: LabConfig, files: WorkflowFiles): readonly string[] {
  const { launch, watch, stop, fix } = config.workflows;
  const hasFixer = lanesOf(config).some(({ kind, lane }) => kind.fixes?.(lane).fixer != null);
  const absent = [launch, watch, stop, ...(hasFixer ? [fix] : [])]
    .filter((name) => !files.has(`${WORKFLOWS}/${name}`))
    .map((name) => `there is no ${name}`);
  const used = [...files.values()].flatMap((text) => [
    ...text.matchAll(/\buses: *[^/\s]+\/ferrybot(?:\/[^@\s]*)?@([^\s}]+)/g),
  ]);
  const commits = [...new Set(used.map(([, commit = '']) => commit))];
  if (commits.includes(EXAMPLE_COMMIT)) return [...absent, "the example's placeholder is still there"];
  const isPinned = commits.length === 1 && /^[0-9a-f]{40}$/.test(commits[0] ?? '');
  return isPinned ? absent : [...absent, `ferrybot is used as ${commits.join(', ') || 'nothing'}`];
}

/** Secrets that a job needs and does not name. */
export function workflowSecretFaults(config: LabConfig, files: WorkflowFiles): readonly string[] {
  const needed = configSecrets(config);
  const jobs = [...files].flatMap(([path, text]) => text.split(/^(?= {2}\w)/m).map((job) => ({ path, job })));
  return jobs.flatMap(({ path, job }) =>
    needed
      .filter(
        ({ secret, modes }) =>
          modes.some((mode) => new RegExp(`\\bmode: ${mode}\\b`).test(job)) &&
          !new RegExp(`\\bsecrets\\.${secret}\\b`).test(job),
      )
      .map(({ secret, use }) => `a job in ${path} does not name ${secret}, ${use}`),
  );
}

/** The workflow file to pin a runner group to: the one that the launch workflow calls, or `own`. */
export function launchLocation({ workflows }: LabConfig, files: WorkflowFiles, own: string): string {
  const text = files.get(`${WORKFLOWS}/${workflows.launch}`) ?? '';
  return /\buses: *([^/\s]+\/ferrybot\/\.github\/workflows\/launch\.yml@[^\s}]+)/.exec(text)?.[1] ?? own;
}
