/** What the gate `authors-known` answers: who had a hand in a proposal, or for what nobody can be named. */

import { type DetailReader, numbered } from './detail.ts';
import { listed } from './words.ts';

type Sentence = (found: DetailReader) => readonly [found: string, remedy?: string];

const BACK = 'put the branch back on the commit that was proposed, or propose anew';

export const AUTHORS_WORDS: Readonly<Record<string, Sentence>> = {
  'bot-alone': () => ['nobody but ferrybot had a hand in it'],
  'one-person': () => ['one person is enough here, whoever had a hand in it'],
  named: (f) => [
    `${listed(numbered('who', f).map((name) => f.text(name)))} had a hand in it, and may not approve it`,
  ],
  'commit-unnamed': (f) => [
    `GitHub links ${f.code('about')} by ${f.code('by')} to nobody (pieces of work like that: ${f.text('count')})`,
    `commit it under an address that your account has; or ${BACK}`,
  ],
  'push-unnamed': (f) => [
    `${f.has('by') ? f.code('by') : 'somebody whom GitHub does not name'} pushed ${f.code('about')}, and no person can be named for it`,
    `push it yourself; or ${BACK}`,
  ],
  'edit-unnamed': (f) => [
    `the text of ${f.text('about')} was edited by ${f.has('by') ? f.code('by') : 'somebody whom GitHub does not name'}, and no person can be named for it`,
    'put the text back as ferrybot wrote it, or propose anew',
  ],
  'too-much-work': () => ['more commits or pushes stand on the branch than are read', BACK],
};
