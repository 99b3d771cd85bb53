/** The seal: who, what tag on what commit, and what is left to do. */

import type { RunState } from '../domain/logbook/run-state.ts';
import { headText } from './card.ts';
import { code, paragraphs, person, text, utc } from './words.ts';

/** The run is a sealed record now. */
export function renderSealed(state: RunState): string {
  const { seal } = state;
  if (seal === null) throw new Error('a seal comment without a seal');
  const how = seal.verdict === 'pass' ? 'as a pass' : `accepted with the reason: ${text(seal.accept ?? '')}`;
  return paragraphs(
    `**Sealed** by ${person(seal.actor)} at ${utc(seal.at)}, ${how}.`,
    [
      `- Tag: ${code(seal.tag)} on launch commit ${seal.commit}`,
      ...(seal.closurePull === null ? [] : [`- Log-only pull request: #${seal.closurePull}, to be merged`]),
      `- Record: ${code(headText(state, 64))}`,
      `- Tomorrow: ${seal.verdict === 'pass' ? `the next ferry starts from this configuration. A knob that ${code(state.proposal.baseBranch)} sets meanwhile is taken from there, and the proposal shows both.` : 'the next ferry starts from the last sealed pass, and not from this configuration: it was accepted, and is no pass. `/propose` takes its values over by name.'}`,
    ].join('\n'),
  );
}
