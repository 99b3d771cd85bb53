/** What a ferry changes, from the sources in their order: what a person said, the candidates, the lab's own proposer. */

import { runsOfLane } from '../../domain/logbook/run-state.ts';
import { askedChange } from '../../kinds/ferry/ask/asked-change.ts';
import { riskOf } from '../../kinds/ferry/ask/risk-of.ts';
import { chooseCandidate } from '../../kinds/ferry/candidates.ts';
import { readKnobs } from '../../kinds/ferry/delta/read-knobs.ts';
import { applyEdits } from '../../kinds/ferry/edit.ts';
import { pastFerry } from '../../kinds/ferry/past-ferry.ts';
import type { ProposalView } from '../../kinds/ferry/proposal-view.ts';
import { ferryLane } from '../../kinds/ferry/settings.ts';
import type { OpenLane } from '../open-lab.ts';
import type { Experiment } from './experiment.ts';
import { type Failed, type Nothing, nothing, type Refused } from './outcome.ts';
import { askProposer, type ProposerInput } from './proposer.ts';

/** The edited file, and how the proposal tells it. */
export type Change = Pick<ProposalView, 'changes' | 'risk' | 'reason' | 'candidate' | 'rationale'> & {
  readonly kind: 'change';
  readonly text: string;
};

export type ChooseInput = Omit<ProposerInput, 'recent'> & {
  /** Knobs that a person named; none = choose. */
  readonly knobs: readonly (readonly [name: string, value: string])[];
};

/** The change of one proposal, or why there is none. Writes nothing outside. */
export async function chooseChange(
  open: OpenLane,
  experiment: Experiment,
  input: ChooseInput,
): Promise<Change | Nothing | Failed | Refused> {
  const lane = ferryLane(open.config.lane);
  const { syntax, parser, text } = experiment;
  const plain = { kind: 'change', candidate: null, rationale: null, reason: '' } as const;
  if (input.knobs.length > 0) {
    const knobsMax = lane.budget.enforce === 'block' ? lane.budget.knobs : null;
    const asked = askedChange(syntax, parser, input.knobs, knobsMax);
    if (!asked.ok) return { kind: 'refused', refusal: asked.error };
    const { changes } = asked.value;
    return { ...plain, text: asked.value.text, changes, risk: riskOf(changes, lane) };
  }
  const recent = runsOfLane(open.keeper.current().runs, open.config.laneName).map(pastFerry);
  const choice = chooseCandidate({
    candidates: lane.candidates,
    knobs: readKnobs(syntax),
    recent,
    today: input.date,
    memoryDays: lane.memoryDays,
    objective: input.objective,
  });
  if (choice.kind === 'identical-rerun') {
    const reason = 'the same configuration again, to confirm or rule out a regression';
    return { ...plain, text, changes: [], risk: 'low', reason };
  }
  if (choice.kind === 'proposal') {
    const edited = applyEdits(syntax, choice.edits, parser);
    if (!edited.ok) return nothing('edit-refused', `${choice.candidate.id}: ${edited.error.code}`);
    const { candidate, risk, rationale } = choice;
    return { ...plain, ...edited.value, risk, reason: candidate.reason, candidate: candidate.id, rationale };
  }
  if (lane.proposer !== null) {
    const proposed = await askProposer(open, lane.proposer, experiment, { ...input, recent });
    if (proposed.kind !== 'proposes') return proposed;
    const { changes, risk, rationale: reason } = proposed;
    return { ...plain, text: proposed.text, changes, risk, reason };
  }
  return nothing(choice.reason, choice.skipped.map((s) => `${s.id}: ${s.why}`).join(', '));
}
