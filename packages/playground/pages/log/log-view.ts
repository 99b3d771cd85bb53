/**
 * A job's log: numbered lines, collapsible groups, coloured errors and warnings, and only the newest lines of a long
 * log.
 */
import { type Html, html } from '../html.ts';
import { pageLimits } from '../page-limits.ts';
import { ansiLine } from './ansi.ts';
import { splitLogLines } from './step-logs.ts';

type Part = { readonly group: string | null; readonly from: number; readonly lines: readonly string[] };

/**
 * `key` prefixes the live parts: a finished group or block of a hundred lines is never sent again. A growing log has no
 * `aria-live`, because a screen reader would read nothing else.
 */
export function logView(
  log: string,
  key: string,
  { linesMax = pageLimits.logLinesMax, name = 'Log' }: { readonly linesMax?: number; readonly name?: string } = {},
): Html {
  const all = splitLogLines(log);
  const dropped = Math.max(0, all.length - linesMax);
  const parts = groupLines(all.slice(dropped), dropped).flatMap(splitHundreds);
  return html`<div class="log" data-live="log-${key}" role="log" aria-live="off" aria-label="${name}" tabindex="0">
    ${dropped === 0 ? null : html`<p class="log-note" data-key="dropped">${dropped} earlier lines are not shown.</p>`}
    ${parts.map((part) => renderPart(part, key))}</div>`;
}

/** Splits at multiples of a hundred lines, so that a growing log changes only its last piece. */
function splitHundreds(part: Part): readonly Part[] {
  if (part.group !== null) return [part];
  const pieces: Part[] = [];
  for (let from = part.from; from < part.from + part.lines.length; ) {
    const end = Math.min(Math.ceil(from / PIECE_LINES) * PIECE_LINES + 1, part.from + part.lines.length);
    pieces.push({ group: null, from, lines: part.lines.slice(from - part.from, end - part.from) });
    from = end;
  }
  return pieces;
}

const PIECE_LINES = 100;

/** The runner's markers: `##[group]name` in stored logs, `::group::name` as programs print it. */
const opening = /^(?:\S+Z )?(?:##\[group\]|::group::)(.*)$/;
const closing = /^(?:\S+Z )?(?:##\[endgroup\]|::endgroup::)/;

function groupLines(lines: readonly string[], offset: number): readonly Part[] {
  const parts: Part[] = [];
  let current: { group: string | null; from: number; lines: string[] } = { group: null, from: offset + 1, lines: [] };
  const end = (next: string | null, from: number): void => {
    if (current.lines.length > 0 || current.group !== null) parts.push(current);
    current = { group: next, from, lines: [] };
  };
  for (const [index, line] of lines.entries()) {
    const open = opening.exec(line);
    if (open !== null) end(open[1] ?? '', offset + index + 2);
    else if (closing.test(line)) end(null, offset + index + 2);
    else current.lines.push(line);
  }
  end(null, 0);
  return parts;
}

function renderPart(part: Part, key: string): Html {
  const lines = part.lines.map((line, index) => renderLogLine(line, part.from + index));
  const id = `${key}-${part.from}`;
  if (part.group === null) return html`<div class="log-piece" data-key="${id}">${lines}</div>`;
  // There are no lines to expand.
  if (lines.length === 0) return html`<div class="log-title" data-key="${id}">${ansiLine(part.group)}</div>`;
  const hasError = part.lines.some((line) => errorLine.test(line));
  return html`<details class="log-group" data-key="${id}" ${hasError ? html`open` : null}><summary>${ansiLine(part.group)}</summary>${lines}</details>`;
}

/** A group with an error stays open. */
const errorLine = /^(?:\S+Z )?(?:##\[error\]|::error(?: [^:]*)?::)/;

function renderLogLine(line: string, number: number): Html {
  const [, stamp, text = line] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.*)$/s.exec(line) ?? [];
  const marked =
    /^(?:##\[(error|warning|notice|debug|command)\]|::(error|warning|notice|debug)(?: [^:]*)?::)(.*)$/s.exec(text);
  const kind = marked?.[1] ?? marked?.[2] ?? 'plain';
  return html`<div class="log-line log-${kind}"><span class="log-number" aria-hidden="true">${number}</span><span class="log-text" ${stamp === undefined ? null : html`title="${stamp}"`}>${ansiLine(marked?.[3] ?? text)}</span></div>`;
}
