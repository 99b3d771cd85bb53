/** Gate: the model's scale stays as it ran last unless a person asked for the change by name (policy DF-11), and what the run spends is what the lane is for (policy DF-38). */

import { newDelta } from '../../../domain/launch/base.ts';
import type { KnobChange } from '../../../domain/launch/delta.ts';
import type { ModelSize } from '../../../domain/launch/model-size.ts';
import {
  cannotTell,
  type Gate,
  type GateFacts,
  given,
  type Judgement,
  judging,
} from '../../../gates/gate.ts';
import { offTarget } from '../scale.ts';
import { type FerryLane, ferryLane } from '../settings.ts';

const { block, pass } = judging('scale-stable');

export const scaleStable: Gate = {
  id: 'scale-stable',
  evaluate: ({ change, lane, proposal }) =>
    given(change, (value) => {
      const delta = newDelta(value);
      if (delta.kind === 'structural' || delta.kind === 'unparsable')
        return cannotTell('the delta itself cannot be read');
      const scaled =
        delta.kind === 'none' ? [] : delta.changes.filter((one) => isScale(one, ferryLane(lane).scaleKnobs));
      const first = scaled[0];
      if (first === undefined) return sizeAgainst(value.size, ferryLane(lane));
      const unasked = scaled.find((one) => !isAskedFor(one, proposal));
      const { requestedBy } = proposal;
      if (unasked === undefined && requestedBy !== null)
        return pass('asked-for', { knob: first.knob, by: requestedBy.login, count: scaled.length });
      const { knob, before, after } = unasked ?? first;
      return block('scale-changed', 'maintainer', { knob, before: before ?? '', after: after ?? '' });
    }),
  readsSettings: true,
};

/** A run that is far from what its lane is for needs somebody who asked, like a knob of the scale. */
function sizeAgainst(size: ModelSize | null, { scale }: FerryLane): Judgement {
  if (size === null || scale === null) return pass('unchanged');
  if (size.kind === 'unknown') return block('not-computed', 'maintainer', { why: size.why });
  const percent = offTarget(size.flops, scale);
  const flops = size.flops.toExponential(1).replace('+', '');
  // rule DF-38
  return Math.abs(percent) > scale.tolerancePercent
    ? block('off-target', 'maintainer', {
        flops,
        target: scale.flops,
        percent: `${percent > 0 ? '+' : ''}${percent.toFixed(0)}`,
        tolerance: String(scale.tolerancePercent),
      })
    : pass('unchanged', { parameters: scale.parameters, flops, target: scale.flops });
}

/** By its path, or by its bare name wherever it stands. */
function isScale(change: KnobChange, scaleKnobs: readonly string[]): boolean {
  return scaleKnobs.includes(change.path) || scaleKnobs.includes(change.knob);
}

/** A person's request names the knob as a word of its own: `lr` is not asked for by somebody who wrote `lr_schedule`. */
function isAskedFor(change: KnobChange, { requestedBy, objective, request }: GateFacts['proposal']): boolean {
  if (requestedBy === null) return false;
  // With /propose it is asked for at the value that was said; another value is somebody else's idea.
  if (request?.knobs.some(({ path, after }) => path === change.path && after === change.after)) return true;
  // rule DF-11
  return hasWord(objective.text, change.knob) || hasWord(objective.text, change.path);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text.charAt(at - 1)}${text.charAt(at + word.length)}`;
    if (!/\w/.test(around)) return true;
  }
  return false;
}
