/** Routes by which an App suspends, resumes and removes its own installation (docs.github.com/rest/apps/apps). */

import { noContent, notFound } from '../../api/reply.ts';
import { type Call, plain, type Route } from '../../api/route.ts';
import { appIdOf, installationOf } from '../../identity/routes/apps.ts';
import { appById } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import { suspend, uninstall, unsuspend } from '../installations.ts';

export const installationRoutes: readonly Route[] = [
  plain('PUT', '/app/installations/:id/suspended', 'app', (call) => change(call, suspend)),
  plain('DELETE', '/app/installations/:id/suspended', 'app', (call) => change(call, unsuspend)),
  plain('DELETE', '/app/installations/:id', 'app', (call) => change(call, uninstall)),
];

/** The change is attributed to the App's owner. */
function change(call: Call, act: (world: World, id: number, byId: number) => void): ReturnType<typeof noContent> {
  const row = installationOf(call);
  if (row === null) return notFound();
  act(call.world, row.id, appById(call.world, appIdOf(call)).ownerId);
  return noContent();
}
