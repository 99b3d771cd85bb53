/** The commits of a pull request or a branch, and one commit with its changes. */
import { commitDetailShape, commitShape } from '../api/repo-shapes.ts';
import { diffList } from '../diff/diff-list.ts';
import { html } from '../html.ts';
import { avatar, loginText } from '../parts/avatar.ts';
import { commitList } from '../parts/commit-list.ts';
import { renderMoment } from '../parts/moment.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { showHiddenCharacters } from '../parts/written.ts';
import { findRepoLocation } from '../place.ts';
import type { Params, Screen, Visit } from '../visit.ts';
import { pullScreen } from './pull-screen.ts';

export function pullCommitsScreen(visit: Visit, params: Params): Promise<Screen> {
  return pullScreen(visit, params, 'commits', async ({ place, part }) => commitList(place, part.commits));
}

/** `/owner/repo/commits` is the default branch, `/owner/repo/commits/<ref>` another. */
export async function commitsScreen(visit: Visit, params: Params): Promise<Screen> {
  const place = await findRepoLocation(visit, params);
  if (place === null) return { kind: 'missing', message: 'There is no such repository here.' };
  const ref = params['ref'] ?? place.repo.default_branch;
  const commits = await visit.api.get(
    `${place.api}/commits?sha=${encodeURIComponent(ref)}&per_page=50`,
    commitShape.array(),
  );
  if (commits.kind === 'refused') return { kind: 'missing', message: `There is no branch or commit ${ref}.` };
  return {
    kind: 'page',
    title: `Commits on ${ref} · ${place.repo.full_name}`,
    header: repoHeader(place, 'code'),
    body: html`<div class="page"><h1 class="page-title">Commits on <code>${showHiddenCharacters(ref)}</code></h1>${commitList(place, commits.data)}</div>`,
  };
}

export async function commitScreen(visit: Visit, params: Params): Promise<Screen> {
  const place = await findRepoLocation(visit, params);
  if (place === null) return { kind: 'missing', message: 'There is no such repository here.' };
  const answer = await visit.api.get(
    `${place.api}/commits/${encodeURIComponent(params['sha'] ?? '')}`,
    commitDetailShape,
  );
  if (answer.kind === 'refused') return { kind: 'missing', message: 'There is no such commit here.' };
  const commit = answer.data;
  const author = commit.author?.login ?? commit.commit.author?.name ?? null;
  const [subject = '', ...rest] = commit.commit.message.split('\n');
  return {
    kind: 'page',
    title: `${subject} · ${place.repo.full_name}`,
    header: repoHeader(place, 'code'),
    body: html`<div class="page"><section class="card commit-head"><h1 class="page-title">${showHiddenCharacters(subject)}</h1>${rest.join('\n').trim() === '' ? null : html`<pre class="message">${showHiddenCharacters(rest.join('\n').trim())}</pre>`}
      <p class="muted">${avatar(author)} ${loginText(author)} committed ${renderMoment(commit.commit.committer?.date)} · <code>${commit.sha}</code></p>
      <p class="muted small">${commit.parents.length === 0 ? 'no parent' : html`parent ${commit.parents.map(({ sha }) => html`<a href="${place.path}/commit/${sha}"><code>${sha.slice(0, 7)}</code></a> `)}`}</p></section>
      ${diffList(commit.files, [], visit.request.query.get('file'))}</div>`,
  };
}
