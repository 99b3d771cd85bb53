/** Bounds a process's GitHub writes below the secondary rate limits, which lock out a client without warning. */

/** GitHub allows 80 writes per minute and 500 per hour, shared with control's answers. Non-alerts leave room for alerts. */
export const CONTENT_WRITES = {
  alerts: { minute: 60, hour: 450 },
  others: { minute: 40, hour: 200 },
} as const;

export type WriteBudget = {
  readonly hasRoom: (now: number, isAlert: boolean) => boolean;
  readonly note: (now: number, count: number) => void;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An unused budget. */
export function createWriteBudget(): WriteBudget {
  const times: number[] = [];
  const since = (moment: number): number => times.filter((at) => at > moment).length;
  return {
    hasRoom: (now, isAlert) => {
      while (times[0] !== undefined && times[0] <= now - HOUR_MS) times.shift();
      const { alerts, others } = CONTENT_WRITES;
      const { minute, hour } = isAlert ? alerts : others;
      return since(now - MINUTE_MS) < minute && times.length < hour;
    },
    note: (now, count) => {
      for (let one = 0; one < count; one += 1) times.push(now);
    },
  };
}
