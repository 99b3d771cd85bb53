/** The config's schema as JSON Schema 2020-12, and what it says against a value. */

import { z } from 'zod';
import { nearest } from '../settings/nearness.ts';
import { type ConfigIssue, dotted, type KeyPath } from '../settings/problem.ts';
import type { LaneKinds } from './lane-kind.ts';
import { configSchema } from './schema.ts';

/** The part of JSON Schema that zod writes for this config. */
export type JsonSchema = {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: { readonly [key: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  /** Kinds that one key with a constant tells apart. */
  readonly oneOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
};

/** Where the newest schema is published, for the first line of a config. */
export const SCHEMA_ID =
  'https://raw.githubusercontent.com/ferrybot/ferrybot/main/schema/ferrybot.schema.json';

/** The schema of what a person writes: keys with a default may be left out. */
export function configJsonSchema(kinds: LaneKinds): JsonSchema {
  // zod's own type leaves the keywords open; the shape above is what it writes for the kinds that schema.ts uses.
  const written = z.toJSONSchema(configSchema(kinds), { io: 'input' }) as JsonSchema;
  const { $schema, ...rest } = written;
  return { $schema, $id: SCHEMA_ID, title: 'ferrybot config', ...rest };
}

/**
 * The schemas that may hold at a path of `value`: several behind an `anyOf`, of kinds only the one that the value is of
 * if it says so, none where the path is not known.
 */
function schemasAt(root: JsonSchema, path: readonly PropertyKey[], value: unknown): readonly JsonSchema[] {
  const start = { schemas: alternatives(root, value), value };
  return path.reduce<typeof start>((at, part) => {
    const below = childOf(at.value, String(part));
    return {
      schemas: at.schemas.flatMap((schema) => childrenOf(schema, String(part), below)),
      value: below,
    };
  }, start).schemas;
}

function childOf(value: unknown, part: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === part)?.[1];
}

function childrenOf(schema: JsonSchema, part: string, value: unknown): readonly JsonSchema[] {
  const { properties, items, additionalProperties } = schema;
  const own =
    properties !== undefined && Object.hasOwn(properties, part)
      ? properties[part]
      : typeof additionalProperties === 'object'
        ? additionalProperties
        : /^\d+$/.test(part)
          ? items
          : undefined;
  return own === undefined ? [] : alternatives(own, value);
}

function alternatives(schema: JsonSchema, value: unknown): readonly JsonSchema[] {
  const { anyOf, oneOf } = schema;
  if (anyOf !== undefined) return anyOf.flatMap((one) => alternatives(one, value));
  if (oneOf === undefined) return [schema];
  const ofItsKind = oneOf.filter((one) => hasConstantsOf(one, value));
  return ofItsKind.length > 0 ? ofItsKind : oneOf;
}

/** Whether every constant of the kind is what the value has there. */
function hasConstantsOf(kind: JsonSchema, value: unknown): boolean {
  return Object.entries(kind.properties ?? {}).every(
    ([key, { const: constant }]) => constant === undefined || childOf(value, key) === constant,
  );
}

type Issue = z.core.$ZodIssue;

/**
 * The issues of the kind that a lane says it is of, in place of those of every kind that it is not; where it names no kind
 * that there is, that alone.
 */
function issuesOfKinds(issues: readonly Issue[]): readonly Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union' || issue.errors.length < 2) return [issue];
    const about = issue.errors.map((errors) => errors.find((one) => isOfKind(one)));
    if (about.every((one) => one === undefined)) return [issue];
    const meant = issue.errors.filter((_, index) => about[index] === undefined);
    if (meant.length === 0) {
      const values = about.flatMap((one) => (one?.code === 'invalid_value' ? one.values : []));
      const [first] = about;
      return first?.code === 'invalid_value'
        ? [{ ...first, values, path: [...issue.path, ...first.path] }]
        : [issue];
    }
    const [only, second] = meant;
    return only === undefined || second !== undefined
      ? [issue]
      : only.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
  });
}

function isOfKind({ code, path }: Issue): boolean {
  return code === 'invalid_value' && path.length === 1 && path[0] === 'kind';
}

/** The first issue at each path: ten unknown keys in one map are ten issues. */
export function schemaErrors(
  issues: readonly Issue[],
  value: unknown,
  kinds: LaneKinds,
): readonly ConfigIssue[] {
  // Made only for a config that is wrong: it takes some milliseconds.
  const schema = configJsonSchema(kinds);
  const found = issuesOfKinds(issues).flatMap((issue) => configIssuesOf(issue, [], value, schema));
  return found.filter(
    ({ path }, index) => found.findIndex((one) => dotted(one.path) === dotted(path)) === index,
  );
}

function configIssuesOf(
  issue: Issue,
  above: KeyPath,
  value: unknown,
  schema: JsonSchema,
): readonly ConfigIssue[] {
  const path = [...above, ...issue.path.filter((part) => typeof part !== 'symbol')];
  switch (issue.code) {
    case 'unrecognized_keys':
      // What is no key anywhere was told with the text already.
      return issue.keys
        .filter((key) => key !== '<<' && key !== '__proto__')
        .map((key) => unknownKey(path, key, value, schema));
    case 'invalid_key':
      return [
        configIssue('bad-value', path, `not a name that may stand here: ${issue.issues[0]?.message ?? ''}`),
      ];
    case 'invalid_union':
      return union(issue, path, value, schema);
    case 'invalid_type':
      return [missing(path, value, schema) ?? wrongType(issue, path, value)];
    case 'invalid_value':
      return [missing(path, value, schema) ?? notAmong(issue.values.map(String), path, value)];
    default:
      return [configIssue('bad-value', path, issue.message)];
  }
}

