/** Files and folders of a branch, tag or commit: `/tree/<ref>/<path>` and `/blob/<ref>/<path>`. */
import { branchShape, contentsShape } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { pageLimits } from '../page-limits.ts';
import { encodePath, fileList } from '../parts/file-list.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { showHiddenCharacters } from '../parts/written.ts';
import { findRepoLocation, type RepoLocation } from '../place.ts';
import type { Params, Screen, Visit } from '../visit.ts';

export async function sourceScreen(visit: Visit, params: Params): Promise<Screen> {
  const missing: Screen = { kind: 'missing', message: 'There is no such file or branch here.' };
  const place = await findRepoLocation(visit, params);
  if (place === null) return missing;
  const { ref, path } = await splitRef(visit, place, params['rest'] ?? '');
  const at = `${place.api}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`;
  const found = await visit.api.get(at, contentsShape);
  if (found.kind === 'refused') return missing;
  const body = Array.isArray(found.data)
    ? html`<section class="card" aria-label="Files">${fileList(place, ref, found.data)}</section>`
    : await fileCard(visit, place, at, found.data);
  return {
    kind: 'page',
    title: `${path === '' ? ref : path} · ${place.repo.full_name}`,
    header: repoHeader(place, 'code'),
    body: html`<div class="page"><h1 class="page-title crumbs">${crumbs(place, ref, path)}</h1>${body}</div>`,
  };
}

/** A branch name may contain slashes (`ferrybot/logbook`): use the longest one that the path starts with. */
async function splitRef(
  visit: Visit,
  place: RepoLocation,
  rest: string,
): Promise<{ readonly ref: string; readonly path: string }> {
  const branches = await visit.api.list(`${place.api}/branches`, branchShape);
  const names = branches.kind === 'found' ? branches.data.map(({ name }) => name) : [];
  const fitting = names
    .filter((name) => rest === name || rest.startsWith(`${name}/`))
    .toSorted((a, b) => b.length - a.length);
  const ref = fitting[0] ?? rest.split('/')[0] ?? '';
  return { ref, path: rest.slice(ref.length + 1) };
}

function crumbs(place: RepoLocation, ref: string, path: string): Html {
  const parts = path === '' ? [] : path.split('/');
  const links = parts.map((part, index) => {
    const to = encodePath(parts.slice(0, index + 1).join('/'));
    const last = index === parts.length - 1;
    return html` / ${last ? showHiddenCharacters(part) : html`<a href="${place.path}/tree/${encodePath(ref)}/${to}">${showHiddenCharacters(part)}</a>`}`;
  });
  return html`<code class="branch">${showHiddenCharacters(ref)}</code> <a href="${place.path}/tree/${encodePath(ref)}">${place.repo.name}</a>${links}`;
}

async function fileCard(
  visit: Visit,
  place: RepoLocation,
  at: string,
  file: { readonly name: string; readonly size: number },
): Promise<Html> {
  const head = html`<header class="card-head"><strong>${showHiddenCharacters(file.name)}</strong> <span class="muted small">${file.size} bytes</span></header>`;
  if (file.size > pageLimits.fileBytesMax)
    return html`<section class="card">${head}<p class="nothing">Too large to show.</p></section>`;
  const text = await visit.api.text(at, 'application/vnd.github.raw+json');
  if (text.kind === 'refused')
    return html`<section class="card">${head}<p class="nothing">${text.message}</p></section>`;
  const lines = text.data.replace(/\n$/, '').split('\n');
  const body = /\.md$/i.test(file.name)
    ? html`<div class="card-body">${renderMarkdown(text.data, { repoPath: place.path }, { breaks: false })}</div>`
    : html`<div class="diff-scroll" tabindex="0" role="region" aria-label="Text of ${file.name}"><table class="diff-table"><tbody>${lines.map((line, index) => html`<tr id="L${index + 1}"><td class="line-number">${index + 1}</td><td class="diff-text">${showHiddenCharacters(line)}</td></tr>`)}</tbody></table></div>`;
  return html`<section class="card" data-live="source"><div data-key="source">${head}${body}</div></section>`;
}
