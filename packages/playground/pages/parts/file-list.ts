/** The entries of a directory, folders first. */
import type { ApiContent } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import { icon } from './icons.ts';
import { showHiddenCharacters } from './written.ts';

export function fileList(place: RepoLocation, ref: string, entries: readonly ApiContent[]): Html {
  const sorted = entries.toSorted(
    (a, b) => Number(b.type === 'dir') - Number(a.type === 'dir') || (a.name < b.name ? -1 : 1),
  );
  return html`<ul class="files" data-live="files">${sorted.map((entry) => row(place, ref, entry))}</ul>`;
}

function row(place: RepoLocation, ref: string, entry: ApiContent): Html {
  // Its commit belongs to another repository, which does not exist here.
  if (entry.type === 'submodule')
    return html`<li class="file-row" data-key="file-${entry.path}"><span class="tone-muted">${icon('folder')}</span> <span>${showHiddenCharacters(entry.name)} <span class="muted small">submodule at <code class="sha">${entry.sha.slice(0, 7)}</code></span></span></li>`;
  const folder = entry.type === 'dir';
  return html`<li class="file-row" data-key="file-${entry.path}"><span class="${folder ? 'tone-folder' : 'tone-muted'}">${icon(folder ? 'folder' : 'file')}</span> <a class="quiet" href="${place.path}/${folder ? 'tree' : 'blob'}/${encodePath(ref)}/${encodePath(entry.path)}">${showHiddenCharacters(entry.name)}</a></li>`;
}

/** A path for a link or the API: every part encoded, the slashes kept. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
