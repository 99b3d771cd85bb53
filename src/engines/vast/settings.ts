/** What the `vast` engine needs from its surroundings. */

import type { VastCluster } from './schema.ts';

export type VastSettings = {
  readonly cluster: VastCluster;
  /** The account's key; null where this runner has none. */
  readonly key: string | null;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
  readonly fetch: typeof globalThis.fetch;
};

/** Bounds of the conversation with the API. */
export const VAST = {
  /** A page of the list has 25 rows of some kilobytes; a log is asked for in lines. */
  answerBytesMax: 64 * 1024 * 1024,
  /** The list gives no more at once (docs.vast.ai). */
  pageRows: 25,
  /** An account with more instances than that is none that this was made for: a list without an end would never return. */
  pagesMax: 40,
  /** After a create without a usable answer, the label is looked for at once and after these pauses. */
  lookAgainMs: [0, 1_000, 3_000, 5_000],
  /** Offers that are tried: the cheapest are gone first when many look for the same. */
  offersTried: 3,
  /** A log is made ready within some seconds: the official client waits nine. */
  resultPolls: 30,
  resultPollMs: 300,
  /** Between two looks at an instance that shall stop or be gone. */
  pollMs: 1_000,
  /** A destruction is looked after for so long; the next look goes on with it. */
  goneWaitMs: 15_000,
  /** Lines of a log that are asked for first, and then if that does not reach back far enough. */
  logLines: [200, 2_000, 20_000, 200_000],
  /** One variable of a Linux process may have 128 KiB, all of them 2 MiB. */
  packagePartCharacters: 96 * 1024,
  packageBytesMax: 1024 * 1024,
  /** An answer's own words in our messages. */
  wordsMax: 300,
} as const;
