/** One changed file: path, size of the change, coloured lines, and comments on them. */
import type { ApiFile } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import { showHiddenCharacters } from '../parts/written.ts';
import { type ChangedPart, changedParts } from './changed-words.ts';
import { type DiffRow, parsePatch, patchHead } from './parse-patch.ts';

/** A comment below a line of the new file (RIGHT) or the old one (LEFT). */
export type LineNote = {
  readonly path: string;
  readonly line: number;
  readonly side: 'LEFT' | 'RIGHT';
  readonly markup: Html;
};

/** `isWhole`: the page shows only this file, so lines over the limit are omitted without a link. */
type LineBudget = { readonly linesMax: number; readonly isWhole: boolean };

export function diffFile(file: ApiFile, notes: readonly LineNote[], room: LineBudget): Html {
  const { head, lines } = patchHead(file.patch ?? '', room.linesMax);
  const own = notes.filter(({ path }) => path === file.filename);
  const before = file.previous_filename ?? null;
  const name = before === null ? file.filename : `${before} → ${file.filename}`;
  return html`<section class="card diff" data-key="file-${file.filename}" id="file-${encodeURIComponent(file.filename)}" aria-label="${name}"><details open>
  <summary class="card-head"><code class="diff-path">${before === null ? null : html`${showHiddenCharacters(before)} → `}${showHiddenCharacters(file.filename)}</code> <span class="diff-size"><span class="badge">${file.status}</span> <span class="plus">+${file.additions}</span> <span class="minus">−${file.deletions}</span>${renderSquares(file)}</span></summary>
  ${renderBody(file, { rows: parsePatch(head), lines }, own, room)}
  </details></section>`;
}

function renderBody(
  file: ApiFile,
  { rows, lines }: { readonly rows: readonly DiffRow[]; readonly lines: number },
  notes: readonly LineNote[],
  room: LineBudget,
): Html {
  if (lines === 0) return html`<p class="nothing">${describeEmpty(file)}</p>`;
  const link = room.isWhole
    ? null
    : html` <a href="?file=${encodeURIComponent(file.filename)}">Show this file alone<span class="sr-only">: ${file.filename}</span></a>`;
  if (room.linesMax === 0) return html`<p class="nothing">${lines} lines are not shown: the page is full.${link}</p>`;
  const more = lines - room.linesMax;
  return html`${renderTable(file.filename, rows, notes)}${more > 0 ? html`<p class="nothing">${more} more lines are not shown.${link}</p>` : null}`;
}

function describeEmpty({ status, patch }: ApiFile): string {
  if (status === 'renamed') return 'Renamed without a change.';
  const isAbsent = patch === null || patch === undefined;
  return isAbsent
    ? 'No text to compare: the file is not text, or empty, or its change too large.'
    : 'Nothing to compare.';
}

/** Five squares for the share of added and removed lines, as on GitHub. */
function renderSquares({ additions, deletions }: ApiFile): Html {
  const changed = additions + deletions;
  const count = Math.min(5, changed);
  const green = changed === 0 ? 0 : Math.round((additions / changed) * count);
  const kind = (index: number): string => (index < green ? 'added' : index < count ? 'removed' : 'none');
  return html`<span class="squares" aria-hidden="true">${[0, 1, 2, 3, 4].map((index) => html`<span class="square square-${kind(index)}"></span>`)}</span>`;
}

function renderTable(path: string, rows: readonly DiffRow[], notes: readonly LineNote[]): Html {
  const parts = changedParts(rows);
  return html`<div class="diff-scroll" tabindex="0" role="region" aria-label="Changed lines of ${path}"><table class="diff-table"><thead class="sr-only"><tr><th>Old line</th><th>New line</th><th>Text</th></tr></thead><tbody>${rows.map((row, index) => [renderLine(row, parts.get(index) ?? null), notes.filter((note) => isNoteOfRow(note, row)).map(renderNote)])}</tbody></table></div>`;
}

const signs = { same: ' ', added: '+', removed: '−' } as const;

function renderLine(row: DiffRow, part: ChangedPart | null): Html {
  if (row.kind === 'hunk')
    return html`<tr class="diff-hunk"><td colspan="2"></td><td>${showHiddenCharacters(row.text)}</td></tr>`;
  if (row.kind === 'note') return html`<tr class="diff-note"><td colspan="2"></td><td>${row.text}</td></tr>`;
  const text =
    part === null || part.from === part.until
      ? showHiddenCharacters(row.text)
      : html`${showHiddenCharacters(row.text.slice(0, part.from))}<span class="changed">${showHiddenCharacters(row.text.slice(part.from, part.until))}</span>${showHiddenCharacters(row.text.slice(part.until))}`;
  return html`<tr class="diff-${row.kind}"><td class="line-number">${row.before}</td><td class="line-number">${row.after}</td><td class="diff-text"><span class="sign">${signs[row.kind]}</span>${text}</td></tr>`;
}

function isNoteOfRow(note: LineNote, row: DiffRow): boolean {
  if (row.kind === 'hunk' || row.kind === 'note') return false;
  return note.side === 'LEFT' ? row.before === note.line : row.after === note.line;
}

function renderNote(note: LineNote): Html {
  return html`<tr class="diff-remark"><td colspan="3">${note.markup}</td></tr>`;
}
