/** The bot's API usage so far, as GitHub counts it, without the person's and the page's own requests. */

import type { World } from '../packages/playground/world/world.ts';

export type BotUsage = {
  readonly rest: number;
  readonly graphql: number;
  readonly notModified: number;
  readonly git: number;
  readonly contentWrites: number;
};

const PEOPLE = new Set(['mira', 'ada', 'ravi', 'sol', 'anonymous']);

/** Requests of the App and of workflow tokens together. */
export function botUsage(world: World): BotUsage {
  const sum = { rest: 0, graphql: 0, notModified: 0, git: 0, contentWrites: 0 };
  for (const [name, row] of Object.entries(world.state.usage)) {
    if (PEOPLE.has(name.replace(/^user /, ''))) continue;
    const counts = row as Readonly<Record<string, number>>;
    for (const key of Object.keys(sum) as (keyof BotUsage)[]) sum[key] += counts[key] ?? 0;
  }
  return sum;
}

/** The usage between two readings. */
export function usageSince(before: BotUsage, now: BotUsage): BotUsage {
  return {
    rest: now.rest - before.rest,
    graphql: now.graphql - before.graphql,
    notModified: now.notModified - before.notModified,
    git: now.git - before.git,
    contentWrites: now.contentWrites - before.contentWrites,
  };
}
