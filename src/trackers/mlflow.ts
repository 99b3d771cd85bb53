/** MLflow over its REST API 2.0 (mlflow.org). MLflow generates run ids, so runs are found by name. */

import * as z from 'zod';
import type { TrackedRun, Tracker, TrackerAnswer } from '../domain/tracker.ts';
import { instantFromMs } from '../domain/values.ts';
import { flattenMetrics, greatestMetric } from './metrics-file.ts';
import { createAsk, type TrackerHost, type TrackerSettings } from './request.ts';

const experiment = z.looseObject({ experiment: z.looseObject({ experiment_id: z.string() }) });

/** A number, or a text such as `NaN`. */
const value = z.union([z.number(), z.string()]);
const metric = z.looseObject({ key: z.string(), value, timestamp: z.number(), step: z.number().default(0) });
const run = z.looseObject({
  info: z.looseObject({
    run_id: z.string(),
    run_name: z.string().nullish(),
    experiment_id: z.string(),
    status: z.string(),
    end_time: z.number().nullish(),
  }),
  data: z.looseObject({ metrics: z.array(metric).default([]) }).default({ metrics: [] }),
});
const found = z.looseObject({ runs: z.array(run).default([]) });
const one = z.looseObject({ run });

const RUN_ID = /^[\da-f]{32}$/;
/** MLflow stores this number instead of infinity. */
const GREATEST = 1.797_693_134_862_315_7e308;

/** One experiment of an MLflow server; the config calls it project. */
export function createMlflowTracker(host: TrackerHost, { address, project, key }: TrackerSettings): Tracker {
  const base = address ?? 'http://127.0.0.1:5000';
  const authorization = key === null ? null : authorizationHeader(key);
  const secrets = [key, authorization].filter((part) => part !== null);
  const ask = createAsk(host, { address: base, authorization, secrets });
  const findById = async (id: string): Promise<TrackerAnswer> => {
    const said = await ask({ path: `api/2.0/mlflow/runs/get?run_id=${id}` }, one);
    return said.kind === 'said' ? { kind: 'found', run: toTrackedRun(base, said.value.run) } : said;
  };
  const findByName = async (name: string): Promise<TrackerAnswer> => {
    const query = new URLSearchParams({ experiment_name: project });
    const asked = await ask({ path: `api/2.0/mlflow/experiments/get-by-name?${query}` }, experiment);
    if (asked.kind !== 'said') return asked;
    const body = {
      experiment_ids: [asked.value.experiment.experiment_id],
      filter: `attributes.run_name = '${name}'`,
      max_results: 1,
      order_by: ['attributes.start_time DESC'],
    };
    const said = await ask({ path: 'api/2.0/mlflow/runs/search', body }, found);
    if (said.kind !== 'said') return said;
    const [newest] = said.value.runs;
    return newest === undefined
      ? { kind: 'absent', message: 'MLflow has no run of this name in the experiment' }
      : { kind: 'found', run: toTrackedRun(base, newest) };
  };
  return {
    describe: async (identity) => {
      if (RUN_ID.test(identity)) return findById(identity);
      // A quote would end the filter's text.
      if (!/^[\w.-]+$/.test(identity)) return { kind: 'unknown', message: 'no such name is asked for' };
      return findByName(identity);
    },
    logTail: async () => ({ kind: 'none' }),
  };
}

/** `user:password` of MLflow's login, or a bearer token. */
function authorizationHeader(key: string): string {
  return key.includes(':') ? `Basic ${Buffer.from(key).toString('base64')}` : `Bearer ${key}`;
}

function toTrackedRun(base: string, { info, data }: z.infer<typeof run>): TrackedRun {
  const { run_id: id, run_name: name, experiment_id: experimentId, status } = info;
  const identity = name ?? id;
  // The system monitor continues without training and counts its own steps.
  const trained = data.metrics.filter(({ key }) => !key.startsWith(MONITORED));
  const newest = Math.max(...trained.map(({ timestamp }) => timestamp));
  const metrics =
    flattenMetrics(Object.fromEntries(data.metrics.map((row) => [row.key, parseFinite(row.value)]))) ?? {};
  const memoryPercent = greatestMetric(metrics, (key) => DEVICE_MEMORY.test(key));
  const steps = trained.map(({ step }) => step).filter((step) => Number.isSafeInteger(step));
  return {
    identity,
    name: identity,
    url: `${base.endsWith('/') ? base.slice(0, -1) : base}/#/experiments/${experimentId}/runs/${id}`,
    state: status.toLowerCase(),
    heartbeatAt: null,
    rowAt: instantFromMs(newest),
    step: steps.length === 0 ? null : Math.max(...steps),
    ...(memoryPercent === null ? {} : { memoryPercent }),
    metrics,
  };
}

/** Keys of MLflow's system monitor. */
const MONITORED = 'system/';
const DEVICE_MEMORY = /^system\/gpu_\d{1,4}_memory_usage_percentage$/;

function parseFinite(said: number | string): number | string {
  if (said === GREATEST) return 'Infinity';
  return said === -GREATEST ? '-Infinity' : said;
}
