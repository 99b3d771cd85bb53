/** A lab in which jobs launched by hand can be adopted, and such a job. */

import type { Person } from '../../packages/playground/world/seed.ts';
import { until } from './play.ts';
import { listAnswerCodes } from './recorded.ts';
import type { ByHand } from './simulated-engine.ts';
import { listAnswersTo, postComment, SHORT_FERRY } from './talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

export const ADOPTED_LANE = `  people:
    kind: adoption
    cluster: us-central1
    ships: [experiments, lib, scripts]
    tracker: { kind: none, entity: '', project: '' }
    cadence: { startupMs: 3000, pollMs: 60000 }
`;

export const JOB_ID = 'ray-run-ada-sweep-20261121-051716';
export const WATCH = `/watch job=${JOB_ID} cluster=us-central1 experiment=experiments/ferries/daily.py`;

/**
 * A lab with an adoption lane; every writer may adopt, so that another person may approve. `more`: lines of
 * the lane.
 */
export function openAdoptingLab(options: VirtualLabOptions = {}, more = ''): Promise<VirtualLab> {
  const { config = (text) => text } = options;
  return openVirtualLab({
    ferry: SHORT_FERRY,
    ...options,
    config: (text) =>
      config(`${text.trimEnd()}\n${ADOPTED_LANE}${more}`.replace('\n    adoption: false\n', '\n    adoption: true\n')),
  });
}

/** Ada's job, launched by hand; by default it keeps running. */
export function startJobByHand(lab: VirtualLab, changes: Partial<ByHand> = {}): void {
  lab.engine.launchByHand({
    jobId: JOB_ID,
    origin: {
      submitter: 'ada',
      entrypoint: 'FERRY_DATE=by-hand LAB_OUTPUT_ROOT=outputs/by-hand python3 experiments/ferries/daily.py',
      gitCommit: null,
    },
    says: ['up'],
    exitCode: null,
    ...changes,
  });
}

/** Opens an issue as this user; returns its number. */
export async function openIssue(lab: VirtualLab, who: Person = 'ada', labels: readonly string[] = []): Promise<number> {
  const issue = { title: 'My sweep', body: 'It runs since this morning.', labels };
  return ((await lab.as(who, 'POST', '/issues', issue)) as { readonly number: number }).number;
}

/** Posts the comment and returns the code of the answer. */
export async function commentAndReadAnswer(
  lab: VirtualLab,
  who: Person,
  thread: number,
  words: string,
): Promise<string> {
  const comment = await postComment(lab, who, thread, words);
  await until(lab, `an answer to ${words}`, () => listAnswersTo(lab, comment).length > 0, {
    stepMs: 1_000,
    limitMs: 600_000,
  });
  return (await listAnswerCodes(lab, comment)).join(' ');
}

export const runOf = (issue: number): string => `adoption-people-20261121-issue${issue}`;
