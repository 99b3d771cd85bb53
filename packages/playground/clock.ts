/** The one clock of the playground: real for people, virtual for tests that play hours in milliseconds. */

/** Milliseconds since 1970-01-01 UTC, and a way to wait for a later moment on the same clock. */
export type Clock = {
  readonly now: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
};
