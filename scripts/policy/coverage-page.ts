/** docs/policy-coverage.md as text: what the policies ask for, and what shows that ferrybot does it. */

import { POLICY_FILES, type Rule } from './rules.ts';

const STATUSES = ['shown', 'deviation', 'open'] as const;

/** The page; the same rules give the same bytes. */
export function coveragePage(rules: readonly Rule[]): string {
  return `${[
    '# What the policies ask for',
    '',
    '<!-- Generated from fixtures/policy/rules.yml by `node scripts/policy-coverage.ts`: change that file, not this one. -->',
    '',
    'Each rule of the five policies in our own words, with the test that shows it: `npm run policy:mutants` takes the',
    "rule's code out and that test fails. *Open* is what nothing shows yet, or not all of it; a *deviation* is deliberate",
    'and says why.',
    '',
    ...summary(rules),
    ...POLICY_FILES.flatMap((file) =>
      section(
        file,
        rules.filter((rule) => rule.file === file),
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

function section(file: string, rules: readonly Rule[]): readonly string[] {
  return [
    `## ${file}`,
    '',
    '| id | section | rule | status |',
    '|---|---|---|---|',
    ...rules.map((rule) => `| ${rule.id} | ${cell(rule.section)} | ${cell(rule.rule)} | ${status(rule)} |`),
    '',
  ];
}

function status(rule: Rule): string {
  switch (rule.status) {
    case 'open':
      return rule.reason === undefined ? 'open' : `open: ${cell(rule.reason)}`;
    case 'shown':
      return `[${cell(rule.test.name)}](../${rule.test.file})`;
    case 'deviation':
      return `**deviation**: ${cell(rule.reason)}`;
  }
}

function cell(text: string): string {
  return text.replaceAll(/([|[\]<>*_`])/g, '\\$1');
}
