/**
 * At the end of a month, the sweep records a checkpoint of the record, and the next month continues from it.
 */

import { expect, it } from 'vitest';
import { logbookText, playFerry, propose, readEventsOf, readState, runFolder, until } from '../support/play.ts';
import { HOUR, listBotComments, pushFile, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

async function marksOf(lab: VirtualLab, run: string): Promise<number> {
  const refs = await lab.store.refs('refs/tags/ferrybot-mark-');
  return [...refs.keys()].filter((name) => name.includes(`-${run}-`)).length;
}

it('the first sweep of a month records ended runs in a checkpoint, and the lane continues from it', async () => {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, startMs: Date.UTC(2026, 10, 30, 21) });
  const { run: sealed } = await playFerry(lab);
  expect(await marksOf(lab, sealed)).toBeGreaterThan(0);
  await lab.clock.advance(3 * HOUR);
  const checkpoints = async () =>
    (await readEventsOf(lab, 'journal')).filter(({ type }) => type === 'record-checkpointed');
  await until(lab, 'a checkpoint', async () => (await checkpoints()).length > 0);
  expect(await checkpoints()).toMatchObject([{ data: { ended: [{ run: sealed, launched: true }], live: [] } }]);
  expect(await marksOf(lab, sealed)).toBe(0);

  // The next ferry is compared with the covered one and is recorded in its own month.
  const next = await propose(lab);
  expect(await runFolder(lab, next.run)).toBe(`runs/2026/12/${next.run}`);
  expect((await readState(lab, next.run))?.proposal.interval.lastRun).toBe(sealed);
  await lab.clock.advance(HOUR);
  expect(await checkpoints()).toHaveLength(1);

  // A truncated run is reported although its marks are gone.
  const text = await logbookText(lab, sealed);
  const cut = `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`;
  await pushFile(lab, 'ada', 'ferrybot/logbook', `${await runFolder(lab, sealed)}/events.jsonl`, cut);
  await lab.clock.advance(HOUR);
  const told = listBotComments(lab).filter(({ text }) => text.includes('does not verify'));
  expect(told.map(({ kind }) => kind)).toEqual(['incident']);
  await lab.close();
});
