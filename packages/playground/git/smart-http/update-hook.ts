/**
 * git's `update` hook (git-scm.com/docs/githooks): `update-hook.ts REF OLD NEW` exits with 1 where the policy forbids
 * the move.
 */

import { execa } from 'execa';
import { findBarrier, pushPolicySchema } from './push-policy.ts';
import { type WorkflowFiles, workflowFolder, writesWorkflows } from './workflow-files.ts';

const [ref = '', before = '', after = ''] = process.argv.slice(2);
const policy = pushPolicySchema.parse(JSON.parse(process.env['PLAYGROUND_POLICY'] ?? '[]'));
const broken = await findBarrier(policy, { ref, before, after }, { isForward, writesWorkflows: writes });
if (broken !== null) {
  process.stderr.write(`error: ${broken.words} for ${ref}.\n`);
  process.exitCode = 1;
}

async function isForward(): Promise<boolean> {
  // 1 = not an ancestor; any other code is an error of git, and then nothing may pass.
  const { exitCode } = await execa('git', ['merge-base', '--is-ancestor', before, after], { reject: false });
  return exitCode === 0;
}

async function writes(): Promise<boolean> {
  return writesWorkflows(
    /^0+$/.test(before) ? null : await workflowsAt(before),
    await workflowsAt(after),
    () => workflowsAt('HEAD'),
    async () => {
      const { stdout } = await execa('git', ['for-each-ref', '--format=%(objectname)', 'refs/heads/']);
      return Promise.all(stdout.split('\n').filter(Boolean).map(workflowsAt));
    },
  );
}

/** Empty for a commit without that folder, or an object that is not a commit. */
async function workflowsAt(commit: string): Promise<WorkflowFiles> {
  const found = await execa('git', ['ls-tree', '-r', '-z', commit, '--', `${workflowFolder}/`], { reject: false });
  const rows = found.stdout.split('\0').flatMap((row) => {
    const [, sha, path] = /^\d+ \w+ ([0-9a-f]+)\t(.*)$/s.exec(row) ?? [];
    return sha === undefined || path === undefined ? [] : [[path, sha] as const];
  });
  return new Map(rows);
}
