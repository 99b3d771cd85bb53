/** Opens a pull request of the speaker's own that changes the experiment: something to make a ferry of, by a label or a command. */
import * as z from 'zod';
import { branchShape, repoShape } from '../api/repo-shapes.ts';
import { apiOf, pathOf } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { outcomeOf, refuse } from './outcome.ts';

const mutation = `mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`;
const committed = z.object({ errors: z.array(z.object({ message: z.string() })).optional() });
const opened = z.object({ number: z.number() });

/** The file of the example lab, and one setting of it. */
export const OWN_FILE = 'experiments/ferries/daily.py';
const WARMUP = /\bwarmup=(\d+)/;

export const openOwnPull: ActHandler = async (visit, params) => {
  const [api, path] = [apiOf(params), pathOf(params)];
  const repo = await visit.api.get(api, repoShape);
  if (repo.kind === 'refused') return outcomeOf(repo, path);
  const { full_name: repositoryNameWithOwner, default_branch: base } = repo.data;
  const tip = await visit.api.get(`${api}/branches/${encodeURIComponent(base)}`, branchShape);
  if (tip.kind === 'refused') return outcomeOf(tip, path);
  const file = await visit.api.text(`${api}/contents/${OWN_FILE}`, 'application/vnd.github.raw+json');
  const steps = file.kind === 'found' ? WARMUP.exec(file.data)?.[1] : undefined;
  if (file.kind === 'refused' || steps === undefined)
    return refuse(`${OWN_FILE} has no warmup that could be changed.`);
  const shorter = `${Math.round(Number(steps) * 0.8)}`;
  const branchName = `${visit.speaker.login}/warmup-${shorter}`;
  const { sha } = tip.data.commit;
  const made = await visit.api.send('POST', `${api}/git/refs`, { ref: `refs/heads/${branchName}`, sha });
  if (made.kind === 'refused') return outcomeOf(made, path);
  const text = file.data.replace(WARMUP, `warmup=${shorter}`);
  const additions = [{ path: OWN_FILE, contents: Buffer.from(text).toString('base64') }];
  const input = {
    branch: { repositoryNameWithOwner, branchName },
    message: { headline: `Warm up for ${shorter} steps` },
    fileChanges: { additions },
    expectedHeadOid: sha,
  };
  const commit = await visit.api.graphql(mutation, { input }, committed);
  if (commit.kind === 'refused') return outcomeOf(commit, path);
  const [error] = commit.data.errors ?? [];
  if (error !== undefined) return refuse(error.message);
  const title = `A shorter warmup: ${shorter} steps`;
  const pull = { title, body: 'Does a shorter warmup hold?', head: branchName, base };
  const answer = await visit.api.send('POST', `${api}/pulls`, pull);
  if (answer.kind === 'refused') return outcomeOf(answer, path);
  const number = opened.safeParse(answer.data);
  return { kind: 'done', to: number.success ? `${path}/pull/${number.data.number}` : `${path}/pulls` };
};