/** The one way of writing it that the value comes near: its own problems say more than that none fits. */
function union(
  issue: Extract<Issue, { readonly code: 'invalid_union' }>,
  path: KeyPath,
  value: unknown,
  schema: JsonSchema,
): readonly ConfigIssue[] {
  // A key with a constant says which kind it is: that key is what is wrong.
  if ('options' in issue && Array.isArray(issue.options))
    return [missing(path, value, schema) ?? notAmong(issue.options.map(String), path, value)];
  const near = issue.errors.filter((issues) => issues.some((one) => one.path.length > 0));
  const only = near.length === 1 ? near[0] : undefined;
  if (only !== undefined) return only.flatMap((one) => configIssuesOf(one, path, value, schema));
  return [missing(path, value, schema) ?? configIssue('wrong-type', path, issue.message)];
}

function unknownKey(path: KeyPath, key: string, value: unknown, schema: JsonSchema): ConfigIssue {
  const known = schemasAt(schema, path, value).flatMap((one) => Object.keys(one.properties ?? {}));
  const lower = new Map(known.map((name) => [name.toLowerCase(), name]));
  const near = lower.get(nearest(key, [...lower.keys()]) ?? '');
  const elsewhere = near === undefined ? homesOf(schema, key, []) : [];
  const hint =
    near !== undefined
      ? `did you mean ${near}?`
      : elsewhere.length > 0
        ? `it belongs to ${elsewhere.join(' or ')}`
        : `known here: ${known.join(', ')}`;
  return configIssue('unknown-key', [...path, key], `unknown key ${key}: ${hint}`);
}

/** Maps with a key of this very name. */
function homesOf(schema: JsonSchema, key: string, path: readonly string[]): readonly string[] {
  const here = schema.properties?.[key] !== undefined && Object.hasOwn(schema.properties, key);
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    homesOf(child, key, [...path, name]),
  );
  return here ? [path.length === 0 ? 'the top of the file' : path.join('.'), ...below] : below;
}

function missing(path: KeyPath, value: unknown, schema: JsonSchema): ConfigIssue | null {
  const key = path.at(-1);
  const parent = valueAt(value, path.slice(0, -1));
  if (typeof key !== 'string' || typeof parent !== 'object' || parent === null) return null;
  if (Object.hasOwn(parent, key)) return null;
  const what = schemasAt(schema, path.slice(0, -1), value)
    .map((one) => one.properties?.[key]?.description)
    .find((text) => text !== undefined);
  return configIssue('missing-key', path, `${key} is missing${what === undefined ? '' : `: ${what}`}`);
}

function wrongType(
  issue: Extract<Issue, { readonly code: 'invalid_type' }>,
  path: KeyPath,
  value: unknown,
): ConfigIssue {
  const found = valueAt(value, path);
  if (path.length === 0 && found === null) return configIssue('empty', path, 'the file is empty');
  // A schema with words of its own says better what belongs there.
  const wanted = issue.message.startsWith('Invalid input') ? typeName(issue.expected) : issue.message;
  return configIssue(
    'wrong-type',
    path,
    `${wanted} belongs here, not ${typeName(found)}${typeHint(issue.expected, found)}`,
  );
}

function notAmong(values: readonly string[], path: KeyPath, value: unknown): ConfigIssue {
  const found = valueAt(value, path);
  const near = typeof found === 'string' ? nearest(found, values) : null;
  const list = values.length === 1 ? values.join('') : `one of ${values.join(', ')}`;
  return configIssue(
    'bad-value',
    path,
    `${list} belongs here${near === null ? '' : `; did you mean ${near}?`}`,
  );
}

function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((at, part) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    return Object.entries(at).find(([key]) => key === String(part))?.[1];
  }, value);
}

function configIssue(code: ConfigIssue['code'], path: KeyPath, message: string): ConfigIssue {
  return { severity: 'error', code, path, message };
}

/** `value` is a type's name in the schema's language, or a value that was found. */
function typeName(value: unknown): string {
  if (value === null || value === 'null' || value === undefined) return 'nothing';
  if (Array.isArray(value) || value === 'array') return 'a list';
  // The config has no other numbers: decimals are text.
  if (value === 'int' || value === 'number') return 'a whole number';
  if (typeof value === 'number') return 'a number';
  if (typeof value === 'boolean') return `${value}`;
  if (value === 'boolean') return 'true or false';
  if (value === 'object' || value === 'record' || typeof value === 'object') return 'a map of keys';
  return 'text';
}

/** What would mend it, or nothing: booleans and numbers of YAML 1.1, quotes too many or too few. */
function typeHint(expected: string, found: unknown): string {
  if (expected === 'boolean' && typeof found === 'string') return booleanHint(found);
  if ((expected === 'int' || expected === 'number') && typeof found === 'string') return numberHint(found);
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean'))
    return `; in quotes it is text: "${found}"`;
  if (expected === 'array' && typeof found === 'string') return '; a list of one is written [so]';
  return '';
}

function booleanHint(found: string): string {
  const word = found.toLowerCase();
  if (['yes', 'on', 'y', 'true'].includes(word)) return '; in YAML 1.2 it is written true';
  return ['no', 'off', 'n', 'false'].includes(word) ? '; in YAML 1.2 it is written false' : '';
}

function numberHint(found: string): string {
  if (/^[+-]?\d+$/.test(found)) return '; without quotes it is a number';
  return /^[+-]?\d[\d_]*$/.test(found) ? `; in YAML 1.2 it is written ${found.replaceAll('_', '')}` : '';
}
