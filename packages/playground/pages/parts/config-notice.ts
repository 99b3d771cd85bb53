/**
 * The front page's notice about the lab's config: nothing while it is valid, otherwise its errors with positions, or
 * how to start.
 */
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import type { ConfigNotice } from '../visit.ts';
import { icon } from './icons.ts';

const CONFIG_PATH = '.github/ferrybot.yml';

/** A live part: it disappears by itself when a commit fixes the config. */
export function configNotice(place: RepoLocation, notice: ConfigNotice | null): Html {
  return html`<div data-live="config">${notice === null ? null : renderContent(place, notice)}</div>`;
}

function renderContent(place: RepoLocation, notice: ConfigNotice): Html | null {
  switch (notice.state) {
    case 'missing':
      return renderMissing(place);
    case 'invalid':
      return renderProblems(place, notice, 'ferrybot obeys no config here until these are mended');
    case 'valid':
      return notice.problems.length === 0 ? null : renderProblems(place, notice, 'The config is valid, but');
  }
}

function renderMissing(place: RepoLocation): Html {
  const offer = place.mayWrite
    ? html`<form method="post" action="${place.path}/example" data-act><button class="button primary">Add the example</button></form>`
    : html`<p>Somebody who may write can add the example from this page.</p>`;
  return html`<section class="card notice" data-key="missing" aria-labelledby="config-title"><div class="card-body">
    <h2 id="config-title">${icon('attention', 'tone-wait')} This lab has no <code>${CONFIG_PATH}</code> yet</h2>
    <p>ferrybot does nothing without it. The example and its four workflows can be committed to <code class="branch">${place.repo.default_branch}</code> here, in the playground alone; then edit them until they fit your files.</p>
    ${offer}</div></section>`;
}

function renderProblems(place: RepoLocation, notice: ConfigNotice, title: string): Html {
  const file = `${place.path}/blob/${encodeURIComponent(place.repo.default_branch)}/${CONFIG_PATH}`;
  return html`<section class="card notice" data-key="problems" aria-labelledby="config-title"><div class="card-body">
    <h2 id="config-title">${icon('attention', notice.state === 'valid' ? 'tone-wait' : 'tone-bad')} ${title}</h2>
    <ul class="config-problems">${notice.problems.map(
      (one) =>
        html`<li><a href="${file}#L${one.line}"><code>${CONFIG_PATH}:${one.line}:${one.column}</code></a> ${one.severity}: ${one.path === '' ? null : html`<code>${one.path}</code>: `}${one.message}</li>`,
    )}</ul></div></section>`;
}
