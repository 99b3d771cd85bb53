/**
 * The tracker as one source: its line on the card, the requests to it, and that its wrong status raises no
 * alarm.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../../packages/playground/test/support/outside-tools.ts';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { EXPERIMENT, type MlflowServer, openMlflow } from '../support/mlflow-server.ts';
import { approve, approveAndFinish, propose, readState, until } from '../support/play.ts';
import { listBotTexts, postComment, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import { openVirtualLab, TRACKER_KEY, type VirtualLab } from '../support/virtual-lab.ts';
import { createWandbStandIn, type WandbRun, type WandbStandIn } from '../support/wandb-stand-in.ts';

const TWO_HOURS = { ...SHORT_FERRY, durationMs: 120 * 60_000 };
/** The config with these settings for the lane's tracker. */
function tracking(config: string, settings: string): string {
  return config.replace(/tracker:\n(?: {6}.*\n)+/, `tracker: ${settings}\n`);
}
const asksWandb = (config: string): string =>
  tracking(config, '{ kind: wandb, entity: example-lab, project: ferries, keyFrom: TRACKER_KEY }');

/** A lab whose W&B returns `saysAt` for each run, with the milliseconds since the lab was opened. */
async function labWith(
  saysAt: (id: string, ms: number) => WandbRun | null,
  options: Parameters<typeof openVirtualLab>[0] = {},
): Promise<{ readonly lab: VirtualLab; readonly server: () => WandbStandIn }> {
  const servers: WandbStandIn[] = [];
  const standIn = (clock: VirtualClock): WandbStandIn => {
    const opened = clock.now();
    const server = createWandbStandIn({
      key: TRACKER_KEY,
      entity: 'example-lab',
      project: 'ferries',
      runOf: (id) => saysAt(id, clock.now() - opened),
    });
    servers.push(server);
    return server;
  };
  const lab = await openVirtualLab({
    ferry: TWO_HOURS,
    config: asksWandb,
    trackerFetch: ({ clock, inFlight }) => {
      const { fetch } = standIn(clock);
      return (input, init) => inFlight.track('W&B', () => fetch(input, init));
    },
    ...options,
  });
  return { lab, server: () => servers[0] ?? standIn(lab.clock) };
}

const iso = (ms: number): string => new Date(ms).toISOString();
const summaryAt = (step: number, atMs: number, more: object = {}): string =>
  JSON.stringify({ global_step: step, _timestamp: atMs / 1_000, 'train/loss': 3.25, ...more });

describe('a run with W&B as its tracker', () => {
  // rule HR-74
  it('shows the tracker on its card, counts as training despite a crashed status there, and raises no alarm', async () => {
    const { lab, server } = await labWith((_, ms) => {
      const now = Date.UTC(2026, 10, 21, 6) + ms;
      const [state, heartbeatAt] = ['crashed', iso(now - 20 * 60_000)];
      return { displayName: 'daily', state, heartbeatAt, summaryMetrics: summaryAt(Math.floor(ms / 60_000), now) };
    });
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull);
    await until(lab, 'half of it', async () => ((await readState(lab, run))?.observation?.step ?? 0) > 500, {
      stepMs: 60_000,
    });
    await postComment(lab, 'ada', pull, '/status');
    const [card] = listBotTexts(lab, 'card').slice(-1);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: 60_000 });
    const { incidents = [], observation } = (await readState(lab, run)) ?? {};
    const asked = server().asked;
    await lab.close();
    expect(card).toContain('✅ **Training.**');
    expect(card).toMatch(
      /\| Tracker \| reports `ferry_daily_125m_2026-11-21` as crashed, step \d+, loss 3\.25, last heartbeat/,
    );
    expect(filterIncidents(incidents, 'run-alarm')).toEqual([]);
    expect(observation?.tracker).toMatchObject({ run: 'ferry_daily_125m_2026-11-21', result: 'found' });
    expect(new Set(asked.map(({ url }) => url))).toEqual(new Set(['https://api.wandb.ai/graphql']));
    expect(JSON.stringify(lab.world.state)).not.toContain(TRACKER_KEY);
    expect(lab.log.join('\n')).not.toContain(TRACKER_KEY);
  });

  it('raises one alarm if W&B received nothing for an hour', async () => {
    const { lab } = await labWith((_, ms) => {
      const now = Math.min(ms, 20 * 60_000) + Date.UTC(2026, 10, 21, 6);
      return { displayName: 'daily', state: 'running', heartbeatAt: iso(now), summaryMetrics: summaryAt(60, now) };
    });
    const { run, pull } = await propose(lab);
    await approveAndFinish(lab, run, pull);
    const { incidents = [] } = (await readState(lab, run)) ?? {};
    const comments = listBotTexts(lab, 'incident');
    await lab.close();
    expect(filterIncidents(incidents, 'run-alarm').map(({ detail }) => detail.detector)).toEqual(['tracker-frozen']);
    expect(comments.join('\n')).toMatch(
      /`tracker-frozen`: the tracker has received nothing for [\d.]+ (?:min|h): its newest step is 60/,
    );
  });

  it('is observed as usual if W&B returns an error, and the card shows this', async () => {
    const { lab } = await labWith(() => null, {
      trackerFetch: () => async () => new Response('', { status: 429, headers: { 'retry-after': '60' } }),
    });
    const { run, pull } = await propose(lab);
    await approveAndFinish(lab, run, pull);
    const [card] = listBotTexts(lab, 'card').slice(-1);
    const { end, incidents = [] } = (await readState(lab, run)) ?? {};
    await lab.close();
    expect(end?.status).toBe('SUCCEEDED');
    expect(filterIncidents(incidents, 'run-alarm')).toEqual([]);
    expect(card).toContain('| Tracker | it has a rate limit for `ferry_daily_125m_2026-11-21` |');
  });
});

