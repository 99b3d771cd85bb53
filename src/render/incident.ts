/** An incident: what happened, on what evidence, what ferrybot did, and what a person should do. */

import type { Incident } from '../domain/incidents.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { comment } from './comment.ts';
import { incidentWords } from './incident-words.ts';
import { code, type PlaceWord, placeWord, utc } from './words.ts';

/** The incident whose sequence number is `key`. */
export function renderIncident(key: string, state: RunState): string {
  const incident = state.incidents.find(({ seq }) => String(seq) === key);
  if (incident === undefined) throw new Error(`no incident ${key} in ${state.run}`);
  const job = state.submission === null ? '' : `\n- Job: ${code(state.submission.jobId)}`;
  return incidentText(incident, code(state.run), job, placeWord(state));
}

/** The comment about an incident that stands in the journal, in the thread that it is about. */
export function renderJournalIncident(incident: Incident): string {
  const marker = { run: 'journal', kind: 'incident', key: String(incident.seq), fields: {} } as const;
  return comment(marker, incidentText(incident, 'no run', '', 'issue'));
}

function incidentText(incident: Incident, of: string, job: string, place: PlaceWord): string {
  const { title, evidence, did, todo } = incidentWords(incident, place);
  return `**${title}** (${of})

- Time: ${utc(incident.at)}${job}
- Evidence: ${evidence}
- What ferrybot did: ${did}
- What to do: ${todo}`;
}
