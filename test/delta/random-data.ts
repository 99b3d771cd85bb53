/** Random data, and its text in YAML, TOML and JSON with a random layout. */

import fc from 'fast-check';

export type Format = 'yaml' | 'toml' | 'json';
export type Data = string | number | boolean | Data[] | { [key: string]: Data };

const key = fc.constantFrom('lr', 'name', 'steps', 'opt', 'data', 'a b', 'x.y', 'w-d', '8', 'on', 'größe', '');
const text = fc.oneof(
  fc.constantFrom('cosine', 'a: b', 'x # y', "it's", '"q"', 'yes', '12', '-', '', ' a', 'a, b', 'null', '\\n', '{x}'),
  fc.constantFrom('two\nlines', 'é 😀', 'end\n', '0x10', '~', '3e-4', '*a', '&a', '!t', '%d', '@', '`', '[1'),
);
const scalar: fc.Arbitrary<Data> = fc.oneof(
  text,
  fc.boolean(),
  fc.integer({ min: -1000, max: 100_000 }),
  fc.constantFrom(0.5, 1e-4, 3.25, -0.125, 1e21, 1.5e300),
);

export const tree = fc.letrec<{ data: Data; map: { [key: string]: Data } }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('data'), { maxLength: 3 }),
    tie('map'),
  ),
  map: fc.dictionary(key, tie('data'), { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
})).map;

/** Answers yes or no; the same for the same seed. */
type Coin = () => boolean;

export function coin(seed: number): Coin {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state > 0x7f_ff_ff_ff;
  };
}

export function isMap(data: Data | undefined): data is { [key: string]: Data } {
  return typeof data === 'object' && !Array.isArray(data);
}

/** A scalar, or a container within brackets. */
export function inline(data: Data, format: Format, flip: Coin): string {
  const space = flip() ? ' ' : '';
  if (Array.isArray(data)) return `[${data.map((one) => inline(one, format, flip)).join(`,${space}`)}]`;
  if (isMap(data)) {
    const between = format === 'toml' ? '=' : ': ';
    const pairs = Object.entries(data).map(
      ([name, value]) => `${keyText(name, format, flip)}${between}${inline(value, format, flip)}`,
    );
    return `{${pairs.join(`,${space}`)}}`;
  }
  if (typeof data === 'string') return stringText(data, format, flip);
  // YAML 1.1 needs a dot and a sign.
  const source = String(data);
  return typeof data === 'number' && /e/.test(source) && !source.includes('.') ? source.replace('e', '.0e') : source;
}

function stringText(value: string, format: Format, flip: Coin): string {
  if (format === 'yaml' && flip() && /^[a-z]{4,}$/.test(value) && value !== 'null') return value;
  const isLiteral = !value.includes('\n') && (format === 'yaml' || !value.includes("'"));
  if (format !== 'json' && isLiteral && flip()) return `'${format === 'yaml' ? value.replaceAll("'", "''") : value}'`;
  return JSON.stringify(value);
}

function keyText(name: string, format: Format, flip: Coin): string {
  const isBare = format === 'toml' ? /^[\w-]+$/.test(name) : format === 'yaml' && /^[a-z]{4,}$/.test(name);
  return isBare && flip() ? name : stringText(name, format === 'toml' ? 'json' : format, flip);
}

/** A whole file. */
export function written(data: { [key: string]: Data }, format: Format, flip: Coin): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(data, null, flip() ? '\t' : flip() ? 2 : 0)}${flip() ? '\n' : ''}`;
    case 'yaml':
      return yamlMap(data, '', flip);
    case 'toml':
      return tomlTable(data, [], flip);
  }
}

const comment = (flip: Coin): string => (flip() ? ' # why' : '');

function yamlMap(data: { [key: string]: Data }, indent: string, flip: Coin): string {
  return Object.entries(data)
    .map(([name, value]) => {
      const before = flip() && flip() ? `${indent}# about the next\n\n` : '';
      return `${before}${indent}${keyText(name, 'yaml', flip)}:${yamlValue(value, indent, flip)}`;
    })
    .join('');
}

function yamlValue(value: Data, indent: string, flip: Coin): string {
  const isBlock = flip();
  if (isBlock && isMap(value) && Object.keys(value).length > 0)
    return `${comment(flip)}\n${yamlMap(value, `${indent}  `, flip)}`;
  if (isBlock && Array.isArray(value) && value.length > 0) {
    const inner = flip() && indent !== '' ? indent : `${indent}  `;
    return `${comment(flip)}\n${value.map((one) => `${inner}-${yamlItem(one, inner, flip)}`).join('')}`;
  }
  if (isBlock && typeof value === 'string' && /^\w.*\n\w+$/.test(value))
    return ` |-\n${value.replaceAll(/^/gm, `${indent}    `)}\n`;
  return ` ${inline(value, 'yaml', flip)}${comment(flip)}\n`;
}

function yamlItem(value: Data, indent: string, flip: Coin): string {
  if (isMap(value) && Object.keys(value).length > 0 && flip())
    return ` ${yamlMap(value, `${indent}  `, flip).replace(/^(?:\s*#.*\n)*\s*/, '')}`;
  return ` ${inline(value, 'yaml', flip)}${comment(flip)}\n`;
}

function tomlTable(data: { [key: string]: Data }, path: readonly string[], flip: Coin): string {
  const own: string[] = [];
  const later: string[] = [];
  for (const [name, value] of Object.entries(data)) {
    const inner = [...path, keyText(name, 'toml', flip)];
    const isTables = Array.isArray(value) && value.length > 0 && value.every((one) => isMap(one));
    if (isMap(value) && flip())
      later.push(`[${inner.join(flip() ? '.' : ' . ')}]${comment(flip)}\n${tomlTable(value, inner, flip)}`);
    else if (isTables && flip())
      for (const one of value.filter(isMap)) later.push(`[[${inner.join('.')}]]\n${tomlTable(one, inner, flip)}`);
    else own.push(`${inner.at(-1)} = ${inline(value, 'toml', flip)}${comment(flip)}\n`);
  }
  return [...own, ...later].join('');
}
