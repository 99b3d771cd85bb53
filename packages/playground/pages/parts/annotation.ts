/** A check's annotation on some lines of a file. */
import type { ApiAnnotation } from '../api/run-shapes.ts';
import { type Html, html } from '../html.ts';
import { icon } from './icons.ts';
import { showHiddenCharacters } from './written.ts';

const levels: Readonly<Record<string, { readonly tone: string; readonly word: string }>> = {
  failure: { tone: 'bad', word: 'Failure' },
  warning: { tone: 'wait', word: 'Warning' },
  notice: { tone: 'note', word: 'Notice' },
};

/** `by` is the check's name. The message is plain text, as on GitHub, and is never rendered as Markdown. */
export function annotation(note: ApiAnnotation, by: string): Html {
  const level = levels[note.annotation_level ?? ''] ?? { tone: 'note', word: note.annotation_level ?? 'Note' };
  const lines =
    note.start_line === note.end_line ? `line ${note.start_line}` : `lines ${note.start_line} to ${note.end_line}`;
  return html`<div class="annotation edge-${level.tone}"><p><span class="tone-${level.tone}">${icon('attention')}</span> <strong>${level.word}</strong>${(note.title ?? '') === '' ? null : html`: ${showHiddenCharacters(note.title)}`} <span class="muted small">${showHiddenCharacters(by)} on <code>${showHiddenCharacters(note.path)}</code>, ${lines}</span></p>
    <p class="annotation-text">${showHiddenCharacters(note.message)}</p>${(note.raw_details ?? '') === '' ? null : html`<details><summary>Raw details</summary><pre tabindex="0">${showHiddenCharacters(note.raw_details)}</pre></details>`}</div>`;
}
