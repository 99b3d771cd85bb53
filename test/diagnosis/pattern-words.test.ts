/** The words that every match of a pattern contains. */

import { expect, it } from 'vitest';
import { wordsOfPattern } from '../../src/diagnosis/pattern-words.ts';

it.each([
  [/Saved checkpoint to (\S+)/, ['Saved checkpoint to ']],
  [/dead node|heartbeat loss/, ['dead node', 'heartbeat loss']],
  // One alternative without a word leaves nothing to search for.
  [/dead node|lost/i, ['dead node', 'lost']],
  [/dead node|\d+/, []],
  // The longest of the needed parts; an optional part is not needed, nor is what must not occur.
  [/step \d+(?: of many)? loss train/, [' loss train']],
  [/(?<!exhausted )quota(?! exceeded)/, ['quota']],
  [/(?=.{0,20}crossent )x/, ['crossent ']],
  [/(?:tokens_per_second|total_grad_norm)=/, ['tokens_per_second', 'total_grad_norm']],
  // A repeated or optional character ends the word before it.
  [/errors? seen/, ['error']],
  [/Train: {1,6}\d/, ['Train: ']],
  [/memory\/[ab]_mem\.x/, ['memory/']],
  [/\x74ick \d/, ['tick ']],
  // The start of a line counts for a word that is too short.
  [/^F20\d{6}/, ['\nF20']],
  [/^NameError: /, ['NameError: ']],
  [/\bMA \d/, []],
])('%s: %j', (pattern, words) => {
  expect(wordsOfPattern(pattern)).toEqual(words);
});
