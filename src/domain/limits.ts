/** Every bound in one place: what stops each loop, wait, retry and size, and why it is what it is. */

export const limits = {
  /** A helper program (git, ps) that says nothing for two minutes hangs; nothing we run takes longer. */
  programTimeoutMs: 120_000,
  /** git diff and log of one interval stay far below this; more would only fill memory. */
  programOutputBytesMax: 16 * 1024 * 1024,
  /** From SIGTERM to SIGKILL for a helper program. */
  programKillGraceMs: 5_000,
} as const;
