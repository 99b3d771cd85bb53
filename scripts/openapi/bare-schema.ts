/** Takes out of a schema what only people read, so that what is left is what an answer can be judged by. */

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const single = ['items', 'additionalProperties', 'not', 'propertyNames'];
const lists = ['allOf', 'anyOf', 'oneOf'];
const maps = ['properties', 'patternProperties'];
const kept = new Set([
  '$ref',
  'type',
  'nullable',
  'enum',
  'const',
  'format',
  'pattern',
  'required',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
]);

/** The schema with its rules alone; keywords that this does not know are an error, lest a rule be lost in silence. */
export function bareSchema(schema: unknown): unknown {
  if (typeof schema === 'boolean') return schema;
  const bare: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(asObject(schema))) {
    if (kept.has(key)) bare[key] = value;
    else if (single.includes(key)) bare[key] = bareSchema(value);
    else if (lists.includes(key)) bare[key] = asList(value).map(bareSchema);
    else if (maps.includes(key)) bare[key] = mapValues(asObject(value), (inner, name) => bareProperty(name, inner));
    else if (!isProse(key)) throw new Error(`unknown keyword ${key} in ${JSON.stringify(schema).slice(0, 200)}`);
  }
  return bare;
}

/** Addresses of a deployment that nobody gave are empty texts, as their documented default and GitHub's published example have them. */
const emptyAddresses = ['environment_url', 'log_url', 'target_url'];

function bareProperty(name: string, schema: unknown): unknown {
  const bare = bareSchema(schema);
  if (!emptyAddresses.includes(name) || typeof bare === 'boolean') return bare;
  const { format: _format, ...rest } = asObject(bare);
  return rest;
}

function isProse(key: string): boolean {
  const prose = ['title', 'description', 'example', 'examples', 'default', 'deprecated', 'externalDocs'];
  return prose.includes(key) || ['readOnly', 'discriminator'].includes(key) || key.startsWith('x-');
}

/** The same keys with every value changed. */
export function mapValues(
  object: Readonly<Record<string, unknown>>,
  change: (value: unknown, key: string) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** A JSON object, or an error: the description is a document of known form. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`not an object: ${JSON.stringify(value)}`);
  return Object.fromEntries(Object.entries(value));
}

function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value;
}

/** Follows `#/a/b` through the description. */
export function resolveReference(description: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce((at, step) => {
    const next = asObject(at)[step];
    if (next === undefined) throw new Error(`${reference} leads nowhere`);
    return next;
  }, description);
}
