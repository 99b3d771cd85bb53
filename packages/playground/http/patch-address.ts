/** `/OWNER/REPO/pull/N.diff` and `.patch`, and the same for a commit: the API's diff media types at a web address. */

export type PatchAddress = { readonly path: string; readonly kind: 'diff' | 'patch' };

/** The API path of the diff that the address names, or null for any other address. */
export function patchAddress(path: string): PatchAddress | null {
  const match = /^\/([\w.-]+)\/([\w.-]+)\/(pull|commit)\/([0-9a-f]+)\.(diff|patch)$/.exec(path);
  const [, owner, repo, door, name, kind] = match ?? [];
  if (kind !== 'diff' && kind !== 'patch') return null;
  const place = door === 'pull' ? 'pulls' : 'commits';
  return { path: `/api/v3/repos/${owner}/${repo}/${place}/${name}`, kind };
}

/** The API request, with the visitor's token. */
export function toPatchRequest(request: Request, { path, kind }: PatchAddress): Request {
  const headers = new Headers({ accept: `application/vnd.github.${kind}` });
  const token = request.headers.get('authorization');
  if (token !== null) headers.set('authorization', token);
  return new Request(new URL(path, request.url), { headers });
}
