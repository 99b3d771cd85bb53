/** How a log's bytes come out of an answer of the head, whichever form that has. */

export type LogDecoder = {
  /** The next bytes of the answer to the UTF-8 bytes of log that they complete. */
  readonly read: (bytes: Uint8Array) => Uint8Array;
  /** What only the end of the answer completes; to be asked when nothing more comes. */
  readonly end: () => Uint8Array;
  /** `open`: more is to come; `whole`: the answer may end here; `other`: this is no such answer. */
  readonly state: () => 'open' | 'whole' | 'other';
};
