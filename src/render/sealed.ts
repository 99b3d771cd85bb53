/** The seal: who, what tag on what commit, and what is left to do. */

import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { besideText } from './beside-words.ts';
import { headText } from './card.ts';
import { fenced } from './escape.ts';
import type { RenderInput } from './input.ts';
import { commandText } from './job-table.ts';
import { rentalReport } from './rental-words.ts';
import { code, paragraphs, person, text, utc } from './words.ts';

/** The run is a sealed record now. */
export function renderSealed({ state, past }: Pick<RenderInput, 'state' | 'past'>): string {
  const { seal } = state;
  if (seal === null) throw new Error('a seal comment without a seal');
  const how = seal.verdict === 'pass' ? 'as a pass' : `accepted with the reason: ${text(seal.accept ?? '')}`;
  return paragraphs(
    `**Sealed** by ${person(seal.actor)} at ${utc(seal.at)}, ${how}.`,
    [
      `- Tag: ${code(seal.tag)} on launch commit ${seal.commit}`,
      ...(seal.closurePull === null ? [] : [`- Log-only pull request: #${seal.closurePull}, to be merged`]),
      ...(seal.checkpoint === undefined
        ? []
        : [
            `- Final checkpoint: ${code(seal.checkpoint.path)}, step ${seal.checkpoint.step}; not looked at: ${text(seal.checkpoint.unseen.join(', '))}`,
          ]),
      `- Record: ${code(headText(state, 64))}`,
      ...(state.contract === null ? [tomorrowLine(state, seal.verdict)] : contractLines(state)),
    ].join('\n'),
    state.contract === null
      ? null
      : `Launch command (scrubbed):\n\n${fenced(commandText(state.submission?.command ?? []), limits.shownBlockCharsMax)}`,
    besideText(state),
    rentalReport(state, past),
  );
}

function tomorrowLine({ proposal }: RunState, verdict: 'pass' | 'accepted'): string {
  return `- Tomorrow: ${verdict === 'pass' ? `the next ferry starts from this configuration. A knob that ${code(proposal.baseBranch)} sets meanwhile is taken from there, and the proposal shows both.` : 'the next ferry starts from the last sealed pass, and not from this configuration: it was accepted, and is no pass. `/propose` takes its values over by name.'}`;
}

/** What the policy wants captured of a run that is over: how it ended, where it stands, and how it was begun (policy HR-67). */
function contractLines(state: RunState): readonly string[] {
  const { end, order } = state;
  const manifest = order?.manifest ?? null;
  const metrics = Object.entries(end?.metrics ?? {}).map(([key, value]) => `${code(key)} ${text(value)}`);
  return [
    `- Ended: ${end?.status ?? 'not known'} at step ${end?.lastStep ?? 'not known'} of ${end?.totalSteps ?? 'not known'}`,
    // rule HR-67
    `- Final metrics: ${metrics.length === 0 ? 'none were seen' : metrics.join(', ')}`,
    `- Tracker: ${code(manifest?.tracker.runId ?? '')}`,
    `- Output root: ${code(manifest?.outputRoot ?? '')}`,
  ];
}
