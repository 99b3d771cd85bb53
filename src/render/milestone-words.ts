/** The sentence for each answer to somebody who seals a milestone. */

import type { sealMilestone } from '../commands/seal-milestone.ts';
import type { Sentences } from './answer-view.ts';
import { code, text } from './words.ts';

export const MILESTONE_WORDS: Sentences<keyof typeof sealMilestone.answers> = {
  'milestone-sealed': (d) =>
    `the milestone ${code(d.name)} is sealed with the tag ${code(d.tag)}: checkpoint ${code(d.path)} of step ${d.step}, which is deleted no more. What nobody here could see: ${text(d.unseen)}. The run goes on.`,
  'milestone-no-job': () => 'nothing was sealed: no job of this run was submitted.',
  'milestone-ill': (d) =>
    `nothing was sealed: the engine says ${text(d.status)}. A milestone is of a run that is well; what becomes of this one stands on its card.`,
  'milestone-not-here': () =>
    'nothing was sealed: runs of this kind have no milestones; `/seal` seals the end.',
  'milestone-taken': (d) =>
    `nothing was sealed: there is a milestone ${code(d.name)} of step ${d.step} already.`,
  'milestone-missing': (d) =>
    `nothing was sealed: this is missing or could not be seen: ${text(d.missing)}. Say it again when it is there.`,
};
