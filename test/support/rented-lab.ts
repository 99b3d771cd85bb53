/**
 * A lab on virtual time with rented machines: the simulated Vast.ai over real HTTP, its instances real
 * processes.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../packages/playground/clock.ts';
import { OFFERS } from '../../packages/playground/test/support/vast-market.ts';
import { openVast, type VastServer } from '../../packages/playground/vast/server.ts';
import type { Engine } from '../../src/domain/engine.ts';
import type { VastCluster } from '../../src/engines/vast/definition.ts';
import { createVastEngine } from '../../src/engines/vast/engine.ts';
import { vastCluster } from './vast-bench.ts';
import { MORNING, openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

export type RentedLab = {
  readonly lab: VirtualLab;
  readonly vast: VastServer;
  /**
   * Advances virtual time, slowly enough for the machines' processes, until `done`; throws after this many
   * minutes.
   */
  readonly until: (what: string, minutesMax: number, done: () => Promise<boolean> | boolean) => Promise<void>;
  readonly pass: (minutes: number) => Promise<void>;
  readonly end: () => Promise<void>;
};

const STEP_MS = 15_000;

/** `script`: what a machine runs, in bash; `changes`: other values for the cluster's config. */
export async function openRentedLab(
  script: string,
  changes: Partial<VastCluster> = {},
  options: Pick<VirtualLabOptions, 'beforeJob'> = {},
): Promise<RentedLab> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-rented-'));
  const tree = await mkdtemp(join(tmpdir(), 'ferrybot-rented-tree-'));
  await writeFile(join(tree, 'train.sh'), `${script}\n`);
  let lab: VirtualLab | null = null;
  const clock: Clock = {
    now: () => lab?.clock.now() ?? MORNING,
    sleep: async (durationMs, signal) => lab?.clock.sleep(durationMs, signal),
  };
  const timing = { provisionMs: 5_000, createMs: 5_000, loadMs: 10_000, destroyMs: 2_000 };
  const vast = await openVast({ clock, folder, offers: OFFERS, timing });
  const cluster = vastCluster(vast.url, changes);
  lab = await openVirtualLab({
    ...options,
    config: (text) => rentedConfig(text, cluster),
    engine: (inFlight) => {
      const engine = createVastEngine({
        cluster,
        key: vast.key,
        now: clock.now,
        sleep: (durationMs) => clock.sleep(durationMs),
        fetch: (url, init) => inFlight.track(`vast ${String(url)}`, () => wholly(url, init)),
      });
      return withTree(engine, tree);
    },
  });
  const open = lab;
  const step = async (): Promise<void> => {
    await open.clock.advance(STEP_MS);
    await sleep(15);
  };
  return {
    lab: open,
    vast,
    until: async (what, minutesMax, done) => {
      for (let spentMs = 0; spentMs <= minutesMax * 60_000; spentMs += STEP_MS) {
        if (await done()) return;
        await step();
      }
      throw new Error(`${what} did not happen; the log ends:\n${open.log.slice(-15).join('\n')}`);
    },
    pass: async (minutes) => {
      for (let spentMs = 0; spentMs < minutes * 60_000; spentMs += STEP_MS) await step();
    },
    end: async () => {
      await open.close();
      await vast.close();
      for (const path of [folder, tree]) await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A lab in memory has no folder of shipped files: the machines get this one. */
function withTree(engine: Engine, workingDirectory: string): Engine {
  return { ...engine, submit: ({ files: _, ...spec }, permit) => engine.submit({ ...spec, workingDirectory }, permit) };
}

async function wholly(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(url, init);
  return new Response(await response.arrayBuffer(), { status: response.status });
}

/** The example lab with its one cluster rented, and the script instead of its training. */
function rentedConfig(text: string, cluster: VastCluster): string {
  const settings = Object.entries({ ...cluster, accelerators: 1 }).map(
    ([name, value]) => `    ${name}: ${JSON.stringify(value)}`,
  );
  return text
    .replace(/^ {2}us-central1:\n(?: {4}.*\n)*/m, `  us-central1:\n${settings.join('\n')}\n`)
    .replace(/^ {4}command: \[.*\]$/m, '    command: [bash, train.sh]');
}
