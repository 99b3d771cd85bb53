/** The config's schema as JSON Schema 2020-12: what editors check and complete by, and what the documentation is made from. */

import { z } from 'zod';
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
export function schemasAt(
  root: JsonSchema,
  path: readonly PropertyKey[],
  value: unknown,
): readonly JsonSchema[] {
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
  const ofItsKind = oneOf.filter((one) => isOfKind(one, value));
  return ofItsKind.length > 0 ? ofItsKind : oneOf;
}

/** Whether every constant of the kind is what the value has there. */
function isOfKind(kind: JsonSchema, value: unknown): boolean {
  return Object.entries(kind.properties ?? {}).every(
    ([key, { const: constant }]) => constant === undefined || childOf(value, key) === constant,
  );
}
