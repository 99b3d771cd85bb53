/** Checks of the rulesets for branches and tags. */

import type { BranchRule } from '../../../github/settings.ts';
import type { Facts } from './facts.ts';
import { type Check, judgeKnown, verdictFromFaults } from './verdict.ts';

/** Whether rulesets keep a branch with these rules. */
export function branchRulesCheck(
  id: string,
  branchOf: (facts: Facts) => string,
  key: 'defaultBranchRules' | 'logbookRules',
  wanted: readonly string[],
): Check {
  return {
    id,
    judge: (facts) =>
      judgeKnown(facts[key], (inForce) => {
        const names = new Set(inForce.flatMap(ruleNames));
        const absent = wanted.filter((name) => !names.has(name));
        return verdictFromFaults(
          absent.length === 0 ? [] : [`${branchOf(facts)} lacks ${absent.join(', ')}`],
          'all rules',
        );
      }),
    advice: (facts) => `Make a ruleset for ${branchOf(facts)} with ${wanted.join(', ')}.`,
  };
}

/**
 * The names of a rule. People with write access can push to ferrybot's branches. GitHub prevents only the author from approving; only
 * `require_last_push_approval` also excludes the last pusher.
 */
function ruleNames({ type, parameters }: BranchRule): readonly string[] {
  return [
    type,
    ...((parameters?.required_approving_review_count ?? 0) > 0 ? ['a review'] : []),
    ...(parameters?.require_last_push_approval === true ? ['approval of the last push by somebody else'] : []),
  ];
}

/**
 * Whether a ruleset covers all tags of one kind. In GitHub's patterns (fnmatch with FNM_PATHNAME) `ferry/**` matches only up to the first
 * slash, but seal tags are named `ferry/daily/DATE/RUN`.
 */
export function tagRulesCheck(id: string, pattern: string, why: string): Check {
  const all = ['~ALL', 'refs/tags/**/*', `refs/tags/${pattern}`];
  return {
    id,
    judge: ({ tagRulesets }) =>
      judgeKnown(tagRulesets, (rulesets) => {
        const covers = rulesets.some(
          (one) =>
            one.enforcement === 'active' &&
            one.conditions?.ref_name.include.some((name) => all.includes(name)) === true &&
            one.conditions.ref_name.exclude.length === 0 &&
            ['update', 'deletion'].every((type) => one.rules.some((rule) => rule.type === type)),
        );
        return verdictFromFaults(covers ? [] : ['no ruleset fixes them'], `${pattern} are fixed`);
      }),
    advice: () => `Make a ruleset for the tags ${pattern} with update and deletion: ${why}`,
  };
}
