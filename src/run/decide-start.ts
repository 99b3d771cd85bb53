/** Tells people of a checkpoint that a contract names and nobody may begin from: once for each, because the gate alone is read by who looks (policy HR-55, HR-56). */

import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { append, type Step } from './step.ts';

/** The incident of what the gates have just recorded; null where it is told already. */
export function decideStart({ gate, incidents, proposal }: RunState): Step | null {
  const refused = gate?.verdicts.find((one) => one.gate === 'checkpoint-proven' && one.code === 'refused');
  if (refused === undefined) return null;
  const { why, path, dri } = refused.found;
  // What the command said that began this run is not the to change.
  const asked = proposal.continues === undefined ? {} : { asked: 'resume-as' };
  const facts = { why: String(why), path: String(path), dri: String(dri), ...asked };
  const told = incidentsWith(incidents, 'start-refused');
  return told.some(({ detail }) => detail.why === facts.why && detail.path === facts.path)
    ? null
    : append(incidentDraft('control', 'start-refused', facts));
}
