// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** A workflow file is parsed as on GitHub, and unsupported parts are named. */

import { describe, expect, it } from 'vitest';
import { checkCallInputs, checkDispatchInputs } from '../../actions/workflow/dispatch-inputs.ts';
import { newestDueMs, nextDueMs } from '../../actions/workflow/due-times.ts';
import { matchesPatterns } from '../../actions/workflow/filter-pattern.ts';
import { matchesTrigger, type TriggerEvent } from '../../actions/workflow/matches-trigger.ts';
import { parseWorkflow } from '../../actions/workflow/parse-workflow.ts';

const JOB = 'jobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo}]}}';
const parse = (text: string) => parseWorkflow('.github/workflows/x.yml', text);

describe('parseWorkflow', () => {
  it('parses the keys of a launch workflow', () => {
    const file = parse(`
name: Launch
run-name: launch \${{ inputs.ferry_key }}
on:
  workflow_dispatch:
    inputs:
      ferry_key: {required: true}
      dry: {type: boolean, default: false}
permissions: {contents: read, pull-requests: write, issues: none}
concurrency: {group: launch, queue: max}
jobs:
  launch:
    runs-on: [self-hosted, ferrybot-launch]
    environment: { name: cluster, deployment: false }
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
        with: {ref: main, fetch-depth: 0}
`);
    expect(file.problems).toEqual([]);
    expect(file.triggers.dispatch?.['dry']).toEqual({
      required: false,
      type: 'boolean',
      default: 'false',
      options: [],
    });
    expect(file.permissions).toEqual({ contents: 'read', pull_requests: 'write' });
    expect(file.concurrency).toEqual({ group: 'launch', cancelInProgress: false, queue: 'max' });
    expect(file.jobs[0]).toMatchObject({
      key: 'launch',
      runsOn: ['self-hosted', 'ferrybot-launch'],
      environment: 'cluster',
    });
    expect(file.jobs[0]?.steps[0]?.with).toEqual({ ref: 'main', 'fetch-depth': 0 });
  });

  it.each([
    ['on: push\njobs: {a: {runs-on: x, strategy: {matrix: {a: [1]}}, steps: [{run: x}]}}', /jobs\.a\.strategy/],
    [`on: release\n${JOB}`, /release/],
    ['on: push\njobs: {a: {runs-on: x, container: node, steps: [{run: x}]}}', /jobs\.a\.container/],
    ['on: push\njobs: {a: {runs-on: x, steps: [{uses: a, run: b}]}}', /Unexpected value 'run'/],
    ['on: push\njobs: {a: {runs-on: x, needs: b, steps: [{run: b}]}}', /at least one job with no dependencies/],
    ['on: push\njobs: {a: {runs-on: x, needs: a, steps: [{run: b}]}}', /at least one job with no dependencies/],
    [
      'on: push\njobs: {c: {runs-on: x, steps: [{run: c}]}, a: {runs-on: x, needs: d, steps: [{run: a}]}}',
      /'a' depends on unknown job 'd'/,
    ],
    ['on: push\njobs: {a: {steps: [{run: b}]}}', /missing: runs-on/],
    ['on: push\njobs: {a: {runs-on: x, steps: []}}', /steps are missing/],
    ['on: push\njobs: {a: {runs-on: x, steps: [{id: b, run: x}, {id: B, run: x}]}}', /the same id/],
    ['on: push\njobs: {a b: {runs-on: x, steps: [{run: x}]}}', /'a b' is invalid/],
    [`on: push\nname: a\nname: b\n${JOB}`, /'name' is already defined/],
    [`on: {schedule: [{cron: "0 25 * * *"}]}\n${JOB}`, /no cron line/],
    [`on: {schedule: [{cron: "@daily"}]}\n${JOB}`, /no cron line/],
    [`on: {schedule: [{cron: "0 0 * * 7"}]}\n${JOB}`, /no cron line/],
    [`on: {schedule: [{cron: "0 0 L * *"}]}\n${JOB}`, /no cron line/],
    [`on: push\nconcurrency: {group: a, queue: max, cancel-in-progress: true}\n${JOB}`, /queue: max/],
    [`on: push\npermissions: {content: read}\n${JOB}`, /Line: 2.*'content'/],
    ['on: push\njobs: {a: {runs-on: x, steps: [{run: "${{ nope.x }}"}]}}', /nope/],
    ['on: push\njobs: {a: {runs-on: x, if: secrets.A, steps: [{run: a}]}}', /secrets/],
    ['on: push\njobs: {a: {uses: other/repo/.github/workflows/x.yml}}', /owner.repository/],
    ['on: push\njobs: {a: {uses: ./.github/workflows/deep/x.yml}}', /owner.repository/],
    ['on: push\njobs: {a: {uses: ./.github/workflows/x.yml, runs-on: x}}', /Unexpected value 'runs-on'/],
    ['on: [push\n', /x\.yml/],
  ])('names the problem in %s', (text, problem) => {
    expect(parse(text).problems.join('\n')).toMatch(problem);
  });

  it.each([
    ['env', 'jobs: {a: {if: env.X, runs-on: x, steps: [{run: a}]}}'],
    ['steps', 'jobs: {a: {if: steps.b.outcome, runs-on: x, steps: [{run: a}]}}'],
    ['env', 'jobs: {a: {runs-on: "${{ env.X }}", steps: [{run: a}]}}'],
    ['secrets', 'jobs: {a: {environment: "${{ secrets.X }}", runs-on: x, steps: [{run: a}]}}'],
    ['env', 'jobs: {a: {timeout-minutes: "${{ env.X }}", runs-on: x, steps: [{run: a}]}}'],
    ['secrets', 'concurrency: "${{ secrets.X }}"\njobs: {a: {runs-on: x, steps: [{run: a}]}}'],
    ['needs', 'run-name: "${{ needs.a }}"\njobs: {a: {runs-on: x, steps: [{run: a}]}}'],
    ['env', 'env: {X: "${{ env.Y }}"}\njobs: {a: {runs-on: x, steps: [{run: a}]}}'],
    ['env', 'jobs: {a: {env: {X: "${{ env.Y }}"}, runs-on: x, steps: [{run: a}]}}'],
    ['secrets', 'jobs: {a: {uses: ./.github/workflows/b.yml, with: {x: "${{ secrets.X }}"}}}'],
    ['secrets', 'jobs: {a: {runs-on: x, steps: [{if: secrets.X, run: a}]}}'],
    ['failure', 'jobs: {a: {runs-on: x, steps: [{run: "${{ failure() }}"}]}}'],
    ['hashFiles', 'jobs: {a: {if: "hashFiles(\'a\')", runs-on: x, steps: [{run: a}]}}'],
  ])('refuses %s where that context is not available (docs: context availability): %s', (name, text) => {
    expect(parse(`on: push\n${text}`).problems[0]).toMatch(
      new RegExp(`\\(Line: 2, Col: \\d+\\): Unrecognized (?:named-value|function): '${name}'$`),
    );
  });

  it('refuses multiplying aliases and a self-reference without an endless loop', () => {
    const levels = [...'abcdefghi'].map((name, index, all) => {
      const below = index === 0 ? 'x' : `*${all[index - 1]}`;
      return `${name}: &${name} [${Array(10).fill(below).join(', ')}]`;
    });
    expect(parse(`on: push\n${levels.join('\n')}\n${JOB}`).problems[0]).toMatch(/alias count/);
    expect(parse('on: push\njobs: &jobs {a: *jobs}').problems).not.toEqual([]);
  });

  it('accepts contexts where they are available', () => {
    const text = `on: {workflow_call: {outputs: {o: {value: "\${{ jobs.a.outputs.o }}"}}}}
run-name: "\${{ inputs.x }}"
concurrency: "\${{ github.ref }}-\${{ vars.X }}"
env: {X: "\${{ secrets.X }}"}
jobs:
  b: {runs-on: x, steps: [{run: b}]}
  a:
    needs: b
    if: always() && needs.b.result == 'success'
    runs-on: "\${{ needs.b.outputs.machine }}"
    environment: "\${{ inputs.where }}"
    env: {X: "\${{ secrets.X }}"}
    outputs: {o: "\${{ steps.s.outputs.o }}"}
    steps:
      - {id: s, if: failure() || env.X == '1', run: "\${{ secrets.X }} \${{ hashFiles('a') }} \${{ job.status }}"}
`;
    expect(parse(text).problems).toEqual([]);
  });

  it('still returns the triggers of a file with another error, so that its events show the error', () => {
    const file = parse('on: issue_comment\njobs: {a: {runs-on: x, services: {}, steps: [{run: x}]}}');
    expect(file.problems).toHaveLength(1);
    expect(file.triggers.activities.issue_comment).toBeDefined();
  });
});

