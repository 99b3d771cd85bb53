/** One workflow run: its jobs, their steps and logs, live while it runs. */
import {
  type ApiCheckRun,
  type ApiJob,
  type ApiRun,
  checkRunShape,
  jobShape,
  runShape,
} from '../api/run-shapes.ts';
import { type Html, html } from '../html.ts';
import { logView } from '../log/log-view.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { annotation } from '../parts/annotation.ts';
import { loginText } from '../parts/avatar.ts';
import { duration, moment } from '../parts/moment.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { isFinished, progressWord, statusMark } from '../parts/status-mark.ts';
import { findPlace, type Place } from '../place.ts';
import { type CheckNotes, readAnnotations } from '../thread/annotations.ts';
import type { Params, Screen, Visit } from '../visit.ts';

/** A run that is under way is looked at again every two seconds: log lines make no event of their own. */
const pollPeriodMs = 2_000;

export async function runScreen(visit: Visit, params: Params): Promise<Screen> {
  const place = await findPlace(visit, params);
  const missing: Screen = { kind: 'missing', message: 'There is no such run here.' };
  if (place === null) return missing;
  const at = `${place.api}/actions/runs/${params['id'] ?? ''}`;
  const [answer, jobs] = await Promise.all([
    visit.api.get(at, runShape),
    visit.api.list(`${at}/jobs`, jobShape, 'jobs'),
  ]);
  if (answer.kind === 'refused') return missing;
  const run = answer.data;
  const rows = jobs.kind === 'found' ? jobs.data : [];
  const cards = rows.map((job) => jobCard(visit, place, job));
  const notes = await readAnnotations(visit, place, await checksOf(visit, place, rows));
  return {
    kind: 'page',
    title: `${run.display_title ?? run.name ?? 'Run'} · ${place.repo.full_name}`,
    header: repoHeader(place, 'actions'),
    body: html`<div class="page">${runHead(place, run)}${remarks(notes)}<div class="stack" data-live="jobs">${cards.length === 0 ? html`<p class="nothing card" data-key="nothing">No job has started yet.</p>` : cards}</div></div>`,
  };
}

function runHead(place: Place, run: ApiRun): Html {
  const done = isFinished(run);
  return html`<div data-live="run-head"><div class="run-head" data-key="run" ${done ? null : html`data-poll-ms="${pollPeriodMs}"`}>
    <h1>${statusMark(run)} ${run.display_title ?? run.name} <span class="number">#${run.run_number}</span></h1>
    <p class="muted"><strong>${run.name ?? run.path}</strong> · ${progressWord(run)} · ${run.event} by ${loginText(run.actor?.login)} ${moment(run.created_at)} on <code class="branch">${run.head_branch ?? ''}</code> <a href="${place.path}/commit/${run.head_sha}"><code class="sha">${run.head_sha.slice(0, 7)}</code></a>${(run.run_attempt ?? 1) > 1 ? html` · attempt ${run.run_attempt ?? 1}` : null}${done ? html` · ${duration(run.created_at, run.updated_at)}` : null}</p>
    ${place.mayWrite ? runActs(place, run) : null}</div></div>`;
}

function runActs(place: Place, run: ApiRun): Html {
  const act = (value: string, word: string): Html =>
    html`<button class="button" name="what" value="${value}">${word}</button>`;
  const waits = run.conclusion === 'action_required';
  return html`<form class="row" method="post" action="${place.path}/actions/runs/${run.id}" data-act>${waits ? act('approve', 'Approve and run') : isFinished(run) ? act('rerun', 'Re-run all jobs') : act('cancel', 'Cancel run')}</form>`;
}

/** GitHub keeps what a job remarked (`::error::` and the like) with the check run that stands for the job. */
async function checksOf(
  visit: Visit,
  place: Place,
  jobs: readonly ApiJob[],
): Promise<readonly ApiCheckRun[]> {
  const ids = jobs.flatMap(({ check_run_url: url }) => /\/check-runs\/(\d+)$/.exec(url ?? '')?.[1] ?? []);
  const answers = await Promise.all(
    ids.map((id) => visit.api.get(`${place.api}/check-runs/${id}`, checkRunShape)),
  );
  return answers.flatMap((answer) => (answer.kind === 'found' ? [answer.data] : []));
}

/** What went wrong, before anybody reads a log. */
function remarks(notes: readonly CheckNotes[]): Html {
  const said = notes.filter(({ annotations }) => annotations.length > 0);
  return html`<div data-live="remarks">${
    said.length === 0
      ? null
      : html`<section class="card run-remarks" data-key="remarks" aria-label="Annotations"><header class="card-head"><h2>Annotations</h2></header><div class="card-body">${said.map(({ check, annotations }) => annotations.map((note) => annotation(note, check.name)))}</div></section>`
  }</div>`;
}

function jobCard(visit: Visit, place: Place, job: ApiJob): Html {
  const log = visit.jobLog(job.id);
  const summary = visit.jobSummary(job.id);
  const took = duration(job.started_at, job.completed_at);
  return html`<article class="card job" data-key="job-${job.id}" data-shell id="job-${job.id}" aria-label="Job ${job.name}">
    <div data-live="job-${job.id}"><header class="card-head" data-key="head">${statusMark(job)} <h2>${job.name}</h2> <span class="muted">${progressWord(job)}${took === null ? null : ` in ${took}`}${job.runner_name === null || job.runner_name === undefined ? null : html` · ${job.runner_name}`}</span></header>
    ${summary === null ? null : html`<section class="card-body summary" data-key="summary" aria-label="Summary">${renderMarkdown(summary, { repoPath: place.path }, { breaks: false })}</section>`}
    <ol class="steps" data-key="steps">${(job.steps ?? []).map((step) => html`<li>${statusMark(step)} <span>${step.name}</span> <span class="muted small">${duration(step.started_at, step.completed_at)}</span></li>`)}</ol></div>
    ${job.conclusion === 'skipped' ? null : log !== null && log !== '' ? logView(log, String(job.id)) : html`<div data-live="log-${job.id}"><p class="nothing" data-key="no-log">No output yet.</p></div>`}
  </article>`;
}
