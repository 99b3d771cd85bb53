/** Answers a GraphQL request: parse, validate against the schema, execute, and format errors as GitHub does. */

import {
  buildSchema,
  type DocumentNode,
  execute,
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import * as z from 'zod';
import { toJson } from '../api/read-body.ts';
import { findActor } from '../identity/identity.ts';
import type { Caller } from '../identity/state-people.ts';
import { playground } from '../limits/limits.ts';
import type { Json } from '../world/json.ts';
import type { World } from '../world/world.ts';
import { createContext, createRoot } from './roots.ts';
import { schemaText } from './schema-text.ts';
import { type UnservedField, unservedField } from './unserved-fields.ts';

const schema = buildSchema(schemaText);
/** GitHub allows fields of the same name with different types in a union, and `gh` relies on it. */
const rules = specifiedRules.filter(({ name }) => name !== 'OverlappingFieldsCanBeMergedRule');
const requestShape = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

export type GraphqlAnswer = {
  readonly status: number;
  readonly body: Json;
  readonly mutation: boolean;
  /** Whether it counts as content (texts and reactions do; hiding and refs do not). */
  readonly content: boolean;
  /** Requested fields and arguments that are not served here. */
  readonly unserved: readonly string[];
};

export async function answerGraphql(world: World, caller: Caller, body: Json): Promise<GraphqlAnswer> {
  const request = requestShape.safeParse(body);
  const actor = findActor(world, caller);
  if (!request.success || actor === null)
    return plainAnswer({ message: 'A query attribute must be specified and must be a string.' });
  const document = parseQueryOnce(request.data.query);
  if ('problems' in document) return refusedAnswer(document);
  const mutation = document.definitions.some(
    (one) => one.kind === Kind.OPERATION_DEFINITION && one.operation === OperationTypeNode.MUTATION,
  );
  const context = createContext({ world, caller, actor });
  const result = await execute({
    schema,
    document,
    rootValue: createRoot(context),
    contextValue: context,
    ...(request.data.variables ? { variableValues: request.data.variables } : {}),
    ...(request.data.operationName ? { operationName: request.data.operationName } : {}),
  });
  const bug = result.errors?.find(
    (error) => error.originalError !== undefined && !(error.originalError instanceof GraphQLError),
  );
  // A failing resolver is a bug of the playground and must not look like a GitHub error.
  if (bug !== undefined)
    throw new Error(`GraphQL field ${bug.path?.join('.') ?? ''} broke`, { cause: bug.originalError });
  const data = result.data === undefined ? {} : { data: toJson(result.data) };
  const errors = result.errors === undefined ? {} : { errors: result.errors.map(shapeError) };
  return {
    status: 200,
    body: { ...data, ...errors },
    mutation,
    unserved: [],
    content: /\b(?:add[A-Z]|create(?:Issue|PullRequest)|(?:close|reopen|merge)[A-Z])/.test(request.data.query),
  };
}

function plainAnswer(body: Json): GraphqlAnswer {
  return { status: 200, body, mutation: false, content: false, unserved: [] };
}

function refusedAnswer({ problems, asked }: Unreadable): GraphqlAnswer {
  const errors = problems.map((one) => asked.get(one)?.error ?? shapeError(one));
  return { ...plainAnswer({ errors }), unserved: [...asked.values()].map(({ what }) => what) };
}

type Unreadable = {
  readonly problems: readonly GraphQLError[];
  readonly asked: ReadonlyMap<GraphQLError, UnservedField>;
};

/** A cache: a client sends only a few query texts, and parsing and validating one takes longer than answering it. */
const known = new Map<string, DocumentNode | Unreadable>();

function parseQueryOnce(query: string): DocumentNode | Unreadable {
  const before = known.get(query);
  if (before !== undefined) return before;
  const document = parseQuery(query);
  if (known.size >= playground.graphqlTextsRemembered) known.clear();
  known.set(query, document);
  return document;
}

function parseQuery(query: string): DocumentNode | Unreadable {
  try {
    const document = parse(query, { maxTokens: playground.graphqlTokens });
    const problems = validate(schema, document, rules);
    if (problems.length === 0) return document;
    const unservedFields = problems.flatMap((one) => {
      const found = unservedField(document, one);
      return found === null ? [] : [[one, found] as const];
    });
    return { problems, asked: new Map(unservedFields) };
  } catch (error) {
    if (error instanceof GraphQLError) return { problems: [error], asked: new Map() };
    throw error;
  }
}

function shapeError(error: GraphQLError): Json {
  const type = error.extensions['type'];
  return {
    ...(typeof type === 'string' ? { type } : {}),
    ...(error.path === undefined ? {} : { path: [...error.path] }),
    locations: (error.locations ?? []).map(({ line, column }) => ({ line, column })),
    message: error.message,
  };
}
