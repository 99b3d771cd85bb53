/** The pages that list issues and pull requests, open or closed. */
import { OWN_FILE, SLIP_FILE } from '../acts/own-pull.ts';
import { issueShape } from '../api/thread-shapes.ts';
import { html } from '../html.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { threadList } from '../parts/thread-list.ts';
import { tryCards } from '../parts/try-card.ts';
import { findRepoLocation } from '../place.ts';
import type { Params, Screen, Visit } from '../visit.ts';

export function issuesScreen(visit: Visit, params: Params): Promise<Screen> {
  return listScreen(visit, params, 'issues');
}

export function pullsScreen(visit: Visit, params: Params): Promise<Screen> {
  return listScreen(visit, params, 'pulls');
}

async function listScreen(visit: Visit, params: Params, kind: 'issues' | 'pulls'): Promise<Screen> {
  const place = await findRepoLocation(visit, params);
  if (place === null) return { kind: 'missing', message: 'There is no such repository here.' };
  const state = visit.request.query.get('state') === 'closed' ? 'closed' : 'open';
  // The issues endpoint returns both kinds, each with labels and counts; a pull request has `pull_request` set.
  const answer = await visit.api.list(`${place.api}/issues?state=${state}&sort=created&direction=desc`, issueShape);
  const all = answer.kind === 'found' ? answer.data : [];
  const issues = all.filter(({ pull_request: pull }) => (pull !== null && pull !== undefined) === (kind === 'pulls'));
  const word = kind === 'pulls' ? 'pull requests' : 'issues';
  const choice = (value: string, text: string) =>
    html`<a class="switch-half" href="${place.path}/${kind}${value === 'closed' ? '?state=closed' : ''}" ${value === state ? html`aria-current="true"` : null}>${text}</a>`;
  return {
    kind: 'page',
    title: `${kind === 'pulls' ? 'Pull requests' : 'Issues'} · ${place.repo.full_name}`,
    header: repoHeader(place, kind),
    body: html`<div class="page">
      <div class="row between"><h1 class="page-title">${kind === 'pulls' ? 'Pull requests' : 'Issues'}</h1><nav class="switch" aria-label="Which ${word}">${choice('open', 'Open')}${choice('closed', 'Closed')}</nav></div>
      ${threadList(place, issues, `No ${state} ${word}.`)}
      ${kind === 'issues' ? html`${await tryCards(visit, place)}${newIssue(place.path)}${visit.startOwnJob === null ? null : ownJob(place.path)}` : html`${ownPull(place.path)}${bugSuggestion(place.path)}`}</div>`,
  };
}

function newIssue(path: string) {
  return html`<details class="card new-issue"><summary>New issue</summary><form method="post" action="${path}/issues" data-act class="card-body">
    <label class="field">Title<input name="title" required maxlength="256"></label>
    <label class="field">Text<textarea name="body" rows="6"></textarea></label>
    <p class="refusal" role="alert" data-refusal hidden></p>
    <div class="row end"><button class="button primary">Open issue</button></div></form></details>`;
}

/** A suggestion: the bot also makes a ferry of a person's own pull request. */
function ownPull(path: string) {
  return html`<details class="card new-issue"><summary>Try a pull request of your own</summary><form method="post" action="${path}/own-pull" data-act class="card-body">
    <p>Changes one setting of <code>${OWN_FILE}</code> on a branch of yours and opens a pull request. Put the label <code>ferry-daily</code> on it, or say <code>/propose</code> in it: it becomes a ferry, which somebody else than you has to approve. A lane has one run at a time: where today's ferry is under way, yours waits for its seal, or for its pull request to be closed.</p>
    <p class="refusal" role="alert" data-refusal hidden></p>
    <div class="row end"><button class="button primary">Open pull request</button></div></form></details>`;
}

/** A suggestion: a job that fails with a missing import, which the bot fixes. */
function bugSuggestion(path: string) {
  return html`<details class="card new-issue"><summary>Try a job that dies of a missing import</summary><form method="post" action="${path}/slip" data-act class="card-body">
    <p>Opens a pull request of yours that takes an import out of <code>${SLIP_FILE}</code>. Merge it, have the daily ferry proposed (Actions, daily ferry, run), and approve it: the job dies within seconds. The bot says in which file and line, commits the correction on the ferry's branch and shows the difference; nothing starts before somebody approves the new line of the card.</p>
    <p class="refusal" role="alert" data-refusal hidden></p>
    <div class="row end"><button class="button primary">Open pull request</button></div></form></details>`;
}

/** A suggestion: a job that the bot does not know until a person asks it to watch the job. */
function ownJob(path: string) {
  return html`<details class="card new-issue"><summary>Try a job of your own</summary><form method="post" action="${path}/own-job" data-act class="card-body">
    <p>Starts a job on the cluster by hand, as people do, and opens an issue of yours about it, with the line that has it watched. Say that line as mira, who may approve launches: the bot asks the cluster whose job it is and what it runs, and reads nothing of its log before <code>/accept</code>. From then on the watch is hers; <code>/handoff @ada</code> offers it to ada, who takes it with <code>/accept</code>, and <code>/stop</code> by either ends the job.</p>
    <p class="refusal" role="alert" data-refusal hidden></p>
    <div class="row end"><button class="button primary">Start the job</button></div></form></details>`;
}
