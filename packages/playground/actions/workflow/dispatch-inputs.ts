/**
 * Inputs of `workflow_dispatch` and `workflow_call`, validated against their declaration and converted to their types.
 */

import { assertNever } from '../../world/assert.ts';
import type { Json } from '../../world/json.ts';
import type { DispatchInput } from '../state-actions.ts';
import type { CallInput } from './triggers.ts';

export type CheckedInputs =
  | { readonly ok: true; readonly inputs: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/** Inputs as text with defaults filled in, or the message of GitHub's 422. */
export function checkDispatchInputs(
  declared: Readonly<Record<string, DispatchInput>>,
  given: Readonly<Record<string, string>>,
): CheckedInputs {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) {
    return { ok: false, message: `Unexpected inputs provided: ${JSON.stringify(unknown)}` };
  }
  const inputs: Record<string, string> = {};
  for (const [name, input] of Object.entries(declared)) {
    const value = given[name] ?? input.default ?? (input.type === 'boolean' ? 'false' : '');
    if (input.required && given[name] === undefined && input.default === null) {
      return { ok: false, message: `Required input '${name}' not provided` };
    }
    if (!isValidInput(input, value)) {
      return { ok: false, message: `Provided value '${value}' for input '${name}' not valid for its type` };
    }
    inputs[name] = value;
  }
  return { ok: true, inputs };
}

/** The `inputs` context: booleans and numbers keep their type, the rest is text. */
export function typedDispatchInputs(
  declared: Readonly<Record<string, DispatchInput>>,
  inputs: Readonly<Record<string, string>>,
): Record<string, Json> {
  const typed: Record<string, Json> = {};
  for (const [name, value] of Object.entries(inputs)) {
    const type = declared[name]?.type;
    if (type === 'boolean') typed[name] = value === 'true';
    else if (type === 'number') typed[name] = Number(value);
    else typed[name] = value;
  }
  return typed;
}

export type CallInputs =
  | { readonly ok: true; readonly inputs: Readonly<Record<string, Json>> }
  | { readonly ok: false; readonly message: string };

/** Values that a calling job passes to a reusable workflow, validated and with defaults. */
export function checkCallInputs(
  declared: Readonly<Record<string, CallInput>>,
  given: Readonly<Record<string, Json>>,
): CallInputs {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) {
    return { ok: false, message: `Invalid input, ${unknown.join(', ')} is not defined in the called workflow` };
  }
  const inputs: Record<string, Json> = {};
  for (const [name, input] of Object.entries(declared)) {
    const value = given[name] ?? input.default;
    if (value === null || value === undefined) {
      if (input.required) return { ok: false, message: `Input ${name} is required, but not provided` };
      inputs[name] = emptyValue(input.type);
    } else if (typeof value !== input.type && input.type !== 'string') {
      return { ok: false, message: `Invalid value for input ${name}: ${input.type} expected` };
    } else inputs[name] = input.type === 'string' ? String(value) : value;
  }
  return { ok: true, inputs };
}

function isValidInput(input: DispatchInput, value: string): boolean {
  switch (input.type) {
    case 'boolean':
      return value === 'true' || value === 'false';
    case 'number':
      return value === '' || Number.isFinite(Number(value));
    case 'choice':
      return value === '' ? !input.required : input.options.includes(value);
    case 'string':
    case 'environment':
      return true;
    default:
      return assertNever(input.type);
  }
}

function emptyValue(type: CallInput['type']): Json {
  switch (type) {
    case 'boolean':
      return false;
    case 'number':
      return 0;
    case 'string':
      return '';
    default:
      return assertNever(type);
  }
}
