/** `Checks`: every check run with its summary, its text and its annotations. */
import { type Html, html, safeHref } from '../html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { annotation } from '../parts/annotation.ts';
import { formatDuration, renderMoment } from '../parts/moment.ts';
import { progressWord, statusMark } from '../parts/status-mark.ts';
import { showHiddenCharacters } from '../parts/written.ts';
import { localPath, type RepoLocation } from '../place.ts';
import { type CheckNotes, readAnnotations } from '../thread/annotations.ts';
import type { CheckButton, Params, Screen, Visit } from '../visit.ts';
import { type PullView, pullScreen } from './pull-screen.ts';

export function pullChecksScreen(visit: Visit, params: Params): Promise<Screen> {
  return pullScreen(visit, params, 'checks', async (view) => {
    const notes = await readAnnotations(visit, view.place, view.part.checks);
    return html`<div class="stack" data-live="check-runs">${notes.length === 0 ? html`<p class="nothing card" data-key="nothing">No checks have reported yet.</p>` : notes.map((note) => checkCard(visit, view, note))}</div>`;
  });
}

function checkCard(visit: Visit, { place }: PullView, { check, annotations }: CheckNotes): Html {
  const { title, summary, text } = check.output ?? { title: null, summary: null, text: null };
  const took = formatDuration(check.started_at, check.completed_at);
  const link = safeHref(localPath(visit, check.details_url));
  const isExternal = link !== '#' && link !== `${place.path}/runs/${check.id}`;
  return html`<article class="card check-run" data-key="check-${check.id}" id="check-${check.id}">
  <header class="card-head">${statusMark(check)} <h2>${showHiddenCharacters(check.name)}</h2> <span class="muted">${progressWord(check)}${took === null ? null : ` in ${took}`} · ${showHiddenCharacters(check.app?.name ?? 'unknown app')} · ${renderMoment(check.completed_at ?? check.started_at)}</span></header>
  <div class="card-body">${(title ?? '') === '' ? null : html`<h3>${showHiddenCharacters(title)}</h3>`}${(summary ?? '') === '' ? null : renderMarkdown(summary ?? '', { repoPath: place.path }, { breaks: false })}${(text ?? '') === '' ? null : renderMarkdown(text ?? '', { repoPath: place.path }, { breaks: false })}${annotations.map((note) => annotation(note, check.name))}${place.mayWrite ? buttons(place, check.id, visit.checkButtons(check.id)) : null}${!isExternal ? null : html`<p><a href="${link}">Details</a></p>`}</div></article>`;
}

/** A click has the effect of the command that the App wrote on the button. */
function buttons(place: RepoLocation, id: number, actions: readonly CheckButton[]): Html | null {
  if (actions.length === 0) return null;
  const button = (one: CheckButton): Html =>
    html`<button class="button" name="button" value="${one.identifier}" title="${one.description}">${one.label}</button>`;
  return html`<form class="row" method="post" action="${place.path}/runs/${id}/buttons" data-act>${actions.map(button)}</form>`;
}
