/**
 * Many people comment at the same time: a blocked command delays only its author, and an edit gives no
 * command.
 */

import { describe, expect, it } from 'vitest';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { known, addMs as plus, unknown } from '../../src/domain/values.ts';
import type { CommandOutcome } from '../../src/run/decide-commands.ts';
import { listPublications } from '../../src/run/publications.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob, toSha } from '../support/run-drafts.ts';
import { aComment, instant, knownPermissions, NOON } from '../support/run-facts.ts';
import { approveLineFor, factsAtNoon, runWithGates } from './parts.ts';

/** Gated in the morning, talked about from noon on. */
const gated = runWithGates().later(3 * 3_600_000);
const LINE = approveLineFor(gated.state.gate?.digest ?? '');
const ordered = gated.approved(bob).ordered();
const ended = ordered.submitted().observed().ended();

/** Two minutes after noon, or a second after the last entry, whichever is later. */
const hear: typeof factsAtNoon = (run, comments, change = {}, more = {}) => {
  const now = plus(NOON, Math.max(120_000, instant(run.state.head.at) + 1_000 - NOON));
  return factsAtNoon(run, comments, change, { now, ...more });
};

function draftsOf(outcome: CommandOutcome): readonly EventDraft[] {
  if (outcome.kind !== 'step' || outcome.step.kind !== 'append') throw new Error(outcome.kind);
  return outcome.step.drafts;
}

/** Every answer until no command is left to answer, as `comment code`. */
function conversation(
  run: RunBuilder,
  ...rest: Parameters<typeof hear> extends [unknown, ...infer R] ? R : never
): { readonly said: readonly string[]; readonly run: RunBuilder; readonly end: CommandOutcome } {
  const said: string[] = [];
  let next = run;
  for (let round = 0; round < 50; round += 1) {
    const outcome = hear(next, ...rest);
    if (outcome.kind !== 'step') return { said, run: next, end: outcome };
    const drafts = draftsOf(outcome);
    next = next.add(...drafts);
    for (const draft of drafts)
      if (draft.type === 'command-answered') said.push(`${draft.data.comment} ${draft.data.code}`);
  }
  throw new Error('it never ends');
}

const at = (seconds: number, id: number): Partial<CommentFacts> => ({ id, createdAt: plus(NOON, seconds * 1_000) });

describe('a command of an author with unknown permissions', () => {
  const held = {
    permissions: new Map([...knownPermissions([alice, 'maintain']), [bob.id, unknown('GitHub is away')]]),
  };

  it('does not delay the commands of other people', () => {
    const comments = [
      aComment(bob, LINE, at(0, 1)),
      aComment(alice, '/status', at(1, 2)),
      aComment(alice, '/stop', at(2, 3)),
    ];
    expect(conversation(ordered, comments, held).said).toEqual(['2 status-shown', '3 stop-before-launch']);
  });

  it('is answered before later commands of the same author, except read-only ones', () => {
    const comments = [aComment(bob, '/ack', at(0, 1)), aComment(bob, '/help', at(1, 2))];
    const told = conversation(gated, comments, held);
    expect(told.said).toEqual(['2 help-shown']);
    expect(told.end.kind).toBe('wait');
  });

  it('blocks a later launch if it would stop the run', () => {
    const comments = [aComment(bob, '/stop', at(0, 1)), aComment(alice, LINE, at(1, 2))];
    expect(conversation(gated, comments, held)).toMatchObject({ said: [], end: { kind: 'wait' } });
    const patience = { now: plus(NOON, 11 * 60_000) };
    expect(conversation(gated, comments, held, patience).said).toEqual(['1 permission-unknown', '2 approved']);
  });
});

describe('a seal in progress', () => {
  it("does not delay the answer to another person's /status", () => {
    const comments = [aComment(bob, '/seal', at(0, 1)), aComment(alice, '/status', at(1, 2))];
    const told = conversation(ended, comments);
    expect(told.said).toEqual(['2 status-shown']);
    expect(told.end).toMatchObject({ kind: 'staged', command: { actor: bob } });
  });
});

