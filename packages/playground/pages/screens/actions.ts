/** `Actions`: the workflows and their runs. */
import { runShape, workflowShape } from '../api/run-shapes.ts';
import { html } from '../html.ts';
import { dispatchForm } from '../parts/dispatch-form.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { runList } from '../parts/run-list.ts';
import { findRepoLocation } from '../place.ts';
import type { Params, Screen, Visit } from '../visit.ts';

/** `?workflow=<id>` shows the runs of one workflow. */
export async function actionsScreen(visit: Visit, params: Params): Promise<Screen> {
  const place = await findRepoLocation(visit, params);
  if (place === null) return { kind: 'missing', message: 'There is no such repository here.' };
  const [workflows, runs] = await Promise.all([
    visit.api.list(`${place.api}/actions/workflows`, workflowShape, 'workflows'),
    visit.api.list(`${place.api}/actions/runs`, runShape, 'workflow_runs'),
  ]);
  const chosen = visit.request.query.get('workflow');
  const all = runs.kind === 'found' ? runs.data : [];
  const shown = chosen === null ? all : all.filter((run) => String(run.workflow_id) === chosen);
  const picked = (workflows.kind === 'found' ? workflows.data : []).find(({ id }) => String(id) === chosen);
  const choice = (to: string | null, word: string, title: string) =>
    html`<li><a class="side-link" href="${place.path}/actions${to === null ? '' : `?workflow=${to}`}" title="${title}" ${to === chosen ? html`aria-current="true"` : null}>${word}</a></li>`;
  return {
    kind: 'page',
    title: `Actions · ${place.repo.full_name}`,
    header: repoHeader(place, 'actions'),
    body: html`<div class="page"><h1 class="page-title">Actions</h1><div class="columns reverse">
      <nav class="side-nav" aria-label="Workflows"><ul>${choice(null, 'All workflows', '')}${(workflows.kind === 'found' ? workflows.data : []).map((workflow) => choice(String(workflow.id), workflow.name, workflow.path))}</ul></nav>
      <div class="main-column">${picked === undefined ? null : dispatchForm(place, picked, visit.dispatchInputs(picked.id))}${runList(place, shown)}</div></div></div>`,
  };
}
