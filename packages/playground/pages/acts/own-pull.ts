/** Opens the speaker's own pull request: a proposed ferry, or a bug that makes every job fail. */
import * as z from 'zod';
import { branchShape, repoShape } from '../api/repo-shapes.ts';
import { repoApiPath, repoPath } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { refuseAct, toOutcome } from './outcome.ts';

const mutation = `mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`;
const committed = z.object({ errors: z.array(z.object({ message: z.string() })).optional() });
const opened = z.object({ number: z.number() });

/** The file of the example lab that is changed, and one of its settings. */
export const OWN_FILE = 'experiments/ferries/daily.py';
const WARMUP = /\bwarmup=(\d+)/;

/** A file of the example lab's library that cannot be imported without one of its lines. */
export const SLIP_FILE = 'lib/smalllab/config.py';
const IMPORT = /^import dataclasses\n\n?/m;

type Change = {
  readonly text: string;
  /** Prefixed with the speaker's name. */
  readonly branch: string;
  readonly headline: string;
  readonly title: string;
  readonly body: string;
};

/** Opens a proposal for a ferry: one setting of the experiment is changed. */
export const openOwnPull: ActHandler = (visit, params) =>
  openPull(visit, params, OWN_FILE, (before) => {
    const steps = WARMUP.exec(before)?.[1];
    if (steps === undefined) return `${OWN_FILE} has no warmup that could be changed.`;
    const shorter = `${Math.round(Number(steps) * 0.8)}`;
    return {
      text: before.replace(WARMUP, `warmup=${shorter}`),
      branch: `warmup-${shorter}`,
      headline: `Warm up for ${shorter} steps`,
      title: `A shorter warmup: ${shorter} steps`,
      body: 'Does a shorter warmup hold?',
    };
  });

/** Opens a change with a bug in the library that makes every job fail. */
export const openSlip: ActHandler = (visit, params) =>
  openPull(visit, params, SLIP_FILE, (before) =>
    IMPORT.test(before)
      ? {
          text: before.replace(IMPORT, ''),
          branch: 'tidy-imports',
          headline: 'Tidy the imports',
          title: 'Tidy the imports of the library',
          body: `Takes a line out of \`${SLIP_FILE}\` that looks as if nobody needed it.`,
        }
      : `${SLIP_FILE} has no import that could be forgotten.`,
  );

/** `change` returns the new text of the file, or why it cannot be changed. */
async function openPull(
  visit: Parameters<ActHandler>[0],
  params: Parameters<ActHandler>[1],
  path: string,
  change: (before: string) => Change | string,
): ReturnType<ActHandler> {
  const [api, home] = [repoApiPath(params), repoPath(params)];
  const repo = await visit.api.get(api, repoShape);
  if (repo.kind === 'refused') return toOutcome(repo, home);
  const { full_name: repositoryNameWithOwner, default_branch: base } = repo.data;
  const tip = await visit.api.get(`${api}/branches/${encodeURIComponent(base)}`, branchShape);
  if (tip.kind === 'refused') return toOutcome(tip, home);
  const file = await visit.api.text(`${api}/contents/${path}`, 'application/vnd.github.raw+json');
  const made = file.kind === 'refused' ? `${path} is not there.` : change(file.data);
  if (typeof made === 'string') return refuseAct(made);
  const { text, branch, headline, title, body } = made;
  const branchName = `${visit.speaker.login}/${branch}`;
  const { sha } = tip.data.commit;
  const createdRef = await visit.api.send('POST', `${api}/git/refs`, { ref: `refs/heads/${branchName}`, sha });
  if (createdRef.kind === 'refused') return toOutcome(createdRef, home);
  const input = {
    branch: { repositoryNameWithOwner, branchName },
    message: { headline },
    fileChanges: { additions: [{ path, contents: Buffer.from(text).toString('base64') }] },
    expectedHeadOid: sha,
  };
  const commit = await visit.api.graphql(mutation, { input }, committed);
  if (commit.kind === 'refused') return toOutcome(commit, home);
  const [error] = commit.data.errors ?? [];
  if (error !== undefined) return refuseAct(error.message);
  const answer = await visit.api.send('POST', `${api}/pulls`, { title, body, head: branchName, base });
  if (answer.kind === 'refused') return toOutcome(answer, home);
  const number = opened.safeParse(answer.data);
  return { kind: 'done', to: number.success ? `${home}/pull/${number.data.number}` : `${home}/pulls` };
}
