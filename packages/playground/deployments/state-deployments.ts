/** Rows of deployments (docs.github.com/rest/deployments): the request and its statuses. */

import type { Json } from '../world/json.ts';

export const deploymentStates = [
  'error',
  'failure',
  'inactive',
  'in_progress',
  'queued',
  'pending',
  'success',
] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export type Deployment = {
  readonly id: number;
  readonly repoId: number;
  readonly sha: string;
  /** The ref as requested: a branch, a tag or a commit. */
  readonly ref: string;
  readonly task: string;
  readonly payload: Json;
  readonly originalEnvironment: string;
  readonly environment: string;
  readonly description: string | null;
  /**
   * The environment will be removed later. A success in another environment does not make such a deployment inactive.
   */
  readonly transient: boolean;
  readonly production: boolean;
  readonly creatorId: number;
  readonly viaAppId: number | null;
  /** Oldest first. */
  readonly statuses: readonly DeploymentStatus[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

export type DeploymentStatus = {
  readonly id: number;
  readonly state: DeploymentState;
  readonly description: string;
  readonly environment: string;
  readonly environmentUrl: string;
  readonly logUrl: string;
  readonly creatorId: number;
  readonly viaAppId: number | null;
  readonly createdAtMs: number;
};
