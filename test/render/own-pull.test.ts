/** What is said in somebody's own pull request before it is a run. */

import { expect, it } from 'vitest';
import { renderMissingParts, renderNotTaken } from '../../src/render/own-pull.ts';

it.each([
  ['propose-busy', { run: 'ferry-daily-20261121', pull: 13, phase: 'stepping' }],
  ['propose-held', { scope: 'lane', lane: 'daily', by: 'mira', reason: 'a bad node @everyone' }],
  ['propose-pull-refused', { why: 'draft', about: '', wanted: '' }],
])('why it is none yet: %s', (code, detail) => {
  expect(renderNotTaken('busy-ferry-daily-20261121', { code, detail })).toMatchSnapshot();
});

it('what its text lacks, as text that can be pasted whatever stands in it', () => {
  expect(
    renderMissingParts('pull-13-1', '### Risk level\n\nlow\n\n```\n</details> @everyone\n```'),
  ).toMatchSnapshot();
});
