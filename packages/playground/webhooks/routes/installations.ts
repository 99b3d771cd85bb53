/** Routes by which an App suspends, resumes and removes its own installation (docs.github.com/rest/apps/apps). */

import { noContentAnswer, notFoundAnswer } from '../../api/reply.ts';
import { type Call, plainRoute, type Route } from '../../api/route.ts';
import { callerAppId, findInstallation } from '../../identity/routes/apps.ts';
import { appById } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import { suspend, uninstall, unsuspend } from '../installations.ts';

export const installationRoutes: readonly Route[] = [
  plainRoute('PUT', '/app/installations/:id/suspended', 'app', (call) => changeInstallationOfCall(call, suspend)),
  plainRoute('DELETE', '/app/installations/:id/suspended', 'app', (call) => changeInstallationOfCall(call, unsuspend)),
  plainRoute('DELETE', '/app/installations/:id', 'app', (call) => changeInstallationOfCall(call, uninstall)),
];

/** The change is attributed to the App's owner. */
function changeInstallationOfCall(
  call: Call,
  act: (world: World, id: number, byId: number) => void,
): ReturnType<typeof noContentAnswer> {
  const row = findInstallation(call);
  if (row === null) return notFoundAnswer();
  act(call.world, row.id, appById(call.world, callerAppId(call)).ownerId);
  return noContentAnswer();
}
