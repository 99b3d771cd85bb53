/** Starts a job of the speaker's own on the cluster of the rehearsal, and opens an issue about it: something to have watched. */
import * as z from 'zod';
import { apiOf, pathOf } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { outcomeOf, refuse } from './outcome.ts';

const opened = z.object({ number: z.number() });

/** The issue says what was started, and the line by which somebody has it watched. */
export const openOwnJob: ActHandler = async (visit, params) => {
  if (visit.startOwnJob === null) return refuse('No job can be started by hand on the cluster of this lab.');
  const [api, home] = [apiOf(params), pathOf(params)];
  const { jobId, cluster, experiment } = await visit.startOwnJob(visit.speaker.login);
  const watch = `/watch job=${jobId} cluster=${cluster} experiment=${experiment}`;
  const body = [
    `I have started \`${jobId}\` on \`${cluster}\` by hand, from the branch as it is; it will take some minutes.`,
    'Can somebody have an eye on it? Who may approve launches says here:',
    `\`\`\`\n${watch}\n\`\`\``,
  ].join('\n\n');
  // A job is launched again where its issue bears the label of experiments.
  const issue = { title: `A job of mine: ${jobId}`, body, labels: ['experiment'] };
  const answer = await visit.api.send('POST', `${api}/issues`, issue);
  if (answer.kind === 'refused') return outcomeOf(answer, home);
  const number = opened.safeParse(answer.data);
  return { kind: 'done', to: number.success ? `${home}/issues/${number.data.number}` : `${home}/issues` };
};
