/** What the threads are owed and when, the steps of a closure, and the end of a proposal that nobody launched. */

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.ts';
import { notAsked } from '../../src/domain/need.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { publicationsOf } from '../../src/run/publications.ts';
import { reconcile } from '../../src/run/reconcile.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { aComment, aPull, instant, NOON, someFacts } from '../support/run-facts.ts';
import { done, gatedOn, inputOf, memory, told } from './parts.ts';

const gated = gatedOn();
const ended = gated.approved(bob).ordered().submitted().observed().ended();
const helped = gated.commanded({ by: alice, name: 'help', code: 'help-shown' });
const own = (body: string) =>
  aComment({ id: 1, login: 'ferrybot[bot]' } satisfies Actor, body, { byUs: true });
const stepOf = (
  run: RunBuilder,
  ...rest: Parameters<typeof inputOf> extends [unknown, ...infer R] ? R : never
) => reconcile(inputOf(run, ...rest));

describe('a proposal', () => {
  it.each([true, false])('whose pull request is closed (merged: %s) is withdrawn', (merged) => {
    const facts = someFacts({ pull: known(aPull({ state: 'closed', merged })) });
    expect(stepOf(gated, facts)).toMatchObject({
      drafts: [{ type: 'closed', data: { outcome: 'withdrawn' } }],
    });
  });

  it('is not withdrawn where the pull request cannot be read, or once it runs', () => {
    expect(told(stepOf(gated, someFacts({ pull: unknown('away') })))).not.toBe('closed');
    const closed = someFacts({ pull: known(aPull({ state: 'closed' })) });
    expect(told(stepOf(gated.approved(bob).ordered().submitted(), closed))).not.toBe('closed');
  });
});

describe('an answer', () => {
  const answerSeq = helped.state.head.seq;
  const early = instant(helped.state.head.at);

  it('is posted at once by who recorded it, by others after a minute', () => {
    const mine = memory({ appended: new Set([answerSeq]) });
    expect(told(stepOf(helped, someFacts(), { now: early, memory: mine }))).toBe('post-comment publish');
    expect(told(stepOf(helped, someFacts(), { now: early }))).toBe('nothing');
    expect(told(stepOf(helped, someFacts(), { now: NOON }))).toBe('post-comment publish');
  });

  it('that stands in the thread is not posted again, unless it was a person who wrote the marker', () => {
    const step = stepOf(helped);
    if (step?.kind !== 'perform' || step.effect.kind !== 'post-comment') throw new Error('no answer');
    const { body } = step.effect;
    expect(told(stepOf(helped, someFacts({ comments: known([own(body)]) })))).toBe('put-check-run check');
    const forged = someFacts({ comments: known([aComment(alice, body)]) });
    expect(stepOf(helped, forged)).toEqual(step);
    expect(told(stepOf(helped, someFacts(), { memory: done(step.key) }))).toBe('put-check-run check');
  });

  it('is owed once for a comment, and not at all for a quiet one', () => {
    const quiet = gated.commanded({ by: alice, name: 'stop', code: 'not-permitted', detail: { quiet: 1 } });
    expect(publicationsOf(quiet.state)).toEqual([]);
    expect(publicationsOf(helped.state).map((one) => one.kind)).toEqual(['answer']);
  });
});

it('every moment that a person must see is owed one comment', () => {
  const life = gated
    .approved(bob)
    .ordered()
    .submitted()
    .observed({ evals: { 'eval/loss': '4' } });
  const kinds = publicationsOf(life.incident('engine-unreadable').ended().sealed(bob).state).map(
    (one) => one.kind,
  );
  expect(kinds).toEqual(['answer', 'incident', 'launch', 'tracker', 'first-eval', 'ended', 'sealed']);
});

it('an offer of the watch runs out only once it is known that nobody has taken it in time', () => {
  const until = '2026-11-21T11:00:00.000Z';
  const offered = gated
    .approved(bob)
    .ordered()
    .submitted()
    .observed()
    .add({
      type: 'handoff',
      role: 'control',
      actor: bob,
      data: { state: 'offered', to: alice, until },
    });
  const taken = aComment(alice, '/accept', { createdAt: instant('2026-11-21T10:59:00.000Z') });
  const comments = known([taken]);
  const expired = {
    drafts: expect.arrayContaining([
      expect.objectContaining({ data: { state: 'expired', to: alice, until } }),
    ]),
  };
  expect(stepOf(offered, someFacts({ comments: unknown('HTTP 502') }))).not.toMatchObject(expired);
  const unasked = someFacts({ comments, permissions: new Map([[alice.id, unknown('HTTP 502')]]) });
  expect(stepOf(offered, unasked, { now: instant('2026-11-21T11:05:00.000Z') })).not.toMatchObject(expired);
  expect(stepOf(offered, someFacts({ comments: known([]) }))).toMatchObject(expired);
});

it('what a job does after its watch has ended is told to nobody, and its end is', () => {
  const seen = gated.approved(bob).ordered().submitted().observed({ trackers: [] });
  const data = { attempt: 1, cause: 'person', reason: null } as const;
  const unwatched = seen.add({ type: 'watch-ended', role: 'control', actor: alice, data });
  const after = unwatched.observed({ evals: { 'eval/loss': '4' } }).ended();
  expect(publicationsOf(after.state).map(({ kind }) => kind)).toEqual(['answer', 'launch', 'ended']);
});

describe('a seal', () => {
  it('goes from tag to branch, closure PR, proposal and issue, and only then into the record', () => {
    const comments = known([aComment(bob, '/seal accept="no baseline"')]);
    const facts = someFacts({ comments });
    const seen = stepOf(ended, facts);
    if (seen?.kind !== 'append') throw new Error('the command was not recorded');
    const run = ended.add(...seen.drafts);
    const keys: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const step = stepOf(run, facts, { memory: done(...keys) });
      if (step?.kind !== 'perform') {
        expect(told(step)).toBe('command-answered, sealed');
        break;
      }
      keys.push(step.key);
    }
    expect(keys.map((key) => key.split(':')[0])).toEqual([
      'closure-tag',
      'closure-branch',
      'closure-pull',
      'proposal-pull',
      'close-issue',
    ]);
  });

  it('asks for the file that its closure adds to where nobody has read it, and waits where it cannot be read', () => {
    const said = aComment(bob, '/seal accept="no baseline"');
    const comments = known([said]);
    const seen = stepOf(ended, someFacts({ comments }));
    if (seen?.kind !== 'append') throw new Error('the command was not recorded');
    const run = ended.add(...seen.drafts);
    const tagged = { memory: done(`closure-tag:${run.state.run}:${said.id}`) };
    const step = (closureLog: ReturnType<typeof notAsked>) =>
      told(stepOf(run, someFacts({ comments, closureLog }), tagged));
    expect(step(notAsked())).toBe('need closureLog');
    expect(step(unknown('git is away'))).not.toContain('closure');
  });
});
