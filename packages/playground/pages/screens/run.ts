/** One workflow run with its jobs, steps and logs, updated while it runs. */
import { type ApiCheckRun, type ApiJob, type ApiRun, checkRunShape, jobShape, runShape } from '../api/run-shapes.ts';
import { type Html, html } from '../html.ts';
import { annotation } from '../parts/annotation.ts';
import { loginText } from '../parts/avatar.ts';
import { jobCard, logShares } from '../parts/job-card.ts';
import { jobMap } from '../parts/job-map.ts';
import { formatDuration, renderMoment } from '../parts/moment.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { isFinished, progressWord, statusMark } from '../parts/status-mark.ts';
import { showHiddenCharacters } from '../parts/written.ts';
import { findRepoLocation, type RepoLocation } from '../place.ts';
import { type CheckNotes, readAnnotations } from '../thread/annotations.ts';
import type { Params, Screen, Visit } from '../visit.ts';

/** A run in progress is polled every two seconds, because log lines cause no event. */
const pollPeriodMs = 2_000;

export async function runScreen(visit: Visit, params: Params): Promise<Screen> {
  const place = await findRepoLocation(visit, params);
  const missing: Screen = { kind: 'missing', message: 'There is no such run here.' };
  if (place === null) return missing;
  const at = `${place.api}/actions/runs/${params['id'] ?? ''}`;
  const [answer, jobs] = await Promise.all([
    visit.api.get(at, runShape),
    visit.api.list(`${at}/jobs?filter=all`, jobShape, 'jobs'),
  ]);
  if (answer.kind === 'refused') return missing;
  const run = answer.data;
  const attempts = run.run_attempt ?? 1;
  const attempt = Number(params['attempt'] ?? attempts);
  if (attempt < 1 || attempt > attempts) return missing;
  const ofAttempt = (jobs.kind === 'found' ? jobs.data : []).filter((job) => (job.run_attempt ?? 1) === attempt);
  const rows = ofAttempt.filter(({ id }) => params['job'] === undefined || params['job'] === String(id));
  if (params['job'] !== undefined && rows.length === 0) return missing;
  const shares = logShares(visit, rows);
  const cards = rows.map((job, index) => jobCard(visit, place, run.id, job, shares[index] ?? 0));
  const notes = await readAnnotations(visit, place, await readChecks(visit, place, rows));
  return {
    kind: 'page',
    title: `${run.display_title ?? run.name ?? 'Run'} · ${place.repo.full_name}`,
    header: repoHeader(place, 'actions'),
    body: html`<div class="page">${runHead(place, run, attempt)}${jobMap(ofAttempt, visit.jobStages(run.id))}${renderAnnotations(notes)}<div class="stack" data-live="jobs">${cards.length === 0 ? html`<p class="nothing card" data-key="nothing">No job has started yet.</p>` : cards}</div></div>`,
  };
}

function runHead(place: RepoLocation, run: ApiRun, attempt: number): Html {
  const done = isFinished(run);
  const isNewest = attempt === (run.run_attempt ?? 1);
  return html`<div data-live="run-head"><div class="run-head" data-key="run" ${done ? null : html`data-poll-ms="${pollPeriodMs}"`}>
    <h1>${isNewest ? statusMark(run) : null} ${showHiddenCharacters(run.display_title ?? run.name)} <span class="number">#${run.run_number}</span></h1>
    <p class="muted"><strong>${showHiddenCharacters(run.name ?? run.path)}</strong> · ${progressWord(run)} · ${run.event} by ${loginText(run.actor?.login)} ${renderMoment(run.created_at)} on ${run.head_branch === null || run.head_branch === undefined || run.head_branch === '' ? null : html`<code class="branch">${showHiddenCharacters(run.head_branch)}</code>`} <a href="${place.path}/commit/${run.head_sha}"><code class="sha">${run.head_sha.slice(0, 7)}</code></a>${done ? html` · ${formatDuration(run.created_at, run.updated_at)}` : null}</p>
    ${attemptLinks(place, run, attempt)}${place.mayWrite && isNewest ? runActs(place, run) : null}</div></div>`;
}

/** Links to all attempts; empty for a run that was never re-run. */
function attemptLinks(place: RepoLocation, run: ApiRun, attempt: number): Html | null {
  const count = run.run_attempt ?? 1;
  if (count === 1) return null;
  const link = (number: number): Html => {
    const to = `${place.path}/actions/runs/${run.id}${number === count ? '' : `/attempts/${number}`}`;
    return html`<a class="switch-half" href="${to}" ${number === attempt ? html`aria-current="true"` : null}>${number}${number === count ? ' (latest)' : null}</a>`;
  };
  return html`<nav class="row" aria-label="Attempts"><span class="muted">Attempt</span> <span class="switch">${Array.from({ length: count }, (_, index) => link(index + 1))}</span></nav>`;
}

function runActs(place: RepoLocation, run: ApiRun): Html {
  const act = (value: string, word: string): Html =>
    html`<button class="button" name="what" value="${value}">${word}</button>`;
  const waits = run.conclusion === 'action_required';
  return html`<form class="row" method="post" action="${place.path}/actions/runs/${run.id}" data-act>${waits ? act('approve', 'Approve and run') : isFinished(run) ? act('rerun', 'Re-run all jobs') : act('cancel', 'Cancel run')}</form>`;
}

/** GitHub stores a job's annotations (`::error::` and the like) on its check run. */
async function readChecks(visit: Visit, place: RepoLocation, jobs: readonly ApiJob[]): Promise<readonly ApiCheckRun[]> {
  const ids = jobs.flatMap(({ check_run_url: url }) => /\/check-runs\/(\d+)$/.exec(url ?? '')?.[1] ?? []);
  const answers = await Promise.all(ids.map((id) => visit.api.get(`${place.api}/check-runs/${id}`, checkRunShape)));
  return answers.flatMap((answer) => (answer.kind === 'found' ? [answer.data] : []));
}

/** The annotations, above the logs. */
function renderAnnotations(notes: readonly CheckNotes[]): Html {
  const annotated = notes.filter(({ annotations }) => annotations.length > 0);
  return html`<div data-live="remarks">${
    annotated.length === 0
      ? null
      : html`<section class="card run-remarks" data-key="remarks" aria-label="Annotations"><header class="card-head"><h2>Annotations</h2></header><div class="card-body">${annotated.map(({ check, annotations }) => annotations.map((note) => annotation(note, check.name)))}</div></section>`
  }</div>`;
}
