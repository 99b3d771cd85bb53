/** Many people at once: nobody waits behind the trouble of another person, and an edit commands nothing. */

import { describe, expect, it } from 'vitest';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { EventDraft } from '../../src/domain/logbook/event.ts';
import { known, after as plus, unknown } from '../../src/domain/values.ts';
import type { CommandOutcome } from '../../src/run/decide-commands.ts';
import { publicationsOf } from '../../src/run/publications.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob, shaOf } from '../support/run-drafts.ts';
import { aComment, instant, NOON, permissions } from '../support/run-facts.ts';
import { gatedOn, heardAtNoon, lineFor } from './parts.ts';

/** Gated in the morning, talked about from noon on. */
const gated = gatedOn().later(3 * 3_600_000);
const LINE = lineFor(gated.state.gate?.digest ?? '');
const ordered = gated.approved(bob).ordered();
const ended = ordered.submitted().observed().ended();

/** Two minutes after noon, or a second after the last entry, whichever is later. */
const hear: typeof heardAtNoon = (run, comments, change = {}, more = {}) => {
  const now = plus(NOON, Math.max(120_000, instant(run.state.head.at) + 1_000 - NOON));
  return heardAtNoon(run, comments, change, { now, ...more });
};

function draftsOf(outcome: CommandOutcome): readonly EventDraft[] {
  if (outcome.kind !== 'step' || outcome.step.kind !== 'append') throw new Error(outcome.kind);
  return outcome.step.drafts;
}

/** Every answer that is given until nothing more can be said, as `comment code`. */
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

const at = (seconds: number, id: number): Partial<CommentFacts> => ({
  id,
  createdAt: plus(NOON, seconds * 1_000),
});

describe('a command whose author GitHub does not tell about', () => {
  const held = {
    permissions: new Map([...permissions([alice, 'maintain']), [bob.id, unknown('GitHub is away')]]),
  };

  it('holds back nobody else', () => {
    const comments = [
      aComment(bob, LINE, at(0, 1)),
      aComment(alice, '/status', at(1, 2)),
      aComment(alice, '/stop', at(2, 3)),
    ];
    expect(conversation(ordered, comments, held).said).toEqual(['2 status-shown', '3 stop-before-launch']);
  });

  it('is not overtaken by what its author says later, but for what only reads', () => {
    const comments = [aComment(bob, '/ack', at(0, 1)), aComment(bob, '/help', at(1, 2))];
    const told = conversation(gated, comments, held);
    expect(told.said).toEqual(['2 help-shown']);
    expect(told.end.kind).toBe('wait');
  });

  it('and that would stop the run lets no launch pass before it', () => {
    const comments = [aComment(bob, '/stop', at(0, 1)), aComment(alice, LINE, at(1, 2))];
    expect(conversation(gated, comments, held)).toMatchObject({ said: [], end: { kind: 'wait' } });
    const patience = { now: plus(NOON, 11 * 60_000) };
    expect(conversation(gated, comments, held, patience).said).toEqual([
      '1 permission-unknown',
      '2 approved',
    ]);
  });
});

describe('work that is under way', () => {
  it('holds back nobody: a seal waits for its steps, /status is answered', () => {
    const comments = [aComment(bob, '/seal', at(0, 1)), aComment(alice, '/status', at(1, 2))];
    const told = conversation(ended, comments);
    expect(told.said).toEqual(['2 status-shown']);
    expect(told.end).toMatchObject({ kind: 'staged', command: { actor: bob } });
  });
});

describe('a comment that changes', () => {
  const seal = aComment(bob, '/seal', at(0, 1));
  const seen = ended.add(...draftsOf(hear(ended, [seal])));
  const edited = (body: string): CommentFacts => ({ ...seal, body, editedAt: plus(NOON, 30_000) });

  it.each(['never mind', '/status', '/seal accept="all good"', '/sael'])(
    'to "%s" gives the seen command its answer',
    (body) => {
      const told = conversation(seen, [edited(body)]);
      expect(told.said).toEqual(['1 comment-edited']);
      expect(conversation(told.run, [edited(body)]).said).toEqual([]);
    },
  );

  it('and is deleted gives the seen command its answer, once the list cannot be lagging any more', () => {
    expect(hear(seen, []).kind).toBe('nothing');
    const told = conversation(seen, [], {}, { now: plus(instant(seen.state.head.at), 60_000) });
    expect(told.said).toEqual(['1 comment-gone']);
  });

  describe('of a seal whose tag stands', () => {
    const stands = { sealTag: known(ended.state.submission?.commit ?? null) };
    const reject = aComment(alice, '/ack reject="too short"', at(2, 9));
    const rejecting = seen.add(...draftsOf(hear(seen, [reject], { sealTag: known(null) })));

    it.each([{ comments: [] }, { comments: [edited('never mind')] }])(
      'leaves the seal to be finished, before anything else that ends the run',
      ({ comments }) => {
        expect(hear(rejecting, [...comments, reject], stands)).toMatchObject({
          kind: 'staged',
          command: { actor: bob, decision: { kind: 'seal' } },
        });
      },
    );

    it('holds back what else would end the run while nobody can tell whether it stands', () => {
      const told = conversation(rejecting, [reject], { sealTag: unknown('git is away') });
      expect(told.said).toEqual([]);
      expect(told.end.kind).toBe('wait');
    });

    it('does nothing for somebody who may not seal any more', () => {
      const facts = { ...stands, permissions: new Map([[bob.id, known('write' as const)]]) };
      expect(conversation(seen, [], facts).said).toEqual(['1 not-permitted']);
    });

    it("takes a tag on another commit for nobody's", () => {
      const late = { now: plus(instant(seen.state.head.at), 60_000) };
      expect(conversation(seen, [], { sealTag: known(shaOf('another')) }, late).said).toEqual([
        '1 comment-gone',
      ]);
    });
  });

  it('is no gone one where the threads could not be read', () => {
    expect(hear(seen, [], { comments: unknown('GitHub is away') }).kind).toBe('wait');
  });

  it.each([
    ['a line', '/status', '/status\n\n/stop'],
    ['another command in its place', '/status', '/stop'],
    ['another argument', '/help', '/help stop'],
    ['a word that was mistyped', '/stpo', '/stop'],
    ['a command to what was none', 'well done', '/stop'],
  ])('by %s is told once to post it anew', (_, before, body) => {
    const first = aComment(bob, before, at(0, 1));
    const answered = conversation(ordered, [first]).run;
    const change = { ...aComment(bob, body, at(0, 1)), editedAt: plus(NOON, 60_000) };
    const told = conversation(answered, [change]);
    expect(told.said).toEqual(['1 comment-edited']);
    expect(told.run.state.stop).toBeNull();
    const again = { ...aComment(bob, `${body}\n\n/ack`, at(0, 1)), editedAt: plus(NOON, 60_000) };
    expect(conversation(told.run, [again]).said).toEqual([]);
    // It has an answer of its own in the thread: the first may be standing there already.
    const keys = publicationsOf(told.run.state).flatMap(({ kind, key }) => (kind === 'answer' ? [key] : []));
    expect(keys.at(-1)).toBe(before === 'well done' ? 'comment-1' : 'comment-1-edited');
  });

  it('in its prose alone is none of ours', () => {
    const first = aComment(bob, '/status', at(0, 1));
    const answered = conversation(gated, [first]).run;
    const change = { ...first, body: '/status\n\nThanks!', editedAt: plus(NOON, 60_000) };
    expect(conversation(answered, [change]).said).toEqual([]);
  });
});
