/** Puts a program below `.tools/strangers`, without the scripts of its packages. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import * as z from 'zod';
import { AS_OF, type Program } from './programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const HOME = join(ROOT, '.tools', 'strangers');
const INSTALL_TIMEOUT_MS = 5 * 60 * 1_000;
const VERSION_TIMEOUT_MS = 20_000;

/** The folder of the program's own `node_modules`, or of what runs without one. */
export function programHome({ name }: Pick<Program, 'name'>): string {
  return join(HOME, name);
}

/** Null when the program is there at its version; else why it is not. */
export async function findAbsenceReason(program: Program): Promise<string | null> {
  if (program.packageName !== null) {
    const about = join(programHome(program), 'node_modules', program.packageName, 'package.json');
    return (await versionIn(about)) === program.version ? null : 'run `npm run strangers -- --install`';
  }
  const path = program.name === 'act' ? join(ROOT, '.tools/bin/act') : program.name;
  const told = await execa(path, ['--version'], { reject: false, timeout: VERSION_TIMEOUT_MS });
  return told.stdout.includes(program.version) ? null : `there is no ${program.name} ${program.version}`;
}

/** Installs those of npm that are not there at their version; what npm said where it failed. */
export async function install(program: Program): Promise<string | null> {
  if (program.packageName === null || (await findAbsenceReason(program)) === null) return null;
  const home = programHome(program);
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'package.json'), '{"private":true}\n');
  const wanted = `${program.packageName}@${program.version}`;
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', `--before=${AS_OF}`];
  const made = await execa('npm', ['install', wanted, ...quiet], {
    cwd: home,
    reject: false,
    all: true,
    timeout: INSTALL_TIMEOUT_MS,
  });
  return made.failed ? made.all : findAbsenceReason(program);
}

async function versionIn(path: string): Promise<string | null> {
  try {
    return z.object({ version: z.string() }).parse(JSON.parse(await readFile(path, 'utf8'))).version;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
