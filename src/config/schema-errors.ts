/** The config's schema as JSON Schema 2020-12, and what it says against a value, in zod's words. */

import { z } from 'zod';
import { nearest } from '../settings/nearness.ts';
import { type ConfigIssue, dotted, error, type KeyPath } from '../settings/problem.ts';
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

type Issue = z.core.$ZodIssue;

/** What zod does not say by itself: the keys that a map may have, and that something is missing. For `safeParse`. */
export function configErrors({ code, input, inst }: z.core.$ZodRawIssue): string | undefined {
  if (code === 'unrecognized_keys') return Object.keys((inst as z.core.$ZodObject)._zod.def.shape).join(', ');
  if (input !== undefined || (code !== 'invalid_type' && code !== 'invalid_value')) return undefined;
  const about = inst === undefined ? undefined : z.globalRegistry.get(inst as z.core.$ZodType)?.description;
  return about === undefined ? 'missing' : `missing: ${about}`;
}

/** The first issue at each path: ten unknown keys in one map are ten issues. */
export function schemaErrors(issues: readonly Issue[], value: unknown): readonly ConfigIssue[] {
  const found = issues.flatMap((issue) => configIssuesOf(issue, [], value));
  return [...new Map(found.toReversed().map((one) => [dotted(one.path), one])).values()].toReversed();
}

function configIssuesOf(issue: Issue, above: KeyPath, value: unknown): readonly ConfigIssue[] {
  const path = [...above, ...issue.path.filter((part) => typeof part !== 'symbol')];
  const found = valueAt(value, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      // A merge key and `__proto__` were reported with the text already.
      return issue.keys
        .filter((key) => key !== '<<' && key !== '__proto__')
        .map((key) => error('unknown-key', [...path, key], unknownKeyText(key, issue.message.split(', '))));
    case 'invalid_key':
      return [error('bad-value', path, `not a name that may stand here: ${issue.issues[0]?.message ?? ''}`)];
    case 'invalid_union':
      return unionIssues(issue, path, value);
    case 'invalid_type':
      if (path.length === 0 && found === null) return [error('empty', path, 'the file is empty')];
      return [error(found === undefined ? 'missing-key' : 'wrong-type', path, issue.message)];
    case 'invalid_value':
      if (found === undefined) return [error('missing-key', path, issue.message)];
      return [error('bad-value', path, `${issue.message}${meantText(found, issue.values.map(String))}`)];
    default:
      return [error('bad-value', path, issue.message)];
  }
}

/**
 * The issues of the one way of writing it that the value comes near: that of the kind that it names, or the only one that
 * fails inside the value. Where it names no kind that there is, the kinds.
 */
function unionIssues(
  issue: Extract<Issue, { readonly code: 'invalid_union' }>,
  path: KeyPath,
  value: unknown,
): readonly ConfigIssue[] {
  const kinds = issue.errors.map((errors) => errors.find(isOfKind));
  const meant = issue.errors.filter((errors, index) =>
    kinds.some((one) => one !== undefined)
      ? kinds[index] === undefined
      : errors.some((one) => one.path.length > 0),
  );
  const [only, second] = meant;
  if (only !== undefined && second === undefined)
    return only.flatMap((one) => configIssuesOf(one, path, value));
  const key = 'discriminator' in issue && issue.discriminator !== undefined ? issue.discriminator : 'kind';
  const named = kinds.flatMap((one) => (one?.code === 'invalid_value' ? one.values : [])).map(String);
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : named;
  if (options.length === 0) return [error('wrong-type', path, issue.message)];
  const at = path.at(-1) === key ? path : [...path, key];
  const found = valueAt(value, at);
  return [
    found === undefined
      ? error('missing-key', at, `missing: one of ${options.join(', ')}`)
      : error('bad-value', at, `expected one of ${options.join(', ')}${meantText(found, options)}`),
  ];
}

function isOfKind({ code, path }: Issue): boolean {
  return code === 'invalid_value' && path.length === 1 && path[0] === 'kind';
}

function unknownKeyText(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return `unknown key ${key}: ${near === null ? `known here: ${known.join(', ')}` : `did you mean ${near}?`}`;
}

function meantText(found: unknown, values: readonly string[]): string {
  const near = typeof found === 'string' ? nearest(found, values) : null;
  return near === null ? '' : `; did you mean ${near}?`;
}

function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      typeof at === 'object' && at !== null
        ? Object.entries(at).find(([key]) => key === String(part))?.[1]
        : undefined,
    value,
  );
}
