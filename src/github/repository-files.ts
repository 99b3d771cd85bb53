/** Reads files over the contents API, without a clone (docs.github.com/rest/repos/contents). */

import { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

const fileSchema = z.object({ type: z.literal('file'), content: z.string(), encoding: z.literal('base64') });
const folderSchema = z.array(z.object({ type: z.string(), path: z.string() }));

/** Not found is unknown: GitHub answers the same to a token without access. */
export async function readFileText(
  client: GitHubClient,
  path: string,
  ref: string,
): Promise<Observed<string>> {
  const contents = await contentsOf(client, path, ref);
  if (contents.kind === 'unknown') return contents;
  const parsed = fileSchema.safeParse(contents.value);
  return parsed.success
    ? known(Buffer.from(parsed.data.content, 'base64').toString('utf8'))
    : unknown(`${path} is no file that the API shows`);
}

/** Paths of a folder's files at a ref. */
export async function listFiles(
  client: GitHubClient,
  path: string,
  ref: string,
): Promise<Observed<readonly string[]>> {
  const contents = await contentsOf(client, path, ref);
  if (contents.kind === 'unknown') return contents;
  const parsed = folderSchema.safeParse(contents.value);
  return parsed.success
    ? known(parsed.data.filter((entry) => entry.type === 'file').map((entry) => entry.path))
    : unknown(`${path} is no folder`);
}

async function contentsOf(client: GitHubClient, path: string, ref: string): Promise<Observed<unknown>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/contents/{path}', { path, ref });
  if (outcome.kind === 'answered') return known(outcome.data);
  return unknown(
    outcome.kind === 'refused' ? `GitHub answers ${outcome.status} for ${path}` : outcome.message,
  );
}
