/**
 * Converts GitHub's schemas (OpenAPI 3.0 and 3.1) to JSON Schema 2019-09 that rejects unknown properties. GitHub's own
 * schemas allow additional properties, but one in an answer of ours would be our invention.
 */

export type Schema = Readonly<Record<string, unknown>>;

const componentPrefix = '#/components/schemas/';
/**
 * Formats that no library checks, where the type is enough; and email, because GitHub's address for a bot,
 * `41898282+github-actions[bot]@users.noreply.github.com`, is invalid by RFC 5322.
 */
const formatsLeftOut = ['timestamp', 'repo.nwo', 'binary', 'double', 'int32', 'int64', 'email'];

/** Every schema twice: `name` rejects unknown properties, `name~open` leaves that to the enclosing schema. */
export function strictDefinitions(schemas: Schema): Schema {
  const entries = Object.entries(schemas).flatMap(([name, schema]) => [
    [name, strictSchema(schema, false)] as const,
    [`${name}~open`, strictSchema(schema, true)] as const,
  ]);
  return Object.fromEntries(entries);
}

/** `isOpen`: a branch of another schema, which alone knows all the properties. */
export function strictSchema(schema: unknown, isOpen: boolean): unknown {
  if (typeof schema === 'boolean') return schema;
  const { nullable, ...rest } = asSchema(schema);
  const strict = strictParts(rest, isOpen);
  if (nullable !== true) return strict;
  return { anyOf: [strict, { type: 'null' }] };
}

function strictParts(schema: Schema, isOpen: boolean): Schema {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.replace(componentPrefix, '').replaceAll('~', '~0').replaceAll('/', '~1');
    return { $ref: `#/$defs/${encodeURIComponent(name)}${isOpen ? '~0open' : ''}` };
  }
  const properties = mapped(schema['properties']);
  // Its own properties and those of its branches form one object, so only the whole can be closed.
  const isJoined = schema['allOf'] !== undefined || (properties !== null && hasBranches(schema));
  const strict: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    // GitHub writes oneOf where it means anyOf: its branches have few required properties and overlap.
    const name = key === 'oneOf' ? 'anyOf' : key;
    strict[name] = strictPart(name, value, isOpen || isJoined);
  }
  if (formatsLeftOut.includes(String(strict['format']))) delete strict['format'];
  const isFree = schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== true;
  if (isOpen || isFree) return strict;
  if (isJoined) return { ...strict, unevaluatedProperties: false };
  return properties === null ? strict : { ...strict, additionalProperties: false };
}

function strictPart(key: string, value: unknown, isBranchOpen: boolean): unknown {
  switch (key) {
    case 'properties':
    case 'patternProperties':
      return Object.fromEntries(
        Object.entries(asSchema(value)).map(([name, inner]) => [name, strictSchema(inner, false)]),
      );
    case 'items':
    case 'additionalProperties':
      return strictSchema(value, false);
    case 'allOf':
    case 'anyOf':
      return Array.isArray(value) ? value.map((branch) => strictSchema(branch, isBranchOpen)) : value;
    default:
      return value;
  }
}

function hasBranches(schema: Schema): boolean {
  return schema['anyOf'] !== undefined || schema['oneOf'] !== undefined;
}

function mapped(properties: unknown): Schema | null {
  return properties === undefined || Object.keys(asSchema(properties)).length === 0 ? null : asSchema(properties);
}

function asSchema(value: unknown): Schema {
  if (typeof value !== 'object' || value === null) throw new Error(`no schema: ${JSON.stringify(value)}`);
  return Object.fromEntries(Object.entries(value));
}
