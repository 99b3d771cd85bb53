/** What is known to have been in the logbook: the newest `seq:hash` of each run, seen here or told by a card. */

import * as z from 'zod';

/** An entry by number and hash; the hash may be a prefix of at least 12 hex digits when it comes from a card. */
export type Anchor = { readonly seq: number; readonly hash: string };

/** A run's files as they stand: the entries that verify, and the lines behind them as they are. */
export type Lines = {
  readonly events: readonly Anchor[];
  readonly rest: readonly string[];
};

export type Anchors = {
  readonly any: () => boolean;
  readonly remember: (run: string, anchor: Anchor) => void;
  /** Null when the file still has the anchored entry, or when none is known. */
  readonly lostFrom: (
    run: string,
    lines: Lines,
  ) => { readonly anchor: Anchor; readonly found: Anchor | null } | null;
};

/** A memory of anchors, empty at first: it lives as long as the process and is fed again from the cards. */
export function createAnchors(): Anchors {
  const known = new Map<string, Anchor>();
  return {
    any: () => known.size > 0,
    remember: (run, anchor) => {
      const before = known.get(run);
      if (before === undefined || before.seq < anchor.seq) known.set(run, anchor);
    },
    lostFrom: (run, lines) => {
      const anchor = known.get(run);
      if (anchor === undefined) return null;
      const found = anchorIn(lines, anchor.seq);
      if (found?.seq === anchor.seq && found.hash.startsWith(anchor.hash)) return null;
      return { anchor, found: anchorIn(lines, lines.events.length + lines.rest.length - 1) };
    },
  };
}

function anchorIn({ events, rest }: Lines, seq: number): Anchor | null {
  const event = events[seq];
  if (event !== undefined) return { seq: event.seq, hash: event.hash };
  return anchorAt(rest[seq - events.length] ?? '');
}

const entrySchema = z.looseObject({ seq: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) });

/** Number and hash of a line, as it says itself; null where it says nothing like that. */
export function anchorAt(line: string): Anchor | null {
  if (!line.startsWith('{')) return null;
  try {
    const entry = entrySchema.safeParse(JSON.parse(line));
    return entry.success ? { seq: entry.data.seq, hash: entry.data.hash } : null;
  } catch (error) {
    // A line that is no JSON has no anchor; whoever verifies the file says what is wrong with it.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
