/**
 * How a comment is decided: who may command, what is recorded, and that every command is answered exactly
 * once.
 */

import { describe, expect, it } from 'vitest';
import { type BranchCommit, type BranchWork, NO_BRANCH_WORK } from '../../src/domain/actor.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { fromRfc3339, known, addMs as later, unknown } from '../../src/domain/values.ts';
import { commandsSince, listPendingItems } from '../../src/run/pending-commands.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob, labBot, toSha } from '../support/run-drafts.ts';
import {
  aBody,
  aComment,
  anIssue,
  aPull,
  byPerson,
  instant,
  knownPermissions,
  NOON,
  someFacts,
  versionsEditedBy,
} from '../support/run-facts.ts';
import { approveLineFor, CONFIG, factsAtNoon as hear, runWithGates } from './parts.ts';

const ALARM = { detector: 'loss-spike', since: '4500', seen: '9.1', attempt: 1 };
const mallory = { id: 666, login: 'mallory' };
const gated = runWithGates();
const digest = gated.state.gate?.digest ?? '';
const LINE = approveLineFor(digest);
const SHOWN = gated.state.gate?.at ?? '';
const HEAD = gated.state.gate?.commit ?? null;
const ended = gated.approved(bob).ordered().submitted().observed().ended();

/** The recorded drafts, and the run that continues from them. */
function heard(run: RunBuilder, ...rest: Parameters<typeof hear> extends [unknown, ...infer R] ? R : never) {
  const outcome = hear(run, ...rest);
  if (outcome.kind !== 'step' || outcome.step.kind !== 'append') throw new Error(outcome.kind);
  const next = run.add(...outcome.step.drafts);
  const answers = outcome.step.drafts.filter((draft) => draft.type === 'command-answered');
  return { next, code: answers[0]?.data.code, detail: answers[0]?.data.detail, drafts: outcome.step.drafts };
}

const BOB_S_COMMIT: BranchCommit = {
  sha: toSha('launch commit'),
  author: byPerson(bob),
  authorEmail: 'bob@lab.example',
  committer: byPerson(bob),
  committerEmail: 'bob@lab.example',
};
const work = (change: Partial<BranchWork>) => ({ branchWork: known({ ...NO_BRANCH_WORK, ...change }) });

