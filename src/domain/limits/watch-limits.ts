/** The bounds of watching and stopping, a part of `limits`, and why each is what it is. */

export const watchLimits = {
  /** A watch that is alive has looked for a stop by then: its 30 s, and a fetch. One that hangs leaves 25 s for a stop workflow. */
  stopPatienceMs: 35_000,
  /** How long a stop workflow stays with a job that does not end; its own limit is 15 min. */
  stopStayMs: 10 * 60 * 1_000,
  /** Between two looks of a stop workflow. */
  stopPauseMs: 5_000,
  /** Watches that are started for one silence; a machine that is away does not come back by more of them. */
  watchRestartsMax: 3,
  /** A watch that was dispatched has got a machine and looked by then. */
  watchStartMs: 10 * 60 * 1_000,
  /** The watch looks for a stop this often, whatever its cadence: a stop reaches the engine within a minute. */
  stopLookPeriodMs: 30_000,
  /** A watch's lease outlives its cadence by this much, then another may take over with a higher fence. */
  leaseSlackMs: 90_000,
  /** Looks in one turn: what a thousand runs print at once is not held together, and a stop is looked for between. */
  looksPerTurnMax: 100,
  /** Between two turns of the watch at the least. */
  watchPauseMs: 200,
  /** Between two looks at an account that rents machines: a machine that stops is billed for so long and no longer. */
  rentalLookMs: 10 * 60 * 1_000,
  /** Somebody looks at each account that rents so often, also where nothing runs: once a day, and a bit sooner than that. */
  accountLookMs: 22 * 60 * 60 * 1_000,
  /** After a watch that failed to, another one is started to look at the account. */
  accountRetryMs: 60 * 60 * 1_000,
  /** How old a machine is at its first looks: what goes wrong at all mostly goes wrong then. */
  rentalStartupMs: [60_000, 180_000, 420_000, 900_000],
  /** A look comes later than it was wanted by so much at the most: what would be too long by then is ended before. */
  rentalLateMs: 120_000,
  /** Between two looks while a machine shall be gone, or the account cannot be read. */
  rentalAlertMs: 30_000,
  /** A machine that is to be gone is told of again after so long, until it is: a person has looked by then. */
  machineAlertAgainMs: 10 * 60 * 1_000,
  /** The credit has to last so long at least: somebody who is told has time to add some. */
  creditHorizonMs: 60 * 60 * 1_000,
  /** After a turn in which the logbook could not be read. */
  watchRetryMs: 15_000,
  /** Chunks of a log in one look: with 256 KiB each, more than 570 s of the noisiest job; the rest follows at the next look. */
  logChunksPerLook: 64,
  /** Time for the log of a running job in one look: a dashboard that sends drop by drop must not hold up the others, or a stop. */
  logReadMs: 60_000,
  /** Time for the log of a job that has ended, in one look: a gigabyte at 5 MB a second; the next look goes on. */
  lastLogReadMs: 200_000,
  /** Chunks of the log of a job that has ended, which nobody looks at again: one gigabyte. */
  logChunksAtEnd: 4_096,
  /** How long the end of a job waits for a log that cannot be read: a dashboard that restarts is back in a minute or two. */
  lastLogPatienceMs: 30 * 60 * 1_000,
  /** A job or a log that cannot be read for so long is told: a dashboard that restarts is back before, and one look in a row says nothing. */
  engineUnreadMs: 15 * 60 * 1_000,
  /** Looks in a row at the same step before people are told of what the log says of the cluster: *multiple* intervals in the policy. */
  standstillLooksMin: 2,
  /** A job that is still there so long after its stop does not heed it: grace, kill and two looks take less. */
  stopUnheardMs: 90_000,
  /** The end of a failed job's log that is asked what it died of: the first cause stands before its noise, and a thousand ranks make a lot. */
  diagnosedLogBytes: 4 * 1024 * 1024,
  /** The last lines of a failed job's log that are kept and shown: a screen of them. */
  logEndLinesMax: 30,
  /** What is kept of each: enough to recognise it, and all thirty fit the card. */
  logEndLineCharsMax: 300,
  /** How many are scrubbed together for them: a private key has some fifty lines, and only its first says what it is. */
  logEndReadLinesMax: 200,
  /** Lines of evidence that are kept with the end; more of one class say the same. */
  diagnosisLinesMax: 4,
  /** One read of a job's log: 20 h of progress lines, and little enough to classify at once. */
  logChunkBytesMax: 256 * 1024,
  /** A log line that is read as a whole; XLA prints allocations of some kilobytes, nothing useful beyond. */
  logLineCharsMax: 16 * 1024,
  /** Tracker links of one log: one a launch, and a few that were only mentioned. */
  logTrackersMax: 20,
  /** Different eval keys of one log: Paloma has a few dozen sets with two values each. */
  logEvalKeysMax: 500,
  /** Lines of a Ray task's traceback below its head, in which what is raised belongs to that task. */
  tracebackLinesMax: 100,
  /** Workers that one signature was seen on: the hosts of a large slice, which is one machine; with more it is uncertain. */
  failureWorkersMax: 64,
} as const;
