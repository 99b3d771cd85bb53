/**
 * Takes what is secret out of this process's environment. /proc/PID/environ keeps the block that a process was started
 * with, whatever it deletes later, and every program of the same user may read it. So the process writes what is secret to
 * a file of its own and becomes the same program once more without it; the file is gone before anything else happens.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable with such a name is taken for a secret wherever it stands. */
export const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

const VARIABLE = 'FERRYBOT_PRIVATE_FILE';
const FOLDER = 'ferrybot-private-';

/**
 * What Node, the runner and this machine's programs read of an environment. Everything else is kept out of sight, since
 * what a lab passes to its jobs is secret under any name.
 */
const PLAIN =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|TZ|TMPDIR|TERM|CI|PWD|(?:LC|NODE|LD|DYLD|SSL_CERT|GITHUB|RUNNER|INPUT)_.+)$/;

/**
 * The whole environment of this process, of which the process itself shows nothing that may be secret. Called before
 * anything else: the first time it does not return. Throws where a process cannot be replaced (Windows, an older Node).
 */
export function takePrivateEnvironment(): Environment {
  const file = process.env[VARIABLE];
  if (file !== undefined) return received(file);
  const entries = Object.entries(process.env);
  const hidden = entries.filter(([name]) => isPrivate(name));
  if (hidden.length === 0) return Object.fromEntries(entries);
  return startAnew(
    Object.fromEntries(hidden),
    Object.fromEntries(entries.filter(([name]) => !isPrivate(name))),
  );
}

function isPrivate(name: string): boolean {
  return !PLAIN.test(name) || SECRET_NAME.test(name);
}

function startAnew(hidden: Environment, shown: Environment): never {
  // Only here: a Node that lacks it has no other way to change what /proc shows.
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

function received(file: string): Environment {
  const folder = dirname(file);
  if (!basename(folder).startsWith(FOLDER))
    throw new Error(`${VARIABLE} is set by ferrybot itself and by nobody else`);
  const hidden: unknown = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  delete process.env[VARIABLE];
  const entries = Object.entries(Object(hidden)).map(([name, value]) => [name, String(value)]);
  return { ...process.env, ...Object.fromEntries(entries) };
}
