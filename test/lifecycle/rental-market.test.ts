/**
 * The card shows the offered machine before the approval; later comments show the real cost and the lab's
 * total rentals.
 */

import { afterEach, expect, it } from 'vitest';
import { approve, propose, readState } from '../support/play.ts';
import { openRentedLab, type RentedLab } from '../support/rented-lab.ts';
import { listAnswersTo, listBotTexts, postComment } from '../support/talk.ts';

let open: RentedLab | null = null;
afterEach(async () => {
  await open?.end();
  open = null;
});

const JOB = `
echo 'trainer First train step completed in 1.0s.'
for step in 400 800 1199; do
  echo "tqdm Progress on:train $step.0it/1.20kit rate:10.0it/s remaining:00:10 elapsed:00:10 postfix:loss=3.5"
  sleep 0.3
done
echo 'trainer eval/loss: 3.4'
`;

const cardOf = ({ lab }: RentedLab): string => listBotTexts(lab, 'card').at(-1) ?? '';

it('the card shows the best offer before the approval, and the rented machine afterwards', async () => {
  open = await openRentedLab(JOB, { dollarsPerDayMax: '30' });
  const { lab, vast, until } = open;
  const rented = open;
  const { run, pull, issue } = await propose(lab);
  await until('the offer on the card', 30, () => cardOf(rented).includes('Machine: offer'));
  expect(cardOf(open)).toContain(
    'Machine: offer 103 of machine `13`, 1 × RTX 4090 for $0.37 an hour with its disk (cap $0.50), at ',
  );
  expect(vast.account.list()).toEqual([]);
  const [market] = vast.asked.filter(({ route }) => route.includes('/bundles/'));
  expect(market).toBeDefined();
  await approve(lab, 'mira', pull);
  await until('a machine on the card', 60, () => cardOf(rented).includes('Rented: machine'));
  expect(cardOf(open)).not.toContain('Machine: offer');
  expect(cardOf(open)).toMatch(
    /Rented by all runs on `us-central1`.*2026-11-21: \$0\.\d\d \(of at most \$30.00, 1 run\); 2026-11: /,
  );
  await until('the end', 60, async () => (await readState(lab, run))?.end != null);
  await until('an empty account', 10, () => vast.account.list().length === 0);
  await postComment(lab, 'mira', issue, '/seal accept="a rehearsal of the market"');
  await until('the seal', 10, async () => (await readState(lab, run))?.seal != null);
  await lab.clock.advance(60_000);
  const sealed = listBotTexts(lab, 'sealed').join();
  expect(sealed).toContain('Cost of renting: about **$');
  expect(sealed).toContain('Rented by all runs on');
  const asked = await postComment(lab, 'ada', pull, '/status lane=daily');
  await lab.clock.advance(60_000);
  expect(listAnswersTo(lab, asked)[0]).toMatch(
    /\| Month \| Runs that rented \| Dollars \|\n.*\n\| 2026-11 \| 1 \| \$0\.\d\d \|/,
  );
});

it('the card reports that no offer fits, with one market search per manifest', async () => {
  open = await openRentedLab(JOB, { dollarsPerHourMax: '0.10' });
  const { lab, vast, until, pass } = open;
  const rented = open;
  await propose(lab);
  await until('the answer on the card', 30, () => cardOf(rented).includes('no offer fits'));
  await pass(30);
  expect(vast.asked.filter(({ route }) => route.includes('/bundles/'))).toHaveLength(1);
});
