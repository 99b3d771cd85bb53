/** All changed files with a summary and an index. Lines over the page's limit are replaced by a link. */
import type { ApiFile } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import { pageLimits } from '../page-limits.ts';
import { showHiddenCharacters } from '../parts/written.ts';
import { diffFile, type LineNote } from './diff-file.ts';
import { patchHead } from './parse-patch.ts';

/** `only` is the path of the one file to show completely (`?file=`), null for all. */
export function diffList(files: readonly ApiFile[], notes: readonly LineNote[], only: string | null): Html {
  const shown = only === null ? files : files.filter(({ filename }) => filename === only);
  let room = pageLimits.diffLinesOfPageMax;
  const cards = shown.map((file) => {
    const lines = only === null ? Math.min(room, pageLimits.diffLinesMax) : pageLimits.diffLinesOfPageMax;
    room -= Math.min(lines, patchHead(file.patch ?? '', 0).lines);
    return diffFile(file, notes, { linesMax: lines, isWhole: only !== null });
  });
  return html`<div class="stack" data-live="files">${
    shown.length === 0
      ? html`<p class="nothing card" data-key="nothing">${only === null ? 'No file is changed.' : 'No such file is changed.'}</p>`
      : html`${renderSummary(files, only)}${cards}`
  }</div>`;
}

function renderSummary(files: readonly ApiFile[], only: string | null): Html {
  const sum = (pick: (file: ApiFile) => number): number => files.reduce((total, file) => total + pick(file), 0);
  const words = html`Showing <strong>${files.length} changed ${files.length === 1 ? 'file' : 'files'}</strong> with <strong class="plus">${sum(({ additions }) => additions)}</strong> additions and <strong class="minus">${sum(({ deletions }) => deletions)}</strong> deletions.`;
  if (only !== null) return html`<p class="muted" data-key="sum"><a href="?">All ${files.length} changed files</a></p>`;
  if (files.length < 2) return html`<p class="muted" data-key="sum">${words}</p>`;
  return html`<details class="file-index" data-key="sum"><summary class="muted">${words}</summary><ol>${files.map(
    (file) =>
      html`<li><a href="#${fileAnchor(file)}"><code>${showHiddenCharacters(file.filename)}</code></a> <span class="small nowrap"><span class="plus">+${file.additions}</span> <span class="minus">−${file.deletions}</span></span></li>`,
  )}</ol></details>`;
}

function fileAnchor(file: ApiFile): string {
  return `file-${encodeURIComponent(file.filename)}`;
}
