/** Collects every schema that some schemas refer to, and those that these refer to. */

import { bareSchema, resolveReference } from './bare-schema.ts';

const prefix = '#/components/schemas/';

/** Schema by name, without prose. */
export function withReferences(wanted: unknown, description: unknown): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const waiting = [...referencesIn(wanted)];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name in found) continue;
    const schema = bareSchema(resolveReference(description, `${prefix}${name}`));
    found[name] = schema;
    waiting.push(...referencesIn(schema));
  }
  return found;
}

function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref.replace(prefix, '')] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}
