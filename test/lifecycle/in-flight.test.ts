/** The clock of a lab with real requests and processes: it stands still while any is under way, and waits for none that waits for it. */

import { setTimeout as really } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createInFlight } from '../support/in-flight.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const HOUR = 3_600_000;

describe('a clock that waits for real work', () => {
  it('does not move before the work has ended, also where one piece begins the next', async () => {
    const inFlight = createInFlight();
    const clock = createVirtualClock(0, inFlight.changes, inFlight.idle);
    const ended: (readonly [string, number])[] = [];
    const work = async (name: string): Promise<void> => {
      await inFlight.track(name, () => really(40));
      ended.push([name, clock.now()]);
    };
    void clock.sleep(HOUR).then(() => ended.push(['alarm', clock.now()]));
    void work('first').then(() => work('second'));
    await clock.advance(HOUR);
    expect(ended).toEqual([
      ['first', 0],
      ['second', 0],
      ['alarm', HOUR],
    ]);
  });

  it('triggers a request that waits for it', async () => {
    const inFlight = createInFlight();
    const clock = createVirtualClock(0, inFlight.changes, inFlight.idle);
    const answered = inFlight.track('a slow answer', async () => {
      await inFlight.park(() => clock.sleep(HOUR));
      await really(20);
      return clock.now();
    });
    await clock.advance(2 * HOUR);
    expect(await answered).toBe(HOUR);
  });

  it('goes on after work that failed', async () => {
    const inFlight = createInFlight();
    await expect(inFlight.track('broken', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await inFlight.idle();
  });
});
