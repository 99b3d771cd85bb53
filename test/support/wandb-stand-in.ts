/**
 * A W&B with one project: its documented GraphQL (query Run and RunConsoleLogTail of wandb/wandb,
 * core/api/graphql) with a schema, so that a query for an unknown field is rejected as there. A test chooses
 * its answers, which may be wrong in the documented ways.
 */

import { buildSchema, graphql } from 'graphql';
import * as z from 'zod';

/** The fields that W&B's own client queries; `summaryMetrics` is a text. */
const SCHEMA = buildSchema(`
  scalar DateTime
  scalar JSONString
  scalar JSON
  type Query { project(name: String, entityName: String): Project }
  type Project { name: String! run(name: String!): Run }
  type Run {
    id: ID! name: String! displayName: String state: String group: String jobType: String commit: String
    tags: [String!] config: JSONString createdAt: DateTime! heartbeatAt: DateTime summaryMetrics: JSONString
    systemMetrics: JSONString historyLineCount: Int historyKeys: JSON
    sampledHistory(specs: [JSONString!]!): [JSON]!
    logLineCount: Int
    logLines(first: Int, after: String, last: Int): RunLogLineConnection
  }
  type RunLogLineConnection { edges: [RunLogLineEdge!]! }
  type RunLogLineEdge { node: RunLogLine! }
  type RunLogLine { number: Int! timestamp: DateTime level: String label: String line: String! }
`);

/** A run as its trainer and its server left it. */
export type WandbRun = {
  readonly displayName: string;
  readonly state: string;
  readonly heartbeatAt: string | null;
  /** The text as Python wrote it: it may contain a bare NaN. */
  readonly summaryMetrics: string;
  readonly systemMetrics?: string;
  /** The logged rows. W&B samples them, and returns only rows with every key of a query. */
  readonly history?: readonly Readonly<Record<string, unknown>>[];
  readonly lines?: readonly { readonly timestamp: string; readonly line: string }[];
};

export type WandbStandIn = {
  readonly fetch: typeof globalThis.fetch;
  /** Every received request, with its key. */
  readonly asked: { readonly url: string; readonly authorization: string; readonly query: string }[];
};

const keySet = z.looseObject({ keys: z.array(z.string()) });
const question = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()) });

/** `answer`: a response instead of GraphQL, such as a 429; null: a normal response. */
export function createWandbStandIn(options: {
  readonly key: string;
  readonly entity: string;
  readonly project: string;
  readonly runOf: (id: string) => WandbRun | null;
  readonly answer?: () => Response | null;
}): WandbStandIn {
  const asked: { url: string; authorization: string; query: string }[] = [];
  const expected = `Basic ${Buffer.from(`api:${options.key}`).toString('base64')}`;
  return {
    asked,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const authorization = request.headers.get('authorization') ?? '';
      const { query: source, variables } = question.parse(await request.json());
      asked.push({ url: request.url, authorization, query: source });
      const instead = options.answer?.() ?? null;
      if (instead !== null) return instead;
      if (new URL(request.url).pathname !== '/graphql') return new Response('not found', { status: 404 });
      if (authorization !== expected)
        return Response.json({ errors: [{ message: 'user is not logged in' }] }, { status: 401 });
      const rootValue = { project: projectIn(options) };
      const result = await graphql({ schema: SCHEMA, source, variableValues: variables, rootValue });
      return Response.json(result, { status: result.data == null ? 400 : 200 });
    },
  };
}

function projectIn({ entity, project, runOf }: Parameters<typeof createWandbStandIn>[0]) {
  return (asked: { readonly name: string; readonly entityName: string }) =>
    asked.name !== project || asked.entityName !== entity
      ? null
      : { name: project, run: ({ name }: { readonly name: string }) => shaped(name, runOf(name)) };
}

function shaped(name: string, run: WandbRun | null) {
  if (run === null) return null;
  const { lines = [], history = [], ...rest } = run;
  return {
    id: `storage-${name}`,
    name,
    createdAt: '2026-11-20T09:00:00',
    ...rest,
    sampledHistory: ({ specs }: { readonly specs: readonly string[] }) =>
      specs.map((spec) => {
        const { keys } = keySet.parse(JSON.parse(spec));
        return history.filter((row) => keys.every((key) => key in row));
      }),
    logLineCount: lines.length,
    logLines: ({ last }: { readonly last?: number }) => ({
      edges: lines.slice(-(last ?? lines.length)).map((node, number) => ({ node: { number, ...node } })),
    }),
  };
}
