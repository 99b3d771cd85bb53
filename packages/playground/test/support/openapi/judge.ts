/** Compares answers and webhooks with GitHub's own description, downloaded by scripts/openapi.ts. */

import { readFileSync } from 'node:fs';
import { type ErrorObject, type ValidateFunction, Ajv2019 as Validators } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { type Schema, strictDefinitions, strictSchema } from './strict-schema.ts';

/** Null: valid. Otherwise the field and the error. */
export type Verdict = string | null;

export type Judge = {
  /** `wanted` is a key of the description's table; the schema under it is compiled once. */
  readonly check: (key: string, schema: unknown, value: unknown) => Verdict;
  readonly table: Schema;
};

/** `name` is a file of fixtures/openapi; `table` the key of its entries. */
export function openJudge(name: 'rest' | 'webhooks', table: 'operations' | 'payloads'): Judge {
  const file = new URL(`../../../fixtures/openapi/${name}.json`, import.meta.url);
  const description: Schema = JSON.parse(readFileSync(file, 'utf8'));
  const definitions = strictDefinitions(Object(description['schemas']));
  // Optimised code pays off only after millions of answers, and takes half of the compile time: a test checks hundreds.
  const validators = new Validators({ strict: false, allErrors: false, code: { optimize: false } });
  addFormats.default(validators);
  validators.addSchema({ $id: name, $defs: definitions });
  const compiled = new Map<string, ValidateFunction>();
  return {
    table: Object(description[table]),
    check: (key, schema, value) => {
      const validate = compiled.get(key) ?? validators.compile(within(name, strictSchema(schema, false)));
      compiled.set(key, validate);
      return validate(value) ? null : wordsOf(validate.errors ?? [], value);
    },
  };
}

/** Resolves references of an external schema inside the description. */
function within(name: string, schema: unknown): Schema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${name}#/`);
  return JSON.parse(text);
}

/** The deepest error is the most specific: the others only report that a branch failed. */
function wordsOf(errors: readonly ErrorObject[], value: unknown): string {
  const deepest = errors.toSorted((a, b) => b.instancePath.length - a.instancePath.length)[0];
  if (deepest === undefined) return 'does not fit';
  const { additionalProperty, unevaluatedProperty, allowedValues } = deepest.params;
  const more = additionalProperty ?? unevaluatedProperty ?? (allowedValues === undefined ? '' : String(allowedValues));
  return `${deepest.instancePath || '/'} ${deepest.message ?? ''} ${more}: ${shown(value, deepest.instancePath)}`;
}

function shown(value: unknown, path: string): string {
  const steps = path.split('/').slice(1);
  const found = steps.reduce((at: unknown, step) => Object(at)[step.replaceAll('~1', '/')], value);
  return (JSON.stringify(found) ?? 'undefined').slice(0, 300);
}
