/** Keys of a rehearsal lab, created once per folder: the App's, those of the three roles, the webhook secret. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { ifThere } from '../packages/playground/world/if-there.ts';

const ROLES = ['control', 'runner', 'watch'] as const;
export type RoleName = (typeof ROLES)[number];

const schema = z.object({
  app: z.object({ publicPem: z.string(), privatePem: z.string() }),
  webhookSecret: z.string(),
  roles: z.record(z.enum(ROLES), z.object({ public: z.string(), privatePem: z.string() })),
});
export type LabKeys = z.infer<typeof schema>;

/**
 * The keys in `file`, which is created if missing. They are worthless outside this machine, and only their owner can
 * read them.
 */
export async function labKeys(file: string): Promise<LabKeys> {
  const text = await ifThere(readFile(file, 'utf8'));
  if (text !== null) return schema.parse(JSON.parse(text));
  const made: LabKeys = {
    app: rsaPair(),
    webhookSecret: randomBytes(24).toString('hex'),
    roles: { control: edPair(), runner: edPair(), watch: edPair() },
  };
  await writeFile(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  return made;
}

function rsaPair(): LabKeys['app'] {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function edPair(): LabKeys['roles'][RoleName] {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  // The raw public key is the last 32 bytes of its DER form (RFC 8410).
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  return { public: raw.toString('base64'), privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