describe('triggers', () => {
  const event = (changes: Partial<TriggerEvent>): TriggerEvent => ({
    name: 'push',
    action: null,
    ref: 'refs/heads/main',
    changedPaths: null,
    workflowName: null,
    ...changes,
  });
  const starts = (on: string, changes: Partial<TriggerEvent>): boolean =>
    matchesTrigger(parse(`on: ${on}\n${JOB}`).triggers, event(changes));

  it.each<[string, Partial<TriggerEvent>, boolean]>([
    ['push', {}, true],
    ['push', { name: 'issues', action: 'opened' }, false],
    ['{push: {branches: [main]}}', {}, true],
    ['{push: {branches: [main]}}', { ref: 'refs/heads/x' }, false],
    ['{push: {branches: ["**", "!ferry/**"]}}', { ref: 'refs/heads/ferry/daily' }, false],
    ['{push: {branches-ignore: [ferry/*]}}', { ref: 'refs/heads/ferry/daily' }, false],
    ['{push: {branches: [main]}}', { ref: 'refs/tags/v1' }, false],
    ['{push: {tags: ["v*"]}}', { ref: 'refs/tags/v1' }, true],
    ['{push: {paths: ["src/**"]}}', { changedPaths: ['docs/a.md'] }, false],
    ['{push: {paths: ["src/**"]}}', { changedPaths: ['docs/a.md', 'src/a/b.ts'] }, true],
    ['{push: {paths-ignore: ["docs/**"]}}', { changedPaths: ['docs/a.md'] }, false],
    ['issue_comment', { name: 'issue_comment', action: 'edited', ref: null }, true],
    ['{issue_comment: {types: [created]}}', { name: 'issue_comment', action: 'edited', ref: null }, false],
    ['pull_request', { name: 'pull_request', action: 'synchronize' }, true],
    ['pull_request', { name: 'pull_request', action: 'labeled' }, false],
    ['{pull_request: {branches: [main]}}', { name: 'pull_request', action: 'opened', ref: 'refs/heads/dev' }, false],
    [
      '{workflow_run: {workflows: [CI], types: [completed]}}',
      { name: 'workflow_run', action: 'completed', ref: null, workflowName: 'CI' },
      true,
    ],
    [
      '{workflow_run: {workflows: [CI], types: [completed]}}',
      { name: 'workflow_run', action: 'requested', ref: null, workflowName: 'CI' },
      false,
    ],
  ])('%s with %o: %s', (on, changes, expected) => {
    expect(starts(on, changes)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['*', 'a/b', false],
    ['**', 'a/b', true],
    ['v[12].[0-9]+', 'v1.10', true],
    ['**/README.md', 'README.md', true],
    ['**/README.md', 'docs/README.md', true],
    ['*.jsx?', 'page.js', true],
    ['a.b', 'axb', false],
  ])('pattern %s on %s: %s', (pattern, name, expected) => {
    expect(matchesPatterns([pattern], name)).toBe(expected);
  });
});

describe('inputs', () => {
  const declared = {
    key: { required: true, type: 'string', default: null, options: [] },
    dry: { required: false, type: 'boolean', default: 'false', options: [] },
    lane: { required: false, type: 'choice', default: 'ferry', options: ['ferry', 'hero'] },
  } as const;

  it('are filled in with defaults', () => {
    expect(checkDispatchInputs(declared, { key: 'k' })).toEqual({
      ok: true,
      inputs: { key: 'k', dry: 'false', lane: 'ferry' },
    });
  });

  it.each([
    [{ key: 'k', other: 'x' }, /Unexpected inputs provided: \["other"\]/],
    [{}, /Required input 'key' not provided/],
    [{ key: 'k', dry: 'maybe' }, /dry/],
    [{ key: 'k', lane: 'rental' }, /lane/],
  ])('are refused for %o', (given, message) => {
    expect(checkDispatchInputs(declared, given)).toMatchObject({ ok: false, message: expect.stringMatching(message) });
  });

  it('are checked when a calling job passes them', () => {
    const inputs = { count: { type: 'number', required: true, default: null } } as const;
    expect(checkCallInputs(inputs, { count: 2 })).toEqual({ ok: true, inputs: { count: 2 } });
    expect(checkCallInputs(inputs, { count: 'two' })).toMatchObject({ ok: false });
    expect(checkCallInputs(inputs, {})).toMatchObject({ ok: false, message: expect.stringContaining('required') });
  });
});

describe('schedules', () => {
  const at = (text: string): number => Date.parse(text);

  it('accept steps from a start value, as in GitHub’s documentation', () => {
    expect(parse(`on: {schedule: [{cron: "20/15 * * * *"}]}\n${JOB}`).problems).toEqual([]);
    expect(nextDueMs('20/15 * * * *', at('2026-11-20T06:00:00Z'))).toBe(at('2026-11-20T06:20:00Z'));
    expect(nextDueMs('20/15 * * * *', at('2026-11-20T06:50:00Z'))).toBe(at('2026-11-20T07:20:00Z'));
  });

  it('fire in UTC, and only at the newest due time', () => {
    expect(newestDueMs('30 6 * * *', at('2026-11-20T06:29:00Z'), at('2026-11-20T06:30:05Z'))).toBe(
      at('2026-11-20T06:30:00Z'),
    );
    expect(newestDueMs('30 6 * * *', at('2026-11-20T06:30:00Z'), at('2026-11-20T06:31:00Z'))).toBeNull();
    expect(newestDueMs('*/5 * * * *', at('2026-11-20T00:00:00Z'), at('2026-11-21T00:02:00Z'))).toBe(
      at('2026-11-21T00:00:00Z'),
    );
    expect(nextDueMs('30 6 * * *', at('2026-11-20T06:30:00Z'))).toBe(at('2026-11-21T06:30:00Z'));
  });
});
