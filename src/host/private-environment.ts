/**
 * Removes secrets from this process's environment. /proc/PID/environ keeps the initial block and is readable by all programs of the same
 * user. So the process writes the secrets to a private file and replaces itself without them; the new process deletes the file first.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with such a name are secrets. */
export const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

const VARIABLE = 'FERRYBOT_PRIVATE_FILE';
const FOLDER = 'ferrybot-private-';

/** Variables that Node, the runner and programs need. All others are hidden, because a lab's job variables may be secret under any name. */
const PLAIN =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|TZ|TMPDIR|TERM|CI|PWD|(?:LC|NODE|LD|DYLD|SSL_CERT|GITHUB|RUNNER|INPUT)_.+)$/;

/**
 * The complete environment. Call it first: the first call does not return. Without `process.execve` (Windows, Node before 22.15) only a
 * rehearsal continues.
 */
export function takePrivateEnvironment(): Environment {
  const file = process.env[VARIABLE];
  if (file !== undefined) return readEnvironmentFrom(file);
  const hasSecrets = Object.keys(process.env).some(isPrivate);
  return hasSecrets ? restart() : { ...process.env };
}

/** The environment for a program that calls `takePrivateEnvironment`, with the secrets in a file. */
export function hideEnvironment(environment: Environment): Environment {
  const entries = Object.entries(environment);
  const folder = mkdtempSync(join(process.env['RUNNER_TEMP'] ?? tmpdir(), FOLDER));
  const file = join(folder, 'environment.json');
  const hidden = Object.fromEntries(entries.filter(([name]) => isPrivate(name)));
  writeFileSync(file, JSON.stringify(hidden), { mode: 0o600, flag: 'wx' });
  return { ...Object.fromEntries(entries.filter(([name]) => !isPrivate(name))), [VARIABLE]: file };
}

function isPrivate(name: string): boolean {
  return !PLAIN.test(name) || SECRET_NAME.test(name);
}

function restart(): never {
  const args = [...process.execArgv, ...process.argv.slice(1)];
  // Only a new process image changes the content of /proc/PID/environ.
  if (process.execve !== undefined)
    return process.execve(process.execPath, [process.execPath, ...args], hideEnvironment(process.env));
  // The keys of a rehearsal open nothing, so that this process may keep showing them while it waits.
  if (!/^http:\/\/127\.0\.0\.1:\d+$/.test(process.env['GITHUB_SERVER_URL'] ?? '')) {
    process.stderr.write(
      `ferrybot takes its keys out of its environment by process.execve, which ${process.version} on ${process.platform} lacks: run it in Node 22.15 or newer, on Linux or macOS\n`,
    );
    process.exit(2);
  }
  const { status } = spawnSync(process.execPath, args, { env: hideEnvironment(process.env), stdio: 'inherit' });
  return process.exit(status ?? 1);
}

function readEnvironmentFrom(file: string): Environment {
  const folder = dirname(file);
  if (!basename(folder).startsWith(FOLDER)) throw new Error(`${VARIABLE} is set by ferrybot itself and by nobody else`);
  const hidden: unknown = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  delete process.env[VARIABLE];
  const entries = Object.entries(Object(hidden)).map(([name, value]) => [name, String(value)]);
  return { ...process.env, ...Object.fromEntries(entries) };
}
