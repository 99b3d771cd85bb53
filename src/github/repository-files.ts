/** Files of a commit over the contents API (docs.github.com/rest/repos/contents), for whoever has no clone. */

import { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

const fileSchema = z.object({ type: z.literal('file'), content: z.string(), encoding: z.literal('base64') });
const folderSchema = z.array(z.object({ type: z.string(), path: z.string() }));

/** Text of a file at a ref. Not found is unknown: a token that may not read contents is told the same. */
export async function readFileText(
  client: GitHubClient,
  path: string,
  ref: string,
): Promise<Observed<string>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/contents/{path}', { path, ref });
  if (outcome.kind !== 'answered')
    return unknown(
      outcome.kind === 'refused' ? `GitHub answers ${outcome.status} for ${path}` : outcome.message,
    );
  const parsed = fileSchema.safeParse(outcome.data);
  return parsed.success
    ? known(Buffer.from(parsed.data.content, 'base64').toString('utf8'))
    : unknown(`${path} is no file that the API shows`);
}

/** Paths of the files of a folder at a ref. */
export async function listFiles(
  client: GitHubClient,
  path: string,
  ref: string,
): Promise<Observed<readonly string[]>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/contents/{path}', { path, ref });
  if (outcome.kind !== 'answered')
    return unknown(
      outcome.kind === 'refused' ? `GitHub answers ${outcome.status} for ${path}` : outcome.message,
    );
  const parsed = folderSchema.safeParse(outcome.data);
  return parsed.success
    ? known(parsed.data.filter((entry) => entry.type === 'file').map((entry) => entry.path))
    : unknown(`${path} is no folder`);
}
