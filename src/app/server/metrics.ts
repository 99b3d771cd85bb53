/** What an operator can see of the server: metrics for Prometheus. Labels have a fixed set of values and name no repository. */

import pLimit from 'p-limit';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Handled, Queues } from './work-queue.ts';

/** GitHub refuses more than 100 concurrent requests to REST and GraphQL together (docs, rate limits); other programs need some too. */
export const REQUESTS_AT_ONCE_MAX = 80;

export type Metrics = {
  readonly registry: Registry;
  /** `repeated`: an earlier delivery with the same id was handled. `refused`: the signature is wrong. */
  readonly delivered: (result: 'accepted' | 'repeated' | 'refused') => void;
  readonly onBatch: (result: Handled, durationMs: number) => void;
  /** A `fetch` for requests to GitHub with one installation's token; null: with the App's own. */
  readonly fetchAs: (installation: number | null) => typeof fetch;
};

/** `state`: the queues, once they exist. */
export function createMetrics(state: Queues['state'], now: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number): void =>
    void new Gauge({
      name: `ferrybot_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('queue_length', 'Repositories that wait for a worker.', () => state().waiting);
  gauge('workers_busy', 'Workers that are handling a repository.', () => state().busy);
  gauge('repositories_open', 'Repositories with a config, which the server has in memory.', () => state().opened);
  gauge('live_runs', 'Runs that are not over, in all repositories.', () => state().liveRuns);
  gauge(
    'last_sweep_timestamp_seconds',
    'Unix time of the end of the last successful sweep; 0 before the first one.',
    () => (state().sweptAtMs ?? 0) / 1_000,
  );
  const deliveries = new Counter({
    name: 'ferrybot_webhook_deliveries_total',
    help: 'Webhooks by result: accepted, repeated (the same delivery was handled before), or refused.',
    labelNames: ['result'],
    registers,
  });
  const batches = new Histogram({
    name: 'ferrybot_batch_seconds',
    help: 'Time to handle the triggers of one repository, by result: handled, failed, or unconfigured (the repository has no config).',
    labelNames: ['result'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300],
    registers,
  });
  return {
    registry,
    delivered: (result) => deliveries.inc({ result }),
    onBatch: (result, durationMs) => batches.observe({ result }, durationMs / 1_000),
    fetchAs: measuredFetch(registers, now),
  };
}

/** Counts requests and notes the rate limit, which GitHub reports with each answer. */
function measuredFetch(registers: Registry[], now: () => number): Metrics['fetchAs'] {
  const requests = new Counter({
    name: 'ferrybot_github_requests_total',
    help: 'Requests to the API of GitHub by result: answered, unchanged (304, which costs nothing), refused, or failed (no answer, or an error of GitHub).',
    labelNames: ['result'],
    registers,
  });
  const limits = new Map<string, RateLimit>();
  new Gauge({
    name: 'ferrybot_github_rate_limit_remaining',
    help: 'Requests that GitHub still allows until the next reset, of the installation with the fewest, by resource (core: REST).',
    labelNames: ['resource'],
    registers,
    collect() {
      this.reset();
      for (const resource of RESOURCES) {
        const current = [...limits.values()].filter((one) => one.resource === resource && one.resetMs > now());
        if (current.length > 0) this.set({ resource }, Math.min(...current.map(({ remaining }) => remaining)));
      }
    },
  });
  const slot = pLimit(REQUESTS_AT_ONCE_MAX);
  return (installation) => (input, init) =>
    slot(async () => {
      try {
        const answer = await fetch(input, init);
        requests.inc({ result: resultOf(answer.status) });
        const limit = limitOf(answer.headers);
        if (installation !== null && limit !== null) limits.set(`${installation} ${limit.resource}`, limit);
        return answer;
      } catch (error) {
        requests.inc({ result: 'failed' });
        throw error;
      }
    });
}

const RESOURCES = ['core', 'graphql'] as const;

type RateLimit = {
  readonly resource: (typeof RESOURCES)[number];
  readonly remaining: number;
  readonly resetMs: number;
};

function resultOf(status: number): string {
  if (status === 304) return 'unchanged';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'answered';
}

function limitOf(headers: Headers): RateLimit | null {
  const resource = RESOURCES.find((one) => one === headers.get('x-ratelimit-resource'));
  const remaining = Number(headers.get('x-ratelimit-remaining') ?? Number.NaN);
  const resetMs = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1_000;
  return resource === undefined || Number.isNaN(remaining) || Number.isNaN(resetMs)
    ? null
    : { resource, remaining, resetMs };
}