describeWith('mlflow', 'a run with MLflow as its tracker', () => {
  let server: MlflowServer;
  beforeAll(async () => {
    server = await openMlflow();
  });
  afterAll(() => server.close());

  it('gets progress, link and final metrics from MLflow if its log has no steps', async () => {
    const NAME = 'ferry_daily_125m_2026-11-21';
    let [id, begunAt]: [string | null, number] = [null, 0];
    /** The trainer reports one step a minute to the real server. */
    const train = async (now: number): Promise<void> => {
      if (id === null) [id, begunAt] = [await server.begin(NAME, now), now];
      const step = 1 + Math.floor((now - begunAt) / 60_000);
      await server.log(id, { key: 'train/loss', value: 3 + 1 / (1 + step), step, atMs: now });
      await server.log(id, { key: 'eval/loss', value: 3.0625, step, atMs: now });
    };
    const lab = await openVirtualLab({
      config: (text) =>
        tracking(text, `{ kind: mlflow, entity: '', project: ${EXPERIMENT}, address: '${server.address}' }`),
      script: () => ({
        pendingMs: 0,
        lines: [
          { atMs: 0, text: 'this trainer reports to MLflow alone' },
          { atMs: 30 * 60_000, text: 'Saved checkpoint to checkpoints/step-30 for step 30' },
        ],
        endAtMs: 90 * 60_000,
        exitCode: 0,
        metrics: [],
      }),
      trackerFetch:
        ({ clock, inFlight }) =>
        (input, init) =>
          inFlight.track('MLflow', async () => {
            await train(clock.now());
            return fetch(input, init);
          }),
    });
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull);
    await until(lab, 'an hour', async () => ((await readState(lab, run))?.observation?.step ?? 0) > 50, {
      stepMs: 60_000,
    });
    await postComment(lab, 'ada', pull, '/status');
    const [card] = listBotTexts(lab, 'card').slice(-1);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: 60_000 });
    const { incidents = [], end } = (await readState(lab, run)) ?? {};
    const links = listBotTexts(lab, 'tracker');
    await lab.close();
    expect(card).toContain('✅ **Training.**');
    expect(card).toMatch(
      /\| Tracker \| reports `ferry_daily_125m_2026-11-21` as running, step \d+, loss 3\.0\d+, newest metrics/,
    );
    expect(links).toEqual([
      expect.stringMatching(
        /MLflow run ferry\\?_daily\\?_125m\\?_2026-11-21\]\(http:\/\/127\.0\.0\.1:\d+\/#\/experiments\/1\/runs\/[\da-f]{32}\), the run that was approved/,
      ),
    ]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', metrics: { 'eval/loss': '3.0625' } });
    expect(filterIncidents(incidents, 'run-alarm')).toEqual([]);
  });
});
