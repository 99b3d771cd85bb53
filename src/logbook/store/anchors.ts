/** What is known to have been in the logbook: the newest `seq:hash` of each run, seen here or told by a card. */

import * as z from 'zod';

/** An entry by number and hash; the hash may be a prefix of at least 12 hex digits when it comes from a card. */
export type Anchor = { readonly seq: number; readonly hash: string };

export type Anchors = {
  readonly any: () => boolean;
  readonly remember: (run: string, anchor: Anchor) => void;
  /** Takes the last entry of a file that we wrote ourselves. */
  readonly saw: (run: string, text: string) => void;
  /** Null when the file still has the anchored entry, or when none is known. */
  readonly lostFrom: (
    run: string,
    text: string | null,
  ) => { readonly anchor: Anchor; readonly found: Anchor | null } | null;
};

/** A memory of anchors, empty at first: it lives as long as the process and is fed again from the cards. */
export function createAnchors(): Anchors {
  const known = new Map<string, Anchor>();
  const remember = (run: string, anchor: Anchor): void => {
    const before = known.get(run);
    if (before === undefined || before.seq < anchor.seq) known.set(run, anchor);
  };
  const saw = (run: string, text: string): void => {
    const last = lastAnchorOf(text);
    if (last !== null) remember(run, last);
  };
  return {
    any: () => known.size > 0,
    remember,
    saw,
    lostFrom: (run, text) => {
      const anchor = known.get(run);
      if (anchor === undefined) return null;
      const found = text === null ? null : anchorAt(text.split('\n')[anchor.seq] ?? '');
      if (found?.seq === anchor.seq && found.hash.startsWith(anchor.hash)) return null;
      return { anchor, found: text === null ? null : lastAnchorOf(text) };
    },
  };
}

/** Number and hash of the last whole line, as it says itself; null where there is none that says so. */
export function lastAnchorOf(text: string): Anchor | null {
  const end = text.lastIndexOf('\n');
  return end === -1 ? null : anchorAt(text.slice(text.lastIndexOf('\n', end - 1) + 1, end));
}

const entrySchema = z.looseObject({ seq: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) });

function anchorAt(line: string): Anchor | null {
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
