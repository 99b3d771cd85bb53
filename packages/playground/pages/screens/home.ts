/** The repository's front page: the next action, then files and README. */
import { commitShape, contentsShape } from '../api/repo-shapes.ts';
import { type ApiIssue, commentShape, issueShape } from '../api/thread-shapes.ts';
import { isClosure, isFerryThread, readBotWish, renderNextStep } from '../guide.ts';
import { type Html, html } from '../html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { loginText } from '../parts/avatar.ts';
import { configNotice } from '../parts/config-notice.ts';
import { fileList } from '../parts/file-list.ts';
import { icon } from '../parts/icons.ts';
import { labelList } from '../parts/label.ts';
import { renderMoment } from '../parts/moment.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { showHiddenCharacters } from '../parts/written.ts';
import { findRepoLocation, type RepoLocation } from '../place.ts';
import type { Params, Screen, Visit } from '../visit.ts';

export async function homeScreen(visit: Visit, params: Params): Promise<Screen> {
  const place = await findRepoLocation(visit, params);
  if (place === null) return { kind: 'missing', message: 'There is no such repository here.' };
  const [threads, files, commits, config] = await Promise.all([
    visit.api.list(`${place.api}/issues?state=open&sort=created&direction=desc`, issueShape),
    visit.api.get(`${place.api}/contents/`, contentsShape),
    visit.api.get(`${place.api}/commits?per_page=1`, commitShape.array()),
    visit.labConfig(),
  ]);
  const entries = files.kind === 'found' && Array.isArray(files.data) ? files.data : [];
  const readme = entries.find(({ name }) => /^readme\.md$/i.test(name));
  const text =
    readme === undefined
      ? null
      : await visit.api.text(`${place.api}/contents/${readme.path}`, 'application/vnd.github.raw+json');
  const newest = commits.kind === 'found' ? commits.data[0] : undefined;
  return {
    kind: 'page',
    title: place.repo.full_name,
    header: repoHeader(place, 'code'),
    body: html`<div class="page"><h1 class="sr-only">${place.repo.full_name}</h1>
      ${configNotice(place, config)}
      ${await nextCard(visit, place, threads.kind === 'found' ? threads.data : [])}
      <p class="about">${place.repo.description}</p>
      <section class="card" aria-label="Files"><header class="card-head row between" data-live="newest"><span data-key="newest">${newest === undefined ? 'No commits yet' : html`${loginText(newest.author?.login ?? newest.commit.author?.name)} <a class="quiet" href="${place.path}/commit/${newest.sha}">${showHiddenCharacters(newest.commit.message.split('\n')[0])}</a> <span class="muted small">${renderMoment(newest.commit.committer?.date)}</span>`}</span> <a href="${place.path}/commits">${icon('clock')} Commits</a></header>
      ${fileList(place, place.repo.default_branch, entries)}</section>
      ${text?.kind === 'found' ? html`<section class="card readme" aria-label="README"><header class="card-head">${icon('file')} <strong>${readme?.name}</strong></header><div class="card-body">${renderMarkdown(text.data, { repoPath: place.path }, { breaks: false })}</div></section>` : null}
    </div>`,
  };
}

/** Suggests the newest open thread that the bot manages. */
async function nextCard(visit: Visit, place: RepoLocation, threads: readonly ApiIssue[]): Promise<Html> {
  const ferries = threads.filter((thread) => isFerryThread(thread));
  const next =
    ferries.find((thread) => thread.pull_request !== null && thread.pull_request !== undefined) ?? ferries[0];
  if (next === undefined) {
    return html`<section class="next" aria-labelledby="next-title" data-live="next"><div data-key="quiet"><h2 id="next-title">${icon('ferry')} Nothing waits for you</h2><p>No run is proposed at the moment. A proposal appears here as soon as there is one; the <a href="${place.path}/pulls?state=closed">closed pull requests</a> tell what sailed before.</p>${visit.tries.length === 0 ? null : html`<p>A story to play, step by step, stands among the <a href="${place.path}/issues">issues</a>.</p>`}<p class="row"><a class="button" href="${place.path}/actions">Run a workflow</a></p></div></section>`;
  }
  const comments = await visit.api.list(`${place.api}/issues/${next.number}/comments`, commentShape, undefined, {
    first: 1,
    count: 1,
  });
  const wish = readBotWish(comments.kind === 'found' ? comments.data : []);
  const isBeforeLaunch =
    !isClosure(next) && (wish.kind === 'unheard' || (wish.kind === 'wish' && wish.text.includes('/approve-launch')));
  const pull = next.pull_request !== null && next.pull_request !== undefined;
  const path = `${place.path}/${pull ? 'pull' : 'issues'}/${next.number}`;
  return html`<section class="next" aria-labelledby="next-title" data-live="next"><div data-key="ferry-${next.number}">
    <h2 id="next-title">${icon('ferry')} ${isBeforeLaunch ? 'A ferry waits for you' : isClosure(next) ? 'A sealed ferry waits for its merge' : 'A ferry is under way'}, ${visit.speaker.login}</h2>
    <p class="next-thread"><a href="${path}">${showHiddenCharacters(next.title)}</a> <span class="number">#${next.number}</span> ${labelList(next.labels)}</p>
    ${renderNextStep(visit.speaker, next, true, wish)}
    ${isBeforeLaunch ? toDo : null}
    <p class="row"><a class="button primary" href="${path}">${isBeforeLaunch ? 'Open the proposal' : 'Open it'}</a>${pull ? html`<a class="button" href="${path}/files">See the change</a>` : null}<a class="button" href="${place.path}/actions">Runs</a></p>
  </div></section>`;
}

const toDo = html`<ol class="steps-to-do"><li class="to-do">Open it and read what changes and why.</li><li class="to-do">Copy the line <code>/approve-launch …</code> from its card into its comment box.</li><li class="to-do">Watch it launch, move and end, without reloading.</li></ol>`;
