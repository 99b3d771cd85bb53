/**
 * `/owner/repo/issues/new?template=FILE`: an issue form of the repository; other query parameters pre-fill its fields,
 * as on GitHub.
 */
import { type FormField, type IssueForm, readIssueForm } from '../forms/issue-form.ts';
import { type Html, html } from '../html.ts';
import { repoHeader } from '../parts/repo-header.ts';
import { findRepoLocation } from '../place.ts';
import type { Params, Screen, Visit } from '../visit.ts';

export async function newIssueScreen(visit: Visit, params: Params): Promise<Screen> {
  const place = await findRepoLocation(visit, params);
  if (place === null) return { kind: 'missing', message: 'There is no such repository here.' };
  const { query } = visit.request;
  const template = query.get('template') ?? '';
  const form = await readIssueForm(visit, params, template);
  if (form === null) return { kind: 'missing', message: 'This repository has no such issue form.' };
  return {
    kind: 'page',
    title: `${form.name} · ${place.repo.full_name}`,
    header: repoHeader(place, 'issues'),
    body: html`<div class="page"><h1 class="page-title">${form.name}</h1><p>${form.description}</p>
    <form class="card issue-form" method="post" action="${place.path}/issues" data-act><div class="card-body">
      <input type="hidden" name="template" value="${template}">
      <label class="field">Title<input name="title" required maxlength="256" value="${query.get('title') ?? form.title}"></label>
      ${form.body.map((one) => renderField(one, query.get(one.id)))}
      <p class="refusal" role="alert" data-refusal hidden></p>
      <div class="row end"><span class="muted">Opened by ${visit.speaker.login}${renderLabels(form)}</span><button class="button primary">Open issue</button></div>
    </div></form></div>`,
  };
}

function renderLabels({ labels }: IssueForm): string {
  return labels.length === 0 ? '' : `, labelled ${labels.join(', ')}`;
}

function renderField({ type, id, attributes, validations }: FormField, given: string | null): Html {
  const { label, description, options } = attributes;
  const name = `field:${id}`;
  const value = given ?? attributes.value;
  const must = validations.required ? html`required` : null;
  const about = html`${label}${validations.required ? ' (required)' : null}${description === '' ? null : html` <small class="muted">${description}</small>`}`;
  switch (type) {
    case 'input':
      return html`<label class="field">${about}<input name="${name}" value="${value}" ${must}></label>`;
    case 'textarea':
      return html`<label class="field">${about}<textarea name="${name}" rows="3" ${must}>${value}</textarea></label>`;
    case 'dropdown':
      return html`<label class="field">${about}<select name="${name}" ${must}><option value="">None</option>${options.map(
        (option) => html`<option ${option === value ? html`selected` : null}>${option}</option>`,
      )}</select></label>`;
  }
}
