/** The repository's name and its tabs. */
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import { type IconName, icon } from './icons.ts';

type Tab = 'code' | 'issues' | 'pulls' | 'actions';

export function repoHeader(place: RepoLocation, current: Tab): Html {
  const [owner = '', name = ''] = place.repo.full_name.split('/');
  const tab = (id: Tab, path: string, mark: IconName, word: string, count: number | null = null): Html =>
    html`<a class="tab" href="${place.path}${path}" ${id === current ? html`aria-current="page"` : null}>${icon(mark)}<span>${word}</span>${count === null || count === 0 ? null : html`<span class="count">${count}</span>`}</a>`;
  return html`<section class="repo-head" aria-label="${place.repo.full_name}">
  <p class="repo-name"><span class="repo-owner">${owner}</span> <span aria-hidden="true">/</span> <a href="${place.path}"><strong>${name}</strong></a> <span class="badge">${place.repo.private ? 'private' : 'public'}</span></p>
  <nav class="tabs" aria-label="Repository" data-live="tabs"><div class="tab-row" data-key="tabs">
    ${tab('code', '', 'code', 'Code')}${tab('issues', '/issues', 'issue', 'Issues', place.openIssues)}${tab('pulls', '/pulls', 'pull', 'Pull requests', place.openPulls)}${tab('actions', '/actions', 'play', 'Actions')}
  </div></nav>
</section>`;
}