describe('an edited or deleted comment', () => {
  const seal = aComment(bob, '/seal', at(0, 1));
  const seen = ended.add(...draftsOf(hear(ended, [seal])));
  const edited = (body: string): CommentFacts => ({ ...seal, body, editedAt: plus(NOON, 30_000) });

  it.each(['never mind', '/status', '/seal accept="all good"', '/sael'])(
    'answers a seen command with comment-edited after an edit to "%s"',
    (body) => {
      const told = conversation(seen, [edited(body)]);
      expect(told.said).toEqual(['1 comment-edited']);
      expect(conversation(told.run, [edited(body)]).said).toEqual([]);
    },
  );

  it('answers a seen command with comment-gone after its deletion, once the list is current', () => {
    expect(hear(seen, []).kind).toBe('nothing');
    const told = conversation(seen, [], {}, { now: plus(instant(seen.state.head.at), 60_000) });
    expect(told.said).toEqual(['1 comment-gone']);
  });

  describe('a seal with an existing tag, after its comment changed', () => {
    const stands = { sealTag: known(ended.state.submission?.commit ?? null) };
    const reject = aComment(alice, '/ack reject="too short"', at(2, 9));
    const rejecting = seen.add(...draftsOf(hear(seen, [reject], { sealTag: known(null) })));

    it.each([{ comments: [] }, { comments: [edited('never mind')] }])(
      'finishes the seal before any other command that ends the run',
      ({ comments }) => {
        expect(hear(rejecting, [...comments, reject], stands)).toMatchObject({
          kind: 'staged',
          command: { actor: bob, decision: { kind: 'seal' } },
        });
      },
    );

    it('waits with other commands that end the run while the tag cannot be read', () => {
      const told = conversation(rejecting, [reject], { sealTag: unknown('git is away') });
      expect(told.said).toEqual([]);
      expect(told.end.kind).toBe('wait');
    });

    it('answers not-permitted when its author may no longer seal', () => {
      const facts = { ...stands, permissions: new Map([[bob.id, known('write' as const)]]) };
      expect(conversation(seen, [], facts).said).toEqual(['1 not-permitted']);
    });

    it('ignores a tag on another commit', () => {
      const late = { now: plus(instant(seen.state.head.at), 60_000) };
      expect(conversation(seen, [], { sealTag: known(toSha('another')) }, late).said).toEqual(['1 comment-gone']);
    });
  });

  it('waits instead of reporting a deletion when the threads cannot be read', () => {
    expect(hear(seen, [], { comments: unknown('GitHub is away') }).kind).toBe('wait');
  });

  it.each([
    ['an added line', '/status', '/status\n\n/stop'],
    ['another command', '/status', '/stop'],
    ['another argument', '/help', '/help stop'],
    ['a corrected command', '/stpo', '/stop'],
    ['a command instead of other text', 'well done', '/stop'],
  ])('answers comment-edited once after this change: %s', (_, before, body) => {
    const first = aComment(bob, before, at(0, 1));
    const answered = conversation(ordered, [first]).run;
    const change = { ...aComment(bob, body, at(0, 1)), editedAt: plus(NOON, 60_000) };
    const told = conversation(answered, [change]);
    expect(told.said).toEqual(['1 comment-edited']);
    expect(told.run.state.stop).toBeNull();
    const again = { ...aComment(bob, `${body}\n\n/ack`, at(0, 1)), editedAt: plus(NOON, 60_000) };
    expect(conversation(told.run, [again]).said).toEqual([]);
    // The edit gets its own answer in the thread, because the first answer may already be posted.
    const keys = listPublications(told.run.state).flatMap(({ kind, key }) => (kind === 'answer' ? [key] : []));
    expect(keys.at(-1)).toBe(before === 'well done' ? 'comment-1' : 'comment-1-edited');
  });

  it('ignores an edit that changes only the prose', () => {
    const first = aComment(bob, '/status', at(0, 1));
    const answered = conversation(gated, [first]).run;
    const change = { ...first, body: '/status\n\nThanks!', editedAt: plus(NOON, 60_000) };
    expect(conversation(answered, [change]).said).toEqual([]);
  });
});
