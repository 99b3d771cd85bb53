/** What the schema cannot say: every rule over more than one value, and which of them a config breaks. */

import type { ConfigIssue } from '../../settings/problem.ts';
import { traitsOf } from '../engine-traits.ts';
import { lanesOfFile } from '../lane-of-file.ts';
import type { LabConfig } from '../schema.ts';
import { APPROVAL_RULES, ENGINE_RULES, KEY_RULES, REPOSITORY_RULES } from './lab-rules.ts';
import { LANE_RULES, LANES_RULES, SECRET_RULES, TEMPLATE_RULES } from './lane-rules.ts';
import { type Asked, fromRoot, type Rule } from './rule.ts';

/** What every rule says against a config that the schema accepts; a problem outside the lanes is told once. */
export function brokenRules(config: LabConfig, asked: Asked): readonly ConfigIssue[] {
  const lanes = lanesOfFile(config);
  const found = lanes.flatMap((lane) =>
    [
      ...RULES.flatMap((rule) => rule(lane, asked)),
      ...lane.kind.rules.flatMap((rule) => rule(lane.lane, traitsOf(lane, lane.lane.cluster))),
    ].map((one) => ({ ...one, path: fromRoot(lane.laneName, one.path) })),
  );
  return onePerPlace([...found, ...LANES_RULES.flatMap((rule) => rule(lanes))]);
}

/** The first of those that are equal: a rule about the whole file is checked once for each lane. */
function onePerPlace(found: readonly ConfigIssue[]): readonly ConfigIssue[] {
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

const RULES: readonly Rule[] = [
  ...REPOSITORY_RULES,
  ...ENGINE_RULES,
  ...KEY_RULES,
  ...APPROVAL_RULES,
  ...TEMPLATE_RULES,
  ...SECRET_RULES,
  ...LANE_RULES,
];
