/** Pull requests: open or adopt, merge. They are edited and closed as the issues that they are (issues.ts). */

import { z } from 'zod';
import type { Effect, EffectOutcome } from '../domain/effect.ts';
import { call, type GitHubClient, numberOf, read, refusal } from './call.ts';

type OpenPull = Extract<Effect, { kind: 'open-pull' }>;

const pullSchema = z.object({ number: z.number().int() });

/**
 * Adopts an existing pull request of the same head. GitHub rejects a second open one (422), which resolves a race between two processes.
 */
export async function openPull(client: GitHubClient, effect: OpenPull): Promise<EffectOutcome> {
  const { title, body, head, base, labels } = effect;
  const found = effect.isFirst === true ? null : await findPull(client, head, base);
  if (found?.kind === 'unknown') return found;
  const opened = found ?? (await createPull(client, { title, body, head, base }));
  if (opened.kind !== 'done' || opened.number === null) return opened;
  // Adds labels without replacing others.
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
  const labelled = await call(client, route, { issue_number: opened.number, labels });
  return labelled.kind === 'answered' ? opened : refusal(labelled);
}

async function createPull(
  client: GitHubClient,
  pull: Pick<OpenPull, 'title' | 'body' | 'head' | 'base'>,
): Promise<EffectOutcome> {
  const created = await call(client, 'POST /repos/{owner}/{repo}/pulls', pull);
  if (created.kind !== 'refused' || created.status !== 422) return numberOf(created);
  return (await findPull(client, pull.head, pull.base)) ?? refusal(created);
}

/** In any state; null if there is none. */
async function findPull(client: GitHubClient, head: string, base: string): Promise<EffectOutcome | null> {
  const query = { head: `${client.owner}:${head}`, base, state: 'all', per_page: 10 };
  const found = await read(client, 'GET /repos/{owner}/{repo}/pulls', z.array(pullSchema), query);
  if (found.kind === 'unknown') return { kind: 'unknown', message: found.why };
  const [first] = found.value;
  return first === undefined ? null : { kind: 'done', number: first.number };
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
