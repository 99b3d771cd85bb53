/** What a ferry costs at GitHub (from the approval to the dispatch, and over five hours with the default cadences), and its test in time. */

import { approve, finish, playFerry, propose, readState, seal } from '../test/support/play.ts';
import { openVirtualLab, type VirtualLab } from '../test/support/virtual-lab.ts';
import { measureQuickestMs, type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const FERRIES = 3;
const RECORD = 'refs/heads/ferrybot/logbook';

/** Plays one ferry of five hours on virtual time with the server, and counts every request of the bot. */
export async function measureRequests(): Promise<readonly Result[]> {
  const lab = await openVirtualLab();
  const { run, pull, issue } = await propose(lab);
  const toDispatch = await requestsToDispatch(lab, run, pull);
  await finish(lab, run);
  await seal(lab, run, issue);
  await lab.clock.advance(10 * 60_000);
  const { usage } = lab;
  const head = (await lab.store.refs(RECORD)).get(RECORD) ?? '';
  const pushes = (await lab.store.log({ from: head, limit: 1_000 })).length;
  await lab.close();
  const ferryMs = await measureQuickestMs(FERRIES, async () => {
    const timed = await openVirtualLab();
    await playFerry(timed);
    await timed.close();
  });
  return [
    resultWithBar('requests-approval-to-dispatch', toDispatch, 'requests', '<=', 8),
    resultWithBar('requests-ferry-five-hours', usage.rest + usage.graphql, 'requests', '<=', 80),
    resultWithBar('content-writes-ferry-five-hours', usage.contentWrites, 'requests', '<=', 50),
    resultWithBar('logbook-pushes-ferry-five-hours', pushes, 'pushes', '<=', 25),
    resultWithoutBar('git-transports-ferry-five-hours', usage.git, 'transports'),
    resultWithoutBar('not-modified-ferry-five-hours', usage.notModified, 'requests'),
    // The playground's promise for its tests: engine and git store in memory.
    resultWithBar('virtual-ferry-five-hours', ferryMs, 'ms', '<=', 2_000),
  ];
}

/** Requests up to and with the dispatch, told by the order in which the world saw them. */
async function requestsToDispatch(lab: VirtualLab, run: string, pull: number): Promise<number> {
  const before = lab.usage;
  let atDispatch: number | null = null;
  const unsubscribe = lab.world.bus.subscribe((event) => {
    if (event.type !== 'workflow_dispatch' || atDispatch !== null) return;
    const now = lab.usage;
    // The dispatch itself is answered after the event: it is the last one counted.
    atDispatch = now.rest + now.graphql - before.rest - before.graphql + 1;
  });
  await approve(lab, 'mira', pull, run);
  for (let turn = 0; turn < 100 && atDispatch === null; turn += 1) await lab.clock.advance(1_000);
  unsubscribe();
  if (atDispatch === null)
    throw new Error(`no dispatch: ${JSON.stringify((await readState(lab, run))?.gate?.verdicts)}`);
  return atDispatch;
}
