/** The sentence for each answer to somebody who asks for a list of checkpoints. */

import type { cleanupCheckpoints } from '../commands/cleanup-checkpoints.ts';
import type { Sentences } from './answer-view.ts';
import { code, count, text } from './words.ts';

const AGAIN = '`/cleanup-checkpoints`';

export const CLEANUP_WORDS: Sentences<keyof typeof cleanupCheckpoints.answers> = {
  'cleanup-listed': (d) =>
    `${count(d.count, 'checkpoint')} could go, ${d.kept} ${d.kept === 1 ? 'stays' : 'stay'}: the list stands in a comment of its own here, with what protects the others and the line that consents to it. Nothing was deleted.${
      d.more > 0
        ? ` One list has no room for ${d.more} more: once this one is done, ${AGAIN} lists them.`
        : ''
    }`,
  'cleanup-listed-already': (d) =>
    `exactly these are listed already, and wait for a consent of somebody else. Nothing was deleted. The line that consents to it: \`${d.line.replace(/[^a-z0-9/ -]/g, '')}\``,
  'cleanup-nothing': (d) =>
    `nothing could go: all that was found is protected (${count(d.kept, 'checkpoint')}). Nothing was deleted.`,
  'cleanup-no-job': () => 'nothing to list: no job of this run was submitted, so that it has no checkpoint.',
  'cleanup-no-depth': () =>
    `nothing was listed: neither the run's approval nor you say how many of the newest checkpoints stay. Say it: ${code('/cleanup-checkpoints keep=10')}`,
  'cleanup-unreadable': (d) =>
    `nothing was listed, because not all of it could be read: ${text(d.why)}. Where the stores lie is \`checkpointRoots\` of the lane, and what opens them stands in the environment of this process. Say ${AGAIN} again when it can be read.`,
  'cleanup-under-way': () =>
    'nothing was listed: something that was consented to in this run is being carried out. Say it again when its end is told here.',
};
