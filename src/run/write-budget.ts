/** Bounds a process's GitHub writes below the secondary rate limits, which lock out a client without warning. */

/** GitHub allows 80 writes per minute and 500 per hour for all processes together. Other texts leave room for alerts. */
export const CONTENT_WRITES = {
  alerts: { minute: 60, hour: 450 },
  others: { minute: 40, hour: 200 },
} as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Whether this process may write now. `writtenAt`: its earlier writes (epoch ms). */
export function hasRoom(
  { writtenAt }: { readonly writtenAt: readonly number[] },
  now: number,
  isAlert: boolean,
): boolean {
  const { minute, hour } = CONTENT_WRITES[isAlert ? 'alerts' : 'others'];
  const since = (moment: number): number => writtenAt.filter((at) => at > moment).length;
  return since(now - MINUTE_MS) < minute && since(now - HOUR_MS) < hour;
}

/** Comments for people who wait. */
const URGENT = ['answer', 'incident'] as const;

/** The kinds of comments that GitHub's limits leave room for now; undefined: every text. */
export function writableKinds(
  client: { readonly writtenAt: readonly number[] },
  now: number,
): readonly (typeof URGENT)[number][] | undefined {
  if (hasRoom(client, now, false)) return undefined;
  return hasRoom(client, now, true) ? URGENT : [];
}
