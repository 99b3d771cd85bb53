/** The box of checks at the end of a pull request's conversation: one line each, the worst first. */
import type { ApiCheckRun } from '../api/run-shapes.ts';
import { type Html, html } from '../html.ts';
import { formatDuration } from './moment.ts';
import { isFinished, progressWord, statusMark } from './status-mark.ts';
import { showHiddenCharacters } from './written.ts';

const failing = ['failure', 'timed_out', 'startup_failure', 'action_required', 'cancelled'];

/** `checksPath` is the pull request's page of checks. */
export function checksPanel(checks: readonly ApiCheckRun[], checksPath: string): Html {
  const sorted = checks.toSorted((a, b) => checkRank(a) - checkRank(b));
  return html`<section class="card checks" aria-label="Checks" data-live="checks"><div data-key="checks">
  <header class="checks-head"><strong>${headline(checks)}</strong><a href="${checksPath}">Details</a></header>
  <ul class="check-list">${sorted.map((check) => checkLine(check, checksPath))}</ul>
</div></section>`;
}

/** The headline reports missing checks: a pull request without checks has not passed. */
function headline(checks: readonly ApiCheckRun[]): string {
  if (checks.length === 0) return 'No checks have reported yet';
  const bad = checks.filter((check) => failing.includes(check.conclusion ?? '')).length;
  if (bad > 0) return `${bad} of ${checks.length} checks ${bad === 1 ? 'wants' : 'want'} attention`;
  const running = checks.filter((check) => !isFinished(check)).length;
  return running > 0 ? `${running} of ${checks.length} checks under way` : 'All checks have finished';
}

function checkLine(check: ApiCheckRun, checksPath: string): Html {
  const took = formatDuration(check.started_at, check.completed_at);
  return html`<li>${statusMark(check)}<a class="check-name" href="${checksPath}#check-${check.id}"><strong>${showHiddenCharacters(check.name)}</strong></a>
    <span class="muted check-said">${showHiddenCharacters(check.output?.title ?? progressWord(check))}${took === null ? null : ` · ${took}`}</span></li>`;
}

/** The check that determines the overall state: failed before running before done. The list must not be empty. */
export function worstCheck(checks: readonly ApiCheckRun[]): ApiCheckRun | Readonly<Record<string, never>> {
  return checks.toSorted((a, b) => checkRank(a) - checkRank(b))[0] ?? {};
}

function checkRank(check: ApiCheckRun): number {
  if (failing.includes(check.conclusion ?? '')) return 0;
  return isFinished(check) ? 2 : 1;
}
