/** One job of a run: its state, its summary, and its steps with their logs. */
import type { ApiJob } from '../api/run-shapes.ts';
import { type Html, html } from '../html.ts';
import { fairShares } from '../log/fair-shares.ts';
import { logView } from '../log/log-view.ts';
import { splitLogLines, stepLogs } from '../log/step-logs.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { pageLimits } from '../page-limits.ts';
import type { RepoLocation } from '../place.ts';
import type { Visit } from '../visit.ts';
import { formatDuration } from './moment.ts';
import { progressWord, statusMark } from './status-mark.ts';
import { showHiddenCharacters } from './written.ts';

type Step = NonNullable<ApiJob['steps']>[number];

/** `runId` is the job's run; `linesMax` is the page's limit for lines of its log. */
export function jobCard(visit: Visit, place: RepoLocation, runId: number, job: ApiJob, linesMax: number): Html {
  const log = visit.jobLog(job.id) ?? '';
  const summary = visit.jobSummary(job.id);
  const took = job.conclusion === 'skipped' ? null : formatDuration(job.started_at, job.completed_at);
  const logPath = `${place.path}/actions/runs/${runId}/job/${job.id}/log`;
  return html`<article class="card job" data-key="job-${job.id}" data-shell id="job-${job.id}" aria-label="Job ${job.name}">
    <div data-live="job-${job.id}"><header class="card-head" data-key="head">${statusMark(job)} <h2>${showHiddenCharacters(job.name)}</h2> <span class="muted">${progressWord(job)}${took === null ? null : ` in ${took}`}${job.runner_name === null || job.runner_name === undefined ? null : html` · ${job.runner_name}`}</span>${log === '' ? null : html`<a class="small whole-log" href="${logPath}">Whole log<span class="sr-only"> of ${job.name}</span></a>`}</header>
    ${summary === null ? null : html`<section class="card-body summary" data-key="summary" aria-label="Summary of ${job.name}">${renderMarkdown(summary, { repoPath: place.path }, { breaks: false })}</section>`}</div>
    ${job.conclusion === 'skipped' ? null : stepLogsMarkup(visit, job, log, linesMax)}
  </article>`;
}

/** Split into steps if the runner recorded their offsets, otherwise one log. */
function stepLogsMarkup(visit: Visit, job: ApiJob, log: string, linesMax: number): Html {
  const steps = job.steps ?? [];
  const offsets = visit.stepOffsets(job.id);
  const isByStep = offsets.length > 0 && offsets.some((offset) => offset !== null);
  const logs = isByStep ? stepLogs(log, offsets) : [];
  const shares = fairShares(
    logs.map((one) => (one === null ? 0 : splitLogLines(one).length)),
    linesMax,
  );
  const rows = html`<ol class="steps" data-live="steps-${job.id}">${steps.map((step, index) => stepRow(job, step, logs[index] ?? null, shares[index] ?? 0))}</ol>`;
  if (isByStep) return rows;
  return html`${rows}${log === '' ? html`<div data-live="log-${job.id}"><p class="nothing" data-key="no-log">No output yet.</p></div>` : logView(log, String(job.id), { linesMax, name: `Log of ${job.name}` })}`;
}

/** Open while it runs and when it failed; the page's script follows these changes. */
function stepRow(job: ApiJob, step: Step, log: string | null, linesMax: number): Html {
  const key = `${job.id}-${step.number}`;
  const line = html`${statusMark(step)} <span class="step-name">${showHiddenCharacters(step.name)}</span> <span class="muted small step-took">${step.conclusion === 'skipped' ? null : formatDuration(step.started_at, step.completed_at)}</span>`;
  if (log === null) return html`<li class="step" data-key="step-${key}"><div class="step-line">${line}</div></li>`;
  const isOpen = step.status === 'in_progress' || step.conclusion === 'failure';
  return html`<li class="step" data-key="said-${key}" data-shell><details data-stage="${step.status} ${step.conclusion ?? ''}" ${isOpen ? html`open` : null}><summary class="step-line" data-live="step-line-${key}"><span class="step-head" data-key="line">${line}</span></summary>${logView(log, key, { linesMax, name: `Log of ${step.name}` })}</details></li>`;
}

/** The maximum number of log lines for each of `jobs`. */
export function logShares(visit: Visit, jobs: readonly ApiJob[]): readonly number[] {
  const lines = jobs.map((job) => {
    const log = visit.jobLog(job.id) ?? '';
    return log === '' ? 0 : Math.min(splitLogLines(log).length, pageLimits.logLinesMax);
  });
  return fairShares(lines, pageLimits.logLinesOfPageMax);
}
