/** Commits the example config and its workflows as the speaker; existing files are unchanged. */
import * as z from 'zod';
import { branchShape, repoShape } from '../api/repo-shapes.ts';
import { repoApiPath, repoPath } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { refuseAct, toOutcome } from './outcome.ts';

const mutation = `mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`;
const committed = z.object({ errors: z.array(z.object({ message: z.string() })).optional() });

export const addExample: ActHandler = async (visit, params) => {
  const repo = await visit.api.get(repoApiPath(params), repoShape);
  if (repo.kind === 'refused') return toOutcome(repo, repoPath(params));
  const branchName = repo.data.default_branch;
  const branch = await visit.api.get(`${repoApiPath(params)}/branches/${encodeURIComponent(branchName)}`, branchShape);
  if (branch.kind === 'refused') return toOutcome(branch, repoPath(params));
  const additions: { readonly path: string; readonly contents: string }[] = [];
  for (const [path, text] of Object.entries(await visit.exampleFiles())) {
    const there = await visit.api.text(`${repoApiPath(params)}/contents/${path}`);
    if (there.kind === 'refused' && there.status === 404)
      additions.push({ path, contents: Buffer.from(text).toString('base64') });
  }
  if (additions.length === 0) return refuseAct('There is no example to add, or all of it is here already.');
  const input = {
    branch: { repositoryNameWithOwner: repo.data.full_name, branchName },
    message: { headline: 'Add the example config of ferrybot and its workflows' },
    fileChanges: { additions },
    expectedHeadOid: branch.data.commit.sha,
  };
  const answer = await visit.api.graphql(mutation, { input }, committed);
  if (answer.kind === 'refused') return toOutcome(answer, repoPath(params));
  const [error] = answer.data.errors ?? [];
  return error === undefined ? { kind: 'done', to: repoPath(params) } : refuseAct(error.message);
};
