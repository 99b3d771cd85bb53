/** The watch as one long process: turn after turn until no live run of its cluster is left, or its shift is over. */

import { GitError } from '../../domain/git.ts';
import type { Instant } from '../../domain/ids.ts';
import { after } from '../../domain/time.ts';
import type { Log } from '../lab.ts';
import type { LabOpener } from '../open-lab.ts';
import { type Trouble, throwIfAny } from '../trouble.ts';
import { handOver } from './hand-over.ts';
import { type Turn, tick, WATCH_PAUSE_MS, WATCH_RETRY_MS } from './tick.ts';
import type { WatchInput } from './watch-input.ts';

export type WatchOptions = {
  readonly opener: LabOpener;
  readonly now: () => Instant;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** The shift ends well inside the token's life; the next one takes over through the logbook. */
  readonly shiftMs: number;
  readonly input: WatchInput;
  readonly log: Log;
};

/** Why the watch ended: nothing left to watch, its shift is over, or there is no config to watch by. */
export type WatchEnd = { readonly kind: 'idle' | 'shift-over' | 'no-config' };

/** Watches. What cannot be read for a moment is tried again at the next turn; the lease tells others that we are here. */
export async function watch(options: WatchOptions): Promise<WatchEnd> {
  const until = after(options.now(), options.shiftMs);
  // Of the last turn alone: trouble that has passed was told, and is no reason for a red shift.
  for (;;) {
    const turn = await turnOnce(options);
    if (turn.kind !== 'again') {
      throwIfAny(turn.troubles);
      return { kind: turn.kind };
    }
    if (options.now() >= until) {
      const troubles = await handOver(options.opener, options.input);
      throwIfAny([...turn.troubles, ...troubles]);
      return { kind: 'shift-over' };
    }
    options.input.saveMemory();
    await options.sleep(Math.max(WATCH_PAUSE_MS, turn.at - options.now()));
  }
}

async function turnOnce(
  options: WatchOptions,
): Promise<Turn | { readonly kind: 'no-config'; readonly troubles: readonly Trouble[] }> {
  try {
    const opening = await options.opener.open();
    if (opening.kind === 'no-config') return { kind: 'no-config', troubles: [] };
    return await tick(opening.open, options.input);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    options.log(`the logbook cannot be read: ${error.message}`);
    return { kind: 'again', at: after(options.now(), WATCH_RETRY_MS), troubles: [] };
  }
}
