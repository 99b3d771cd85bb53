/** A page's repository: its paths on the page and in the API, and the speaker's permissions in it. */
import { type ApiRepo, repoShape } from './api/repo-shapes.ts';
import { pullShape } from './api/thread-shapes.ts';
import type { Params, Visit } from './visit.ts';

export type RepoLocation = {
  readonly repo: ApiRepo;
  /** `/owner/name`, percent-encoded: for links. */
  readonly path: string;
  /** `/repos/owner/name`, percent-encoded: for the API. */
  readonly api: string;
  readonly openPulls: number;
  readonly openIssues: number;
  /** May label, close and reopen (triage and up). */
  readonly mayTriage: boolean;
  /** May merge, cancel and re-run (write and up). */
  readonly mayWrite: boolean;
};

/** `/owner/name` of a route's parameters. */
export function repoPath(params: Params): string {
  return `/${encodeURIComponent(params['owner'] ?? '')}/${encodeURIComponent(params['repo'] ?? '')}`;
}

/** `/repos/owner/name` of a route's parameters. */
export function repoApiPath(params: Params): string {
  return `/repos${repoPath(params)}`;
}

/** Null when the repository does not exist or the speaker may not see it; GitHub hides the difference. */
export async function findRepoLocation(visit: Visit, params: Params): Promise<RepoLocation | null> {
  const [repo, pulls] = await Promise.all([
    visit.api.get(repoApiPath(params), repoShape),
    visit.api.list(`${repoApiPath(params)}/pulls?state=open`, pullShape),
  ]);
  if (repo.kind === 'refused') return null;
  const rights = repo.data.permissions ?? {};
  const openPulls = pulls.kind === 'found' ? pulls.data.length : 0;
  return {
    repo: repo.data,
    path: repoPath(params),
    api: repoApiPath(params),
    openPulls,
    // GitHub counts pull requests among the open issues of a repository.
    openIssues: Math.max(0, repo.data.open_issues_count - openPulls),
    mayTriage: rights['triage'] === true || rights['push'] === true,
    mayWrite: rights['push'] === true,
  };
}

/** Turns an absolute address of this playground into a path; other addresses are unchanged; null for none. */
export function localPath(visit: Visit, address: string | null | undefined): string | null {
  if (address === null || address === undefined || address === '') return null;
  return address.startsWith(`${visit.baseUrl}/`) ? address.slice(visit.baseUrl.length) : address;
}
