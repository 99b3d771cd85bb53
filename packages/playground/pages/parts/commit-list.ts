/** A list of commits: message, author, time, short id. */
import type { ApiCommit } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import { avatar, loginText } from './avatar.ts';
import { renderMoment } from './moment.ts';
import { showHiddenCharacters } from './written.ts';

export function commitList(place: RepoLocation, commits: readonly ApiCommit[]): Html {
  return html`<ul class="card list" data-live="commits">${commits.length === 0 ? html`<li class="nothing" data-key="nothing">No commits.</li>` : commits.map((commit) => row(place, commit))}</ul>`;
}

function row(place: RepoLocation, commit: ApiCommit): Html {
  const [subject = '', ...rest] = commit.commit.message.split('\n');
  const author = commit.author?.login ?? commit.commit.author?.name ?? null;
  const body = rest.join('\n').trim();
  return html`<li class="list-row" data-key="commit-${commit.sha}">${avatar(author)}<div class="list-text"><a class="list-title" href="${place.path}/commit/${commit.sha}">${showHiddenCharacters(subject)}</a>
    <p class="muted small">${loginText(author)} committed ${renderMoment(commit.commit.committer?.date ?? commit.commit.author?.date)}</p>${body === '' ? null : html`<details><summary class="small">More of the message</summary><pre class="message">${showHiddenCharacters(body)}</pre></details>`}</div>
    <code class="sha">${commit.sha.slice(0, 7)}</code></li>`;
}
