/** Connects the panel to a world in the same process. */

import { recentStrikes } from '../../faults/strike.ts';
import { switchFaults } from '../../faults/switch-faults.ts';
import { advanceClock } from '../../http/control.ts';
import type { OffsetClock } from '../../http/offset-clock.ts';
import { faults as limits } from '../../limits/limits.ts';
import { rateUsage } from '../../limits/rate.ts';
import { secondaryUsage } from '../../limits/secondary.ts';
import { redeliver } from '../../webhooks/webhooks.ts';
import type { Usage } from '../../world/state.ts';
import type { World } from '../../world/world.ts';
import type { Panel, ProcessRow } from './panel.ts';
import { readChains } from './read-chains.ts';

export type PanelParts = {
  /** Null: this clock cannot be moved by hand. */
  readonly clock: OffsetClock | null;
  readonly processes: () => Promise<readonly ProcessRow[]>;
};

/** The panel of a world; without `parts` its clock cannot be moved and it lists no processes. */
export function worldPanel(world: World, parts: PanelParts | null = null): Panel {
  return {
    facts: async () => ({
      nowMs: world.clock.now(),
      offsetMs: parts?.clock?.offsetMs() ?? null,
      usage: usageByCaller(world),
      rest: rateUsage(world),
      graphql: rateUsage(world, 'graphql'),
      secondary: secondaryUsage(world),
      faults: world.state.settings.faults,
      struckCount: world.state.faultsStruck,
      struck: recentStrikes(world),
      deliveries: Object.values(world.state.deliveries).toReversed(),
      chains: await readChains(world),
      processes: (await parts?.processes()) ?? [],
    }),
    advance: async (durationMs) => {
      const clock = parts?.clock ?? null;
      if (clock === null || !(durationMs >= 0)) return 'impossible';
      advanceClock(world, clock, durationMs);
      await world.save();
      return 'done';
    },
    setFaults: async (faults) => {
      if (faults.length > limits.atOnce) return 'impossible';
      switchFaults(world, faults);
      await world.save();
      return 'done';
    },
    redeliver: async (deliveryId) => {
      const delivery = world.state.deliveries[deliveryId];
      return delivery !== undefined && redeliver(world, delivery) ? 'done' : 'impossible';
    },
  };
}

/** Every workflow run has its own token; their usage is summed. */
function usageByCaller(world: World): Readonly<Record<string, Usage>> {
  const sums: Record<string, Usage> = {};
  for (const [name, usage] of Object.entries(world.state.usage)) {
    const key = name.startsWith('workflow:') ? 'workflows' : name;
    const before = sums[key];
    sums[key] = before === undefined ? usage : addUsage(before, usage);
  }
  return sums;
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    rest: a.rest + b.rest,
    graphql: a.graphql + b.graphql,
    notModified: a.notModified + b.notModified,
    contentWrites: a.contentWrites + b.contentWrites,
    mints: a.mints + b.mints,
    git: a.git + b.git,
  };
}
