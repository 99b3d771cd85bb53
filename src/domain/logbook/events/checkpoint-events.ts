/** Events about a run's checkpoints. */

import * as z from 'zod';
import { SURFACES } from '../../actor.ts';
import { actorText, byPerson, code, type DataOf, defineEvents, prose } from '../define.ts';
import { integer, sha, text, texts } from '../parts.ts';

export const sealedCheckpoint = z.object({
  path: text,
  step: integer,
  identity: text.describe("the store's identifier for the content of its `metadata.json`"),
  unseen: z.array(text).describe('what could not be observed'),
});

const data = {
  'checkpoint-rejected': z.object({ step: integer, reason: text, comment: integer, surface: z.enum(SURFACES) }),
  milestone: z.object({
    name: text,
    tag: text,
    commit: sha.describe('the tagged commit, which was launched'),
    checkpoint: sealedCheckpoint,
    metrics: texts.describe("the last values in the job's log"),
    comment: integer,
    surface: z.enum(SURFACES),
  }),
};

export type CheckpointEventData = DataOf<typeof data>;
export type SealedCheckpoint = CheckpointEventData['milestone']['checkpoint'];

export const checkpointEvents = defineEvents(data, {
  'checkpoint-rejected': {
    title: 'checkpoint rejected',
    meaning:
      'A person excludes the `step`, and everything computed from it, from the lineage of the run. [checkpoints.md](checkpoints.md) explains the effect.',
    writers: ['control'],
    isByPerson: true,
    isDecisive: true,
    apply: (state, event) => ({ ...state, rejections: [...state.rejections, { ...event.data, ...byPerson(event) }] }),
    describe: ({ data: { step, reason }, actor }) => ({
      status: `${actorText(actor)} rejected the checkpoints from step ${step} on`,
      evidence: prose(reason),
      decision: 'these, as the attempts so far have written them, and what was made from them are used for nothing',
      next: 'the next attempt resumes from an earlier checkpoint',
    }),
  },
  milestone: {
    title: 'log milestone seal',
    meaning: 'A person seals a moment of the run under a `name`. Its checkpoint is then never deleted.',
    writers: ['control'],
    isByPerson: true,
    isDecisive: true,
    apply: (state, event) => ({ ...state, milestones: [...state.milestones, { ...event.data, ...byPerson(event) }] }),
    describe: ({ data: { name, tag, commit, checkpoint }, actor }) => ({
      status: `${actorText(actor)} sealed the milestone ${code(name)} at step ${checkpoint.step}`,
      evidence: `tag ${code(tag)} on commit ${code(commit)}, checkpoint ${code(checkpoint.path)}`,
      decision: 'its checkpoint is never deleted',
      next: 'the run continues',
    }),
  },
});
