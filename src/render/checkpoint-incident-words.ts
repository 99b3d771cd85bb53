/** What ferrybot says where a checkpoint that a run needs may not be used, or is not there, and of a source that is on no target branch. */

import type { IncidentCode } from '../domain/incidents.ts';
import { startWords } from './checkpoints.ts';
import type { IncidentWords } from './incident-told.ts';
import type { PlaceWord } from './place-word.ts';
import { code, text } from './words.ts';

type CheckpointIncident = Extract<
  IncidentCode,
  'start-refused' | 'artefacts-missing' | 'source-kept' | 'source-not-kept'
>;

/** By the command that named the checkpoint. */
const ASKED_BY: Readonly<Record<string, (place: PlaceWord) => string>> = {
  rollback: () =>
    '`/rollback` names the step of a complete checkpoint of a line that nobody rejected; `step=0` begins from nothing.',
  'resume-as': (place) =>
    `Close this ${place}, which gives this run up, and open it again: the run before it is gone on from by another \`/resume-as\`, with a complete checkpoint of a line that nobody rejected as its \`from=\`.`,
};

export const CHECKPOINT_INCIDENT_WORDS: { readonly [Code in CheckpointIncident]: IncidentWords<Code> } = {
  'start-refused': {
    title: 'The checkpoint to begin from may not be used',
    evidence: (d) => `${code(d.path)}: ${startWords(d.why)}.`,
    did: 'Nothing is launched from it, and no other checkpoint is taken in its place.',
    todo: 'The DRI names in the contract what the run begins from: a complete checkpoint of a line that nobody rejected, with the run that made it, or *none*.',
    todoFor: ({ asked }, place) => (asked === undefined ? null : (ASKED_BY[asked]?.(place) ?? null)),
  },
  'artefacts-missing': {
    title: 'The job says that it succeeded, and what it should have left is not there',
    evidence: (d) => `Missing: ${text(d.message)}.`,
    did: 'Nothing was sealed.',
    todo: 'Look at the output root and at the tracker. `/seal` looks again; `/ack reject="…"` closes the run without a seal.',
  },
  'source-kept': {
    title: 'What the job runs is on no target branch, and has a tag',
    evidence: (d) =>
      `Attempt ${d.attempt} runs commit ${code(d.commit)} of the branch ${code(d.branch)}. The tag ${code(d.tag)} keeps it, whatever becomes of that branch.`,
    did: 'The tag was pushed. At the seal the same commit gets the tag of the seal.',
    todo: 'Nothing.',
  },
  'source-not-kept': {
    title: 'What the job runs is on no target branch, and has no tag',
    evidence: (d) =>
      `Attempt ${d.attempt} runs commit ${code(d.commit)} of the branch ${code(d.branch)}, and its tag was refused: ${text(d.message)}`,
    did: 'The job goes on. Nothing keeps its commit but that branch.',
    todo: 'Leave the branch where it is until the run is sealed, or push a tag on that commit.',
  },
};
