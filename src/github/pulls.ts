/** Pull requests: open or adopt, edit, close, merge. */

import { z } from 'zod';
import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { Digest } from '../domain/ids.ts';
import { call, type GitHubClient, numberOf, read, refusal } from './call.ts';

type OpenPull = Extract<Effect, { kind: 'open-pull' }>;

const pullSchema = z.object({ number: z.number().int(), body: z.string().nullish() });

/**
 * Adopts an existing pull request of the same head. GitHub rejects a second open one (422), which resolves a race between two processes.
 */
export async function openPull(client: GitHubClient, effect: OpenPull): Promise<EffectOutcome> {
  const opened = effect.isFirst === true ? await createPull(client, effect) : await adoptPull(client, effect);
  if (opened.kind !== 'done' || opened.number === null) return opened;
  // Adds labels without replacing others.
  const labelled = await call(client, 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
    issue_number: opened.number,
    labels: effect.labels,
  });
  return labelled.kind === 'answered' ? opened : refusal(labelled);
}

async function createPull(client: GitHubClient, effect: OpenPull): Promise<EffectOutcome> {
  const { title, body, head, base } = effect;
  const created = await call(client, 'POST /repos/{owner}/{repo}/pulls', { title, body, head, base });
  if (created.kind !== 'refused' || created.status !== 422) return numberOf(created);
  const found = await findPull(client, head, base);
  return found.kind === 'done' && found.number === null ? refusal(created) : found;
}

async function adoptPull(client: GitHubClient, effect: OpenPull): Promise<EffectOutcome> {
  const found = await findPull(client, effect.head, effect.base);
  if (found.kind === 'unknown' || found.number !== null) return found;
  return createPull(client, effect);
}

/** In any state; `done` with null if there is none. */
async function findPull(
  client: GitHubClient,
  head: string,
  base: string,
): Promise<Extract<EffectOutcome, { kind: 'done' | 'unknown' }>> {
  const query = { head: `${client.owner}:${head}`, base, state: 'all', per_page: 10 };
  const found = await read(client, 'GET /repos/{owner}/{repo}/pulls', z.array(pullSchema), query);
  return found.kind === 'unknown'
    ? { kind: 'unknown', message: found.why }
    : { kind: 'done', number: found.value[0]?.number ?? null };
}

/** Fails if the body was edited. */
export async function editPullBody(
  client: GitHubClient,
  pull: number,
  expected: Digest,
  body: string,
  digestOf: (text: string) => Digest,
): Promise<EffectOutcome> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const current = await read(client, route, pullSchema, { pull_number: pull });
  if (current.kind === 'unknown') return { kind: 'unknown', message: current.why };
  if (digestOf(current.value.body ?? '') !== expected)
    return { kind: 'refused', code: 'edited-meanwhile', message: 'the body was edited meanwhile' };
  return numberOf(
    await call(client, 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}', { pull_number: pull, body }),
  );
}

/** Idempotent. */
export async function closePull(client: GitHubClient, pull: number): Promise<EffectOutcome> {
  return numberOf(
    await call(client, 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
      pull_number: pull,
      state: 'closed',
    }),
  );
}

/** Merges exactly the launched head; GitHub refuses (409) if the branch moved. */
export async function mergePull(client: GitHubClient, pull: number, head: string): Promise<EffectOutcome> {
  const outcome = await call(client, 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', {
    pull_number: pull,
    sha: head,
    merge_method: 'merge',
  });
  return outcome.kind === 'answered' ? { kind: 'done', number: pull } : refusal(outcome);
}
