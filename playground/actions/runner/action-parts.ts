/** The parts of an action in a job: its inputs, and the work of pre, main and post. */

import path from 'node:path';
import { evaluateText, type Scope } from '../expressions/evaluate.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import type { StepDefinition } from '../workflow/workflow-file.ts';
import { inputEnvironment } from './action-manifest.ts';
import { scalarText } from './job-state.ts';
import type { ResolvedAction } from './resolve-action.ts';
import type { StepWork } from './runner-types.ts';

/** An action that a step uses, kept from its first part to its last: `state` is what GITHUB_STATE collected. */
export type ActionUse = {
  readonly action: ResolvedAction;
  readonly step: StepDefinition;
  readonly title: string;
  inputs: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
  state: Readonly<Record<string, string>>;
};

/** `with:` over the defaults of action.yml, all as text; and the warning that GitHub gives for unknown names. */
export function actionInputs(
  use: Pick<ActionUse, 'action' | 'step'>,
  scope: Scope,
): { readonly inputs: Record<string, string>; readonly unexpected: readonly string[] } {
  const declared = use.action.manifest?.inputs ?? null;
  const inputs: Record<string, string> = {};
  for (const [name, input] of Object.entries(declared ?? {})) {
    if (input.default !== undefined) inputs[name] = evaluateText(scalarText(input.default), scope);
    else if (use.action.kind !== 'checkout') inputs[name] = '';
  }
  const unexpected: string[] = [];
  for (const [given, value] of Object.entries(use.step.with)) {
    const name = Object.keys(declared ?? {}).find((known) => known.toLowerCase() === given.toLowerCase());
    if (declared !== null && name === undefined) unexpected.push(given);
    inputs[name ?? given] = evaluateText(scalarText(value), scope);
  }
  return { inputs, unexpected };
}

/** The work of one part; null when the action does not have that part. */
export function partOf(
  use: ActionUse,
  phase: 'pre' | 'main' | 'post',
  env: Readonly<Record<string, string>>,
): StepWork | null {
  const { action } = use;
  if (action.kind === 'checkout') {
    return phase === 'pre' ? null : { kind: 'checkout', inputs: use.inputs, env, phase };
  }
  const complete = { ...env, ...inputEnvironment(use.inputs), ...stateEnvironment(use.state) };
  if (action.manifest === null || action.directory === null) {
    if (phase !== 'main') return null;
    return { kind: 'action', uses: action.uses, inputs: use.inputs, program: null, phase, env: complete };
  }
  const file = action.manifest[phase];
  if (file === null) return null;
  const program = path.resolve(action.directory, file);
  if (!program.startsWith(path.resolve(action.directory))) {
    throw new WorkflowFault(`${action.uses}: ${phase}: ${file} is outside the action`);
  }
  return { kind: 'action', uses: action.uses, inputs: use.inputs, program, phase, env: complete };
}

function stateEnvironment(state: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
}
