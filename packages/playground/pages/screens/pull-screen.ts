/** Common code of a pull request's pages except its conversation: reading it, and the frame. */

import type { ApiIssue } from '../api/thread-shapes.ts';
import { issueShape } from '../api/thread-shapes.ts';
import { type Html, html } from '../html.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { type PullTab, threadHead } from '../parts/thread-head.ts';
import { findRepoLocation, type RepoLocation } from '../place.ts';
import { type PullPart, readPullPart } from '../thread/read-thread.ts';
import type { Params, Screen, Visit } from '../visit.ts';

export type PullView = { readonly place: RepoLocation; readonly issue: ApiIssue; readonly part: PullPart };

/** Reads the pull request and lets `body` render the content below its header. */
export async function pullScreen(
  visit: Visit,
  params: Params,
  tab: PullTab,
  body: (view: PullView) => Promise<Html>,
): Promise<Screen> {
  const missing: Screen = { kind: 'missing', message: 'There is no such pull request here.' };
  const place = await findRepoLocation(visit, params);
  if (place === null) return missing;
  const [issue, part] = await Promise.all([
    visit.api.get(`${place.api}/issues/${params['number'] ?? ''}`, issueShape),
    readPullPart(visit, place, Number(params['number'])),
  ]);
  if (issue.kind === 'refused' || part === null) return missing;
  return {
    kind: 'page',
    title: `${issue.data.title} · ${tab} · ${place.repo.full_name}`,
    header: repoHeader(place, 'pulls'),
    body: html`<div class="page">${threadHead(place, issue.data, part, tab)}${await body({ place, issue: issue.data, part })}</div>`,
  };
}
