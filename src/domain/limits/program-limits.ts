/** The bounds of programs and jobs on our own machine, a part of `limits`, and why each is what it is. */

export const programLimits = {
  /** A helper program (git, ps) that says nothing for two minutes hangs; nothing we run takes longer. */
  programTimeoutMs: 120_000,
  /** git diff and log of one interval stay far below this; more would only fill memory. */
  programOutputBytesMax: 16 * 1024 * 1024,
  /** From SIGTERM to SIGKILL for a helper program. */
  programKillGraceMs: 5_000,
  /** What a program wrote is read within this after its end, also on a loaded machine: a pipe holds 64 KiB. */
  programOutputQuietMs: 2_000,
  /** Whoever still writes into the outputs of a program that has ended is not the program. */
  programOutputHeldMs: 10_000,
  /** From SIGTERM to SIGKILL for a job: a temporary checkpoint of a small model is written in less. */
  jobStopGraceMs: 10_000,
  /** How long a stop waits to see the end before it answers `stopping`: grace and a loaded machine's delay. */
  jobStopWaitMs: 15_000,
  /** A started supervisor reports within this, also on a machine under full load (Node starts in 0.1 to 3 s). */
  jobStartWaitMs: 20_000,
  /** An adopter lets the first submitter's supervisor report before it starts one itself. */
  jobAdoptWaitMs: 2_000,
  /** Between two looks at a record that a supervisor is about to write. */
  jobRecordPollMs: 25,
  /** A supervisor whose exit record cannot be written (disk full) tries so often, once a second. */
  jobExitRecordTries: 3_600,
  /** Files that a refusal names; the others are counted. A message has room for so many paths. */
  filesShownMax: 10,
  /** The newest folders of local jobs stay whatever their age: a lab that rests for months finds its last outputs. */
  treesKept: 20,
  /** Outputs and checkpoints lie in the folder; who wants them longer has copied them within a month. */
  endedTreeKeptMs: 30 * 24 * 60 * 60_000,
  /** A folder that no job took: an order lives two hours, so nothing will ever start in it a day later. */
  unusedTreeKeptMs: 24 * 60 * 60_000,
  /** Folders looked at in one launch. */
  oldTreesReadMax: 5_000,
  /** What a verb of the command line reads from a file or a pipe: a logbook's file is the longest that is meant. */
  argumentBytesMax: 64 * 1024 * 1024,
} as const;
