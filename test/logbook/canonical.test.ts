// Canonical JSON: RFC 8785's own examples for allowed values, and an error for all others.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/domain/values.ts';
import { canonicalize, parseCanonical } from '../../src/logbook/chain.ts';

describe('canonicalize', () => {
  it('writes strings and literals as RFC 8785 section 3.2.2 does', () => {
    const value = { string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\u002f', literals: [null, true, false] };
    expect(canonicalize(value)).toBe('{"literals":[null,true,false],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}');
  });

  it('sorts keys by UTF-16 code units as RFC 8785 section 3.2.3 does', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.keys(JSON.parse(canonicalize(value)))).toHaveLength(7);
    expect(canonicalize(value)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",' +
        '"\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '\ud800', { '\udc00': 1 }, { a: undefined }, undefined])(
    'throws for %j',
    (value) => {
      expect(() => canonicalize([value as Json])).toThrow('no canonical JSON');
    },
  );

  it('throws for very deep nesting', () => {
    let value: Json = 1;
    for (let depth = 0; depth < 100; depth += 1) value = [value];
    expect(() => canonicalize(value)).toThrow('too deeply');
  });
});

describe('parseCanonical', () => {
  it.each([
    ['{"b":1,"a":2}', 'order of keys'],
    ['{"a":1,"a":1}', 'a key twice'],
    ['{"a":1,"a":2}', 'a key twice'],
    ['{"a": 1}', 'white space'],
    ['{"a":1} ', 'white space at the end'],
    ['{"a":1.0}', 'a decimal point'],
    ['{"a":1.5}', 'a decimal'],
    ['{"a":1e3}', 'an exponent'],
    ['{"a":-0}', 'minus nought'],
    ['{"a":9007199254740992}', 'an unsafe integer'],
    ['{"a":9007199254740993}', 'an integer that loses precision'],
    ['{"a":"\\u0041"}', 'an escape that is not needed'],
    ['{"a":"\\/"}', 'an escaped slash'],
    ['{"a":"\\u000F"}', 'upper-case hex'],
    ['{"a":"\\ud800"}', 'a lone surrogate'],
    ['{"\\udc00":1}', 'a lone surrogate in a key'],
    ['{"9":1,"10":2}', 'keys in the order of numbers'],
    ['{"a":1', 'half a text'],
    ['', 'nothing'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 'a deep nesting'],
    [`${'['.repeat(200_000)}`, 'a nesting that would overflow the stack'],
  ])('refuses %s (%s)', (text) => {
    expect(parseCanonical(text).ok).toBe(false);
  });

  it.each(['{"10":1,"9":2}', '{"__proto__":1,"a":2}', '{"a":-9007199254740991}', '{}', '[]', '"\u2028"', '{"":0}'])(
    'reads %s',
    (text) => {
      expect(parseCanonical(text).ok).toBe(true);
    },
  );

  it('reads back any text that canonicalize writes, for any order of keys', () => {
    const safe = fc.maxSafeInteger().map((n) => (n === 0 ? 0 : n));
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constant(null),
        fc.boolean(),
        safe,
        fc.string({ unit: 'binary' }),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), tie('tree'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = canonicalize(value);
        const read = parseCanonical(text);
        expect(read).toEqual({ ok: true, value: JSON.parse(text) });
        expect(canonicalize(JSON.parse(text) as Json)).toBe(text);
      }),
    );
  });
});
