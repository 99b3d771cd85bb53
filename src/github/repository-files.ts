/** Reads files over the contents API, without a clone (docs.github.com/rest/repos/contents). */

import { z } from 'zod';
import { known, type Observed } from '../domain/observed.ts';
import { type GitHubClient, read } from './call.ts';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const fileSchema = z.object({ type: z.literal('file'), content: z.string(), encoding: z.literal('base64') });
const folderSchema = z.array(z.object({ type: z.string(), path: z.string() }));

/** Not found is unknown: GitHub answers the same to a token without access. */
export async function readFileText(
  client: GitHubClient,
  path: string,
  ref: string,
): Promise<Observed<string>> {
  const file = await read(client, CONTENTS, fileSchema, { path, ref });
  return file.kind === 'known' ? known(Buffer.from(file.value.content, 'base64').toString('utf8')) : file;
}

/** Paths of a folder's files at a ref. */
export async function listFiles(
  client: GitHubClient,
  path: string,
  ref: string,
): Promise<Observed<readonly string[]>> {
  const folder = await read(client, CONTENTS, folderSchema, { path, ref });
  if (folder.kind === 'unknown') return folder;
  return known(folder.value.filter((entry) => entry.type === 'file').map((entry) => entry.path));
}