describe('/approve-launch', () => {
  const say = (text: string, by = bob, change: Partial<CommentFacts> = {}) => [aComment(by, text, change)];

  it.each([
    ['by a person without permission', say(LINE, mallory), 'not-permitted'],
    ['by the author', say(LINE, labBot), 'approval-by-author'],
    ['with 32 digits of the digest', say(LINE), 'approved'],
    [
      'with 32 digits in upper case',
      say(`/approve-launch SHA256:${digest.slice(7, 40).toUpperCase()}`.replace('SHA', 'sha')),
      'approved',
    ],
    ['with the whole digest', say(`/approve-launch ${digest}`), 'approved'],
    ['with another digest', say('/approve-launch 000000000000'), 'other-digest'],
    ['bare', say('/approve-launch'), 'no-digest'],
    ['with only twelve digits', say(`/approve-launch ${digest.slice(7, 19)}`), 'no-digest'],
    ['with only 31 digits', say(LINE.slice(0, -1)), 'no-digest'],
    ['in the second in which the manifest was shown', say(LINE, bob, { createdAt: instant(SHOWN) }), 'approved'],
    [
      'a second before the manifest was shown',
      say(LINE, bob, { createdAt: instant('2026-11-21T09:00:59Z') }),
      'before-shown',
    ],
    ['in a review of this commit', say(LINE, bob, { surface: 'review', commit: HEAD }), 'approved'],
    ['in a review of another commit', say(LINE, bob, { surface: 'review', commit: toSha('older') }), 'other-commit'],
    ['in a review of an unknown commit', say(LINE, bob, { surface: 'review' }), 'other-commit'],
    ['in an edited comment', say(LINE, bob, { editedAt: NOON }), 'comment-edited'],
    ['in a review comment', say(LINE, bob, { surface: 'review-comment' }), 'not-now'],
  ] as const)('%s', (_, comments, code) => {
    const held = knownPermissions([bob, 'maintain'], [mallory, 'read'], [labBot, 'admin']);
    const { code: said, detail, drafts } = heard(gated, comments, { permissions: held });
    expect(said === 'approval-line-needed' ? detail?.['why'] : said).toBe(code);
    expect(drafts.some((draft) => draft.type === 'approved')).toBe(code === 'approved');
  });

  it('is answered with the line to copy when its digest is missing, short or wrong', () => {
    for (const words of ['/approve-launch', `/approve-launch ${digest.slice(7, 19)}`, '/approve-launch 000000000000'])
      expect(heard(gated, say(words)).detail).toMatchObject({ lines: LINE.slice(1) });
  });

  it('is refused when the comment is older than the lab allows', () => {
    const config = { ...CONFIG, approvals: { ...CONFIG.approvals, maxAgeHours: 2 } };
    const at = (createdAt: string) => say(LINE, bob, { createdAt: instant(createdAt) });
    expect(heard(gated, at('2026-11-21T10:00:00Z'), {}, { config }).detail).toMatchObject({ why: 'too-old' });
    expect(heard(gated, at('2026-11-21T10:00:01Z'), {}, { config }).code).toBe('approved');
  });

  it('is refused when the manifest was shown for less time than the lab requires', () => {
    const config = { ...CONFIG, approvals: { ...CONFIG.approvals, shownForMs: 60_000 } };
    const at = (createdAt: string) => say(LINE, bob, { createdAt: instant(createdAt) });
    expect(heard(gated, at('2026-11-21T09:01:59Z'), {}, { config }).detail).toMatchObject({ why: 'before-shown' });
    expect(heard(gated, at('2026-11-21T09:02:00Z'), {}, { config }).code).toBe('approved');
  });

  const commit = (change: Partial<BranchCommit> = {}): BranchWork['commits'] => [{ ...BOB_S_COMMIT, ...change }];
  const carol = { id: 77, login: 'carol' };
  it.each([
    ['the last editor of the description', { pull: known(aPull({ versions: versionsEditedBy(bob, carol) })) }],
    ['an earlier editor of the description', { pull: known(aPull({ versions: versionsEditedBy(carol, bob) })) }],
    ['an editor of the issue', { issue: known(anIssue({ versions: versionsEditedBy(bob) })) }],
    ['the author of a commit', work({ commits: commit({ committer: byPerson(carol) }) })],
    ['its committer', work({ commits: commit({ author: byPerson(carol) }) })],
    ['the person who pushed it', work({ pushes: [{ by: byPerson(bob), after: toSha('launch commit') }] })],
  ])('is refused to %s, unless one person is enough', (_, facts) => {
    expect(heard(gated, say(LINE), facts).code).toBe('approval-by-author');
    expect(heard(gated, say(LINE, alice), facts).code).toBe('approved');
    const config = { ...CONFIG, approvals: { ...CONFIG.approvals, onePersonIsEnough: true } };
    expect(heard(gated, say(LINE), facts, { config }).code).toBe('approved');
  });

  it('waits for a second person when the quorum is two, and counts one person once', () => {
    const config = { ...CONFIG, approvals: { ...CONFIG.approvals, quorum: 2 } };
    const first = heard(gated, say(LINE), {}, { config });
    expect(first).toMatchObject({ code: 'approved-waiting-for-more', detail: { count: 1, quorum: 2 } });
    const again = heard(first.next, say(LINE, bob, { id: 1001 }), {}, { config });
    expect(again.code).toBe('already-approved');
    const second = heard(again.next, say(LINE, alice, { id: 1002 }), {}, { config });
    expect(second).toMatchObject({ code: 'approved', detail: { count: 2 } });
  });

  it('is refused while a gate fails, and once the job has run', () => {
    const facts = { body: known(aBody({ risk: null })) };
    expect(heard(gated, say(LINE), facts)).toMatchObject({
      code: 'approval-gates-blocked',
      detail: { count: 1, first: 'risk-present' },
    });
    expect(heard(ended, say(LINE)).code).toBe('too-late');
  });

  it('is refused after a stop', () => {
    const stopped = gated.approved(bob).ordered().stopRequested(alice);
    expect(heard(stopped, say(LINE)).code).toBe('too-late');
  });
});

