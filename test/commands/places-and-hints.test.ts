/** The position of an error, its suggestion, and which comments get a hint. */

import { describe, expect, it } from 'vitest';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import type { Reading } from '../../src/commands/grammar/reading.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';
import { readLogin } from '../../src/contracts/fields.ts';
import { TEST_REGISTRY } from './test-registry.ts';

const read = (comment: string): Reading => readComment(comment, TEST_REGISTRY, { otherBots: ['/lgtm'] });

describe('a word of another tool', () => {
  it.each([
    ['/cancel', '/stop'],
    ['/abort', '/stop'],
    ['/kill', '/stop'],
    ['/launch', '/approve-launch'],
    ['/history', '/status'],
    ['/logs', '/status'],
    ['/freeze', '/hold'],
    ['/retry', '/relaunch'],
  ])('%s is answered with %s', (word, suggest) => {
    expect(readComment(word, COMMAND_DEFINITIONS, { otherBots: [] }).errors).toMatchObject([
      { code: 'unknown-command', suggest },
    ]);
  });
});

describe('a login with an underscore', () => {
  it('names an account of Enterprise Managed Users', () => {
    const { commands } = readComment('/handoff @jane-doe_acme', COMMAND_DEFINITIONS, { otherBots: [] });
    expect(commands).toMatchObject([{ name: 'handoff', args: { who: '@jane-doe_acme' } }]);
    expect(readLogin('@jane-doe_acme')).toEqual({ value: 'jane-doe_acme' });
    expect(readLogin('@_acme')).toEqual({ unclear: 'one GitHub login' });
  });
});

describe('an error has its position', () => {
  it.each([
    ['/hold raeson="x"', 'unknown-key', 7, 'raeson'],
    ['/hold reason=a reason=b', 'duplicate-key', 16, 'reason'],
    ['/rollback', 'missing-argument', 10, 'reason'],
    ['/hold reason="a b', 'unclosed-quote', 14, '"a b'],
    ['/hold reason=“a b”', 'bad-quote', 14, '“'],
    ['/hold reason="a b”', 'bad-quote', 18, '”'],
    ['/approve-launch 0123', 'bad-value', 17, '0123'],
    ['/why right now', 'extra-words', 6, 'right'],
    ['/stop!?', 'glued', 6, '!?'],
    ['/hold reason="x".', 'glued', 17, '.'],
  ])('%s', (line, code, column, text) => {
    const { commands, errors } = read(`Well.\n  ${line}`);
    expect(commands).toEqual([]);
    expect(errors).toMatchObject([{ line: 2, column: 3, code, at: { column: column + 2, text } }]);
  });

  it('an error explains in its own text what an argument takes', () => {
    expect(
      readComment('/seal-milestone name="first steps"', COMMAND_DEFINITIONS, { otherBots: [] }).errors,
    ).toMatchObject([
      { code: 'bad-value', expected: 'name: at most 40 lower-case letters, digits and dashes, and no blanks' },
    ]);
    expect(read('/hold reason=a reason=b').errors[0]).toMatchObject({ expected: 'reason' });
    expect(read('/status b').errors[0]).not.toHaveProperty('takes');
  });

  it('the leftmost of several errors is reported', () => {
    expect(read('/seal what accept="x').errors).toMatchObject([{ code: 'extra-words' }]);
    expect(read('/hold reason="x what').errors).toMatchObject([{ code: 'unclosed-quote' }]);
    expect(read('/hold reason=a reason=b c=d').errors).toMatchObject([{ code: 'duplicate-key' }]);
  });

  it('of two commands on a line after an unclosed quote, only the first is reported', () => {
    expect(read('/hold reason=“do not /approve-launch yet”')).toMatchObject({
      commands: [],
      errors: [{ word: '/hold', code: 'bad-quote' }],
      ignored: [{ word: '/approve-launch', reason: 'not-line-start' }],
    });
  });
});

