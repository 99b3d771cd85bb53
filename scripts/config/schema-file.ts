/** The schema as the file that editors fetch. */

import type { JsonSchema } from './json-schema.ts';

/** Indented, so that a change of it can be reviewed. */
export function schemaFile(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
