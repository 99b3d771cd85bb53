/** Which brakes of a thread still hold something back, beside what the record says of them. */

import { describe, expect, it } from 'vitest';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { commandKey, type SeenCommand } from '../../src/domain/logbook/run-state.ts';
import { after } from '../../src/domain/time.ts';
import { openBrakes } from '../../src/run/open-brakes.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { aComment, NOON, permissions } from '../support/run-facts.ts';

const options = { otherBots: [], permissions: permissions([alice, 'maintain'], [bob, 'write']) };
const at = (index: number): Partial<CommentFacts> => ({
  id: 100 + index,
  createdAt: after(NOON, index * 1_000),
});
const DAY = { lane: 'daily', date: '2026-11-21' };
const approval = aComment(alice, '/approve-launch', at(5));

/** As the record has a command that control answered. */
function recorded(comment: CommentFacts, name: string): readonly [string, SeenCommand] {
  const { surface, id, thread, bodyDigest, author } = comment;
  const place = { surface, comment: id, index: 0, thread, bodyDigest };
  const answer = { code: 'not-permitted', detail: {}, at: '2026-11-21T12:00:00.000Z', seq: 9 } as const;
  const seen = { ...place, name, args: {}, actor: author, at: answer.at, seq: 8, answer };
  return [commandKey(place), seen];
}

function brakes(comments: readonly CommentFacts[], commands: readonly (readonly [string, SeenCommand])[]) {
  const place = {
    commands: new Map(commands),
    since: NOON,
    restsOn: approval,
    run: 'daily-20261121',
    day: DAY,
  };
  return openBrakes(place, new Map(), [approval, ...comments], options).map(
    ({ name, isAnswered, lifts }) => ({
      name,
      isAnswered,
      lifts: lifts.length,
    }),
  );
}

describe('a brake that the record has as answered', () => {
  it.each(['stop', 'revoke'])('is governed by it where it is older than the approval: %s', (name) => {
    const brake = aComment(bob, `/${name} reason="wait"`, at(1));
    expect(brakes([brake], [recorded(brake, name)])).toEqual([]);
  });

  it.each([
    ['hold', 'unhold'],
    ['skip', 'unhold'],
    ['freeze', 'thaw'],
  ])(
    'holds back where it is a %s, however old, and whatever it was recorded as, until somebody says %s',
    (name, lifted) => {
      const hold = aComment(bob, `/${name} reason="wait"`, at(1));
      const lift = aComment(alice, `/${lifted}`, at(2));
      const held = { name, isAnswered: true };
      expect(brakes([hold], [recorded(hold, name)])).toEqual([{ ...held, lifts: 0 }]);
      expect(brakes([hold], [recorded(hold, 'status')])).toEqual([{ ...held, lifts: 0 }]);
      expect(brakes([hold, lift], [recorded(hold, name), recorded(lift, lifted)])).toEqual([
        { ...held, lifts: 1 },
      ]);
    },
  );

  it('holds back nothing where it is old and says that it is for another lane', () => {
    const other = aComment(bob, '/freeze reason="wait" lane=canary', at(1));
    const own = aComment(bob, '/freeze reason="wait" lane=daily', at(1));
    expect(brakes([other], [recorded(other, 'freeze')])).toEqual([]);
    expect(brakes([own], [recorded(own, 'freeze')])).toEqual([
      { name: 'freeze', isAnswered: true, lifts: 0 },
    ]);
  });

  it('holds back all the same where it is younger, until a later comment lifts it', () => {
    const hold = aComment(bob, '/hold reason="wait"', at(6));
    const early = aComment(bob, '/unhold', at(5.5));
    const late = aComment(alice, '/unhold', at(7));
    const known = [recorded(hold, 'hold'), recorded(late, 'unhold')];
    expect(brakes([early, hold], known)).toEqual([{ name: 'hold', isAnswered: true, lifts: 0 }]);
    expect(brakes([early, hold, late], known)).toEqual([{ name: 'hold', isAnswered: true, lifts: 1 }]);
  });

  it('is lifted by nothing where it is a stop or a revocation', () => {
    const stop = aComment(bob, '/stop', at(6));
    const revoke = aComment(alice, '/revoke', at(7));
    const rest = [aComment(alice, '/unhold', at(8)), aComment(alice, '/thaw', at(9))];
    expect(brakes([stop, revoke, ...rest], [recorded(stop, 'stop'), recorded(revoke, 'revoke')])).toEqual([
      { name: 'stop', isAnswered: true, lifts: 0 },
      { name: 'revoke', isAnswered: true, lifts: 0 },
    ]);
  });

  it('within one second is younger by its number', () => {
    const before = aComment(bob, '/stop', { ...at(5), id: 104 });
    const behind = aComment(bob, '/stop', { ...at(5), id: 106 });
    const both = [recorded(before, 'stop'), recorded(behind, 'stop')];
    expect(brakes([before], both)).toEqual([]);
    expect(brakes([behind], both)).toHaveLength(1);
  });
});
