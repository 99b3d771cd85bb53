/** Moves refs for the API: checks protections and workflow files, lets git decide, and records the consequences. */

import { canChangeWorkflows, findRefusingProtection } from '../identity/permissions.ts';
import { github } from '../limits/limits.ts';
import { breachWords, breaksProtection, findBrokenRule, type RuleBreach } from '../rules/push-rules.ts';
import { type Act, rereadRepo } from '../threads/threads.ts';
import { isPullRef } from './pull-refs.ts';
import { type MovedRef, recordPush } from './pushes.ts';
import { type WorkflowFiles, workflowFolder, writesWorkflows } from './smart-http/workflow-files.ts';
import type { GitStore, RefOutcome, RefUpdate } from './store/git-store.ts';
import { entryAt, listTree } from './store/git-trees.ts';

export type MoveOutcome =
  | RefOutcome
  | 'default-branch'
  | 'protected'
  | 'hidden-ref'
  | 'workflows-permission'
  | RuleBreach;

/** Moves one ref with the compare-and-set of `RefUpdate`. Nothing is recorded unless git moved it. */
export async function moveRef(act: Act, update: RefUpdate, at: 'push' | 'merge' = 'push'): Promise<MoveOutcome> {
  if (isPullRef(update.ref)) return 'hidden-ref';
  if (update.sha === null && update.ref === `refs/heads/${act.repo.defaultBranch}`) return 'default-branch';
  const store = act.world.gitOf(act.repo);
  const before = (await store.refs(update.ref)).get(update.ref) ?? null;
  const refusal = await refusePush(act, { ref: update.ref, before, after: update.sha }, at);
  if (refusal !== null) return refusal;
  const outcome = await store.updateRef(update);
  if (outcome === 'updated') await recordPush(act, [{ ref: update.ref, before, after: update.sha }], at);
  return outcome;
}

/** Why a move is refused before git is called. rules/push-policy.ts checks pushes by the git program. */
export async function refusePush(
  act: Act,
  moved: MovedRef,
  at: 'push' | 'merge' = 'push',
): Promise<'protected' | 'workflows-permission' | RuleBreach | null> {
  const repo = rereadRepo(act);
  if (moved.ref.startsWith('refs/heads/')) {
    const branch = moved.ref.slice('refs/heads/'.length);
    if (findRefusingProtection(repo, branch, act.actor.id) !== null) return 'protected';
  }
  const change = { ...moved, isForward: await isForward(act, moved) };
  if (breaksProtection(act.world, repo, change, at)) return 'protected';
  const broken = findBrokenRule(act.world, repo, act.caller, change, at);
  if (broken !== null) return broken;
  if (moved.after === null || canChangeWorkflows(act.caller)) return null;
  return (await touchesWorkflows(act, moved)) ? 'workflows-permission' : null;
}

/** True for a missing object, which git itself refuses later. */
async function isForward(act: Act, { before, after }: MovedRef): Promise<boolean> {
  if (before === null || after === null) return true;
  const store = act.world.gitOf(act.repo);
  return (await store.readCommit(after)) === null || store.isAncestor(before, after);
}

async function touchesWorkflows(act: Act, moved: MovedRef): Promise<boolean> {
  const store = act.world.gitOf(act.repo);
  const after = moved.after === null ? null : await workflowsAt(store, moved.after);
  if (after === null) return false;
  const before = moved.before === null ? null : await workflowsAt(store, moved.before);
  const tips = async (): Promise<ReadonlyMap<string, string>> => store.refs('refs/heads/');
  const at = async (sha: string | undefined): Promise<WorkflowFiles> =>
    (sha === undefined ? null : await workflowsAt(store, sha)) ?? new Map();
  return writesWorkflows(
    before,
    after,
    async () => at((await tips()).get(`refs/heads/${act.repo.defaultBranch}`)),
    async () => Promise.all([...(await tips()).values()].map(at)),
  );
}

/** Null: the object is not a commit, and git refuses it later. */
async function workflowsAt(store: GitStore, sha: string): Promise<WorkflowFiles | null> {
  const commit = await store.readCommit(sha);
  if (commit === null) return null;
  const folder = await entryAt(store, commit.tree, workflowFolder);
  if (folder?.type !== 'tree') return new Map();
  const listing = await listTree(store, folder.sha, { recursive: true, limit: github.treeEntries });
  const files = (listing?.entries ?? []).filter(({ type }) => type !== 'tree');
  return new Map(files.map((one) => [`${workflowFolder}/${one.path}`, one.sha]));
}

/** The message of a refused move, for REST and GraphQL. */
export function moveMessage(outcome: Exclude<MoveOutcome, 'updated'>, ref: string): string {
  switch (outcome) {
    case 'rule/creation':
    case 'rule/deletion':
    case 'rule/update':
    case 'rule/non_fast_forward':
    case 'rule/pull_request':
    case 'rule/required_status_checks':
      return `Repository rule violations found\n\n${breachWords[outcome]}\n\n`;
    case 'not-fast-forward':
      return 'Update is not a fast forward';
    case 'stale':
      return `Reference ${ref} is not at the expected value`;
    case 'missing-object':
      return 'Object does not exist';
    case 'bad-name':
      return `${ref} is not a valid ref name.`;
    case 'protected':
      return `Cannot update this protected ref ${ref}.`;
    case 'default-branch':
      return 'Cannot delete the default branch';
    case 'hidden-ref':
      return `${ref} is kept by GitHub and cannot be updated.`;
    case 'workflows-permission':
      return 'refusing to allow a GitHub App to create or update workflow files without `workflows` permission';
  }
}
