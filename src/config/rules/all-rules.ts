/** What the schema cannot say: every rule over more than one value, and which of them a config breaks. */

import type { ConfigIssue } from '../../settings/problem.ts';
import { traitsOf } from '../engine-traits.ts';
import { type LaneOfFile, lanesOfFile } from '../lane-of-file.ts';
import type { LaneRule } from '../lane-schema.ts';
import type { LabConfig } from '../schema.ts';
import type { InvalidParts } from '../valid-subset.ts';
import { APPROVAL_RULES } from './approval-rules.ts';
import { ENGINE_RULES } from './engine-rules.ts';
import { KEY_RULES } from './key-rules.ts';
import { LANE_RULES } from './lane-rules.ts';
import { LANES_RULES } from './lanes-rules.ts';
import { REPOSITORY_RULES } from './repository-rules.ts';
import { type Asked, fromRoot, type Part, type Rule } from './rule.ts';
import { SECRET_RULES } from './secret-rules.ts';
import { TEMPLATE_RULES } from './template-rules.ts';

/** Every rule that the config breaks; rules that read one of the `unsound` parts are not asked. */
export function brokenRules(config: LabConfig, about: Asked, unsound: InvalidParts): readonly ConfigIssue[] {
  const lanes = lanesOfFile(config);
  const ofFirst = lanes.slice(0, 1).flatMap((lane) => asked(lane, about, unsound, (rule) => !isOfLane(rule)));
  const ofEach = lanes.flatMap((lane) => asked(lane, about, unsound, isOfLane));
  const between = LANES_RULES.filter(({ reads }) =>
    lanes.every(({ laneName }) => !reads.some((part) => unsound.lanes.get(laneName)?.has(part) === true)),
  ).flatMap(({ configIssues }) => configIssues(lanes));
  return [...ofFirst, ...ofEach, ...between];
}

function asked(
  config: LaneOfFile,
  about: Asked,
  unsound: InvalidParts,
  isMeant: (rule: Rule) => boolean,
): readonly ConfigIssue[] {
  const inLane = unsound.lanes.get(config.laneName) ?? new Set<Part>();
  return [...RULES, ...config.kind.rules.map(ofKind)]
    .filter(isMeant)
    .filter(({ reads }) => !reads.some((part) => unsound.top.has(part) || inLane.has(part)))
    .flatMap(({ configIssues }) => configIssues(config, about))
    .map((configIssue) => ({ ...configIssue, path: fromRoot(config.laneName, configIssue.path) }));
}

function ofKind({ reads, configIssues }: LaneRule): Rule {
  return {
    reads: reads.map((key): Part => (key === 'clusters' ? key : `lane.${key}`)),
    configIssues: (config) => configIssues(config.lane, traitsOf(config, config.lane.cluster)),
  };
}

function isOfLane({ reads }: Rule): boolean {
  return reads.some((part) => part.startsWith('lane.'));
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
