/** Reads `.github/ferrybot.yml` in three stages: YAML, schema, and, if the schema accepts it, rules. Problems have a line and column. */

import { z } from 'zod';
import { cutText, type Instant } from '../domain/values.ts';
import { maskTokens } from '../domain/written-secrets.ts';
import {
  type ConfigIssue,
  type ConfigProblem,
  error,
  findNearestName,
  joinPath,
  type KeyPath,
} from '../settings/problem.ts';
import { listLanes, traitsFor } from './lane-of-file.ts';
import type { KnownNames, LaneKind } from './lane-schema.ts';
import { readYaml, type TextPosition } from './read-yaml.ts';
import { LAB_RULES } from './rules/lab-rules.ts';
import { fromRoot, LANE_RULES, LANES_RULES, type RuleContext } from './rules/lane-rules.ts';
import { configSchema, type LabConfig } from './schema.ts';

type Issue = z.core.$ZodIssue;

/** Error texts for `safeParse`: the allowed keys of a map, the description of a missing value, or what belongs in its place. */
function configErrorMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const { code, input, inst } = issue;
  if (code === 'unrecognized_keys') return keysOf(inst).join(', ');
  const about = inst === undefined ? undefined : z.globalRegistry.get(inst as z.core.$ZodType)?.description;
  const more = about === undefined ? '' : `: ${about}`;
  switch (code) {
    case 'invalid_type':
      return input === undefined ? `missing${more}` : expectedText(issue.expected, input, keysOf(inst));
    case 'invalid_value':
      if (input === undefined) return `missing${more}`;
      return `expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'too_small':
      return `at least ${issue.minimum}${issue.origin === 'array' ? ' entry in the list' : ''}${more}`;
    case 'too_big':
      return `at most ${issue.maximum}${issue.origin === 'array' ? ' entries' : ''}${more}`;
    case 'invalid_format':
      return issue.format === 'email' ? 'an address such as ferries@lab.example' : undefined;
    default:
      return undefined;
  }
}

/** Keys of a map in the schema; empty for another schema. */
function keysOf(inst: unknown): readonly string[] {
  const shape = (inst as z.core.$ZodObject | undefined)?._zod.def.shape;
  return Object.keys(shape ?? {});
}

/** The most keys that a message lists. A lane has more, and the reference is the better place for them. */
const KEYS_LISTED_MAX = 10;
const SHOWN_MAX = 100;

function expectedText(expected: string, input: unknown, keys: readonly string[]): string | undefined {
  switch (expected) {
    case 'array':
      // Everybody can read the message, and a list of secrets holds names.
      return `expected a list, such as [${typeof input === 'string' ? maskTokens(cutText(input, SHOWN_MAX)).trim().split(/\s+/).join(', ') : 'a, b'}]`;
    case 'object':
    case 'record':
      return keys.length > 0 && keys.length <= KEYS_LISTED_MAX
        ? `expected a map with the keys ${keys.join(', ')}`
        : 'expected a map of names, one a line or as { name: value }';
    case 'string':
      return typeof input === 'object' ? 'expected text, not a list or a map' : `expected text in quotes: "${input}"`;
    case 'number':
    case 'int':
      return 'expected a number without quotes';
    case 'boolean':
      return 'expected true or false';
    default:
      return undefined;
  }
}

/** The first issue at each path. Ten unknown keys in one map give ten issues. */
function listSchemaErrors(issues: readonly Issue[], value: unknown): readonly ConfigIssue[] {
  const found = issues.flatMap((issue) => toConfigIssues(issue, [], value));
  return [...new Map(found.toReversed().map((one) => [joinPath(one.path), one])).values()].toReversed();
}

function toConfigIssues(issue: Issue, above: KeyPath, value: unknown): readonly ConfigIssue[] {
  const path = [...above, ...issue.path.filter((part) => typeof part !== 'symbol')];
  const found = valueAt(value, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      // The YAML stage already reported merge keys and `__proto__`.
      return issue.keys
        .filter((key) => key !== '<<' && key !== '__proto__')
        .map((key) => error('unknown-key', [...path, key], unknownKeyText(key, issue.message.split(', '))));
    case 'invalid_key':
      return [error('bad-value', path, `not a name that may stand here: ${issue.issues[0]?.message ?? ''}`)];
    case 'invalid_union':
      return listUnionIssues(issue, path, value);
    case 'invalid_type':
      if (path.length === 0 && found === null)
        return [error('empty', path, 'the file is empty: `ferrybot init` writes a config')];
      return [error(found === undefined ? 'missing-key' : 'wrong-type', path, issue.message)];
    case 'invalid_value':
      if (found === undefined) return [error('missing-key', path, issue.message)];
      return [error('bad-value', path, `${issue.message}${suggestValue(found, issue.values.map(String))}`)];
    default:
      return [error('bad-value', path, issue.message)];
  }
}

/**
 * The issues of the union member that the value resembles: the member of the named kind, or the only member that fails
 * inside the value. For an unknown kind, one issue that lists the kinds.
 */
function listUnionIssues(
  issue: Extract<Issue, { readonly code: 'invalid_union' }>,
  path: KeyPath,
  value: unknown,
): readonly ConfigIssue[] {
  const kinds = issue.errors.map((errors) => errors.find(isKindIssue));
  const meant = issue.errors.filter((errors, index) =>
    kinds.some((one) => one !== undefined) ? kinds[index] === undefined : errors.some((one) => one.path.length > 0),
  );
  const [only, second] = meant;
  if (only !== undefined && second === undefined) return only.flatMap((one) => toConfigIssues(one, path, value));
  const key = 'discriminator' in issue && issue.discriminator !== undefined ? issue.discriminator : 'kind';
  const named = kinds.flatMap((one) => (one?.code === 'invalid_value' ? one.values : [])).map(String);
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : named;
  if (options.length === 0) return [error('wrong-type', path, issue.message)];
  const at = path.at(-1) === key ? path : [...path, key];
  const found = valueAt(value, at);
  return [
    found === undefined
      ? error('missing-key', at, `missing: one of ${options.join(', ')}`)
      : error('bad-value', at, `expected one of ${options.join(', ')}${suggestValue(found, options)}`),
  ];
}

function isKindIssue({ code, path }: Issue): boolean {
  return code === 'invalid_value' && path.length === 1 && path[0] === 'kind';
}

function unknownKeyText(key: string, known: readonly string[]): string {
  const near = findNearestName(key, known);
  return `unknown key ${key}: ${near === null ? `known here: ${known.join(', ')}` : `did you mean ${near}?`}`;
}

function suggestValue(found: unknown, values: readonly string[]): string {
  const near = typeof found === 'string' ? findNearestName(found, values) : null;
  return near === null ? '' : `; did you mean ${near}?`;
}

function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      typeof at === 'object' && at !== null ? Object.entries(at).find(([key]) => key === String(part))?.[1] : undefined,
    value,
  );
}

// Rules over more than one value, which a schema cannot express.

/** The problems that the rules find in a valid shape. A problem outside the lanes is reported once. */
function listBrokenRules(config: LabConfig, asked: RuleContext): readonly ConfigIssue[] {
  const lanes = listLanes(config);
  const found = lanes.flatMap((lane) =>
    [
      ...[...LAB_RULES, ...LANE_RULES].flatMap((rule) => rule(lane, asked)),
      ...lane.kind.rules.flatMap((rule) => rule(lane.lane, traitsFor(lane, lane.lane.cluster))),
    ].map((one) => ({ ...one, path: fromRoot(lane.laneName, one.path) })),
  );
  return keepOnePerPosition([...found, ...LANES_RULES.flatMap((rule) => rule(lanes))]);
}

/** Removes duplicates, because a rule about the whole file runs once per lane. */
function keepOnePerPosition(found: readonly ConfigIssue[]): readonly ConfigIssue[] {
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

/** Problems are in text order. */
export type ConfigReading<K extends LaneKind = LaneKind> =
  | { readonly kind: 'valid'; readonly config: LabConfig<K>; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] };

/**
 * Reads the text of a config. Never throws for its content. With `now`, the keys must also be valid at that time. Pass
 * `now` only for a proposed config: a config in force must not become invalid when time passes.
 */
export function readConfig<K extends LaneKind>(
  text: string,
  { kinds, ownCommands }: KnownNames<K>,
  now: Instant | null = null,
): ConfigReading<K> {
  const yaml = readYaml(text);
  if (yaml.kind === 'unreadable') return { kind: 'invalid', problems: sortProblems(yaml.problems) };
  const parsed = configSchema(kinds).safeParse(yaml.value, { error: configErrorMessage });
  const found = parsed.success
    ? listBrokenRules({ ...parsed.data, kinds }, { now, ownCommands })
    : listSchemaErrors(parsed.error.issues, yaml.value);
  const problems = sortProblems([...yaml.problems, ...found.map((one) => addPosition(one, yaml.positionOf))]);
  if (!parsed.success || problems.some(({ severity }) => severity === 'error')) return { kind: 'invalid', problems };
  return { kind: 'valid', config: { ...parsed.data, kinds }, warnings: problems };
}

function addPosition({ path, ...configIssue }: ConfigIssue, placeOf: (path: KeyPath) => TextPosition): ConfigProblem {
  return { ...configIssue, path: joinPath(path), ...placeOf(path) };
}

function sortProblems(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}
