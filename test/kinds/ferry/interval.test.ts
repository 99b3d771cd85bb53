import { describe, expect, it } from 'vitest';
import { brandAs, isDigest, isRunId, isSha } from '../../../src/domain/values.ts';
import {
  buildIntervalContext,
  type FinishedRun,
  findIntervalStart,
  findLastFerry,
  INTERVAL_COMMITS_MAX,
  type LastFerry,
} from '../../../src/kinds/ferry/interval.ts';

const SHA = brandAs('1b03fc1b8d1f6a0c9c3b1d2e4f5a6b7c8d9e0f1a', isSha);
const LAST: LastFerry = {
  run: brandAs('ferry-daily-20261117', isRunId),
  date: '2026-11-17',
  issue: 12,
  pull: 13,
  closurePull: 14,
  launchCommit: SHA,
  sealTag: 'ferry/daily/20261117/x',
  outcome: 'pass',
  jobId: 'job-1',
  jobUrls: {},
  trackerUrl: null,
};

describe('the interval of a ferry', () => {
  // rule DF-04
  it('starts at the last launch commit, at any age', () => {
    expect(findIntervalStart(LAST, '2026-11-21', 1)).toEqual({
      sinceCommit: SHA,
      sinceDate: '2026-11-17',
      fallback: false,
      lastRun: 'ferry-daily-20261117',
    });
  });

  it('starts at a date without a last ferry, and reports that', () => {
    expect(findIntervalStart(null, '2026-11-21', 7)).toEqual({
      sinceCommit: null,
      sinceDate: '2026-11-14',
      fallback: true,
      lastRun: null,
    });
  });

  it("falls back to the date if the last ferry's commit is not recorded", () => {
    expect(findIntervalStart({ ...LAST, launchCommit: null }, '2026-11-21', 7)).toMatchObject({
      sinceDate: '2026-11-17',
      fallback: true,
      lastRun: 'ferry-daily-20261117',
    });
  });

  it("lists the newest commits and issues without ferrybot's own, and counts the omitted ones", () => {
    const commits = Array.from({ length: INTERVAL_COMMITS_MAX + 3 }, (_, at) => ({
      sha: SHA,
      subject: `c${at}`,
      authorName: 'a',
      atMs: at,
    }));
    const context = buildIntervalContext({
      start: findIntervalStart(LAST, '2026-11-21', 7),
      last: LAST,
      commits,
      issues: [
        { number: 12, title: 'the ferry itself', updatedAtMs: 9 },
        { number: 40, title: 'older', updatedAtMs: 1 },
        { number: 41, title: 'newer', updatedAtMs: 2 },
      ],
      ferryIssues: new Set([12]),
    });
    expect(context.commits).toHaveLength(INTERVAL_COMMITS_MAX);
    expect(context.commits[0]?.subject).toBe(`c${INTERVAL_COMMITS_MAX + 2}`);
    expect(context.commitsOmitted).toBe(3);
    expect(context.issues.map((issue) => issue.number)).toEqual([41, 40]);
    expect(context.issuesOmitted).toBe(0);
  });
});

const PERSON = { id: 1, login: 'ada' };
const DIGEST = brandAs(`sha256:${'0'.repeat(64)}`, isDigest);
const AT = '2026-11-17T03:00:00.000Z';
const run = (date: string, ending: Partial<FinishedRun>): FinishedRun => ({
  run: brandAs(`ferry-daily-${date.replaceAll('-', '')}`, isRunId),
  proposal: {
    lane: 'daily',
    date,
    runName: `daily-${date}`,
    repository: 'lab/train',
    issue: 12,
    pull: 13,
    baseBranch: 'main',
    headBranch: 'ferry',
    experiment: 'daily.py',
    objective: { kind: 'integration', text: 'daily' },
    interval: { sinceCommit: null, sinceDate: date, fallback: true, lastRun: null },
    candidate: null,
    author: PERSON,
    requestedBy: null,
    keys: [],
  },
  proposedAt: `${date}T03:00:00.000Z`,
  submission: {
    orderDigest: DIGEST,
    attempt: 1,
    engine: 'local',
    jobId: `job-${date}`,
    cluster: 'here',
    command: [],
    commit: SHA,
    adopted: false,
    urls: { log: 'https://x/log' },
    details: {},
    at: AT,
    seq: 5,
  },
  seal: null,
  closed: null,
  end: null,
  observation: null,
  ...ending,
});
const SEALED: Partial<FinishedRun> = {
  seal: {
    tag: 'ferry/daily/x',
    commit: SHA,
    verdict: 'accepted',
    accept: 'complete',
    closurePull: 14,
    metrics: {},
    at: AT,
    seq: 9,
    actor: PERSON,
  },
};
const FAILED: Partial<FinishedRun> = {
  closed: { outcome: 'failed', reason: 'oom', closurePull: null, at: AT, seq: 9 },
};

describe('the last ferry', () => {
  it('is none if no run has ended', () => {
    expect(findLastFerry([], '2026-11-21')).toBeNull();
    expect(findLastFerry([run('2026-11-17', {})], '2026-11-21')).toBeNull();
  });

  // rule DF-02
  it('is the newest launched run that has ended, sealed or failed', () => {
    const runs = [run('2026-11-15', SEALED), run('2026-11-18', FAILED), run('2026-11-17', SEALED)];
    expect(findLastFerry(runs, '2026-11-21')).toMatchObject({
      date: '2026-11-18',
      issue: 12,
      pull: 13,
      outcome: 'failed',
      launchCommit: SHA,
      jobId: 'job-2026-11-18',
      sealTag: null,
    });
    expect(findLastFerry(runs, '2026-11-18')).toMatchObject({
      date: '2026-11-17',
      outcome: 'accepted',
      sealTag: 'ferry/daily/x',
      closurePull: 14,
    });
  });

  it("is never a run without a job, nor today's own run", () => {
    const runs = [run('2026-11-20', { ...FAILED, submission: null }), run('2026-11-21', SEALED)];
    expect(findLastFerry(runs, '2026-11-21')).toBeNull();
  });
});
