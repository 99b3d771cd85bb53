/** Each GitHub event becomes a trigger or nothing, and never an exception. */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';
import { mayContainCommand } from '../../src/domain/reconcile-request.ts';
import { HANDLERS, toTrigger } from '../../src/handlers/registry.ts';

const NAMES = HANDLERS.map((handler) => handler.event);
const EXAMPLES = z
  .array(z.object({ name: z.string(), examples: z.array(z.looseObject({ action: z.string().optional() })) }))
  .parse(createRequire(import.meta.url)('@octokit/webhooks-examples'));

function triggersOf(event: string): ReadonlySet<string> {
  const found = EXAMPLES.find(({ name }) => name === event)?.examples ?? [];
  return new Set(found.map((payload) => `${payload.action ?? '-'} ${toTrigger(event, payload)?.kind ?? 'nothing'}`));
}

describe("GitHub's own examples", () => {
  it.each(NAMES)('of %s all become a trigger or nothing, and some become a trigger', (event) => {
    const triggers = [...triggersOf(event)];
    expect(triggers.length).toBeGreaterThan(0);
    if (event !== 'issue_comment') expect(triggers.some((trigger) => !trigger.endsWith('nothing'))).toBe(true);
    expect(triggers.toSorted()).toMatchSnapshot();
  });

  it('of every other event are ignored', () => {
    const others = EXAMPLES.filter(({ name }) => !NAMES.some((known) => known === name));
    expect(others.length).toBeGreaterThan(20);
    expect(others.flatMap(({ name, examples }) => examples.filter((p) => toTrigger(name, p) !== null))).toEqual([]);
  });
});

describe('a check', () => {
  const payload = (name: string, action = 'completed', pulls: readonly number[] = [13]) => ({
    action,
    check_run: { name, pull_requests: pulls.map((number) => ({ number })) },
  });

  it('that ended on a pull request triggers its thread, except our own checks and those without one', () => {
    expect(toTrigger('check_run', payload('unit tests'))).toEqual({ kind: 'thread', thread: 13 });
    expect(toTrigger('check_run', payload('unit tests', 'created'))).toBeNull();
    expect(toTrigger('check_run', payload('ferrybot / launch gate'))).toBeNull();
    expect(toTrigger('check_run', payload('unit tests', 'completed', []))).toBeNull();
  });
});

describe('a comment', () => {
  const payload = (body: string, type = 'User', action = 'created') => ({
    action,
    issue: { number: 13 },
    comment: { id: 5, body, author_association: 'NONE', user: { id: 1, login: 'bob', type } },
  });

  it('with a slash word triggers a command with its thread, without one a remark', () => {
    expect(toTrigger('issue_comment', payload('/status'))).toEqual({
      kind: 'comment',
      surface: 'comment',
      comment: 5,
      thread: 13,
      hasSlash: true,
      from: { id: 1, login: 'bob', isOutsider: true },
    });
    expect(toTrigger('issue_comment', payload('well done'))).toEqual({ kind: 'remark', thread: 13 });
  });

  it('that is edited or deleted triggers its thread, never a command', () => {
    for (const action of ['edited', 'deleted'])
      expect(toTrigger('issue_comment', payload('/status', 'User', action))).toEqual({ kind: 'thread', thread: 13 });
  });

  it('of a bot triggers nothing', () => {
    expect(toTrigger('issue_comment', payload('/status', 'Bot'))).toBeNull();
  });
});

describe('the quick filter for comments', () => {
  const folder = join(import.meta.dirname, '../../fixtures/comments');
  const comments = readdirSync(folder)
    .filter((file) => file.endsWith('.yml'))
    .flatMap((file) =>
      z.array(z.looseObject({ comment: z.string() })).parse(parse(readFileSync(join(folder, file), 'utf8'))),
    )
    .map(({ comment }) => comment);

  it('misses no comment of the corpus that the grammar would answer', () => {
    const wanted = comments.filter((comment) => {
      const { commands, errors } = readComment(comment, COMMAND_DEFINITIONS, { otherBots: [] });
      return commands.length + errors.length > 0;
    });
    expect(wanted.length).toBeGreaterThan(30);
    expect(wanted.filter((comment) => !mayContainCommand(comment))).toEqual([]);
  });

  it.each(['well done', 'and/or', 'https://a.example/b', '<b>x</b>', 'a & b'])('ignores %s', (comment) => {
    expect(mayContainCommand(comment)).toBe(false);
  });
});

it('any JSON is a trigger or nothing', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NAMES, 'ping', 'constructor'), fc.jsonValue(), (event, payload) => {
      expect(() => toTrigger(event, payload)).not.toThrow();
    }),
  );
});
