/** Python programs of others below .tools, at pinned versions: made once, kept between runs, and made anew when the pins change. */

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { errorCode } from '../../src/host/files.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { makePythonEnvironment } from './python-environment.ts';

const TOOLS = join(import.meta.dirname, '..', '..', '.tools');
const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
/** The first start of a large package compiles it. */
const PYTHON_TIMEOUT_MS = 120_000;
const LINES_SHOWN = 20;

export type PythonTools = {
  /** Of the folder below .tools and of `npm run setup:NAME`. */
  readonly name: string;
  readonly title: string;
  /** Beside this file: exact versions. */
  readonly requirements: string;
  /** The least and the newest minor version of Python 3 that all of them have wheels for. */
  readonly pythons: readonly [least: number, newest: number];
  /** What making it takes, for who waits. */
  readonly cost: string;
  /** Arguments of programs in the environment's `bin`, each of which ends well where the environment works. */
  readonly probes: readonly (readonly [program: string, ...args: string[]])[];
};

/** Makes the environment if it is not there as it is wanted; gives the exit code. */
export async function setUpPythonTools(tools: PythonTools): Promise<number> {
  const folder = join(TOOLS, tools.name);
  const file = join(import.meta.dirname, tools.requirements);
  // Written last: an environment without it is one that was interrupted.
  const marker = join(folder, 'ferrybot-setup.json');
  const wanted = sha256Hex(await readFile(file, 'utf8'));
  if ((await installedVersion(marker)) === wanted && (await hasWorkingInstall(folder, tools))) {
    console.log(`.tools/${tools.name} is there: nothing to do`);
    return 0;
  }
  const python = await findPython(tools);
  if (python === null) return 1;
  // What an interrupted run or another version left behind is no ground to build on.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  console.log(`making .tools/${tools.name} with ${python} (${tools.cost})`);
  const made = await makePythonEnvironment(python, folder, ['-r', file]);
  if (!made.ok)
    return made.at === 'venv'
      ? printFailure(tools, `${python} -m venv failed; on Debian it needs the package python3-venv`, made.output)
      : printFailure(tools, `pip could not install ${tools.title}: is the package index within reach?`, made.output);
  if (!(await hasWorkingInstall(folder, tools)))
    return printFailure(tools, `${tools.title} was installed and does not start`, '');
  await writeFile(marker, `${JSON.stringify({ requirements: wanted })}\n`);
  console.log(`.tools/${tools.name} is ready`);
  return 0;
}

function printFailure({ name }: PythonTools, what: string, output: string): number {
  console.error(`setup:${name}: ${what}`);
  if (output !== '') console.error(output.split('\n').slice(-LINES_SHOWN).join('\n'));
  return 1;
}

/** The hash of the requirements that the environment was made from; null when there is none, or half of one. */
async function installedVersion(file: string): Promise<string | null> {
  try {
    const marker: unknown = JSON.parse(await readFile(file, 'utf8'));
    const said = typeof marker === 'object' && marker !== null && 'requirements' in marker;
    return said && typeof marker.requirements === 'string' ? marker.requirements : null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function hasWorkingInstall(folder: string, { probes }: PythonTools): Promise<boolean> {
  for (const [program, ...args] of probes) {
    const said = await execa(join(folder, 'bin', program), args, { reject: false, timeout: PYTHON_TIMEOUT_MS });
    if (said.failed) return false;
  }
  return true;
}

async function findPython(tools: PythonTools): Promise<string | null> {
  const [least, newest] = tools.pythons;
  const found: string[] = [];
  for (const name of PYTHONS) {
    const source = 'import sys; print("%d.%d" % sys.version_info[:2])';
    const said = await execa(name, ['-c', source], { reject: false, timeout: PYTHON_TIMEOUT_MS });
    if (said.failed) continue;
    const minor = Number(/^3\.(\d+)$/.exec(said.stdout)?.[1] ?? Number.NaN);
    // Another Python would end in a compiler error after minutes.
    if (minor >= least && minor <= newest) return name;
    found.push(`${name} is ${said.stdout}`);
  }
  const have = found.join(', ') || 'no python3 at all';
  printFailure(tools, `${tools.title} needs Python 3.${least} to 3.${newest} and there is none (${have})`, '');
  return null;
}
