/** Fetches missing blobs together; git alone would request each one separately. */

import type { Sha } from '../../domain/ids.ts';
import type { GitMirror } from './mirror.ts';

/** Below this number, git's own requests suffice. */
const BLOBS_FETCHED_TOGETHER_MIN = 4;

/** Ignores failures: reading the blobs reports them. */
export async function fetchBlobs(mirror: GitMirror, ids: readonly string[]): Promise<void> {
  if (ids.length < BLOBS_FETCHED_TOGETHER_MIN) return;
  const args = ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', '--quiet', '--no-tags'];
  await mirror.run({
    args: [...args, '--no-write-fetch-head', '--filter=blob:none', '--stdin', 'origin'],
    input: ids.map((id) => `${id}\n`).join(''),
  });
}

/** Fetches those of the commit's blobs `ids` that are missing. */
export async function fetchMissing(mirror: GitMirror, commit: Sha, ids: ReadonlySet<string>): Promise<void> {
  const args = ['rev-list', '--objects', '--no-object-names', '--missing=print', `${commit}^{tree}`];
  const listed = await mirror.output({ args }, 'unreadable');
  const missing = listed.split('\n').flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : []));
  await fetchBlobs(
    mirror,
    missing.filter((id) => ids.has(id)),
  );
}
