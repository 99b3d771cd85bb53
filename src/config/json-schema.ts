/** The config's schema as JSON Schema 2020-12: what editors check and complete by, and what the documentation is made from. */

import { z } from 'zod';
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
  readonly [keyword: string]: unknown;
};

/** Where the newest schema is published, for the first line of a config. */
export const SCHEMA_ID =
  'https://raw.githubusercontent.com/ferrybot/ferrybot/main/schema/ferrybot.schema.json';

/** The schema of what a person writes: keys with a default may be left out. */
export function configJsonSchema(): JsonSchema {
  // zod's own type leaves the keywords open; the shape above is what it writes for the kinds that schema.ts uses.
  const written = z.toJSONSchema(configSchema, { io: 'input' }) as JsonSchema;
  const { $schema, ...rest } = written;
  return { $schema, $id: SCHEMA_ID, title: 'ferrybot config', ...rest };
}

/** The schemas that may hold at a path: several behind an `anyOf`, none where the path is not known. */
export function schemasAt(root: JsonSchema, path: readonly PropertyKey[]): readonly JsonSchema[] {
  return path.reduce<readonly JsonSchema[]>(
    (schemas, part) => schemas.flatMap((schema) => childrenOf(schema, String(part))),
    alternatives(root),
  );
}

function childrenOf(schema: JsonSchema, part: string): readonly JsonSchema[] {
  const { properties, items, additionalProperties } = schema;
  const own =
    properties !== undefined && Object.hasOwn(properties, part)
      ? properties[part]
      : typeof additionalProperties === 'object'
        ? additionalProperties
        : /^\d+$/.test(part)
          ? items
          : undefined;
  return own === undefined ? [] : alternatives(own);
}

function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(alternatives);
}
