/** Registers an App by GitHub's manifest flow (docs.github.com: registering a GitHub App from a manifest). */

import { generateKeyPairSync } from 'node:crypto';
import * as z from 'zod';
import { type Answer, createdAnswer, notFoundAnswer } from '../api/reply.ts';
import { github } from '../limits/limits.ts';
import { appById } from '../world/lookup.ts';
import { addUser } from '../world/seed.ts';
import { nextId, type World } from '../world/world.ts';
import { shapeApp } from './shape-people.ts';

const manifestSchema = z.object({
  name: z.string().min(1).max(34),
  url: z.url(),
  hook_attributes: z.object({ url: z.url(), active: z.boolean().optional() }),
  redirect_url: z.url(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])),
  default_events: z.array(z.string()),
});

type Accepted = {
  readonly manifest: z.infer<typeof manifestSchema>;
  readonly ownerId: number;
  readonly expiresAtMs: number;
};

/** By world and code. A restart forgets them, as nothing else knows a code. */
const pending = new WeakMap<World, Map<string, Accepted>>();

/** What the owner's click on *Create GitHub App* does: the address that the browser is redirected to. */
export function acceptManifest(world: World, ownerId: number, manifest: string, state: string): string {
  const accepted = manifestSchema.parse(JSON.parse(manifest));
  const code = Buffer.from(world.randomBytes(20)).toString('hex');
  const codes = pending.get(world) ?? new Map<string, Accepted>();
  pending.set(world, codes);
  codes.set(code, { manifest: accepted, ownerId, expiresAtMs: world.clock.now() + github.manifestCodeLifeMs });
  const address = new URL(accepted.redirect_url);
  address.searchParams.set('code', code);
  address.searchParams.set('state', state);
  return address.href;
}

/** `POST /app-manifests/{code}/conversions`: needs no token, and takes a code once. */
export function convertManifest(world: World, code: string): Answer {
  const accepted = pending.get(world)?.get(code);
  pending.get(world)?.delete(code);
  if (accepted === undefined || accepted.expiresAtMs <= world.clock.now()) return notFoundAnswer();
  const { manifest, ownerId } = accepted;
  const slug = manifest.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const id = 7000 + nextId(world, 'apps');
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const secret = Buffer.from(world.randomBytes(20)).toString('hex');
  world.state.apps[id] = {
    id,
    slug,
    name: manifest.name,
    ownerId,
    botUserId: addUser(world, `${slug}[bot]`, 'Bot', slug).id,
    publicKeyPem: keys.publicKey,
    permissions: manifest.default_permissions,
    events: manifest.default_events,
    webhook: { url: manifest.hook_attributes.url, secret },
    createdAtMs: world.clock.now(),
  };
  return createdAnswer({
    ...shapeApp(world, appById(world, id)),
    client_secret: Buffer.from(world.randomBytes(20)).toString('hex'),
    webhook_secret: secret,
    pem: keys.privateKey,
  });
}
