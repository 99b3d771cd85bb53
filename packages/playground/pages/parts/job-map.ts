/** An overview of a run's jobs: their order, their states, their durations. */
import type { ApiJob } from '../api/run-shapes.ts';
import { type Html, html } from '../html.ts';
import { formatDuration } from './moment.ts';
import { statusMark } from './status-mark.ts';
import { showHiddenCharacters } from './written.ts';

/** A list for each stage, from left to right; nothing for a run of one job. */
export function jobMap(jobs: readonly ApiJob[], stages: ReadonlyMap<number, number>): Html {
  const stageOf = (job: ApiJob): number => stages.get(job.id) ?? 0;
  const numbers = [...new Set(jobs.map(stageOf))].toSorted((a, b) => a - b);
  const stage = (number: number): Html =>
    html`<li class="job-stage"><ul>${jobs.filter((job) => stageOf(job) === number).map(entry)}</ul></li>`;
  return html`<div data-live="job-map">${
    jobs.length < 2
      ? null
      : html`<nav class="card job-map" data-key="map" aria-label="Jobs"><ol>${numbers.map(stage)}</ol></nav>`
  }</div>`;
}

function entry(job: ApiJob): Html {
  const took = formatDuration(job.started_at, job.completed_at);
  return html`<li><a href="#job-${job.id}">${statusMark(job)} <span class="job-name">${showHiddenCharacters(job.name)}</span> ${took === null || job.conclusion === 'skipped' ? null : html`<span class="muted small">${took}</span>`}</a></li>`;
}
