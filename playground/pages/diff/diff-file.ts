/** One changed file: path, size of the change, coloured lines, and what was said about them. */
import type { ApiFile } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import { pageLimits } from '../page-limits.ts';
import { type DiffRow, parsePatch } from './parse-patch.ts';

/** A remark under a line of the new file (RIGHT) or the old one (LEFT). */
export type LineNote = {
  readonly path: string;
  readonly line: number;
  readonly side: 'LEFT' | 'RIGHT';
  readonly markup: Html;
};

export function diffFile(file: ApiFile, notes: readonly LineNote[], key: string): Html {
  const rows = parsePatch(file.patch ?? '');
  const shown = rows.slice(0, pageLimits.diffLinesMax);
  const own = notes.filter(({ path }) => path === file.filename);
  const name =
    file.previous_filename === null || file.previous_filename === undefined
      ? file.filename
      : `${file.previous_filename} → ${file.filename}`;
  return html`<section class="card diff" data-key="${key}" aria-label="${name}"><details open>
  <summary class="card-head"><code class="diff-path">${name}</code> <span class="diff-size"><span class="badge">${file.status}</span> <span class="plus">+${file.additions}</span> <span class="minus">−${file.deletions}</span></span></summary>
  ${rows.length === 0 ? html`<p class="nothing">${file.status === 'renamed' ? 'Renamed without a change.' : 'No text to compare.'}</p>` : table(shown, own)}
  ${rows.length > shown.length ? html`<p class="nothing">${rows.length - shown.length} more lines are not shown.</p>` : null}
  </details></section>`;
}

function table(rows: readonly DiffRow[], notes: readonly LineNote[]): Html {
  return html`<div class="diff-scroll" tabindex="0" role="region" aria-label="Changed lines"><table class="diff-table"><thead class="sr-only"><tr><th>Old line</th><th>New line</th><th>Text</th></tr></thead><tbody>${rows.map((row) => [line(row), notes.filter((note) => belongsTo(note, row)).map(noteRow)])}</tbody></table></div>`;
}

const signs = { same: ' ', added: '+', removed: '−' } as const;

function line(row: DiffRow): Html {
  if (row.kind === 'hunk') return html`<tr class="diff-hunk"><td colspan="2"></td><td>${row.text}</td></tr>`;
  if (row.kind === 'note') return html`<tr class="diff-note"><td colspan="2"></td><td>${row.text}</td></tr>`;
  return html`<tr class="diff-${row.kind}"><td class="line-number">${row.before}</td><td class="line-number">${row.after}</td><td class="diff-text"><span class="sign">${signs[row.kind]}</span>${row.text}</td></tr>`;
}

function belongsTo(note: LineNote, row: DiffRow): boolean {
  if (row.kind === 'hunk' || row.kind === 'note') return false;
  return note.side === 'LEFT' ? row.before === note.line : row.after === note.line;
}

function noteRow(note: LineNote): Html {
  return html`<tr class="diff-remark"><td colspan="3">${note.markup}</td></tr>`;
}
