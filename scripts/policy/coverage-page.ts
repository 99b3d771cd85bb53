/** docs/policy-coverage.md as text: what the policies ask for, and what shows that ferrybot does it. */

import type { Rule } from './rules.ts';

const FILES = [
  'daily-ferry.md',
  'job-monitoring-loop.md',
  'hero-run.md',
  'vast-ai.md',
  'agent-guidelines.md',
] as const;
const STATUSES = ['shown', 'deviation', 'open'] as const;

/** The page; the same rules give the same bytes. */
export function coveragePage(rules: readonly Rule[]): string {
  return `${[
    '# What the policies ask for',
    '',
    '<!-- Generated from fixtures/policy/rules.yml by `node scripts/policy-coverage.ts`: change that file, not this one. -->',
    '',
    'Each rule of the five policies in our own words, with the test that shows it. *Open* is what nothing shows yet;',
    'a *deviation* is deliberate and says why.',
    '',
    ...summary(rules),
    ...FILES.flatMap((file) =>
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
    ...FILES.map((file) =>
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