describe('/stop, /ack and /seal', () => {
  const ordered = gated.approved(bob).ordered();
  const failed = ordered.submitted().ended({ status: 'FAILED' });
  const stopped = ordered.submitted().stopRequested(alice).ended({ status: 'STOPPED' });
  it.each([
    ['/stop', gated, 'not-now'],
    ['/stop', ordered, 'stop-before-launch'],
    ['/stop', ordered.submitted(), 'stop-requested'],
    ['/stop', ended, 'not-now'],
    ['/ack', gated, 'not-now'],
    ['/ack', ended, 'acknowledged'],
    ['/ack', stopped, 'acknowledged'],
    ['/ack reject="too noisy"', ordered.submitted(), 'not-now'],
    ['/seal', gated, 'not-now'],
    ['/seal', stopped, 'seal-needs-accept'],
    ['/status', gated, 'status-shown'],
    ['/why', gated, 'why-told'],
    ['/why', gated.approved(bob), 'why-nothing'],
    ['/why', ordered, 'why-nothing'],
    ['/why', ordered.submitted(), 'why-nothing'],
    ['/why', ordered.stopRequested(alice), 'why-stopped'],
    ['/why', failed, 'no-fix'],
    ['/why', ended, 'why-nothing'],
    ['/help', gated, 'help-shown'],
    ['/sael', gated, 'not-understood'],
  ] as const)('answers %s', (text, run, code) => {
    expect(heard(run, [aComment(bob, text)]).code).toBe(code);
  });

  it.each([
    ['/seal', ended, { kind: 'seal', verdict: 'pass', accept: null }],
    ['/seal accept="by hand"', stopped, { kind: 'seal', verdict: 'accepted', accept: 'by hand' }],
    ['/seal', failed, { kind: 'close', outcome: 'failed' }],
    ['/ack', failed, { kind: 'close', outcome: 'failed' }],
    ['/ack reject="no use"', failed, { kind: 'close', outcome: 'failed' }],
    ['/ack reject="no use"', stopped, { kind: 'close', outcome: 'rejected', reason: 'no use' }],
    ['/ack reject="no use"', ended, { kind: 'close', outcome: 'rejected', reason: 'no use' }],
  ] as const)('records %s as seen first, and then carries it out', (text, run, decision) => {
    const comments = [aComment(bob, text)];
    const { next, code } = heard(run, comments);
    expect(code).toBeUndefined();
    expect(hear(next, comments)).toMatchObject({ kind: 'staged', command: { decision, actor: bob } });
  });

  it('takes incidents by /ack written before the end was recorded, and leaves the end to a later /ack', () => {
    const said = (run: RunBuilder, sinceEnd: number, text = '/ack') => {
      const createdAt = later(fromRfc3339(run.state.end?.at ?? '') ?? NOON, sinceEnd);
      return heard(run, [aComment(bob, text, { createdAt })]).code;
    };
    const job = ordered.submitted().observed();
    const troubled = job.incident('run-alarm', ALARM).ended({ status: 'FAILED' });
    expect(said(troubled, -1_000)).toBe('incident-taken');
    expect(said(troubled, -1_000, '/ack reject="no use"')).toBe('incident-taken');
    expect(said(job.ended({ status: 'FAILED' }), -1_000)).toBe('ack-before-end');
    // The decision is recorded, and carried out in the next turn.
    expect(said(troubled, 1_000)).toBeUndefined();
  });

  it.each(['fail', 'unknown'] as const)('requires a reason to seal a verdict of %s', (verdict) => {
    expect(heard(ended, [aComment(bob, '/seal')], {}, { verdict }).code).toBe('seal-needs-accept');
  });

  it.each([
    ['was edited', [aComment(bob, '/seal', { editedAt: NOON })], someFacts().permissions, 'comment-edited'],
    ['has an author without permission', [aComment(bob, '/seal')], knownPermissions([bob, 'read']), 'not-permitted'],
  ] as const)('answers a seal command that was seen and then %s exactly once', (_, comments, held, code) => {
    const { next } = heard(ended, [aComment(bob, '/seal')]);
    const answered = heard(next, comments, { permissions: held });
    expect(answered.code).toBe(code);
    expect(hear(answered.next, comments, { permissions: held }).kind).toBe('nothing');
  });
});

describe('ignored comments', () => {
  it('include those of bots, of ferrybot itself, and from before the run', () => {
    const early = instant('2026-11-20T09:00:00.000Z');
    const comments = [{ authorIsBot: true }, { isByOwnLogin: true }, { createdAt: early }].map((change) =>
      aComment(bob, '/status', change),
    );
    expect(hear(gated, comments).kind).toBe('nothing');
  });

  it('waits for an unreadable permission, then answers permission-unknown', () => {
    const facts = { permissions: new Map([[bob.id, unknown('GitHub is away')]]) };
    const comments = [aComment(bob, '/stop')];
    expect(hear(gated, comments, facts).kind).toBe('wait');
    const tenMinutesOn = { now: instant('2026-11-21T12:10:00.000Z') };
    expect(heard(gated, comments, facts, tenMinutesOn).code).toBe('permission-unknown');
  });
});

describe('a comment in the second of the proposal', () => {
  it('is read as a command, because GitHub times have whole seconds and the record has milliseconds', () => {
    const late = aRun().state;
    const proposedAt = late.proposedAt.replace('.000Z', '.900Z');
    const said = (at: string) =>
      listPendingItems(new Map(), [aComment(bob, '/status', { createdAt: instant(at) })], {
        since: commandsSince({ ...late, proposedAt }),
        otherBots: [],
        permissions: new Map(),
      });
    expect(said(late.proposedAt)).toHaveLength(1);
    expect(said('2026-11-21T08:59:59.000Z')).toHaveLength(0);
  });
});
