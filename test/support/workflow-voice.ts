/**
 * What a user with write access can do to comments: post as github-actions[bot] through a workflow, edit,
 * delete.
 */

import { z } from 'zod';
import { openPull } from '../../packages/playground/pulls/open-pull.ts';
import { setLabels } from '../../packages/playground/threads/label-changes.ts';
import {
  type Act,
  addComment,
  createAuthored,
  deleteComment,
  editComment,
  emitIssue,
  putIssue,
  reloadThread,
  takeNumber,
} from '../../packages/playground/threads/threads.ts';
import { actionsApp, findIssue, findRepo, findUser, requireRow } from '../../packages/playground/world/lookup.ts';
import type { Person } from '../../packages/playground/world/seed.ts';
import type { VirtualLab } from './virtual-lab.ts';

/** A comment by a job of one of the repository's workflows, pushed by any user; returns its id. */
export async function sayAsWorkflow(lab: VirtualLab, thread: number, body: string): Promise<number> {
  const act = workflowOf(lab);
  const comment = await addComment(act, issueOf(act, thread), body);
  await lab.clock.settle();
  return comment.id;
}

/** Such a job edits a comment of github-actions[bot], which may be ferrybot's. */
export async function editAsWorkflow(lab: VirtualLab, id: number, body: string): Promise<void> {
  const act = workflowOf(lab);
  const comment = requireRow(lab.world.state.comments[id], 'the comment');
  await editComment(act, issueOf(act, comment.issueNumber), comment, body);
  await lab.clock.settle();
}

/** Such a job deletes a comment. */
export async function deleteAsWorkflow(lab: VirtualLab, id: number): Promise<void> {
  const act = workflowOf(lab);
  const comment = requireRow(lab.world.state.comments[id], 'the comment');
  await deleteComment(act, issueOf(act, comment.issueNumber), comment);
  await lab.clock.settle();
}

/** A person with write access edits any comment. */
export async function editAs(lab: VirtualLab, who: Person, id: number, body: string): Promise<void> {
  await lab.as(who, 'PATCH', `/issues/comments/${id}`, { body });
}

/** A person with write access hides ("minimizes") any comment, or shows it again. */
export async function hideAs(
  lab: Pick<VirtualLab, 'as'>,
  who: Person,
  id: number,
  to: 'hidden' | 'visible' = 'hidden',
): Promise<void> {
  const { node_id } = z.object({ node_id: z.string() }).parse(await lab.as(who, 'GET', `/issues/comments/${id}`));
  const call =
    to === 'hidden'
      ? 'minimizeComment(input: { subjectId: $id, classifier: OUTDATED })'
      : 'unminimizeComment(input: { subjectId: $id })';
  const query = `mutation($id: ID!) { ${call} { clientMutationId } }`;
  // GraphQL is next to the paths of REST.
  const path = '/../../../../graphql';
  const answer = await lab.as(who, 'POST', path, { query, variables: { id: node_id } });
  if (answer !== null && typeof answer === 'object' && 'errors' in answer)
    throw new Error(JSON.stringify(answer.errors));
}

/** Such a job opens an issue, with labels. */
export async function openIssueAsWorkflow(
  lab: VirtualLab,
  issue: { readonly title: string; readonly body: string; readonly labels: readonly string[] },
): Promise<number> {
  const act = workflowOf(lab);
  const { title, body, labels } = issue;
  const number = takeNumber(act);
  const opened = putIssue(act.world, {
    ...createAuthored(act, 'issues', body),
    ...reloadThread,
    repoId: act.repo.id,
    number,
    title,
    pull: null,
  });
  await emitIssue(act, opened, 'opened');
  await setLabels(act, opened, labels);
  await lab.clock.settle();
  return number;
}

/** Such a job opens a pull request of a branch. */
export async function openAsWorkflow(
  lab: VirtualLab,
  branch: string,
  text: { readonly title: string; readonly body: string },
): Promise<number> {
  const refs = await lab.store.refs('refs/heads/');
  const tipOf = (name: string): string => requireRow(refs.get(`refs/heads/${name}`), name);
  const [headSha, baseSha] = [tipOf(branch), tipOf('main')];
  const wanted = { ...text, headRef: branch, headSha, baseRef: 'main', baseSha, draft: false };
  const { number } = await openPull(workflowOf(lab), wanted);
  await lab.clock.settle();
  return number;
}

function workflowOf({ world }: VirtualLab): Act {
  const repo = requireRow(findRepo(world, 'lab', 'ferries'), 'the repository');
  const actor = requireRow(findUser(world, 'github-actions[bot]'), 'the bot of the workflows');
  const { appId, userId } = actionsApp;
  const caller = { kind: 'workflow', appId, userId, repoId: repo.id, runId: 0, permissions: {} } as const;
  return { world, repo, actor, caller };
}

function issueOf({ world, repo }: Act, thread: number) {
  return requireRow(findIssue(world, repo, thread), `the thread ${thread}`);
}
