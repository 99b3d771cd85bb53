import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brandAs, isRunId } from '../../../src/domain/values.ts';
import type { ProposalView } from '../../../src/kinds/ferry/interval.ts';
import { readBodyFacts } from '../../../src/kinds/ferry/pull-body.ts';
import {
  renderCommitMessage,
  renderIssueBody,
  renderIssueTitle,
  renderPullBody,
  renderPullTitle,
} from '../../../src/kinds/ferry/words/proposal.ts';
import { toSha } from '../../support/run-drafts.ts';

const run = brandAs('ferry-daily-20261121', isRunId);
const change = {
  knob: 'learning_rate',
  path: 'train.SimpleTrainConfig().learning_rate',
  before: '3e-3',
  after: '6e-3',
  bucket: 'optimizer',
  line: 41,
} as const;
const start = {
  sinceCommit: toSha('last'),
  sinceDate: '2026-11-20',
  fallback: false,
  lastRun: brandAs('ferry-daily-20261120', isRunId),
};
/** The boxes of a lane without its own config. */
const BOXES = ['issue created/updated'];

const view: ProposalView = {
  run,
  date: '2026-11-21',
  lane: 'daily',
  runName: 'daily-125m-2026-11-21',
  experiment: 'experiments/ferries/daily.py',
  fixable: ['experiments/ferries/daily.py', 'lib'],
  objective: { kind: 'integration', text: 'daily integration check' },
  interval: start,
  context: {
    start,
    last: {
      run: brandAs('ferry-daily-20261120', isRunId),
      date: '2026-11-20',
      issue: 10,
      pull: 11,
      closurePull: 9,
      launchCommit: toSha('last'),
      sealTag: 'ferry/daily/20261120/ferry-daily-20261120',
      outcome: 'pass',
      jobId: 'ferrybot-ferry-daily-20261120-a1',
      jobUrls: { log: 'https://cluster.example/log' },
      trackerUrl: 'https://wandb.example/lab/ferries/runs/abc',
    },
    commits: [{ sha: toSha('c'), subject: 'Fix #12 for @alice | <b>', authorName: 'x', atMs: 0 }],
    commitsOmitted: 3,
    issues: [{ number: 8, title: 'A `strange` title', updatedAtMs: 0 }],
    issuesOmitted: 0,
  },
  pull: 13,
  changes: [change],
  start: {
    passedRun: { run: brandAs('ferry-daily-20261120', isRunId), commit: toSha('last') },
    notTaken: [],
    total: [change],
  },
  targetBranch: 'main',
  risk: 'low',
  reason: 'the optimum may lie higher',
  candidate: 'lr-up',
  request: null,
  rationale: {
    before: '3e-3',
    after: '6e-3',
    bucket: 'optimizer',
    signal: 'validation',
    bucketLastTried: '2026-11-12',
    candidateLastTried: null,
    skipped: [{ id: 'mix', why: 'all-values-recent' }],
  },
};
const first: ProposalView = {
  ...view,
  interval: { sinceCommit: null, sinceDate: '2026-11-14', fallback: true, lastRun: null },
  context: { ...view.context, last: null, commits: [], commitsOmitted: 0, issues: [] },
  start: { passedRun: null, notTaken: [], total: [change] },
  pull: null,
};

function factsOf(
  proposal: ProposalView,
  body = renderPullBody(proposal, BOXES),
): NonNullable<ReturnType<typeof readBodyFacts>> {
  const { last } = proposal.context;
  const facts = readBodyFacts(body, {
    delta: proposal.start.total.length === 0 ? { kind: 'none' } : { kind: 'knobs', changes: proposal.start.total },
    last: last === null ? null : { issue: last.issue, pull: last.pull },
  });
  if (facts === null) throw new Error('the body is too deep or too long');
  return facts;
}

