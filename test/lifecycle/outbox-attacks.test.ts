/** Posts outside a run's threads despite edits, broken markers and crashes between two writes. */

import { afterEach, expect, it } from 'vitest';
import { requireActionLine } from '../support/approve.ts';
import { Crash } from '../support/crash.ts';
import { type DiskLab, diskIssue, openDiskLab } from '../support/disk-lab.ts';
import { until } from '../support/play.ts';
import { listBotTexts, listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';
import type { VirtualLabOptions } from '../support/virtual-lab.ts';

const open: DiskLab[] = [];

afterEach(async () => {
  for (const { lab } of open.splice(0)) await lab.close();
});

async function disks(options: VirtualLabOptions = {}): Promise<DiskLab> {
  const opened = await openDiskLab(options);
  open.push(opened);
  return opened;
}

/** mira consents to the proposal in the issue, and it is executed. */
async function cleaned({ lab, called }: DiskLab): Promise<void> {
  await lab.clock.advance(2_000);
  await postComment(lab, 'mira', diskIssue(lab).number, requireActionLine(lab, '`start-cleanup-cron`'));
  await until(lab, 'the call', () => called() > 0);
}

// threat T80
it('restores a description that a writer edits repeatedly, and posts no comment twice', async () => {
  const { lab, scan } = await disks();
  const { number } = diskIssue(lab);
  for (let edit = 1; edit <= 8; edit += 1) {
    const { body } = diskIssue(lab);
    await lab.as('ada', 'PATCH', `/issues/${number}`, { body: `${body}\nedit ${edit}` });
    await scan();
    await lab.clock.advance(2 * MINUTE);
  }
  await lab.clock.advance(15 * MINUTE);
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(listBotTexts(lab, 'incident')).toEqual([]);
  await lab.clock.advance(70 * MINUTE);
  expect(diskIssue(lab).body).not.toContain('edit 4');
  expect(listRepeatedComments(lab)).toEqual([]);
});

it('posts the result of a clean-up once although processes crash before they update the description', async () => {
  let died = 0;
  const from = { ms: Number.POSITIVE_INFINITY };
  let isDying = (): boolean => false;
  const opened = await disks({
    server: false,
    atBoundary: (_, kind, moment) => {
      if (kind !== 'edit-issue' || moment !== 'before' || !isDying()) return;
      died += 1;
      throw new Crash();
    },
  });
  isDying = () => {
    if (opened.called() > 0) from.ms = Math.min(from.ms, opened.lab.clock.now());
    return opened.lab.clock.now() - from.ms < 40 * MINUTE && opened.called() > 0;
  };
  await cleaned(opened);
  await opened.lab.clock.advance(150 * MINUTE);
  expect(died).toBeGreaterThan(1);
  expect(listBotTexts(opened.lab, 'disk-end')).toHaveLength(1);
  expect(listRepeatedComments(opened.lab)).toEqual([]);
});

// threat T81
it('posts a change of the disks although a writer broke the marker with the last posted state', async () => {
  const opened = await disks();
  const { lab, scan } = opened;
  await cleaned(opened);
  await lab.clock.advance(40 * MINUTE);
  const { number, body } = diskIssue(lab);
  await lab.as('ada', 'PATCH', `/issues/${number}`, { body: body.replace('kind=disk', 'kind=dusk') });
  await scan();
  await lab.clock.advance(40 * MINUTE);
  expect(listBotTexts(lab, 'disk-change').join()).toContain('have free space on their disks');
  expect(listRepeatedComments(lab)).toEqual([]);
});
