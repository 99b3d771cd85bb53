/** How much one process may still write on GitHub: its secondary limits count writes, tell nobody, and whoever runs into them is shut out. */

/**
 * Writes of a watch: GitHub takes 80 a minute and 500 an hour of everybody together, control's answers to people among
 * them. What is no alert leaves some of that to alerts, which may be many at once.
 */
export const CONTENT_WRITES = {
  alerts: { minute: 60, hour: 450 },
  others: { minute: 40, hour: 200 },
} as const;

export type WriteBudget = {
  /** Whether one more may be written now; what is no alert leaves room for one. */
  readonly hasRoom: (now: number, isAlert: boolean) => boolean;
  /** So many were written. */
  readonly note: (now: number, count: number) => void;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A budget of which nothing is used. */
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
