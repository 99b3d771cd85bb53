// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** Each rule for workflow files is tested with a file that breaks it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gcpKeys } from '../../src/settings/machines.ts';
import { workflowProblems } from './workflow-rules.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHECKOUT = 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1';

/** `lab/chat` is the file in a lab; `chat` is the workflow that it calls. */
function textOf(name: string): string {
  const [folder, file] = name.startsWith('lab/')
    ? ['fixtures/lab/.github/workflows', `ferrybot-${name.slice(4)}.yml`]
    : ['.github/workflows', `${name}.yml`];
  return readFileSync(join(ROOT, folder, file), 'utf8');
}

function broken(name: string, from: string | RegExp, to: string): readonly string[] {
  const before = textOf(name);
  const after = before.replace(from, to);
  expect(after, 'the example no longer holds what this test changes').not.toBe(before);
  return workflowProblems(after);
}

describe('the rules', () => {
  it.each<[string, string, string | RegExp, string, string]>([
    [
      'permissions at the top of the file',
      'chat',
      'permissions: {}',
      'permissions: {contents: write}',
      'top-permissions',
    ],
    ['the default permissions', 'chat', 'permissions: {}\n', '', 'top-permissions'],
    ['a permission that the mode does not need', 'launch', 'issues: read', 'issues: write', 'permissions'],
    ['a permission outside the table', 'watch', 'checks: write', 'packages: write', 'permissions'],
    ['a token for other clouds', 'stop', 'checks: write', 'id-token: write', 'permissions'],
    ['all permissions', 'propose', /permissions:\n( {6}.*\n)+/, 'permissions: write-all\n', 'permissions'],
    ['a tag instead of a commit', 'chat', /@[0-9a-f]{40}/, '@v1', 'pin'],
    ['a shortened commit', 'watch', /@([0-9a-f]{7})[0-9a-f]{33}/, '@$1', 'pin'],
    [
      'a call of a reusable workflow, which runs outside the environment',
      'lab/chat',
      / {4}runs-on:[\s\S]*/,
      '    uses: ferrybot/ferrybot/.github/workflows/chat.yml@0123456789abcdef0123456789abcdef01234567\n',
      'call',
    ],
    ["the runner's key in the chat", 'chat', 'secrets.FERRYBOT_CONTROL_KEY', 'secrets.FERRYBOT_RUNNER_KEY', 'secrets'],
    [
      'a second key in the launch',
      'launch',
      'with:',
      'with:\n          key: ${{ secrets.FERRYBOT_CONTROL_KEY }}',
      'secrets',
    ],
    ['all secrets at once', 'watch', 'with:', 'with:\n          all: ${{ toJSON(secrets) }}', 'secrets'],
    [
      'a secret with a computed name',
      'watch',
      'with:',
      'with:\n          one: ${{ secrets[inputs.cluster] }}',
      'secrets',
    ],
    [
      'a launch outside its environment',
      'launch',
      '    environment: { name: ferrybot-launch, deployment: false }\n',
      '',
      'environment',
    ],
    ['a job that is a deployment', 'launch', ', deployment: false', '', 'environment'],
    [
      'a stop without an environment',
      'lab/stop',
      '    environment: { name: ferrybot-watch, deployment: false }\n',
      '',
      'environment',
    ],
    ['a review, which no environment admits', 'lab/chat', '  issues:', '  pull_request_review:\n  issues:', 'ref'],
    ['a watch on the runner of launches', 'watch', 'ferrybot-watch]', 'ferrybot-launch]', 'runner'],
    ['a stop on the runner of watches', 'stop', 'ferrybot-stop]', 'ferrybot-watch]', 'runner'],
    ['a container in a job with a key', 'watch', '    steps:', '    container: node\n    steps:', 'container'],
    ['a concurrency group', 'lab/watch', 'jobs:', 'concurrency: watch\n\njobs:', 'concurrency'],
    ['no timeout', 'propose', '    timeout-minutes: 10\n', '', 'timeout'],
    ['a timeout longer than the token is valid', 'watch', 'timeout-minutes: 1260', 'timeout-minutes: 1440', 'timeout'],
    [
      'an event of forks with the lab’s secrets',
      'lab/chat',
      '  issues:',
      '  pull_request_target:\n  issues:',
      'trigger',
    ],
    [
      'the branch of a fork’s run',
      'lab/chat',
      'github.event.workflow_run.conclusion',
      'github.event.workflow_run.head_branch',
      'trigger',
    ],
    [
      'a comment that starts a job on the machine of launches',
      'lab/launch',
      'on:\n',
      'on:\n  issue_comment:\n',
      'machine',
    ],
    ['environment variables for every job', 'lab/daily', 'jobs:', 'env: {A: b}\n\njobs:', 'env'],
    [
      'an input without a type',
      'launch',
      /( {8}description: Digest.*\n {8}required: true\n) {8}type: string\n/,
      '$1',
      'inputs',
    ],
    [
      'a person identified by login',
      'lab/chat',
      "github.event_name != 'issue_comment'",
      "github.actor == 'mira'",
      'actor',
    ],
    ['a script in a job of ferrybot', 'launch', 'steps:', 'steps:\n      - run: echo', 'steps'],
    ['a checkout in a job with a key', 'chat', 'steps:', `steps:\n      - uses: ${CHECKOUT}`, 'checkout'],
    ['a checkout that keeps the token', 'ci', 'persist-credentials: false', 'persist-credentials: true', 'checkout'],
    [
      'a checkout of the head of a pull request',
      'ci',
      'persist-credentials: false',
      'persist-credentials: false\n          ref: ${{ github.head_ref }}',
      'checkout',
    ],
    [
      'the text of a comment in a script',
      'ci',
      'run: .ci/run',
      'run: echo ${{ github.event.comment.body }}',
      'injection',
    ],
    ['an input in a script', 'ci', 'run: .ci/run', 'run: echo "${{inputs.run}}"', 'injection'],
    ['a script that sets variables', 'ci', 'run: .ci/run', 'run: echo A=b >> "$GITHUB_ENV"', 'github-env'],
    [
      'a hidden failure',
      'ci',
      '      - run: .ci/run',
      '      - continue-on-error: true\n        run: .ci/run',
      'failure',
    ],
    [
      'a package installation in a job that may sign',
      'release',
      '      - uses: actions/attest@',
      '      - run: npm ci\n      - uses: actions/attest@',
      'steps',
    ],
    [
      'workflow commands in the log',
      'ci',
      'run: .ci/run',
      'run: .ci/run\n        env: {ACTIONS_ALLOW_UNSECURE_COMMANDS: true}',
      'commands',
    ],
  ])('refuse %s', (_, name, from, to, rule) => {
    expect(broken(name, from, to).map((problem) => problem.split(':')[0])).toContain(rule);
  });

  it('allow an expression that no outsider can choose', () => {
    const harmless = broken('ci', 'run: .ci/run', 'run: echo ${{ github.sha }}');
    expect(harmless.filter((problem) => problem.startsWith('injection'))).toEqual([]);
  });

  it('allow a lower permission than the part may have', () => {
    expect(broken('watch', 'checks: write', 'checks: read')).toEqual([]);
  });
});

describe('the workflow for cluster care', () => {
  it.each(['care', 'lab/care'])('has a timeout longer than the longest wait for a replacement: %s', (name) => {
    const minutes = Number(/timeout-minutes: (\d+)/.exec(textOf(name))?.[1]);
    const waits = (replacementWaitMinutes: number): boolean =>
      gcpKeys.badNodes.safeParse({ replacementWaitMinutes }).success;
    expect(waits(minutes - 30)).toBe(true);
    expect(waits(minutes - 29)).toBe(false);
  });
});
