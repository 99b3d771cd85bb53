/** What the schema cannot say: every rule over more than one value, and which of them a config breaks. */

import type { Instant } from '../../domain/ids.ts';
import type { Misfit } from '../config-problem.ts';
import type { LabConfig } from '../schema.ts';
import { APPROVAL_RULES } from './approval-rules.ts';
import { DISK_RULES } from './disk-rules.ts';
import { KEY_RULES } from './key-rules.ts';
import { LANE_RULES } from './lane-rules.ts';
import { PATH_RULES } from './path-rules.ts';
import { RAY_RULES } from './ray-rules.ts';
import { REPOSITORY_RULES } from './repository-rules.ts';
import type { Part, Rule } from './rule.ts';
import { SECRET_RULES } from './secret-rules.ts';
import { TEMPLATE_RULES } from './template-rules.ts';

/** Every rule that the config breaks; rules that read one of the `unsound` parts are not asked. */
export function brokenRules(
  config: LabConfig,
  now: Instant | null,
  unsound: ReadonlySet<Part>,
): readonly Misfit[] {
  return RULES.filter(({ reads }) => !reads.some((part) => unsound.has(part))).flatMap((rule) =>
    rule.misfits(config, now),
  );
}

const RULES: readonly Rule[] = [
  ...REPOSITORY_RULES,
  ...RAY_RULES,
  ...DISK_RULES,
  ...KEY_RULES,
  ...APPROVAL_RULES,
  ...PATH_RULES,
  ...TEMPLATE_RULES,
  ...SECRET_RULES,
  ...LANE_RULES,
];
