/** Every workflow file that we ship or run obeys the rules; and each rule is shown to refuse what breaks it. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMap, isScalar, parseDocument } from 'yaml';
import { workflowProblems } from './workflow-rules.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['.github/workflows', 'fixtures/lab/.github/workflows'];
const files = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
);
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const lab = (name: string): string => textOf(`fixtures/lab/.github/workflows/ferrybot-${name}.yml`);

describe('the workflow files', () => {
  it('are there: ours and the four of a lab', () => {
    expect(files).toContain('.github/workflows/ci.yml');
    expect(files.filter((file) => file.startsWith('fixtures/'))).toHaveLength(4);
  });

  it.each(files)('%s breaks no rule', (file) => {
    expect(workflowProblems(textOf(file))).toEqual([]);
  });

  it.each(files.filter((file) => file.startsWith('fixtures/')))(
    '%s says why its first job needs each permission',
    (file) => {
      const jobs = parseDocument(textOf(file)).get('jobs');
      const first = isMap(jobs) ? jobs.items[0]?.value : undefined;
      const permissions = isMap(first) ? first.get('permissions') : undefined;
      const items = isMap(permissions) ? permissions.items : [];
      const bare = items.filter((item) => !isScalar(item.value) || !item.value.comment);
      expect(items.length).toBeGreaterThan(0);
      expect(bare.map((item) => String(item.key))).toEqual([]);
    },
  );
});

describe('the rules', () => {
  const broken = (name: string, from: string | RegExp, to: string): readonly string[] => {
    const before = lab(name);
    const after = before.replace(from, to);
    expect(after, 'the example no longer holds what this test changes').not.toBe(before);
    return workflowProblems(after);
  };

  it.each([
    ['rights for every job', 'chat', 'permissions: {}', 'permissions: {contents: write}', 'top-permissions'],
    ['the default rights', 'chat', 'permissions: {}\n', '', 'top-permissions'],
    ['a right that the mode does not need', 'launch', 'issues: read', 'issues: write', 'permissions'],
    ['a right outside of the table', 'watch', 'checks: write', 'packages: write', 'permissions'],
    ['all rights', 'daily', /permissions:\n( {6}.*\n)+/, 'permissions: write-all\n', 'permissions'],
    ['a tag instead of a commit', 'chat', /@[0-9a-f]{40}/, '@v1', 'pin'],
    ['an action that nobody checked', 'chat', /ferrybot\/ferrybot@/, 'someone/action@', 'pin'],
    [
      "the runner's key in the chat",
      'chat',
      /secrets\.FERRYBOT_CONTROL_KEY/,
      'secrets.FERRYBOT_RUNNER_KEY',
      'secrets',
    ],
    [
      'a second key in the launch',
      'launch',
      'with:',
      'with:\n          key: ${{ secrets.FERRYBOT_CONTROL_KEY }}',
      'secrets',
    ],
    ['all secrets at once', 'watch', 'with:', 'with:\n          all: ${{ toJSON(secrets) }}', 'secrets'],
    [
      'a launch outside of its environment',
      'launch',
      '    environment: ferrybot-launch\n',
      '',
      'environment',
    ],
    [
      "a chat inside of the launch's environment",
      'chat',
      '    runs-on:',
      '    environment: ferrybot-launch\n    runs-on:',
      'environment',
    ],
    [
      'a launch on a machine of anybody',
      'launch',
      '[self-hosted, ferrybot-launch]',
      'ubuntu-latest',
      'runner',
    ],
    ['a watch that stands in front of a launch', 'watch', 'ferrybot-watch]', 'ferrybot-launch]', 'runner'],
    ['a concurrency group', 'watch', 'jobs:', 'concurrency: watch\n\njobs:', 'concurrency'],
    ['no timeout', 'daily', '    timeout-minutes: 10\n', '', 'timeout'],
    ["a fork's events with our secrets", 'chat', '  pull_request:', '  pull_request_target:', 'trigger'],
    ['a variable for every job', 'daily', 'jobs:', 'env: {A: b}\n\njobs:', 'env'],
    ['a script beside ferrybot', 'launch', 'steps:', 'steps:\n      - run: echo', 'steps'],
    [
      'a checkout beside a key',
      'chat',
      'steps:',
      `steps:\n      - uses: actions/checkout@${'3d3c42e5aac5ba805825da76410c181273ba90b1'}`,
      'checkout',
    ],
    [
      'a comment inside of a script',
      'daily',
      'steps:',
      'steps:\n      - run: echo ${{ github.event.comment.body }}',
      'injection',
    ],
    [
      'an input inside of a script',
      'launch',
      'steps:',
      'steps:\n      - run: echo "${{inputs.run}}"',
      'injection',
    ],
  ])('refuse %s', (_, name, from, to, rule) => {
    expect(broken(name, from, to).map((problem) => problem.split(':')[0])).toContain(rule);
  });

  it('take an expression that nobody outside can choose', () => {
    const harmless = lab('daily').replace('steps:', 'steps:\n      - run: echo ${{ github.sha }}');
    expect(workflowProblems(harmless).filter((problem) => problem.startsWith('injection'))).toEqual([]);
  });
});
