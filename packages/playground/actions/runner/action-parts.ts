/** The inputs of an action in a job, and its pre, main and post parts. */

import path from 'node:path';
import { evaluateText, type Scope } from '../expressions/evaluate.ts';
import type { StepDefinition } from '../workflow/job-schema.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { inputEnvironment } from './action-manifest.ts';
import { scalarText } from './job-state.ts';
import type { ResolvedAction } from './resolve-action.ts';
import type { StepWork } from './runner-types.ts';

/** An action that a step uses, kept from its first part to its last. `state` holds what it wrote to GITHUB_STATE. */
export type ActionUse = {
  readonly action: ResolvedAction;
  readonly step: StepDefinition;
  readonly title: string;
  inputs: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
  state: Readonly<Record<string, string>>;
  /** For a composite action: the actions of its steps, as far as they are known before the steps run. */
  readonly parts: ReadonlyMap<StepDefinition, ActionUse>;
  /** For a composite action: the actions that its steps have started, in order. Their post parts must still run. */
  readonly begun: ActionUse[];
};

/** Whether the action has a part to run before or after the job's steps. */
export function hasPart(use: ActionUse, phase: 'pre' | 'post'): boolean {
  if (use.action.kind === 'checkout') return phase === 'post';
  const runs = use.action.manifest?.runs;
  if (runs === undefined) return false;
  if (runs.kind === 'node') return runs[phase] !== null;
  const inside = phase === 'pre' ? [...use.parts.values()] : use.begun;
  return inside.some((one) => hasPart(one, phase));
}

/**
 * The condition of one part of an action. For a composite action, each step's own condition is evaluated separately.
 */
export function partCondition(use: ActionUse, phase: 'pre' | 'post'): string {
  const runs = use.action.manifest?.runs;
  if (runs?.kind !== 'node') return 'always()';
  return phase === 'pre' ? runs.preIf : runs.postIf;
}

/** `with:` over the defaults of action.yml, all as text, and the warning that GitHub prints for unknown names. */
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

/** What one part runs; null when the action does not have that part. */
export function buildPartWork(
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
  const { runs } = action.manifest;
  if (runs.kind === 'composite') return null;
  const file = runs[phase];
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
