/** Names of types as people say them, and what YAML made of the text that they probably meant otherwise. */

/** `value` is a type's name in the schema's language, or a value that was found. */
export function typeName(value: unknown): string {
  if (value === null || value === 'null' || value === undefined) return 'nothing';
  if (Array.isArray(value) || value === 'array') return 'a list';
  // The config has no other numbers: decimals are text.
  if (value === 'int' || value === 'number') return 'a whole number';
  if (typeof value === 'number') return 'a number';
  if (typeof value === 'boolean') return `${value}`;
  if (value === 'boolean') return 'true or false';
  if (value === 'object' || value === 'record' || typeof value === 'object') return 'a map of keys';
  return 'text';
}

/** What would mend it, or nothing: booleans and numbers of YAML 1.1, quotes too many or too few. */
export function typeHint(expected: string, found: unknown): string {
  if (expected === 'boolean' && typeof found === 'string') return booleanHint(found);
  if ((expected === 'int' || expected === 'number') && typeof found === 'string') return numberHint(found);
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean'))
    return `; in quotes it is text: "${found}"`;
  if (expected === 'array' && typeof found === 'string') return '; a list of one is written [so]';
  return '';
}

function booleanHint(found: string): string {
  const word = found.toLowerCase();
  if (['yes', 'on', 'y', 'true'].includes(word)) return '; in YAML 1.2 it is written true';
  return ['no', 'off', 'n', 'false'].includes(word) ? '; in YAML 1.2 it is written false' : '';
}

function numberHint(found: string): string {
  if (/^[+-]?\d+$/.test(found)) return '; without quotes it is a number';
  return /^[+-]?\d[\d_]*$/.test(found) ? `; in YAML 1.2 it is written ${found.replaceAll('_', '')}` : '';
}
