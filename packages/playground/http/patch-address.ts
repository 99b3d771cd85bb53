/** `/OWNER/REPO/pull/N.diff` and `.patch`, and the same of a commit: the API's media types under a pull request's own address. */

export type PatchAddress = { readonly path: string; readonly kind: 'diff' | 'patch' };

/** Where the API has the text that the address names, or null: it names something else. */
export function patchAddress(path: string): PatchAddress | null {
  const match = /^\/([\w.-]+)\/([\w.-]+)\/(pull|commit)\/([0-9a-f]+)\.(diff|patch)$/.exec(path);
  const [, owner, repo, door, name, kind] = match ?? [];
  if (kind !== 'diff' && kind !== 'patch') return null;
  const place = door === 'pull' ? 'pulls' : 'commits';
  return { path: `/api/v3/repos/${owner}/${repo}/${place}/${name}`, kind };
}

/** The question to the API, with the token of whoever asked. */
export function asPatch(request: Request, { path, kind }: PatchAddress): Request {
  const headers = new Headers({ accept: `application/vnd.github.${kind}` });
  const token = request.headers.get('authorization');
  if (token !== null) headers.set('authorization', token);
  return new Request(new URL(path, request.url), { headers });
}
