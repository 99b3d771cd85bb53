/** What ferrybot says where a checkpoint that a run needs may not be used, or is not there. */

import type { IncidentCode } from '../domain/incidents.ts';
import { startWords } from './checkpoints.ts';
import type { IncidentWords } from './incident-told.ts';
import { code, text } from './words.ts';

type CheckpointIncident = Extract<IncidentCode, 'start-refused' | 'artefacts-missing'>;

export const CHECKPOINT_INCIDENT_WORDS: { readonly [Code in CheckpointIncident]: IncidentWords<Code> } = {
  'start-refused': {
    title: 'The checkpoint to begin from may not be used',
    evidence: (d) => `${code(d.path)}: ${startWords(d.why)}.`,
    did: 'Nothing is launched from it, and no other checkpoint is taken in its place.',
    todo: 'The DRI names in the contract what the run begins from: a complete checkpoint of a line that nobody rejected, with the run that made it, or *none*.',
  },
  'artefacts-missing': {
    title: 'The job says that it succeeded, and what it should have left is not there',
    evidence: (d) => `Missing: ${text(d.message)}.`,
    did: 'Nothing was sealed.',
    todo: 'Look at the output root and at the tracker. `/seal` looks again; `/ack reject="…"` closes the run without a seal.',
  },
};
