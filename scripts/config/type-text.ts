/** The type of a key as people say it: words that may stand there, bounds, what a list is made of. */

import type { JsonSchema } from './json-schema.ts';

/** Markdown, without the keys below. */
export function typeText(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ');
  if (schema.oneOf !== undefined) return 'map';
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${String(word)}\``).join(', ');
  switch (schema.type) {
    case 'array':
      return `list of ${schema.items?.properties === undefined ? typeText(schema.items ?? {}) : 'maps'}`;
    case 'object':
      return 'map';
    case 'integer':
      return `whole number${boundsText(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return '`null`';
    default:
      return stringText(schema);
  }
}

function stringText(schema: JsonSchema): string {
  if (schema['format'] === 'date-time') return 'moment in UTC';
  if (schema['format'] === 'email') return 'address';
  return schema['pattern'] === DECIMAL ? 'decimal in quotes' : 'text';
}

const DECIMAL = '^\\d+(\\.\\d+)?$';

function boundsText(schema: JsonSchema): string {
  const least = schema['minimum'] ?? (schema['exclusiveMinimum'] === 0 ? 1 : undefined);
  const most = schema['maximum'] === Number.MAX_SAFE_INTEGER ? undefined : schema['maximum'];
  if (least !== undefined && most !== undefined) return `, ${String(least)} to ${String(most)}`;
  return least === undefined ? '' : `, at least ${String(least)}`;
}
