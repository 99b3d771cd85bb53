/** docs/policy-coverage.md as text: what the policies ask for, and what shows that ferrybot does it. */

import type { Mark } from './marks.ts';
import { POLICY_FILES, type Rule } from './rules.ts';

const STATUSES = ['shown', 'deviation', 'open'] as const;

/** The page; the same rules and marks give the same bytes. `tests` are the marked tests. */
export function coveragePage(rules: readonly Rule[], tests: readonly Mark[]): string {
  return `${[
    '# What the policies ask for',
    '',
    '<!-- Generated from fixtures/policy/rules.yml by `node scripts/policy-coverage.ts`: change that file, not this one. -->',
    '',
    'Each rule of the five policies in our own words, with the file of the test that shows it. A comment `rule DF-01` in',
    'the code and above the test marks both: `npm run policy:mutants` breaks the marked code in two ways, and the marked test',
    'fails each time. `fixtures/policy/rules.yml` also names the section of each rule. *Open* means that no test shows the whole rule yet. A *deviation* is deliberate and gives its reason.',
    '',
    ...summary(rules),
    ...POLICY_FILES.flatMap((file) =>
      section(
        file,
        rules.filter((rule) => rule.file === file),
        tests,
      ),
    ),
  ].join('\n')}`;
}

function summary(rules: readonly Rule[]): readonly string[] {
  const row = (name: string, some: readonly Rule[]): string =>
    `| ${[name, some.length, ...STATUSES.map((status) => some.filter((rule) => rule.status === status).length)].join(' | ')} |`;
  return [
    `| policy | rules | ${STATUSES.join(' | ')} |`,
    '|---|--:|--:|--:|--:|',
    ...POLICY_FILES.map((file) =>
      row(
        file,
        rules.filter((rule) => rule.file === file),
      ),
    ),
    row('all', rules),
    '',
  ];
}

function section(file: string, rules: readonly Rule[], tests: readonly Mark[]): readonly string[] {
  return [`## ${file}`, '', ...rules.map((rule) => `- **${rule.id}** ${cell(rule.rule)} (${status(rule, tests)})`), ''];
}

function status(rule: Rule, tests: readonly Mark[]): string {
  switch (rule.status) {
    case 'open':
      return rule.reason === undefined ? 'open' : `open: ${cell(rule.reason)}`;
    case 'shown':
      return tests
        .filter(({ id }) => id === rule.id)
        .map(({ file }) => `[${cell(file)}](../${file})`)
        .join(', ');
    case 'deviation':
      return `**deviation**: ${cell(rule.reason)}`;
  }
}

function cell(text: string): string {
  return text.replaceAll(/([|[\]<>*_`])/g, '\\$1');
}
