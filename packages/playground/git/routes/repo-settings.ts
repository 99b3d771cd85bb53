/**
 * Routes with which administrators change a repository and its collaborators (docs.github.com/rest/repos and
 * /collaborators).
 */

import * as z from 'zod';
import {
  type Answer,
  failedAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import { type ActorCall, actRoute, type Route, readRoute, repoAccess, writeRoute } from '../../api/route.ts';
import { userRole } from '../../identity/permissions.ts';
import type { Role } from '../../identity/state-people.ts';
import { rereadRepo } from '../../threads/threads.ts';
import { findUser, userById } from '../../world/lookup.ts';
import type { Repo } from '../../world/state.ts';
import { branchTip } from '../resolve-commit.ts';
import { shapeFullRepo } from '../shape-repo.ts';

const administer = repoAccess('administration:write', 'admin');
const metadata = repoAccess('metadata:read', 'public');

/**
 * The supported settings. Any other field of GitHub's must have the repository's fixed value, or it is rejected by
 * name.
 */
const changes = z.looseObject({
  description: z.string().nullish(),
  homepage: z.string().nullish(),
  private: z.boolean().optional(),
  visibility: z.enum(['public', 'private']).optional(),
  default_branch: z.string().optional(),
  allow_merge_commit: z.boolean().optional(),
  allow_squash_merge: z.boolean().optional(),
  allow_rebase_merge: z.boolean().optional(),
  delete_branch_on_merge: z.boolean().optional(),
});
const served = Object.keys(changes.shape);
/** By the API's names, and by role names. */
const permissions: Readonly<Record<string, Role>> = {
  pull: 'read',
  triage: 'triage',
  push: 'write',
  maintain: 'maintain',
  admin: 'admin',
};
const inviting = z.object({ permission: z.string().default('push') });

export const repoSettingsRoutes: readonly Route[] = [
  writeRoute('PATCH', '', administer, changes, updateRepo),
  writeRoute('PUT', '/collaborators/:login', administer, inviting, addCollaborator),
  actRoute('DELETE', '/collaborators/:login', administer, (call) => {
    const user = findUser(call.world, call.params['login'] ?? '');
    if (user === null) return notFoundAnswer();
    const repo = rereadRepo(call);
    const { [user.id]: _gone, ...collaborators } = repo.collaborators;
    call.world.state.repos[repo.id] = { ...repo, collaborators };
    return noContentAnswer();
  }),
  readRoute('/topics', metadata, () => okAnswer({ names: [] })),
  readRoute('/languages', metadata, () => okAnswer({})),
];

async function updateRepo(call: ActorCall, body: z.infer<typeof changes>): Promise<Answer> {
  const now = shapeFullRepo(call.world, call.repo, 'admin');
  const other = Object.keys(body).filter((key) => !served.includes(key) && body[key] !== now[key]);
  if (other.length > 0) return failedAnswer(501, `THE PLAYGROUND DOES NOT CHANGE ${other.join(', ')} of a repository`);
  if (body.default_branch !== undefined) {
    const tip = await branchTip(call.world.gitOf(call.repo), body.default_branch);
    if (tip === null)
      return unprocessableAnswer(
        `Cannot update default branch because the branch ${body.default_branch} does not exist.`,
      );
  }
  const repo = rereadRepo(call);
  const before = repo.options ?? {};
  const options = {
    mergeCommit: body.allow_merge_commit ?? before.mergeCommit ?? true,
    squashMerge: body.allow_squash_merge ?? before.squashMerge ?? true,
    rebaseMerge: body.allow_rebase_merge ?? before.rebaseMerge ?? true,
    deleteBranchOnMerge: body.delete_branch_on_merge ?? before.deleteBranchOnMerge ?? false,
    homepage: body.homepage === undefined ? (before.homepage ?? null) : body.homepage,
  };
  if (!options.mergeCommit && !options.squashMerge && !options.rebaseMerge)
    return invalidAnswer([
      { resource: 'Repository', field: 'merge_commit_allowed', code: 'custom', message: noMethodLeft },
    ]);
  const next: Repo = {
    ...repo,
    description: body.description === undefined ? repo.description : body.description,
    private: body.private ?? (body.visibility === undefined ? repo.private : body.visibility === 'private'),
    defaultBranch: body.default_branch ?? repo.defaultBranch,
    options,
  };
  call.world.state.repos[repo.id] = next;
  return okAnswer(shapeFullRepo(call.world, next, userRole(next, call.actor.id) ?? 'admin'));
}

const noMethodLeft = 'Sorry, you need to allow at least one merge strategy. (no_merge_method)';

/** In an organization, every account counts as a member and is added immediately, without an invitation. */
function addCollaborator(call: ActorCall, { permission }: z.infer<typeof inviting>): Answer {
  const user = findUser(call.world, call.params['login'] ?? '');
  if (user === null || user.type !== 'User') return notFoundAnswer();
  const role = permissions[permission];
  if (role === undefined) return invalidAnswer([{ resource: 'Repository', field: 'permission', code: 'invalid' }]);
  const repo = rereadRepo(call);
  const isIn = userRole(repo, user.id) !== null;
  if (!isIn && userById(call.world, repo.ownerId).type !== 'Organization')
    return failedAnswer(501, 'THE PLAYGROUND HAS NO INVITATIONS: the repository belongs to a person');
  call.world.state.repos[repo.id] = { ...repo, collaborators: { ...repo.collaborators, [user.id]: role } };
  return noContentAnswer();
}
