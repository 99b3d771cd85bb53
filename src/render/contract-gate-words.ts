/** What the gates on a contract answer, in words. */

import type { GateId } from '../domain/launch/verdict.ts';
import type { GateSentences } from './gate-sentences.ts';
import { listed, text } from './words.ts';

type Own = Extract<GateId, 'contract-complete' | 'contract-current'>;

/** What a contract does not say, and what it says so that nobody can use it. */
function openParts({
  missing,
  unclear,
}: {
  readonly missing: readonly string[];
  readonly unclear: readonly string[];
}): string {
  return [
    ...(missing.length === 0 ? [] : [`missing: ${listed(missing.map(text))}`]),
    ...(unclear.length === 0 ? [] : [`unclear: ${listed(unclear.map(text))}`]),
  ].join('; ');
}

export const CONTRACT_SENTENCES: { readonly [Gate in Own]: GateSentences<Gate> } = {
  'contract-complete': {
    complete: (f) => [
      f.inferred.length === 0
        ? `everything is given (${f.values} values)`
        : `everything is known; inferred: ${listed(f.inferred.map(text))}`,
    ],
    none: () => ['the run has no contract', 'open an issue with the form for hero runs'],
    incomplete: (f) => [openParts(f), 'the DRI says so in the issue'],
    'retention-open': (f) => [
      openParts(f),
      'the DRI chooses in the issue; usual are permanent checkpoints every 100000 steps, temporary ones every 15 minutes, and ten kept, and nobody assumes them',
    ],
  },
  'contract-current': {
    'as-recorded': () => ['the issue says what is recorded'],
    none: () => ['the run has no contract', 'open an issue with the form for hero runs'],
    differs: (f) => [
      `the issue says something else than what is recorded: ${listed(f.names.map(text))}`,
      'before a launch ferrybot records it by itself; after an attempt has failed, name another source SHA, or put it back',
    ],
  },
};
