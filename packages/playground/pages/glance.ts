/** The footer's summary of the world: its clock, its requests, its webhooks. */
import { github } from '../limits/limits.ts';
import { rateUsage } from '../limits/rate.ts';
import { secondaryUsage } from '../limits/secondary.ts';
import type { World } from '../world/world.ts';

export type Glance = {
  /** Milliseconds since 1970 on the world's clock, which a test or `--days` may have moved. */
  readonly nowMs: number;
  /** REST and GraphQL requests of Apps and workflows, which count against the bot's budget. */
  readonly botRequests: number;
  readonly botContentWrites: number;
  /** The bot's caller that is nearest to GitHub's limit: content in the last minute and hour, requests in this hour. */
  readonly nearest: {
    readonly contentMinute: number;
    readonly contentHour: number;
    /** REST or GraphQL, whichever has less left; a workflow's limit is lower than an App's. */
    readonly requestsHour: { readonly used: number; readonly limit: number };
  };
  readonly deliveries: number;
  /** Deliveries that were not answered with 2xx. */
  readonly deliveriesFailed: number;
};

/** Usage is counted per caller (`installation:1`, `workflow:7`, `user:ada`, …); people's own clicks are not counted. */
export function takeGlance(world: World): Glance {
  const bots = Object.entries(world.state.usage).filter(([caller]) => /^(?:app|installation|workflow):/.test(caller));
  const usage = Object.entries(secondaryUsage(world)).filter(([caller]) => !caller.startsWith('user:'));
  const windows = [rateUsage(world), rateUsage(world, 'graphql')]
    .flatMap((table) => Object.entries(table))
    .flatMap(([caller, stand]) => (caller.startsWith('user:') ? [] : [stand]));
  const unused: Glance['nearest']['requestsHour'] = { used: 0, limit: github.requestsPerHour };
  const deliveries = Object.values(world.state.deliveries);
  return {
    nowMs: world.clock.now(),
    botRequests: bots.reduce((sum, [, usage]) => sum + usage.rest + usage.graphql, 0),
    botContentWrites: bots.reduce((sum, [, usage]) => sum + usage.contentWrites, 0),
    nearest: {
      contentMinute: Math.max(0, ...usage.map(([, stand]) => stand.contentLastMinute)),
      contentHour: Math.max(0, ...usage.map(([, stand]) => stand.contentLastHour)),
      requestsHour: windows.reduce<Glance['nearest']['requestsHour']>(
        (a, b) => (b.used / b.limit > a.used / a.limit ? b : a),
        unused,
      ),
    },
    deliveries: deliveries.length,
    deliveriesFailed: deliveries.filter(({ statusCode }) => statusCode < 200 || statusCode > 299).length,
  };
}
