/**
 * What the account's owner clicks on GitHub and the API does not offer: `PUT /_playground/installation` suspends,
 * grants permissions and chooses repositories; `PUT /_playground/webhook` changes the App's address or secret.
 */

import * as z from 'zod';
import { shapeInstallation } from '../identity/shape-people.ts';
import type { Installation } from '../identity/state-people.ts';
import { setWebhook } from '../webhooks/hook.ts';
import {
  acceptPermissions,
  chooseRepositories,
  requestPermissions,
  suspend,
  unsuspend,
} from '../webhooks/installations.ts';
import type { Json } from '../world/json.ts';
import { appById } from '../world/lookup.ts';
import type { World } from '../world/world.ts';

export const installationChange = z.object({
  /** The default is the first installation. */
  id: z.int().optional(),
  suspended: z.boolean().optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
  events: z.array(z.string()).optional(),
  /** Permissions that the App requests, with `events`; they apply after acceptance. */
  requested: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
  accepted: z.literal(true).optional(),
  /** Names; null = all of the account's repositories. */
  repositories: z.array(z.string()).nullable().optional(),
});

export const webhookChange = z.object({ url: z.url().optional(), secret: z.string().min(1).optional() });

/** Null: there is no such installation. */
export function changeInstallation(world: World, wanted: z.infer<typeof installationChange>): Json {
  const row = findInstallation(world, wanted.id);
  if (row === null) return null;
  const by = world.state.owners[row.accountId]?.[0] ?? row.accountId;
  if (wanted.suspended === true) suspend(world, row.id, by);
  if (wanted.suspended === false) unsuspend(world, row.id, by);
  if (wanted.requested !== undefined) requestPermissions(world, row.appId, wanted.requested, wanted.events);
  if (wanted.accepted === true) {
    const { permissions, events } = appById(world, row.appId);
    acceptPermissions(world, row.id, by, permissions, events);
  }
  const grants = wanted.permissions !== undefined || wanted.events !== undefined;
  if (grants && wanted.requested === undefined)
    acceptPermissions(world, row.id, by, wanted.permissions ?? row.permissions, wanted.events);
  if (wanted.repositories !== undefined)
    chooseRepositories(world, row.id, by, repositoryIds(world, row, wanted.repositories));
  const after = findInstallation(world, row.id);
  return after === null ? null : shapeInstallation(world, after);
}

/** Null: there is no App. */
export function changeWebhook(world: World, wanted: z.infer<typeof webhookChange>): Json {
  const row = findInstallation(world, undefined);
  return row === null ? null : setWebhook(world, row.appId, wanted);
}

function findInstallation(world: World, id: number | undefined): Installation | null {
  const rows = Object.values(world.state.installations);
  return (id === undefined ? rows[0] : rows.find((one) => one.id === id)) ?? null;
}

function repositoryIds(world: World, row: Installation, names: readonly string[] | null): readonly number[] | null {
  if (names === null) return null;
  const own = Object.values(world.state.repos).filter(({ ownerId }) => ownerId === row.accountId);
  return own.flatMap((repo) => (names.includes(repo.name) ? repo.id : []));
}
