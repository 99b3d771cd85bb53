/** Weights & Biases over GraphQL, with the queries of its Python client (wandb/wandb, apis/public/runs.py). */

import * as z from 'zod';
import type { TrackedRun, Tracker, TrackerSilence } from '../domain/tracker.ts';
import { fromRfc3339, instantFromMs } from '../domain/values.ts';
import { flattenMetrics, greatestMetric, parseJsonWithNan } from './metrics-file.ts';
import { createAsk, type TrackerHost, type TrackerReply, type TrackerSettings } from './request.ts';

/** `name` is the run's id, not its display name. */
const RUN = `query Run($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) {
    run(name: $name) { name displayName state heartbeatAt summaryMetrics systemMetrics }
  }
}`;
const LOG_TAIL = `query RunConsoleLogTail($project: String!, $entity: String!, $name: String!, $last: Int!) {
  project(name: $project, entityName: $entity) {
    run(name: $name) { logLines(last: $last) { edges { node { timestamp line } } } }
  }
}`;

const errors = z.array(z.looseObject({ message: z.string() })).optional();

/** A missing or hidden project or run is null. */
function runSchema<Shape extends z.ZodRawShape>(shape: Shape) {
  const run = z.looseObject(shape).nullable();
  const project = z.looseObject({ run }).nullable();
  return z.looseObject({ data: z.looseObject({ project }).nullish(), errors });
}

const described = runSchema({
  name: z.string(),
  displayName: z.string().nullish(),
  state: z.string(),
  heartbeatAt: z.string().nullish(),
  summaryMetrics: z.string().nullish(),
  systemMetrics: z.string().nullish(),
});
const tail = runSchema({
  logLines: z
    .looseObject({
      edges: z.array(z.looseObject({ node: z.looseObject({ timestamp: z.string().nullish(), line: z.string() }) })),
    })
    .nullish(),
});

const HOSTED = 'https://api.wandb.ai';

/** One W&B project. Only the authorization header contains the key. */
export function createWandb(host: TrackerHost, { address, entity, project, key }: TrackerSettings): Tracker {
  const base = address ?? HOSTED;
  const authorization = key === null ? null : `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;
  const ask = createAsk(host, { address: base, authorization, secrets: listSecrets(key, authorization) });
  const web = `${base === HOSTED ? 'https://wandb.ai' : base}/${encodeURIComponent(entity)}/${encodeURIComponent(project)}/runs/`;
  const variables = { entity, project };
  return {
    describe: async (name) => {
      const body = { query: RUN, variables: { ...variables, name } };
      const said = extractRun(await ask({ path: 'graphql', body }, described));
      if (said.kind !== 'said') return said;
      const { name: id, displayName, state, heartbeatAt, summaryMetrics, systemMetrics } = said.value;
      const summary = parseSummary(summaryMetrics ?? '{}');
      if (summary === null) return { kind: 'unknown', message: 'its summary of the run cannot be read' };
      const url = `${web}${encodeURIComponent(id)}`;
      const told = { identity: id, name: displayName ?? id, url, state };
      return {
        kind: 'found',
        run: { ...told, heartbeatAt: parseUtc(heartbeatAt), ...readRow(summary), ...readMemory(systemMetrics) },
      };
    },
    logTail: async (name, linesMax) => {
      const body = { query: LOG_TAIL, variables: { ...variables, name, last: linesMax } };
      const said = extractRun(await ask({ path: 'graphql', body }, tail));
      if (said.kind !== 'said') return said;
      const rows = said.value.logLines?.edges ?? [];
      return { kind: 'lines', lines: rows.map(({ node }) => ({ at: parseUtc(node.timestamp), text: node.line })) };
    },
  };
}

function listSecrets(key: string | null, header: string | null): readonly string[] {
  return [key, header].filter((one) => one !== null);
}

type Answered<Run> = {
  readonly data?: { readonly project: { readonly run: Run | null } | null } | null | undefined;
  readonly errors?: readonly { readonly message: string }[] | undefined;
};

/** GraphQL reports refusals with status 200. */
function extractRun<Run>(said: TrackerReply<Answered<Run>>): TrackerReply<Run> {
  if (said.kind !== 'said') return said;
  const { data, errors: refused } = said.value;
  const [first] = refused ?? [];
  if (first !== undefined && data?.project == null) return refusedAnswer(first.message);
  const run = data?.project?.run ?? null;
  if (run === null) return { kind: 'absent', message: 'W&B has no such run, or hides it from this key' };
  return { kind: 'said', value: run };
}

function refusedAnswer(message: string): TrackerSilence {
  if (/permission|unauthorized|not authenticated/i.test(message))
    return { kind: 'denied', message: 'W&B refuses this key' };
  return { kind: 'unknown', message: 'W&B could not answer the question' };
}

function parseSummary(text: string): Readonly<Record<string, string>> | null {
  const json = parseJsonWithNan(text);
  return json === undefined ? null : flattenMetrics(json);
}

/** Memory use of GPUs and TPUs (wandb/wandb, core/pkg/monitor). */
const DEVICE_MEMORY = /^(?:system\.)?(?:gpu\.\d{1,4}\.memoryAllocated|tpu\.\d{1,4}\.memoryUsage)$/;

/** Unreadable system metrics are ignored. */
function readMemory(text: string | null | undefined): Pick<TrackedRun, 'memoryPercent'> {
  const said = text == null ? null : parseSummary(text);
  const percent = said === null ? null : greatestMetric(said, (key) => DEVICE_MEMORY.test(key));
  return percent === null ? {} : { memoryPercent: percent };
}

/** `_timestamp` is in seconds. `_step` counts W&B rows; trainers count in `global_step`. */
function readRow(metrics: Readonly<Record<string, string>>): Pick<TrackedRun, 'rowAt' | 'step' | 'metrics'> {
  const step = Number(metrics['global_step'] ?? metrics['_step'] ?? Number.NaN);
  const rowAt = instantFromMs(Number(metrics['_timestamp'] ?? Number.NaN) * 1_000);
  return { rowAt, step: Number.isSafeInteger(step) && step >= 0 ? step : null, metrics };
}

/** W&B writes UTC; older answers lack the zone. */
function parseUtc(text: string | null | undefined): ReturnType<typeof fromRfc3339> {
  if (text == null) return null;
  return fromRfc3339(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}
