/** Contents that a mirror without blobs has to ask for: together, because git asks for each by itself when it is read. */

import type { Sha } from '../../domain/ids.ts';
import type { GitMirror } from './mirror.ts';

/** Contents that are asked of the remote together; of fewer git asks for each when it reads it. */
const BLOBS_FETCHED_TOGETHER_MIN = 4;

/**
 * One request for many contents: where one is read that is not here, git asks for it alone. Whatever becomes of this
 * request, reading tells what can be had.
 */
export async function fetchBlobs(mirror: GitMirror, ids: readonly string[]): Promise<void> {
  if (ids.length < BLOBS_FETCHED_TOGETHER_MIN) return;
  const args = ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', '--quiet', '--no-tags'];
  await mirror.run({
    args: [...args, '--no-write-fetch-head', '--filter=blob:none', '--stdin', 'origin'],
    input: ids.map((id) => `${id}\n`).join(''),
  });
}

/** Asks for those of `ids`, blobs of this commit, that are not here. A repository on this machine lacks none. */
export async function fetchMissing(mirror: GitMirror, commit: Sha, ids: ReadonlySet<string>): Promise<void> {
  const args = ['rev-list', '--objects', '--no-object-names', '--missing=print', `${commit}^{tree}`];
  const listed = await mirror.output({ args }, 'unreadable');
  const missing = listed.split('\n').flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : []));
  await fetchBlobs(
    mirror,
    missing.filter((id) => ids.has(id)),
  );
}
