/** Moves refs for the API: protections and workflow files are guarded, git decides, and what follows is recorded. */

import { viaAppOf } from '../identity/identity.ts';
import { holds, pushRefusedBy } from '../identity/permissions.ts';
import { breachWords, breaksProtection, brokenRule, type RuleBreach } from '../rules/push-rules.ts';
import { type Act, freshRepo } from '../threads/threads.ts';
import { isPullRef } from './pull-refs.ts';
import { type MovedRef, recordPush } from './pushes.ts';
import type { RefOutcome, RefUpdate } from './store/git-store.ts';

export type MoveOutcome = RefOutcome | 'protected' | 'hidden-ref' | 'workflows-permission' | RuleBreach;

const workflowFolder = '.github/workflows/';

/** One ref, with the compare-and-set of `RefUpdate`; nothing is recorded unless git has moved it. */
export async function moveRef(
  act: Act,
  update: RefUpdate,
  at: 'push' | 'merge' = 'push',
): Promise<MoveOutcome> {
  if (isPullRef(update.ref)) return 'hidden-ref';
  const store = act.world.gitOf(act.repo);
  const before = (await store.refs(update.ref)).get(update.ref) ?? null;
  const refusal = await refusePush(act, { ref: update.ref, before, after: update.sha }, at);
  if (refusal !== null) return refusal;
  const outcome = await store.updateRef(update);
  if (outcome === 'updated') await recordPush(act, [{ ref: update.ref, before, after: update.sha }]);
  return outcome;
}

/** Why a push is refused before git is asked; also for pushes by the git program. */
export async function refusePush(
  act: Act,
  moved: MovedRef,
  at: 'push' | 'merge' = 'push',
): Promise<'protected' | 'workflows-permission' | RuleBreach | null> {
  const repo = freshRepo(act);
  if (moved.ref.startsWith('refs/heads/')) {
    const branch = moved.ref.slice('refs/heads/'.length);
    if (pushRefusedBy(repo, branch, act.actor.id) !== null) return 'protected';
  }
  const change = { ...moved, isForward: await isForward(act, moved) };
  if (breaksProtection(act.world, repo, change, at)) return 'protected';
  const broken = brokenRule(act.world, repo, act.caller, change, at);
  if (broken !== null) return broken;
  if (moved.after === null || viaAppOf(act.caller) === null || mayChangeWorkflows(act)) return null;
  return (await touchesWorkflows(act, moved)) ? 'workflows-permission' : null;
}

/** An object that git does not have is git's to refuse. */
async function isForward(act: Act, { before, after }: MovedRef): Promise<boolean> {
  if (before === null || after === null) return true;
  const store = act.world.gitOf(act.repo);
  return (await store.readCommit(after)) === null || store.isAncestor(before, after);
}

/** Apps need the permission `workflows` for files under .github/workflows/; a workflow's own token never has it. */
function mayChangeWorkflows(act: Act): boolean {
  return act.caller.kind === 'installation' && holds(act.caller.permissions, 'workflows:write');
}

async function touchesWorkflows(act: Act, moved: MovedRef): Promise<boolean> {
  const { after } = moved;
  if (after === null || (await act.world.gitOf(act.repo).readCommit(after)) === null) return false;
  const store = act.world.gitOf(act.repo);
  const mainRef = `refs/heads/${act.repo.defaultBranch}`;
  const main = (await store.refs(mainRef)).get(mainRef) ?? null;
  if (main !== null && (await store.isAncestor(after, main))) return false;
  const from = moved.before ?? (main === null ? null : await store.mergeBase(main, after));
  if (from === null) return false;
  const files = await store.diff(from, after);
  return files.some(
    (file) => file.path.startsWith(workflowFolder) || file.previousPath?.startsWith(workflowFolder),
  );
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
    case 'hidden-ref':
      return `${ref} is kept by GitHub and cannot be updated.`;
    case 'workflows-permission':
      return 'refusing to allow a GitHub App to create or update workflow files without `workflows` permission';
  }
}
