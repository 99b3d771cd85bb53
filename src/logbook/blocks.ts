/** A Markdown file shared with people: ferrybot's blocks are marked, and all other bytes belong to people. */

/** Id: lower-case letters, digits and dashes; the text ends with a newline. */
export type Block = { readonly id: string; readonly text: string };

export type Section = readonly Block[];

/**
 * Replaces existing blocks in place and adds new ones at the end of their section, after people's notes. Keeps everything else byte for
 * byte; an unpaired mark counts as people's text.
 */
export function weave(existing: string | null, sections: readonly Section[]): string {
  const pieces = existing === null ? [] : cut(existing);
  const wanted = new Map(sections.flat().map((block) => [block.id, block]));
  const present = new Set(pieces.flatMap((piece) => (piece.kind === 'block' ? [piece.id] : [])));
  const sectionOf = new Map(
    sections.flatMap((section, index) => section.map((block) => [block.id, index] as const)),
  );
  const out = createOutput();
  let done = 0;
  const finish = (until: number): void => {
    for (; done < until; done += 1) {
      for (const block of sections[done] ?? []) if (!present.has(block.id)) out.addApart(marked(block));
    }
  };
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      out.add(piece.text);
      continue;
    }
    finish(sectionOf.get(piece.id) ?? done);
    const block = wanted.get(piece.id);
    out.add(block === undefined ? piece.text : marked(block));
  }
  finish(sections.length);
  return out.text();
}

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'block'; readonly id: string; readonly text: string };

const opening = (id: string): string => `<!-- logbook:${id} -->\n`;
const closing = (id: string): string => `<!-- /logbook:${id} -->\n`;
const OPENING = /<!-- logbook:([a-z0-9-]+) -->\n/g;

function marked(block: Block): string {
  return `${opening(block.id)}${block.text}${closing(block.id)}`;
}

type Output = {
  readonly add: (text: string) => void;
  /** Preceded by an empty line unless at the start. */
  readonly addApart: (text: string) => void;
  readonly text: () => string;
};

/** Tracks the end separately, because reading it from a concatenated string would copy it. */
function createOutput(): Output {
  const parts: string[] = [];
  let end = '';
  const add = (text: string): void => {
    parts.push(text);
    end = (end + text).slice(-2);
  };
  return {
    add,
    addApart: (text) => {
      if (end !== '' && end !== '\n\n') add(end.endsWith('\n') ? '\n' : '\n\n');
      add(text);
    },
    text: () => parts.join(''),
  };
}

/** Only the first block of an id is ferrybot's. */
function cut(existing: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const seen = new Set<string>();
  let from = 0;
  for (const match of existing.matchAll(OPENING)) {
    const id = match[1];
    if (id === undefined || match.index < from || seen.has(id)) continue;
    const bodyAt = match.index + match[0].length;
    const closeAt = existing.indexOf(closing(id), bodyAt);
    // A nested opening means that the closing mark was deleted; leave the block unchanged.
    if (closeAt === -1 || existing.slice(bodyAt, closeAt).includes('<!-- logbook:')) continue;
    const end = closeAt + closing(id).length;
    if (match.index > from) pieces.push({ kind: 'text', text: existing.slice(from, match.index) });
    pieces.push({ kind: 'block', id, text: existing.slice(match.index, end) });
    seen.add(id);
    from = end;
  }
  if (from < existing.length) pieces.push({ kind: 'text', text: existing.slice(from) });
  return pieces;
}
