/** Reads files over the contents API, without a clone (docs.github.com/rest/repos/contents). */

import { z } from 'zod';
import type { Observed } from '../domain/observed.ts';
import { type GitHubClient, read } from './call.ts';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const fileSchema = z
  .object({ type: z.literal('file'), content: z.string(), encoding: z.literal('base64') })
  .transform(({ content }) => Buffer.from(content, 'base64').toString('utf8'));
const folderSchema = z
  .array(z.object({ type: z.string(), path: z.string() }))
  .transform((entries) => entries.filter(({ type }) => type === 'file').map(({ path }) => path));

/** Not found is unknown: GitHub answers the same to a token without access. */
export function readFileText(client: GitHubClient, path: string, ref: string): Promise<Observed<string>> {
  return read(client, CONTENTS, fileSchema, { path, ref });
}

/** Paths of a folder's files at a ref. */
export function listFiles(
  client: GitHubClient,
  path: string,
  ref: string,
): Promise<Observed<readonly string[]>> {
  return read(client, CONTENTS, folderSchema, { path, ref });
}