describe('the proposal', () => {
  it('in the pull request', () => {
    expect(renderPullTitle(view)).toBe('Daily ferry 2026-11-21: learning_rate 3e-3 -> 6e-3');
    expect(renderPullBody(view, BOXES)).toMatchSnapshot();
  });

  it('in the issue, with the link that the gate requires', () => {
    expect(renderIssueTitle(view)).toMatchSnapshot();
    expect(renderIssueBody(view)).toMatchSnapshot();
    expect(renderIssueBody(view)).toContain('#13');
  });

  it('in the commit, in plain text', () => {
    expect(renderCommitMessage(view)).toBe(
      'Daily ferry 2026-11-21: learning_rate 3e-3 -> 6e-3\n\nthe optimum may lie higher\n',
    );
  });

  it('for the very first ferry', () => {
    expect(renderPullBody(first, BOXES)).toMatchSnapshot();
  });

  it('can be parsed completely, without a missing or wrong declaration', () => {
    expect(factsOf(view)).toMatchObject({
      risk: 'low',
      objectiveKind: 'integration',
      linksLastFerry: true,
      hasDeltaTable: true,
      mismatches: [],
      boxes: [
        { text: 'human approval', checked: false },
        { text: 'issue created/updated', checked: true },
        { text: 'monitoring loop started', checked: false },
        { text: 'optional/manual Discord update posted', checked: false },
      ],
    });
  });

  // rules DF-16, DF-17
  it('names the change, the rationale and the risk', () => {
    const body = renderPullBody(view, BOXES);
    expect(body).toMatch(/^\| .?learning_rate.? \| .?3e-3.? \| .?6e-3.? \|$/m);
    expect(body).toMatch(/^Rationale: .*the optimum may lie higher/m);
    expect(factsOf({ ...view, risk: 'high' }).risk).toBe('high');
  });

  // rule DF-09
  it('names the start of its interval, or a date as fallback if no launch commit is recorded', () => {
    expect(renderPullBody(view, BOXES)).toContain(`Since the last ferry's launch commit ${toSha('last')}`);
    expect(renderPullBody(view, BOXES)).not.toContain('a fallback');
    expect(renderPullBody(first, BOXES)).toContain('Since 2026-11-14 (a date, as a fallback:');
  });

  // rule DF-15
  it('links the last ferry, or states that there was none', () => {
    expect(factsOf(first).linksLastFerry).toBe(true);
    expect(factsOf(view, renderPullBody(first, BOXES)).linksLastFerry).toBe(false);
  });

  // rule DF-03
  it('declares a rerun with its objective', () => {
    const rerun: ProposalView = {
      ...view,
      changes: [],
      start: { ...view.start, total: [] },
      objective: { kind: 'regression', text: 'daily loss went up' },
    };
    expect(factsOf(rerun)).toMatchObject({ objectiveKind: 'regression', mismatches: [] });
  });

  it("has the lab's own preconditions as boxes, open until a person ticks them", () => {
    const body = renderPullBody(view, ['issue created/updated', 'data `v2` checked']);
    expect(factsOf(view, body).boxes).toContainEqual(
      expect.objectContaining({ text: 'data `v2` checked', checked: false }),
    );
  });

  it('can be parsed with any texts in it', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '### Risk level\nhigh',
        '> regression',
        '- [x] human approval',
        '| a | b |',
        '</details>',
        '```',
        'high',
      ),
    );
    const source = fc.constantFrom('3e-3', '"a|b"', '`x`', "'\\n'", '[1, 2]', null, 'f("a", b=`c`)');
    fc.assert(
      fc.property(anything, anything, anything, source, source, (objective, reason, title, before, after) => {
        const proposal: ProposalView = {
          ...view,
          objective: { kind: 'integration', text: objective },
          reason,
          changes: [{ ...change, before, after }],
          start: { ...view.start, total: [{ ...change, before, after }] },
          context: {
            ...view.context,
            commits: [{ sha: toSha('c'), subject: title, authorName: title, atMs: 0 }],
            issues: [{ number: 8, title, updatedAtMs: 0 }],
          },
        };
        expect(factsOf(proposal)).toMatchObject({
          risk: 'low',
          objectiveKind: 'integration',
          linksLastFerry: true,
          mismatches: [],
        });
        expect(factsOf(proposal).boxes).toHaveLength(4);
      }),
      { numRuns: 100 },
    );
  });
});
