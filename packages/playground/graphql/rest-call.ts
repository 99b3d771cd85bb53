/** Executes mutations that REST has too through its routes, so that the rules exist only once. */

import { allRoutes } from '../api/all-routes.ts';
import { dispatch } from '../api/dispatch.ts';
import { toJson } from '../api/read-body.ts';
import type { Method, Route } from '../api/route.ts';
import { createRouter, type Router } from '../http/router.ts';
import type { JsonObject } from '../world/json.ts';
import type { Repo } from '../world/state.ts';
import type { Context } from './context.ts';
import { graphqlFault } from './fault.ts';

let router: Router<Route> | null = null;

/** Calls the route for this caller. A refusal becomes an error of the mutation, with the same message. */
export async function callRest(
  context: Context,
  repo: Repo,
  method: Method,
  path: string,
  body: JsonObject,
): Promise<void> {
  const address = `/repos/${repo.owner}/${repo.name}${path}`;
  router ??= createRouter(allRoutes);
  const match = router(method, address);
  if (match === null) throw new Error(`no route ${method} ${address}`);
  const url = new URL(`${context.world.baseUrl}/api/v3${address}`);
  const { world, caller } = context;
  const call = { world, caller, token: null, params: match.params, query: url.searchParams, body, accept: '', url };
  const answer = await dispatch(call, match);
  if (answer.status < 400) return;
  const type = answer.status === 404 ? 'NOT_FOUND' : answer.status === 403 ? 'FORBIDDEN' : 'UNPROCESSABLE';
  throw graphqlFault(type, errorSentences(answer.body));
}

/** The messages about single fields if there are any, else the general message. */
function errorSentences(body: unknown): string {
  const fields = Object(toJson(body));
  const errors: unknown = fields['errors'];
  const sentences = Array.isArray(errors)
    ? errors.flatMap((one: unknown) => (typeof one === 'string' ? one : (Object(one)['message'] ?? [])))
    : [];
  return sentences.length > 0 ? sentences.join(', ') : String(fields['message']);
}
