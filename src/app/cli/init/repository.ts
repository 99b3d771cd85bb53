/** Reads and changes a repository's settings for `ferrybot init` (docs.github.com/rest, by route). */

import sodium from 'libsodium-wrappers';
import { z } from 'zod';
import { fail, known, type Observed, ok, type Result } from '../../../domain/values.ts';
import { call, type GitHubClient, readIfThere, readRoute } from '../../../github/call.ts';
import { type RepositorySettings, readFileText } from '../../../github/settings.ts';
import type { LabConfig } from '../../../run/lane.ts';
import { CONFIG_PATH } from '../../config-source.ts';
import { type DoctorContext, readFacts } from '../doctor/facts.ts';
import type { SettingCall, SettingFacts } from './changes.ts';

const variableSchema = z.object({ value: z.string() }).transform(({ value }) => value);

/** Reads everything that the changes depend on. */
export async function readSettingFacts(
  client: GitHubClient,
  repository: RepositorySettings,
  lab: { readonly config: LabConfig; readonly configText: string },
  here: DoctorContext,
): Promise<SettingFacts> {
  const doctor = await readFacts(client, repository, lab, here);
  const inForce = await readFileText(client, CONFIG_PATH, repository.default_branch);
  return {
    doctor,
    stateDirectory: await readVariable(client, 'FERRYBOT_STATE_DIR'),
    isOnDefaultBranch: inForce.kind === 'known' && inForce.value === lab.configText,
  };
}

async function readVariable(client: GitHubClient, name: string): Promise<Observed<string | null>> {
  const found = await readIfThere(client, 'GET /repos/{owner}/{repo}/actions/variables/{name}', variableSchema, {
    name,
  });
  return found.kind === 'unknown' ? found : known(found.value);
}

/** Carries out one call. Fails with GitHub's answer. */
export async function makeSettingCall(
  client: GitHubClient,
  wanted: SettingCall,
  values: ReadonlyMap<string, string>,
): Promise<Result<null, string>> {
  if (wanted.kind === 'request') return send(client, wanted.route, wanted.parameters);
  const value = values.get(wanted.name);
  if (value === undefined) return fail(`${wanted.name} has no value here`);
  const place = { environment_name: wanted.environment };
  const keyRoute = 'GET /repos/{owner}/{repo}/environments/{environment_name}/secrets/public-key';
  const key = await readRoute(client, keyRoute, keySchema, place);
  if (key.kind === 'unknown') return fail(key.why);
  return send(client, 'PUT /repos/{owner}/{repo}/environments/{environment_name}/secrets/{secret_name}', {
    ...place,
    secret_name: wanted.name,
    key_id: key.value.key_id,
    encrypted_value: await seal(value, key.value.key),
  });
}

const keySchema = z.object({ key_id: z.string(), key: z.string() });

/** GitHub takes a secret only as a sealed box (libsodium, crypto_box_seal). */
async function seal(value: string, publicKey: string): Promise<string> {
  await sodium.ready;
  return Buffer.from(sodium.crypto_box_seal(value, Buffer.from(publicKey, 'base64'))).toString('base64');
}

async function send(
  client: GitHubClient,
  route: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<Result<null, string>> {
  const outcome = await call(client, route, parameters);
  if (outcome.kind === 'answered') return ok(null);
  return fail(outcome.kind === 'refused' ? `GitHub answers ${outcome.status}: ${outcome.message}` : outcome.message);
}
