/** An incident: what happened, on what evidence, what ferrybot did, and what a person should do. */

import type { RunState } from '../domain/logbook/run-state.ts';
import { reading } from './detail.ts';
import { INCIDENT_WORDS } from './incident-words.ts';
import { placeWord } from './place-word.ts';
import { code, utc } from './words.ts';

/** The incident whose sequence number is `key`. */
export function renderIncident(key: string, state: RunState): string {
  const incident = state.incidents.find(({ seq }) => String(seq) === key);
  if (incident === undefined) throw new Error(`no incident ${key} in ${state.run}`);
  const words = INCIDENT_WORDS[incident.code];
  const job = state.submission === null ? '' : `\n- Job: ${code(state.submission.jobId)}`;
  return `**${words.title}** (${code(state.run)})

- Time: ${utc(incident.at)}${job}
- Evidence: ${words.evidence(reading(incident.detail), placeWord(state))}
- What ferrybot did: ${words.did}
- What to do: ${words.todo}`;
}
