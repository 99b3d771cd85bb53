/**
 * Removes secrets from this process's environment. /proc/PID/environ keeps the initial block and is readable by all programs of the same
 * user. So the process writes the secrets to a private file and replaces itself without them; the new process deletes the file first.
 */

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

/** The complete environment. Call it first: the first call never returns. Throws on Windows and on older Node. */
export function takePrivateEnvironment(): Environment {
  const file = process.env[VARIABLE];
  if (file !== undefined) return readEnvironmentFrom(file);
  const entries = Object.entries(process.env);
  const hidden = entries.filter(([name]) => isPrivate(name));
  if (hidden.length === 0) return Object.fromEntries(entries);
  return restartWithPipe(Object.fromEntries(hidden), Object.fromEntries(entries.filter(([name]) => !isPrivate(name))));
}

function isPrivate(name: string): boolean {
  return !PLAIN.test(name) || SECRET_NAME.test(name);
}

function restartWithPipe(hidden: Environment, shown: Environment): never {
  // Only a new process image changes the content of /proc/PID/environ.
  if (process.execve === undefined)
    throw new Error(
      `ferrybot takes its keys out of its environment by process.execve, which ${process.version} on ${process.platform} lacks: run it in Node 24 on Linux or macOS`,
    );
  const folder = mkdtempSync(join(process.env['RUNNER_TEMP'] ?? tmpdir(), FOLDER));
  const file = join(folder, 'environment.json');
  writeFileSync(file, JSON.stringify(hidden), { mode: 0o600, flag: 'wx' });
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  return process.execve(process.execPath, args, { ...shown, [VARIABLE]: file });
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
