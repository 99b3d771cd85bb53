// What the labs of the campaign agree on, as labs and checker have to know it.

/** How old an approval may be in these labs: short, so that some sequences outlive it. */
export const APPROVAL_AGE_HOURS = 1;

/** The config of a lab in which approvals are valid only that long. */
export function withYoungApprovals(config: string): string {
  return config.replace(/maxAgeHours: .*/, `maxAgeHours: ${APPROVAL_AGE_HOURS}`);
}

/** The name that a second run of a proposal has. */
export function secondOf(run: string): string {
  return `${run}-2`;
}

/** How many hours a machine of these labs may live. */
export const RENTED_HOURS = 2;
/** And what all machines of a run may cost. */
export const RENTED_DOLLARS = 0.25;

/** The attack of somebody with the stolen control key who has a machine kept. */
export const FORGED_KEEP = 'control key: kept';

/** What happens where nobody knows whether a job was started, until the launcher looks again. */
export const LOST_ANSWER = 'an answer is lost';

/** The hero run of these labs, and the one that it goes on as. */
export const HERO = 'grug-moe-1e23-ep8';
export const HERO_NEXT = 'grug-moe-1e23-router';

/** What a job that was launched by hand says first. */
export const LOG_LINE = 'the-first-line-of-a-private-log';

/** And its id. */
export const ADOPTED_JOB = 'ray-run-ada-sweep-20261121-051716';
