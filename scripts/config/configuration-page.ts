/** docs/configuration.md: every key of the config with its type, its default and its meaning, from the schema. */

import { type JsonSchema, SCHEMA_ID } from './json-schema.ts';
import { typeText } from './type-text.ts';

/** The page; keys stand in the order of the schema. */
export function configurationPage(schema: JsonSchema): string {
  const { lanes, ...top } = schema.properties ?? {};
  const { additionalProperties } = lanes ?? {};
  const lane = typeof additionalProperties === 'object' ? additionalProperties : {};
  const [first = lane, ...others] = lane.anyOf ?? [];
  const simple = Object.entries(top).filter(([, value]) => !isGroup(value));
  const groups = Object.entries(top).filter(([, value]) => isGroup(value));
  return [
    INTRODUCTION,
    section(
      'The file',
      schema.description,
      simple.flatMap(([key, value]) => rows(key, value, isRequired(schema, key))),
    ),
    ...groups.map(([key, value]) =>
      section(`\`${key}\``, value.description, rows(key, value, isRequired(schema, key))),
    ),
    section('`lanes.<name>`', lanes?.description, rowsOfLane(first)),
    ...others.map((kind) => laneOfKind(kind, first)),
  ].join('\n');
}

/** What another kind of lane has otherwise; a meaning that it shares is written once, in the table above. */
function laneOfKind(kind: JsonSchema, first: JsonSchema): string {
  const above = rowsOfLane(first);
  const meanings = new Map(above.map((row) => [cellsOf(row)[0], cellsOf(row).at(-1)]));
  const own = rowsOfLane(kind).filter((row) => !above.includes(row));
  const isShared = (key: string): boolean =>
    rows(key, kind.properties?.[key] ?? {}, isRequired(kind, key)).every((row) => above.includes(row));
  const shared = Object.keys(kind.properties ?? {})
    .filter(isShared)
    .map((key) => `\`${key}\``);
  const name = String(kind.properties?.['kind']?.const);
  return section(
    `\`lanes.<name>\` of the kind \`${name}\``,
    `As above: ${shared.join(', ')}. Otherwise:`,
    own.map((row) => {
      const cells = cellsOf(row);
      const isSame = meanings.get(cells[0]) === cells.at(-1);
      return isSame ? [...cells.slice(0, -1), 'as above |'].join(' | ') : row;
    }),
  );
}

function rowsOfLane(lane: JsonSchema): readonly string[] {
  return Object.entries(lane.properties ?? {}).flatMap(([key, value]) => rows(key, value, isRequired(lane, key)));
}

/** A bar within a cell is escaped. */
function cellsOf(row: string): readonly string[] {
  return row.split(' | ');
}

const INTRODUCTION = `# Configuration

<!-- Written by scripts/config-docs.ts from the schema; change src/config/ and run it again. -->

The file \`.github/ferrybot.yml\` on the default branch holds all settings of a lab. A pull request is judged by the
settings in force, never by its own. \`npx ferrybot check-config\` reports problems of a file with line and column;
\`npx ferrybot backtest --config FILE\` lists past decisions that would differ. A pull request that changes the file gets
both as a check. If the newest file of the default branch is not valid, the last valid one stays in force, and nothing
new is launched until the file is valid.

Unknown keys are errors. Write decimals in quotes, because the record holds no floats. The file is YAML 1.2: \`yes\` and
\`on\` are texts; tags and merge keys are not read. Editors with JSON Schema complete and check it with this first line:

\`\`\`yaml
# yaml-language-server: $schema=${SCHEMA_ID}
\`\`\`

In the tables, \`[]\` means each item of a list and \`<name>\` a name that the lab chooses.
`;

function section(title: string, description: string | undefined, lines: readonly string[]): string {
  const head = ['| key | type | default | meaning |', '| --- | --- | --- | --- |'];
  return `## ${title}\n\n${description === undefined ? '' : `${description}\n\n`}${[...head, ...lines].join('\n')}\n`;
}

/** One row for the key, and one for each key below it. */
function rows(path: string, schema: JsonSchema, required: boolean): readonly string[] {
  const below = rowsBelow(path, schema);
  // A required top-level map says nothing that its section and its keys do not say.
  if (!path.includes('.') && below.length > 0) return below;
  return [
    `| \`${path}\` | ${cell(typeText(schema))} | ${defaultText(schema, required)} | ${cell(schema.description ?? '')} |`,
    ...below,
  ];
}

function rowsBelow(path: string, schema: JsonSchema): readonly string[] {
  const { properties, items, additionalProperties, anyOf, oneOf } = schema;
  return [
    ...Object.entries(properties ?? {}).flatMap(([key, value]) =>
      rows(`${path}.${key}`, value, isRequired(schema, key)),
    ),
    ...(items?.properties === undefined ? [] : rowsBelow(`${path}[]`, items)),
    ...(typeof additionalProperties === 'object' ? rowsBelow(`${path}.<name>`, additionalProperties) : []),
    ...(anyOf ?? []).flatMap((one) => rowsBelow(path, one)),
    ...(oneOf === undefined ? [] : rowsOfKinds(path, oneOf)),
  ];
}

/** The key that tells the kinds apart, the keys of all kinds, and then those of each. */
function rowsOfKinds(path: string, kinds: readonly JsonSchema[]): readonly string[] {
  const [first = {}] = kinds;
  const inAll = ([key]: readonly [string, JsonSchema]): boolean =>
    kinds.every((kind) => kind.properties?.[key] !== undefined);
  const entries = Object.entries(first.properties ?? {}).filter(inAll);
  const tells = entries.filter(([, value]) => value.const !== undefined);
  const shared = entries.filter(([, value]) => value.const === undefined);
  return [
    ...tells.map(([key]) => {
      const of = kinds.map((kind) => kind.properties?.[key] ?? {});
      const meaning = of.map((one) => `${typeText(one)}: ${one.description ?? ''}`).join(' ');
      return `| \`${path}.${key}\` | ${of.map(typeText).join(', ')} | *required* | ${cell(meaning)} |`;
    }),
    ...shared.flatMap(([key, value]) => rows(`${path}.${key}`, value, isRequired(first, key))),
    ...kinds.flatMap((kind) => {
      const name = tells.map(([key]) => String(kind.properties?.[key]?.const)).join();
      return Object.entries(kind.properties ?? {})
        .filter((entry) => !inAll(entry))
        .flatMap(([key, value]) =>
          rows(
            `${path}.${key}`,
            { ...value, description: `${name}: ${value.description ?? ''}` },
            isRequired(kind, key),
          ),
        );
    }),
  ];
}

function defaultText(schema: JsonSchema, required: boolean): string {
  if (required) return '*required*';
  // The keys below say their own defaults.
  if (schema.properties !== undefined) return '';
  return schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
}

function isGroup(schema: JsonSchema): boolean {
  return schema.properties !== undefined || schema.items?.properties !== undefined || schema.type === 'object';
}

function isRequired(schema: JsonSchema | undefined, key: string): boolean {
  return schema?.required?.includes(key) ?? false;
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<(?=[A-Z])/g, '\\<');
}
