/** Which lane a command means that does not name one. */

import { describe, expect, it } from 'vitest';
import { meantLane } from '../../src/commands/meant-lane.ts';

const place = (lanes: readonly string[], proposing: readonly string[], laneHere: string | null = null) => ({
  lanes,
  proposing,
  laneHere,
});

describe('the lane that a command means', () => {
  it('is the only one in which runs are proposed, whatever is taken over beside it', () => {
    expect(meantLane(undefined, place(['daily', 'people'], ['daily']))).toEqual({
      kind: 'lane',
      lane: 'daily',
    });
  });

  it('is one for jobs of people where it is named, in a thread of its own, or where there is no other', () => {
    const people = { kind: 'lane', lane: 'people' };
    expect(meantLane('people', place(['daily', 'people'], ['daily']))).toEqual(people);
    expect(meantLane(undefined, place(['daily', 'people'], ['daily'], 'people'))).toEqual(people);
    expect(meantLane(undefined, place(['people'], []))).toEqual(people);
  });

  it('is asked for where several are proposed, with every lane that there is', () => {
    const lanes = ['daily', 'canary', 'people'];
    expect(meantLane(undefined, place(lanes, ['daily', 'canary']))).toEqual({
      kind: 'unclear',
      lanes,
      named: '',
    });
  });
});
