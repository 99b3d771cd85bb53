/**
 * One daily ferry on virtual time, from proposal to seal: through the server, by sweeps only, and without a
 * server.
 */

import { describe, expect, it } from 'vitest';
import type { LogbookEvent } from '../../src/domain/logbook/define.ts';
import { playFerry, propose, readEventsOf, readState } from '../support/play.ts';
import { listBotComments } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

/** Plays a ferry of five hours and returns the events of its logbook. */
async function dayOf(options: {
  readonly server: boolean;
  readonly webhooks: boolean;
}): Promise<readonly LogbookEvent[]> {
  const lab = await openVirtualLab(options);
  const { run } = await playFerry(lab);
  const state = await readState(lab, run);
  expect(state?.seal?.verdict).toBe('pass');
  expect(state?.seal?.commit).toBe(state?.submission?.commit);
  expect(lab.engine.startCount()).toBe(1);
  expect(lab.world.state.unserved).toEqual([]);
  // Leaves most of an hour's GitHub rate limit for people's commands and other apps.
  if (options.webhooks) {
    expect(lab.usage.rest + lab.usage.graphql).toBeLessThanOrEqual(options.server ? 80 : 110);
    expect(lab.usage.contentWrites).toBeLessThanOrEqual(50);
  }
  // Without a server, GitHub bills each minute of a hosted job.
  const hosted = Object.values(lab.world.state.jobs).filter(({ key }) => /record|chat|sweep/.test(key));
  if (!options.server) expect(hosted.length).toBeGreaterThan(2);
  for (const { startedAtMs, completedAtMs } of hosted)
    expect((completedAtMs ?? 0) - (startedAtMs ?? 0)).toBeLessThan(60_000);
  // 600 observations at 30 s and the sweeps: each fetches once.
  expect(lab.usage.git).toBeLessThan(900);
  const events = await readEventsOf(lab, run);
  const launches = events.filter((event) => event.type === 'dispatched' && event.data.workflow === 'launch');
  expect(launches).toHaveLength(1);
  await lab.close();
  return events;
}

/**
 * The logbook without observations and dispatches (which one stands first is up to the machines), and with times, hashes, signatures and the ids of comments, runs and jobs masked.
 * The card says since when its gates pass, so the hash of its text is masked too; the test of the card compares the text.
 */
function masked(events: readonly LogbookEvent[]): string {
  const ids =
    /^(at|hash|sig|prev|seq|comment|workflowRun|orderDigest|issuedAt|expiresAt|startedAt|endedAt|bodyDigest|commit|digest|shownAt)$/;
  return JSON.stringify(
    events
      .filter(({ type }) => type !== 'observed' && type !== 'dispatched')
      .map((event) => (event.type === 'shown' ? { ...event, data: { ...event.data, text: '<text>' } } : event)),
    (key, value: unknown) => (ids.test(key) ? `<${key}>` : value),
    1,
  );
}

/**
 * Proposes a ferry, checks the card against the record, and returns the card with times and hashes masked.
 */
async function cardOf(options: Parameters<typeof openVirtualLab>[0]): Promise<string> {
  const lab = await openVirtualLab(options);
  const { run } = await propose(lab);
  const shown = (await readEventsOf(lab, run)).find((event) => event.type === 'shown');
  const card = listBotComments(lab).find(({ kind }) => kind === 'card');
  await lab.close();
  expect(shown?.data.comment).toBe(card?.id);
  expect(card?.source).toContain(` text=${shown?.data.text} `);
  expect(Date.parse(shown?.data.shownAt ?? '')).toBeLessThanOrEqual(Date.parse(shown?.at ?? ''));
  return (card?.text ?? '')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, '<time>')
    .replace(/(newest event is `\d+):[\da-f]{64}`/, '$1:<hash>`');
}

describe('a daily ferry of five hours', () => {
  it('has the same logbook with webhooks, with sweeps only, and without a server', async () => {
    const server = await dayOf({ server: true, webhooks: true });
    const sweep = await dayOf({ server: true, webhooks: false });
    const action = await dayOf({ server: false, webhooks: true });
    const byPull = (text: string): string => text.replaceAll('github-actions', 'ferrybot');
    expect(byPull(masked(sweep))).toBe(byPull(masked(server)));
    expect(byPull(masked(action))).toBe(byPull(masked(server)));
  });

  it('shows the same card in all three setups except for times and hashes, and records its text', async () => {
    const server = await cardOf({ server: true, webhooks: true });
    expect(server).toContain('<time>');
    expect(await cardOf({ server: true, webhooks: false })).toBe(server);
    expect(await cardOf({ server: false, webhooks: true })).toBe(server);
  });

  it('is first observed after 120 s and then every 570 s, with an entry at a change or within 30 minutes', async () => {
    const events = await dayOf({ server: true, webhooks: true });
    const submitted = events.find((event) => event.type === 'submitted');
    const looks = events.filter((event) => event.type === 'observed').map((event) => Date.parse(event.at));
    const waits = looks.map((at, index) => at - (looks[index - 1] ?? Date.parse(submitted?.at ?? '')));
    expect(waits[0]).toBe(120_000);
    expect(new Set(waits.slice(1).map((wait) => wait % 570_000))).toEqual(new Set([0]));
    expect(Math.max(...waits)).toBeLessThanOrEqual(30 * 60_000);
    expect(looks.length).toBeLessThan(15);
  });
});
