/** Reads a lab's checkout for `ferrybot init`, and writes what lies outside of GitHub: files and key pairs. */

import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { ROLES, type Role } from '../../../domain/logbook/parts.ts';
import { fail, ok, type Result } from '../../../domain/values.ts';
import { errorCode, readTextIfThere } from '../../../host/files.ts';
import { parseSigningKey } from '../../../host/keys.ts';
import { runProgram } from '../../../host/process.ts';
import type { LabFiles } from './detect.ts';

const READ_SUFFIX = /\.(?:py|ya?ml|toml|json|args|txt|cfg|sh|sbatch|slurm)$/;
/** A larger file is data. */
const FILE_BYTES_MAX = 200_000;
/** Enough for a lab; further files keep the text ''. */
const FILES_READ_MAX = 3_000;

/** The root of the checkout, or null outside of one. */
export async function findCheckout(cwd: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  const asked = await runProgram('git', ['rev-parse', '--show-toplevel'], { cwd, env });
  return asked.ok ? asked.stdout.trim() : null;
}

/** One setting of git, or null. */
export async function readGitSetting(
  cwd: string,
  env: Readonly<Record<string, string>>,
  name: string,
): Promise<string | null> {
  const asked = await runProgram('git', ['config', '--get', name], { cwd, env });
  return asked.ok ? asked.stdout.trim() : null;
}

/** Files that git tracks or would add. */
export async function readLabFiles(root: string, env: Readonly<Record<string, string>>): Promise<LabFiles> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = await runProgram('git', args, { cwd: root, env });
  const paths = listed.stdout.split('\0').filter((path) => path !== '');
  const files = new Map<string, string>();
  let read = 0;
  for (const path of paths.toSorted()) {
    const isRead = READ_SUFFIX.test(path) && read < FILES_READ_MAX;
    if (isRead) read += 1;
    files.set(path, isRead ? await readSmallText(join(root, path)) : '');
  }
  return files;
}

async function readSmallText(path: string): Promise<string> {
  // git lists files that may be deleted in the checkout, links and submodules.
  const found = await ifThere(stat(path));
  return found?.isFile() === true && found.size <= FILE_BYTES_MAX ? readFile(path, 'utf8') : '';
}

/** The folder of the package, or of the checkout of ferrybot: `dist/cli` and this folder lie differently deep below it. */
async function findPackage(): Promise<string> {
  for (const up of ['../..', '../../../..', '..']) {
    const folder = resolve(import.meta.dirname, up);
    if ((await readTextIfThere(join(folder, 'templates/ferrybot.yml'))) !== null) return folder;
  }
  throw new Error('the package has no templates');
}

export type Templates = {
  readonly config: string;
  readonly workflows: Readonly<Record<string, string>>;
  /** By the check of `doctor` that asks for it. */
  readonly rulesets: Readonly<Record<string, object>>;
  /** The manifest of the App. */
  readonly app: string;
};

/** The templates of this release. */
export async function readTemplates(): Promise<Templates> {
  const home = await findPackage();
  const workflows = join(home, 'fixtures/lab/.github/workflows');
  const names = await readdir(workflows);
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(workflows, name), 'utf8')] as const),
  );
  return {
    config: await readFile(join(home, 'templates/ferrybot.yml'), 'utf8'),
    workflows: Object.fromEntries(texts),
    rulesets: JSON.parse(await readFile(join(home, 'templates/rulesets.json'), 'utf8')),
    app: await readFile(join(home, 'app.yml'), 'utf8'),
  };
}

/** Writes a file below the checkout, and the folders above it. */
export async function writeLabFile(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

export type KeyPair = { readonly pem: string; readonly public: string };
export type KeyPairs = Readonly<Record<Role, KeyPair>>;

/** What happens to a pair that the folder lacks: it is made and kept there, made for a plan only, or none is opened. */
export type MissingKeys = 'create' | 'pretend' | 'none';

/** The key pairs of a folder. Null if one is missing. */
export async function openKeyFolder(
  folder: string,
  root: string,
  missing: MissingKeys,
): Promise<Result<KeyPairs | null, string>> {
  if (await isInside(folder, root)) return fail(`private keys do not belong into the checkout: --keys ${folder}`);
  const pairs: Partial<Record<Role, KeyPair>> = {};
  for (const role of ROLES) {
    const file = join(folder, `${role}.pem`);
    const pem =
      (await readTextIfThere(file)) ??
      (missing === 'none' ? null : await createKey(missing === 'create' ? file : null));
    if (pem === null) return ok(null);
    const key = parseSigningKey(pem);
    if (!key.ok) return fail(`${file}: ${key.error}`);
    pairs[role] = { pem, public: key.value.public };
  }
  return ok(pairs as KeyPairs);
}

async function createKey(file: string | null): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  });
  if (file !== null) await writePrivateFile(file, privateKey);
  return privateKey;
}

/** Writes a new file that only this user can read. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}

/** Deletes the key pairs of a folder. */
export async function deleteKeys(folder: string): Promise<void> {
  for (const role of ROLES) await rm(join(folder, `${role}.pem`));
}

async function isInside(folder: string, root: string): Promise<boolean> {
  const path = relative(await realpath(root), await realpathOfParent(folder));
  return path === '' || !path.startsWith('..');
}

/** The real path of a folder that may not exist yet. */
async function realpathOfParent(folder: string): Promise<string> {
  const found = await ifThere(realpath(folder));
  if (found !== null || dirname(folder) === folder) return found ?? folder;
  return join(await realpathOfParent(dirname(folder)), relative(dirname(folder), folder));
}

async function ifThere<Value>(found: Promise<Value>): Promise<Value | null> {
  return found.catch((error: unknown) => (errorCode(error) === 'ENOENT' ? null : Promise.reject(error)));
}
