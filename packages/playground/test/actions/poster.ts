/** Posts as a machine: with the token of the lab's App, or of a workflow's job. */

import type { Permissions } from '../../identity/state-people.ts';
import { mintInstallationToken, mintWorkflowToken } from '../../identity/tokens.ts';
import { requireRow } from '../../world/lookup.ts';
import { addApp } from '../../world/seed.ts';
import type { Stage } from './stage.ts';

type Post = (body: object, path?: string) => Promise<number>;

/** Returns the status of each answer; without a path, it posts a check run. */
export function posterAs(
  { world, repo }: Stage,
  kind: 'installation' | 'workflow',
  permissions: Permissions = { checks: 'write' },
): Post {
  const token = (): string => {
    if (kind === 'installation') {
      const app = { publicKeyPem: '', permissions, events: [], webhook: null };
      const { installationId } = addApp(world, repo().ownerId, app);
      const installation = requireRow(world.state.installations[installationId], 'the installation');
      return mintInstallationToken(world, installation, permissions, null).token;
    }
    const run = { id: 0, repoId: repo().id } as Parameters<typeof mintWorkflowToken>[1];
    return mintWorkflowToken(world, run, permissions).token;
  };
  return async (body, path = '/check-runs') => {
    const request = new Request(`${world.baseUrl}/api/v3/repos/lab/model${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await world.fetch(request)).status;
  };
}
