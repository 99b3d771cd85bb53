/** A sentence of a comment on a terminal. */

import { expect, it } from 'vitest';
import { forTerminal } from '../../../src/app/cli/verb-io.ts';
import { code, text } from '../../../src/render/words.ts';

it.each([
  'a_b *c* [d](e) ~f~ !g',
  '<script> & $x$ | y',
  '@alice #12 GH-3 https://a.example www.b.example',
  ':tada: 12:30:00',
  '- 1. = + /stop',
  'a|b `c` \\_d',
])('shows %j as it was', (words) => {
  expect(forTerminal(text(words))).toBe(words);
  expect(forTerminal(`x ${code(words)} y`)).toBe(`x ${words} y`);
});
