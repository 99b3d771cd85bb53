/** Deployments and their statuses as the REST API writes them. */

import { repoApi } from '../git/shape-repo.ts';
import { shapeAppById, shapeUserById } from '../identity/shape-people.ts';
import type { JsonObject } from '../world/json.ts';
import { repoById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import { toIso } from '../world/time.ts';
import type { World } from '../world/world.ts';
import type { Deployment, DeploymentStatus } from './state-deployments.ts';

/** docs.github.com/rest/deployments: a deployment. */
export function shapeDeployment(world: World, row: Deployment): JsonObject {
  const api = repoApi(world, repoById(world, row.repoId));
  const url = `${api}/deployments/${row.id}`;
  return {
    url,
    id: row.id,
    node_id: nodeId('DE', row.id),
    sha: row.sha,
    ref: row.ref,
    task: row.task,
    payload: row.payload,
    original_environment: row.originalEnvironment,
    environment: row.environment,
    description: row.description,
    creator: shapeUserById(world, row.creatorId),
    created_at: toIso(row.createdAtMs),
    updated_at: toIso(row.updatedAtMs),
    statuses_url: `${url}/statuses`,
    repository_url: api,
    transient_environment: row.transient,
    production_environment: row.production,
    performed_via_github_app: shapeAppById(world, row.viaAppId),
  };
}

/** docs.github.com/rest/deployments/statuses: a status of a deployment. */
export function shapeDeploymentStatus(world: World, row: Deployment, one: DeploymentStatus): JsonObject {
  const api = repoApi(world, repoById(world, row.repoId));
  const deployment = `${api}/deployments/${row.id}`;
  return {
    url: `${deployment}/statuses/${one.id}`,
    id: one.id,
    node_id: nodeId('DES', one.id),
    state: one.state,
    creator: shapeUserById(world, one.creatorId),
    description: one.description,
    environment: one.environment,
    target_url: one.logUrl,
    created_at: toIso(one.createdAtMs),
    updated_at: toIso(one.createdAtMs),
    deployment_url: deployment,
    repository_url: api,
    environment_url: one.environmentUrl,
    log_url: one.logUrl,
    performed_via_github_app: shapeAppById(world, one.viaAppId),
  };
}
