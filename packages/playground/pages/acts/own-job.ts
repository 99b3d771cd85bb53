/**
 * Starts the speaker's own job on the rehearsal's cluster, and opens an issue about it, so that there is a job to
 * watch.
 */
import * as z from 'zod';
import { repoApiPath, repoPath } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { refuseAct, toOutcome } from './outcome.ts';

const opened = z.object({ number: z.number() });

/** The issue names the started job and the command line to have it watched. */
export const openOwnJob: ActHandler = async (visit, params) => {
  if (visit.startOwnJob === null) return refuseAct('No job can be started by hand on the cluster of this lab.');
  const [api, home] = [repoApiPath(params), repoPath(params)];
  const { jobId, cluster, experiment } = await visit.startOwnJob(visit.speaker.login);
  const watch = `/watch job=${jobId} cluster=${cluster} experiment=${experiment}`;
  const body = [
    `I have started \`${jobId}\` on \`${cluster}\` by hand, from the branch as it is; it will take some minutes.`,
    'Can somebody have an eye on it? Who may approve launches says here:',
    `\`\`\`\n${watch}\n\`\`\``,
  ].join('\n\n');
  // A job is relaunched only if its issue has the label for experiments.
  const issue = { title: `A job of mine: ${jobId}`, body, labels: ['experiment'] };
  const answer = await visit.api.send('POST', `${api}/issues`, issue);
  if (answer.kind === 'refused') return toOutcome(answer, home);
  const number = opened.safeParse(answer.data);
  return { kind: 'done', to: number.success ? `${home}/issues/${number.data.number}` : `${home}/issues` };
};
