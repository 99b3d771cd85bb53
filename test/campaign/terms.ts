// Values that the labs of the campaign and the checker share.

/** The maximum age of an approval in these labs: short, so that some sequences exceed it. */
export const APPROVAL_AGE_HOURS = 1;

/** The config of a lab with this maximum age. */
export function limitApprovalAge(config: string): string {
  return config.replace(/maxAgeHours: .*/, `maxAgeHours: ${APPROVAL_AGE_HOURS}`);
}

/** The name of a proposal's second run. */
export function secondRunName(run: string): string {
  return `${run}-2`;
}

/** How many hours a machine of these labs may exist. */
export const RENTED_HOURS = 2;
/** What all machines of a run may cost. */
export const RENTED_DOLLARS = 0.25;

/** The attack that keeps a machine with the stolen control key. */
export const FORGED_KEEP = 'control key: kept';

/** The move after which it is unknown whether a job was started, until the launcher checks. */
export const LOST_ANSWER = 'an answer is lost';

/** The hero run of these labs, and the one that continues it. */
export const HERO = 'grug-moe-1e23-ep8';
export const HERO_NEXT = 'grug-moe-1e23-router';

/** The first log line of a job that was launched by hand. */
export const LOG_LINE = 'the-first-line-of-a-private-log';

/** The id of that job. */
export const ADOPTED_JOB = 'ray-run-ada-sweep-20261121-051716';
