/** Writes every larger schema that occurs twice once: GitHub's payloads repeat an account's schema dozens of times. */

import { createHash } from 'node:crypto';
import { mapValues } from './bare-schema.ts';

type Schemas = Readonly<Record<string, unknown>>;

/** Schemas of fewer characters stay where they are. */
const worthSharing = 300;

/** The same schemas with references to `shared-…` in place of repeats. */
export function shareRepeats(roots: Schemas, schemas: Schemas): { readonly roots: Schemas; readonly schemas: Schemas } {
  const counts = new Map<string, number>();
  const count = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isSchema(value)) {
      const text = JSON.stringify(value);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    for (const inner of Object.values(value)) count(inner);
  };
  count(roots);
  count(schemas);
  const shared: Record<string, unknown> = {};
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const text = isSchema(value) ? JSON.stringify(value) : '';
    if (text.length < worthSharing || (counts.get(text) ?? 0) < 2) return inside(value);
    const name = `shared-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
    shared[name] ??= inside(value);
    return { $ref: `#/components/schemas/${name}` };
  };
  const inside = (value: object): unknown => (Array.isArray(value) ? value.map(share) : mapValues({ ...value }, share));
  const sharedRoots = mapValues(roots, share);
  return { roots: sharedRoots, schemas: { ...mapValues(schemas, (schema) => inside(Object(schema))), ...shared } };
}

/** A property may be called `type`, so only a text or list there makes a schema. */
function isSchema(value: object): boolean {
  return 'type' in value && (typeof value.type === 'string' || Array.isArray(value.type));
}
