/** A list of workflow runs. */
import type { ApiRun } from '../api/run-shapes.ts';
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import { loginText } from './avatar.ts';
import { formatDuration, renderMoment } from './moment.ts';
import { isFinished, statusMark } from './status-mark.ts';
import { showHiddenCharacters } from './written.ts';

export function runList(place: RepoLocation, runs: readonly ApiRun[]): Html {
  return html`<ul class="card list" data-live="runs">${runs.length === 0 ? html`<li class="nothing" data-key="nothing">No workflow has run yet.</li>` : runs.map((run) => row(place, run))}</ul>`;
}

function row(place: RepoLocation, run: ApiRun): Html {
  const took = isFinished(run) ? formatDuration(run.created_at, run.updated_at) : null;
  return html`<li class="list-row" data-key="run-${run.id}">${statusMark(run)}<div class="list-text"><a class="list-title" href="${place.path}/actions/runs/${run.id}">${showHiddenCharacters(run.display_title ?? run.name ?? 'workflow run')}</a>
    <p class="muted small"><strong>${showHiddenCharacters(run.name ?? run.path ?? 'workflow')}</strong> #${run.run_number}: ${run.event} by ${loginText(run.actor?.login)}</p></div>
    <div class="list-side muted small"><code class="branch">${showHiddenCharacters(run.head_branch ?? run.head_sha.slice(0, 7))}</code><span>${renderMoment(run.created_at)}${took === null ? null : html` · ${took}`}</span></div></li>`;
}
