/**
 * Every event that the bot handles is sent at least once while its payload is checked against GitHub's
 * description.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { chooseRepositories, suspend, unsuspend } from '../../../packages/playground/webhooks/installations.ts';
import { channelNames } from '../../../packages/playground/world/channels.ts';
import { APP_EVENTS, UNSUBSCRIBED_EVENTS } from '../../../src/app/server/discovery.ts';
import { approveAndFinish, propose, seal } from '../../support/play.ts';
import { openVirtualLab } from '../../support/virtual-lab.ts';

const sent = z.object({ event: z.string() });
const changed = z.tuple([z.object({ filename: z.string() })]);
const proposed = z.object({ head: z.object({ sha: z.string() }) });

it('every event of the App is sent during a ferry and the life of its installation', async () => {
  const heard = new Set<string>();
  const hear = (made: unknown): void => void heard.add(sent.parse(made).event);
  subscribe(channelNames.webhook, hear);
  const lab = await openVirtualLab();
  const { run, pull, issue } = await propose(lab);
  const [{ filename }] = changed.parse(await lab.as('ada', 'GET', `/pulls/${pull}/files`));
  const { head } = proposed.parse(await lab.as('ada', 'GET', `/pulls/${pull}`));
  await lab.as('ada', 'POST', `/pulls/${pull}/reviews`, { event: 'COMMENT', body: 'Read.' });
  await lab.as('ada', 'POST', `/pulls/${pull}/comments`, {
    body: 'Here?',
    commit_id: head.sha,
    path: filename,
    line: 43,
  });
  await approveAndFinish(lab, run, pull);
  await seal(lab, run, issue);
  const [installation] = Object.values(lab.world.state.installations);
  const mira = Object.values(lab.world.state.users).find(({ login }) => login === 'mira');
  if (installation === undefined || mira === undefined) throw new Error('the lab has lost its App or mira');
  suspend(lab.world, installation.id, mira.id);
  unsuspend(lab.world, installation.id, mira.id);
  chooseRepositories(lab.world, installation.id, mira.id, []);
  await lab.close();
  unsubscribe(channelNames.webhook, hear);
  expect([...APP_EVENTS, ...UNSUBSCRIBED_EVENTS].filter((event) => !heard.has(event))).toEqual([]);
});
