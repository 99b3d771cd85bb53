/**
 * An untrusted person posts thousands of comments that are expensive to parse: no command is delayed or
 * lost.
 */

import { describe, expect, it } from 'vitest';
import { UNTRUSTED_COMMENT_BOUNDS } from '../../src/commands/grammar/markdown.ts';
import { readCommentWithinBounds } from '../../src/commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { addMs, known, unknown } from '../../src/domain/values.ts';
import {
  colleaguesFirst,
  listPendingItems,
  sortAuthors,
  UNTRUSTED_COMMENTS_PER_READ,
} from '../../src/run/pending-commands.ts';
import { measureCpuMs } from '../support/cpu-ms.ts';
import { bob } from '../support/run-drafts.ts';
import { aComment, knownPermissions, NOON } from '../support/run-facts.ts';

const mallory = { id: 666, login: 'mallory' };
const full = (unit: string): string => `/stop\n\n${unit.repeat(Math.ceil(65_000 / unit.length))}\n\n/stop`;

const SHAPES = [
  ...['eyJ-', '<ul><li>', '<details>', '<b>', '</b>', '<b></b>', '<table><tr><td>', '<!--', '<!--a ', '<?'],
  ...['> ', '> a\n', '> a\nb\n', '*a_', '*a ', '~a~~b ', '`a``b```c````', '[', '[a][b ', '[a][a] ', '![', '[^a] '],
  ...[
    '[a]: /b\n',
    '[^a]: /a\n\n',
    '|a',
    'a|b\n-|-\n',
    '&amp;',
    '&sol;stop ',
    '\r\n',
    'a\r',
    '\u200b',
    '/\u200b',
    '\u00ad',
  ],
  ...['On x wrote:\n', 'From: a\nTo: b\n', '-- \n', 'a\n=\n', '- a\n', '```\n', '\t/a\n', '$$/a$$', 'www.a ', 'a@b.c '],
  ...['/stop ', '/stop\n', '/aprove-launch\n', '/hold reason="a\n', '/a'],
];

const quickestMs = (act: () => unknown): number => Math.min(...Array.from({ length: 3 }, () => measureCpuMs(act)));

const asStranger = (text: string) => readCommentWithinBounds('stranger', text, COMMAND_DEFINITIONS, { otherBots: [] });
const prose = 'The loss fell from 3.1 to 2.9 after step 4600, see the run of the night.\n\n'.repeat(850);
const PROSE_MS = quickestMs(() => readCommentWithinBounds('trusted', prose, COMMAND_DEFINITIONS, { otherBots: [] }));

describe('an untrusted comment', () => {
  // threat T194
  it.each(SHAPES)("made of %j at GitHub's maximum length costs less to parse than a page of prose", (unit) => {
    expect(quickestMs(() => asStranger(full(unit)))).toBeLessThan(PROSE_MS);
  });

  it.each(SHAPES)('made of %j at the parsed length costs no more than the longest ordinary comment', (unit) => {
    const text = full(unit).slice(0, UNTRUSTED_COMMENT_BOUNDS.characters);
    expect(quickestMs(() => asStranger(text))).toBeLessThan(2 * PROSE_MS);
  });

  it('of ordinary length is read like any other comment', () => {
    const { reading, isWhole } = asStranger('I would wait.\n\n> /stop\n\n/status');
    expect(isWhole).toBe(true);
    expect(reading.commands.map(({ name }) => name)).toEqual(['status']);
    expect(reading.ignored.map(({ reason }) => reason)).toEqual(['quote']);
  });

  it('that is too long to parse gets a hint at the first command that it names', () => {
    const { reading, isWhole } = asStranger(`${prose}\n/why\n\n/stop`);
    expect(isWhole).toBe(false);
    expect(reading.commands).toEqual([]);
    expect(reading.hint).toMatchObject({ word: '/why', reason: 'limit' });
  });
});

const at = (index: number): Partial<CommentFacts> => ({ id: 1_000 + index, createdAt: addMs(NOON, index * 1_000) });
const options = { since: NOON, otherBots: [] };

describe('a thread of five thousand untrusted comments', () => {
  const flood = Array.from({ length: 5_000 }, (_, index) =>
    aComment(mallory, full(`${SHAPES[index % SHAPES.length] ?? ''}${index}`), at(index)),
  );
  const stop = aComment(bob, '/stop', at(6_000));
  const thread = [...flood, stop];

  it('parses at most twenty untrusted comments of one person per turn, after people who wrote few', () => {
    const items = listPendingItems(new Map(), thread, { ...options, permissions: new Map() });
    const first = sortAuthors(items)[0];
    expect(first).toEqual(bob);
    const later = listPendingItems(new Map(), thread, {
      ...options,
      permissions: knownPermissions([mallory, 'read'], [bob, 'triage']),
    });
    const ofMallory = later.filter(({ comment }) => comment.author.id === mallory.id);
    expect(ofMallory).toHaveLength(UNTRUSTED_COMMENTS_PER_READ);
    expect(ofMallory.at(-1)?.comment.id).toBe(5_999);
    expect(later.filter(({ comment }) => comment.author.id === bob.id)).toHaveLength(1);
  });

  it('processes the command of a person with permission first', () => {
    const held = knownPermissions([mallory, 'none'], [bob, 'triage']);
    const items = listPendingItems(new Map(), thread, { ...options, permissions: held });
    expect(colleaguesFirst(items, held)[0]?.comment.id).toBe(stop.id);
  });

  it('costs less per turn than two hundred pages of prose', () => {
    const held = knownPermissions([mallory, 'none'], [bob, 'triage']);
    expect(quickestMs(() => listPendingItems(new Map(), thread, { ...options, permissions: held }))).toBeLessThan(
      200 * PROSE_MS,
    );
  });
});

describe('a long comment of a colleague', () => {
  const long = aComment(bob, `${prose.slice(0, 20_000)}\n\n/stop`, at(1));
  const said = (held: ReturnType<typeof knownPermissions>) =>
    listPendingItems(new Map(), [long], { ...options, permissions: held }).map((item) => item.parsed);

  it("waits until the author's permission is known, and is read then", () => {
    expect(said(new Map())).toEqual([{ kind: 'unread' }]);
    expect(said(new Map([[bob.id, unknown('GitHub is away')]]))).toEqual([{ kind: 'unread' }]);
    expect(said(new Map([[bob.id, known('triage')]]))).toEqual([{ kind: 'command', name: 'stop', args: {} }]);
  });

  it('is not a command if its author turns out to have no permission', () => {
    expect(said(new Map([[bob.id, known('read')]]))).toMatchObject([{ kind: 'hint', word: '/stop', reason: 'limit' }]);
  });
});
