/** "Run workflow": the inputs that a workflow declares, for people with write access. */
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import type { DispatchForm } from '../visit.ts';
import { icon } from './icons.ts';

/** Empty for a workflow without `workflow_dispatch`, and for people who may not start it. */
export function dispatchForm(
  place: RepoLocation,
  workflow: { readonly id: number; readonly name: string },
  inputs: DispatchForm | null,
): Html | null {
  if (inputs === null || !place.mayWrite) return null;
  return html`<details class="card new-issue" ><summary>${icon('play')} Run ${workflow.name}</summary>
  <form method="post" action="${place.path}/actions/workflows/${workflow.id}" data-act class="card-body">
    <label class="field">Branch<input name="ref" value="${place.repo.default_branch}" required></label>
    ${Object.entries(inputs).map(([name, input]) => field(name, input))}
    <p class="refusal" role="alert" data-refusal hidden></p>
    <div class="row end"><button class="button primary">Run workflow</button></div>
  </form></details>`;
}

function field(name: string, input: DispatchForm[string]): Html {
  const label = html`${name}${input.required ? ' (required)' : ''}`;
  const options = input.type === 'boolean' ? ['false', 'true'] : input.options;
  if (options.length > 0)
    return html`<label class="field">${label}<select name="input:${name}">${options.map(
      (option) => html`<option ${option === input.default ? html`selected` : null}>${option}</option>`,
    )}</select></label>`;
  return html`<label class="field">${label}<input name="input:${name}" value="${input.default ?? ''}" ${input.required ? html`required` : null}></label>`;
}
