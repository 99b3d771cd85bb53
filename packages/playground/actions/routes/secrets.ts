/**
 * Routes that store secrets and variables (docs.github.com/rest/actions/secrets and /variables). A secret arrives as a
 * sealed box for a public key of its place, as on GitHub.
 */

import { createHash } from 'node:crypto';
import sodium from 'libsodium-wrappers';
import * as z from 'zod';
import { answerPageIn } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import { type ActorCall, type RepoCall, type Route, readRoute, repoAccess, writeRoute } from '../../api/route.ts';
import { rereadRepo } from '../../threads/threads.ts';
import type { JsonObject } from '../../world/json.ts';
import { toIso } from '../../world/time.ts';
import { findEnvironment, storeEnvironment } from './environments.ts';

const readSecrets = repoAccess('environments:read', 'write');
const writeSecrets = repoAccess('environments:write', 'write');
const readVariables = repoAccess('actions_variables:read', 'write');
const writeVariables = repoAccess('actions_variables:write', 'write');
const sealed = z.object({ encrypted_value: z.string(), key_id: z.string() });
const variable = z.object({ name: z.string().regex(/^(?!GITHUB_)[A-Za-z_]\w*$/), value: z.string().max(48_000) });

export const secretRoutes: readonly Route[] = [
  readRoute('/environments/:environment/secrets/public-key', readSecrets, async (call) => {
    const found = findEnvironment(call);
    if (found === null) return notFoundAnswer();
    const { id, publicKey } = await keyPairFor(call, found.name);
    return okAnswer({ key_id: id, key: sodium.to_base64(publicKey, sodium.base64_variants.ORIGINAL) });
  }),
  writeRoute('PUT', '/environments/:environment/secrets/:secret', writeSecrets, sealed, putSecret),
  readRoute('/actions/variables', readVariables, (call) =>
    answerPageIn(call, 'variables', Object.keys(call.repo.variables).toSorted(), (name) => shapeVariable(call, name)),
  ),
  readRoute('/actions/variables/:variable', readVariables, (call) => {
    const name = (call.params['variable'] ?? '').toUpperCase();
    return call.repo.variables[name] === undefined ? notFoundAnswer() : okAnswer(shapeVariable(call, name));
  }),
  writeRoute('POST', '/actions/variables', writeVariables, variable, (call, body) => {
    const repo = rereadRepo(call);
    const name = body.name.toUpperCase();
    if (repo.variables[name] !== undefined) return failedAnswer(409, 'Already exists - Variable already exists');
    call.world.state.repos[repo.id] = { ...repo, variables: { ...repo.variables, [name]: body.value } };
    return createdAnswer({});
  }),
];

/** The same pair at every start of a world, which keeps no private keys. */
async function keyPairFor(call: RepoCall, environment: string) {
  await sodium.ready;
  const seed = createHash('sha256').update(`secrets of ${call.repo.id} ${environment}`).digest();
  return { ...sodium.crypto_box_seed_keypair(seed), id: seed.readBigUInt64BE().toString() };
}

async function putSecret(call: ActorCall, body: z.infer<typeof sealed>): Promise<Answer> {
  const found = findEnvironment(call);
  if (found === null) return notFoundAnswer();
  const { id, publicKey, privateKey } = await keyPairFor(call, found.name);
  if (body.key_id !== id) return unprocessableAnswer('The key_id is not the one of the public key');
  const value = openBox(Buffer.from(body.encrypted_value, 'base64'), publicKey, privateKey);
  if (value === null) return unprocessableAnswer('The encrypted_value is no sealed box for the public key');
  const name = (call.params['secret'] ?? '').toUpperCase();
  const isNew = found.secrets[name] === undefined;
  storeEnvironment(call, { ...found, secrets: { ...found.secrets, [name]: value } });
  return isNew ? createdAnswer({}) : noContentAnswer();
}

function openBox(box: Uint8Array, publicKey: Uint8Array, privateKey: Uint8Array): string | null {
  try {
    return sodium.to_string(sodium.crypto_box_seal_open(box, publicKey, privateKey));
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

function shapeVariable({ repo }: RepoCall, name: string): JsonObject {
  const at = toIso(repo.createdAtMs);
  return { name, value: repo.variables[name] ?? '', created_at: at, updated_at: at };
}
