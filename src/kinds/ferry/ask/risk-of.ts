/** How risky an asked-for change is called in its PR (policy DF-17). */

import type { KnobChange } from '../../../domain/launch/delta.ts';
import type { Candidate } from '../candidates.ts';

type Risk = Candidate['risk'];
const RISKS: readonly Risk[] = ['low', 'medium', 'high'];

/** The highest of its parts: a change of scale is high, a candidate's knob is what the lab says, any other is medium. */
export function riskOf(
  changes: readonly KnobChange[],
  lane: {
    readonly candidates: readonly Pick<Candidate, 'path' | 'risk'>[];
    readonly scaleKnobs: readonly string[];
  },
): Risk {
  const ranks = changes.map(({ path, knob }) => {
    if (lane.scaleKnobs.includes(path) || lane.scaleKnobs.includes(knob)) return RISKS.indexOf('high');
    const known = lane.candidates.find((candidate) => candidate.path === path);
    return RISKS.indexOf(known?.risk ?? 'medium');
  });
  return RISKS[Math.max(0, ...ranks)] ?? 'high';
}
