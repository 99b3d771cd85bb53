// GitHub's answer about the checks of a head, and its result: only a positively green check counts as green.

import { describe, expect, it } from 'vitest';
import { checksSchema, readCheckFacts } from '../../src/github/check-run.ts';

const HEAD = 'a'.repeat(40);
const OWN = { ownBots: ['ferrybot', 'github-actions'], ownWorkflows: ['ferrybot-chat.yml'] };
type Run = { id?: number; name?: string; status?: string; conclusion?: string | null };

function suite(runs: readonly Run[], change: Record<string, unknown> = {}) {
  return {
    status: 'COMPLETED',
    conclusion: 'SUCCESS',
    app: { slug: 'github-actions' },
    workflowRun: { event: 'push', file: { path: '.github/workflows/ci.yml' }, workflow: { name: 'CI' } },
    checkRuns: {
      totalCount: runs.length,
      nodes: runs.map(({ id = 1, name = 'tests', status = 'COMPLETED', conclusion = 'SUCCESS' }) => ({
        databaseId: id,
        name,
        status,
        conclusion,
      })),
    },
    ...change,
  };
}

function read(suites: readonly object[], change: Record<string, unknown> = {}) {
  const commit = { oid: HEAD, checkSuites: { totalCount: suites.length, nodes: suites }, status: null, ...change };
  return readCheckFacts(checksSchema.parse({ nodes: [{ commit }] }), HEAD, OWN);
}

function states(suites: readonly object[], change: Record<string, unknown> = {}): readonly string[] {
  const facts = read(suites, change);
  return facts.kind === 'known'
    ? facts.value.map(({ name, state, isOwn }) => `${name} ${state}${isOwn ? ' ours' : ''}`)
    : [facts.why];
}

describe('a check of the head', () => {
  it.each([
    ['SUCCESS', 'green'],
    ['NEUTRAL', 'green'],
    ['SKIPPED', 'green'],
    ['FAILURE', 'failed'],
    ['CANCELLED', 'failed'],
    ['TIMED_OUT', 'failed'],
    ['STALE', 'failed'],
    ['ACTION_REQUIRED', 'failed'],
    ['SOMETHING_NEW', 'failed'],
  ])('that ended with %s is %s', (conclusion, state) => {
    expect(states([suite([{ conclusion }])])).toEqual([`tests ${state}`]);
  });

  it('that is running or queued is not green, also before its first job exists', () => {
    expect(states([suite([{ status: 'IN_PROGRESS', conclusion: null }])])).toEqual(['tests running']);
    expect(states([suite([], { status: 'QUEUED', conclusion: null })])).toEqual(['CI running']);
  });

  it('of a workflow without approval waits for approval', () => {
    expect(states([suite([], { conclusion: 'ACTION_REQUIRED' })])).toEqual(['CI awaits-approval']);
    expect(states([suite([], { status: 'WAITING', conclusion: null })])).toEqual(['CI awaits-approval']);
  });

  it('counts only in its newest run, separately for each event', () => {
    const failed = suite([{ id: 7, conclusion: 'FAILURE' }]);
    expect(states([failed, suite([{ id: 9 }])])).toEqual(['tests green']);
    expect(states([suite([{ id: 9 }]), failed])).toEqual(['tests green']);
    const other = { event: 'pull_request', file: null, workflow: { name: 'CI' } };
    expect(states([failed, suite([{ id: 9 }], { workflowRun: other })])).toEqual(['tests failed', 'tests green']);
  });

  it('is ours by our own name and app, or by our own workflow file', () => {
    const gate = suite([{ name: 'ferrybot / launch gate' }], { app: { slug: 'ferrybot' }, workflowRun: null });
    const chat = {
      event: 'pull_request',
      file: { path: '.github/workflows/ferrybot-chat.yml' },
      workflow: { name: 'x' },
    };
    expect(states([gate])).toEqual(['ferrybot / launch gate green ours']);
    expect(states([suite([], { conclusion: 'ACTION_REQUIRED', workflowRun: chat })])).toEqual([
      'x awaits-approval ours',
    ]);
    expect(states([suite([{ name: 'ferrybot / launch gate' }], { app: { slug: 'other' } })])).toEqual([
      'ferrybot / launch gate green',
    ]);
  });

  it('may be a commit status', () => {
    const contexts = ['SUCCESS', 'PENDING', 'EXPECTED', 'ERROR', 'FAILURE'].map((state) => ({ context: state, state }));
    expect(states([], { status: { contexts } })).toEqual([
      'SUCCESS green',
      'PENDING running',
      'EXPECTED running',
      'ERROR failed',
      'FAILURE failed',
    ]);
  });

  it('that an App never started does not count', () => {
    expect(states([suite([], { status: 'QUEUED', conclusion: null, workflowRun: null })])).toEqual([]);
  });
});

describe('the checks are unknown', () => {
  it.each([
    ['GitHub withholds them', checksSchema.parse(null)],
    ['the commit does not exist', checksSchema.parse({ nodes: [] })],
    [
      'they belong to another head commit',
      checksSchema.parse({ nodes: [{ commit: { oid: 'b'.repeat(40), checkSuites: null, status: null } }] }),
    ],
    [
      'they may not be read',
      checksSchema.parse({ nodes: [{ commit: { oid: HEAD, checkSuites: null, status: null } }] }),
    ],
  ])('if %s', (_, answer) => {
    expect(readCheckFacts(answer, HEAD, OWN).kind).toBe('unknown');
  });

  it('if there are more than the limit', () => {
    expect(read([suite([], { checkRuns: { totalCount: 51, nodes: [] } })]).kind).toBe('unknown');
    expect(read([], { checkSuites: { totalCount: 51, nodes: [] } }).kind).toBe('unknown');
  });

  it('except for an old commit, for which the oldest checks count', () => {
    const checkSuites = { totalCount: 3_000, nodes: [suite([{}]), suite([{ name: 'lint', conclusion: 'FAILURE' }])] };
    const answer = checksSchema.parse({ nodes: [{ commit: { oid: HEAD, checkSuites, status: null } }] });
    expect(readCheckFacts(answer, HEAD, OWN).kind).toBe('unknown');
    expect(readCheckFacts(answer, HEAD, OWN, 'oldest')).toMatchObject({
      kind: 'known',
      value: [
        { name: 'tests', state: 'green' },
        { name: 'lint', state: 'failed' },
      ],
    });
  });
});
