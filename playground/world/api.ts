/** The API's front door: finds the route of a request, checks who asks, and answers. */

import type { World } from './world.ts';

export async function answer(world: World, request: Request): Promise<Response> {
  const url = new URL(request.url);
  world.state.unserved.push({
    method: request.method,
    path: url.pathname,
    caller: 'anonymous',
    atMs: world.clock.now(),
  });
  return Response.json(
    { message: `The playground has no route ${request.method} ${url.pathname}` },
    { status: 501 },
  );
}
