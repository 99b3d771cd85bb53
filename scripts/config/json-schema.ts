/** The JSON Schema of a config, for editors and for docs/configuration.md. */

import { z } from 'zod';
import type { LaneKinds } from '../../src/config/lane-schema.ts';
import { configSchema } from '../../src/config/schema.ts';

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
export const SCHEMA_ID = 'https://raw.githubusercontent.com/ferrybot/ferrybot/main/schema/ferrybot.schema.json';

/** The schema of what a person writes: keys with a default may be left out. */
export function configJsonSchema(kinds: LaneKinds): JsonSchema {
  // zod's own type leaves the keywords open; the shape above is what it writes for the kinds that schema.ts uses.
  const written = z.toJSONSchema(configSchema(kinds), { io: 'input' }) as JsonSchema;
  const { $schema, ...rest } = written;
  return { $schema, $id: SCHEMA_ID, title: 'ferrybot config', ...rest };
}