describe('did you mean', () => {
  it.each([
    ['/hodl', '/hold'],
    ['/hol', '/hold'],
    ['/holds', '/hold'],
    ['/unhodl', '/unhold'],
    ['/stauts', '/status'],
    ['/stat', '/status'],
    ['/launch', '/approve-launch'],
    ['/approved', '/approve-launch'],
    ['/HELP', '/help'],
    ['/approve-lanuch', '/approve-launch'],
    ['/aprove-lauch', '/approve-launch'],
    ['/purpose', '/propose'],
    ['/revok', '/revoke'],
    ['/freeze', '/hold'],
    ['/skip', '/hold'],
    ['/thaw', '/unhold'],
    ['/akc', '/ack'],
    ['/statuses', '/status'],
    ['/approve-launch0123456789ab', '/approve-launch'],
  ])('%s: %s', (word, suggest) => {
    expect(read(word).errors).toMatchObject([{ word, code: 'unknown-command', suggest }]);
  });

  it.each([
    '/deploy',
    '/merge',
    '/lgtm',
    '/retest',
    '/test',
    '/cc',
    '/assign',
    '/ok-to-test',
    '/close',
    '/back',
    '/run',
    '/build',
    '/label',
    '/ready',
    '/format',
    '/cherry-pick',
    '/azp',
    '/gcbrun',
    '/shipit',
    '/tmp',
    '/etc',
  ])('%s gets no suggestion', (word) => {
    expect(read(word)).toMatchObject({ commands: [], errors: [], ignored: [{ word }] });
  });
});

it('two swapped letters get a suggestion only if the rest matches', () => {
  expect(read('/tsop').errors).toMatchObject([{ suggest: '/stop' }]);
  expect(read('/tsar')).toMatchObject({ errors: [], ignored: [{ reason: 'unrelated' }] });
});

describe('a hint', () => {
  it.each([
    ['- /stop', 'markup'],
    ['> /stop', 'quote'],
    ['`/stop`', 'code'],
    ['**/stop**', 'markup'],
    ['<img src="https://x.test/a.png" />\n/stop', 'markup'],
    ['please /stop', 'not-line-start'],
    ['\\/stop', 'markup'],
    ['Look:\n\n    /stop', 'code'],
    ['/stop\n---', 'markup'],
    // A line directly below a quote or a list belongs to it, which its author does not see.
    ['> Say `/stop`, which ends it.\n/stop', 'quote'],
    ['- somebody says /stop\n/stop', 'markup'],
  ])('is posted for %j', (comment, reason) => {
    expect(read(comment).hint).toMatchObject({ word: '/stop', reason });
  });

  it.each(['／stop', '/ｓｔｏｐ', '/st\u043ep', 'please ／stop'])(
    'is posted for %j, which a keyboard for other scripts writes',
    (comment) => {
      expect(read(comment).hint).toMatchObject({ reason: 'lookalike' });
    },
  );

  it.each([
    ['a valid command, which gets its own answer', '> /stop\n\n/status'],
    ['an invalid command, which gets its own answer', '> /stop\n\n/hodl'],
    ['text that mentions several commands', 'Use /stop or /hold.'],
    ['several commands below a quote', '> Which one?\n/stop\n/hold'],
    ['a path', '`/tmp/x`'],
    ['a path in other characters, or a misspelt command in them', '／tmp/x and ／hodl'],
    ['a command of another bot', '> /lgtm'],
    ['a misspelt command where commands have no effect', '> /hodl'],
    ['plain text', 'Fine.'],
  ])('is not posted: %s', (_why, comment) => {
    expect(read(comment).hint).toBeNull();
  });
});

describe('a comment that is too long to parse', () => {
  it('gets a hint for its first command', () => {
    const reading = read(`${'> '.repeat(100)}/deploy\n\n/stop\n/status`);
    expect(reading.hint).toMatchObject({ word: '/stop', reason: 'limit' });
  });
});

describe('the parser', () => {
  it('keeps the source of a command without surrounding blanks and line break', () => {
    expect(read('Hi\r\n\r\n  /hold  reason="a \\"b\\""  \r\nbye').commands).toEqual([
      { name: 'hold', args: { reason: 'a "b"' }, line: 3, column: 3, source: '/hold  reason="a \\"b\\""' },
    ]);
  });

  it('accepts a knob with the name of an object property', () => {
    expect(Object.entries(read('/propose __proto__=1').commands[0]?.args ?? {})).toEqual([['__proto__', '1']]);
  });

  it('returns the position of a word in code after a NUL', () => {
    expect(read('`\0/stop`').ignored).toEqual([{ word: '/stop', line: 1, column: 3, reason: 'code' }]);
  });

  it('accepts other bots’ words with and without slash, in any case', () => {
    const reading = readComment('/Hold\n/MERGE', TEST_REGISTRY, { otherBots: ['hold', '/merge'] });
    expect(reading.ignored.map((w) => w.reason)).toEqual(['other-bot', 'other-bot']);
  });
});
