/** `npm run rentals -- [--days N] [--from SEED]`: rental days with faults on virtual time, and whether the machines were in order. */

import { parseArgs } from 'node:util';
import { playRentalDays, type RentalReport } from '../test/rental/rental-days.ts';

/** An account's whole past is kept as long as a seed lasts. */
const DAYS_OF_A_SEED = 50;
const DAYS_MAX = 1_000_000;
/** Of what the server bills. */
const MONEY_OFF_MAX = 0.01;

const BROKEN = ['orphanMinutes', 'doubleMinutes', 'idleMinutes', 'foreignTouched'] as const;
const KEYS = ['rented', 'destroyed', 'faults', 'kills', ...BROKEN, 'billed', 'booked'] as const;

const { values } = parseArgs({
  options: { days: { type: 'string', default: '1000' }, from: { type: 'string', default: '1' } },
});
const days = Number(values.days);
const from = Number(values.from);
if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX || !Number.isInteger(from)) {
  console.error(`--days is 1 to ${DAYS_MAX}, --from a seed`);
  process.exitCode = 2;
} else await play();

async function play(): Promise<void> {
  const started = performance.now();
  const reports: RentalReport[] = [];
  for (let played = 0; played < days; played += DAYS_OF_A_SEED)
    reports.push(await playRentalDays(Math.min(DAYS_OF_A_SEED, days - played), from + reports.length));
  const sum = (of: keyof RentalReport): number => reports.reduce((total, report) => total + report[of], 0);
  const moneyOff = sum('booked') / sum('billed') - 1;
  console.log(
    JSON.stringify({
      days,
      seconds: Math.round((performance.now() - started) / 1_000),
      ...Object.fromEntries(KEYS.map((key) => [key, Math.round(sum(key) * 100) / 100])),
      moneyOff: `${(moneyOff * 100).toFixed(3)} %`,
    }),
  );
  const broken = BROKEN.filter((key) => sum(key) > 0);
  if (broken.length > 0 || Math.abs(moneyOff) > MONEY_OFF_MAX) process.exitCode = 1;
}
