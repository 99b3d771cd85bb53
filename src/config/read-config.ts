/** Reads `.github/ferrybot.yml` in three stages: YAML with positions, then the schema, then the rules. The rules are checked only where the schema accepts the file. Problems are values with line and column. */

import type { Instant } from '../domain/ids.ts';
import { type ConfigIssue, type ConfigProblem, dotted, type KeyPath } from '../settings/problem.ts';
import type { Known, LaneKind } from './lane-kind.ts';
import { type Place, readYaml } from './read-yaml.ts';
import { brokenRules } from './rules/all-rules.ts';
import { configSchema, type LabConfig } from './schema.ts';
import { configErrors, schemaErrors } from './schema-errors.ts';

/** Problems stand in the order of the text. */
export type ConfigReading<K extends LaneKind = LaneKind> =
  | { readonly kind: 'valid'; readonly config: LabConfig<K>; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] };

/**
 * Reads the text of a config. Never throws for what a person wrote. With `now` the keys have to be valid at that moment
 * too: asked of a config that somebody is about to put in force, never of one that is, which must not end by itself.
 */
export function readConfig<K extends LaneKind>(
  text: string,
  { kinds, ownCommands }: Known<K>,
  now: Instant | null = null,
): ConfigReading<K> {
  const yaml = readYaml(text);
  if (yaml.kind === 'unreadable') return { kind: 'invalid', problems: inOrder(yaml.problems) };
  const parsed = configSchema(kinds).safeParse(yaml.value, { error: configErrors });
  const found = parsed.success
    ? brokenRules({ ...parsed.data, kinds }, { now, ownCommands })
    : schemaErrors(parsed.error.issues, yaml.value);
  const problems = inOrder([...yaml.problems, ...found.map((one) => placed(one, yaml.placeOf))]);
  if (!parsed.success || problems.some(({ severity }) => severity === 'error'))
    return { kind: 'invalid', problems };
  return { kind: 'valid', config: { ...parsed.data, kinds }, warnings: problems };
}

function placed({ path, ...configIssue }: ConfigIssue, placeOf: (path: KeyPath) => Place): ConfigProblem {
  return { ...configIssue, path: dotted(path), ...placeOf(path) };
}

function inOrder(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}
