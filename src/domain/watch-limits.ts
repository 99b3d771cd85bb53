/** The bounds of watching and stopping, a part of `limits`, and why each is what it is. */

export const watchLimits = {
  /** A watch that is alive has looked for a stop by then: its 30 s, and the time of a push. */
  stopPatienceMs: 45_000,
  /** How long a stop workflow stays with a job that does not end; its own limit is 15 min. */
  stopStayMs: 10 * 60 * 1_000,
  /** Between two looks of a stop workflow. */
  stopPauseMs: 5_000,
  /** Watches that are started for one silence; a machine that is away does not come back by more of them. */
  watchRestartsMax: 3,
  /** A watch that was dispatched has got a machine and looked by then. */
  watchStartMs: 10 * 60 * 1_000,
  /** The watch looks for a stop this often, whatever its cadence (architecture, section 4). */
  stopLookPeriodMs: 30_000,
  /** A watch's lease outlives its cadence by this much, then another may take over with a higher fence. */
  leaseSlackMs: 90_000,
  /** Between two turns of the watch at the least. */
  watchPauseMs: 200,
  /** After a turn in which the logbook could not be read. */
  watchRetryMs: 15_000,
  /** Chunks of a log in one look: with 256 KiB each, more than 570 s of the noisiest job; the rest follows at the next look. */
  logChunksPerLook: 64,
  /** Chunks of the log of a job that has ended, which nobody looks at again: one gigabyte. */
  logChunksAtEnd: 4_096,
  /** How long the end of a job waits for a log that cannot be read: a dashboard that restarts is back in a minute or two. */
  lastLogPatienceMs: 30 * 60 * 1_000,
} as const;
