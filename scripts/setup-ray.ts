/** `npm run setup:ray`: a Python environment under .tools/ray with the pinned Ray and uv; made once, kept between runs. */

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { sha256Hex } from '../src/host/hash.ts';
import { codeOf } from '../src/host/publish-once.ts';
import { makePythonEnvironment } from './setup/python-environment.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, '.tools', 'ray');
const REQUIREMENTS = join(ROOT, 'scripts', 'setup', 'ray-requirements.txt');
/** Written last: an environment without it is one that was interrupted. */
const MARKER = join(FOLDER, 'ferrybot-setup.json');
/** Ray 2.60 has wheels for these; an older Python would end in a compiler error after minutes. */
const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const PYTHON_TIMEOUT_MS = 60_000;

process.exitCode = await setUp();

async function setUp(): Promise<number> {
  const wanted = sha256Hex(await readFile(REQUIREMENTS, 'utf8'));
  if ((await installed()) === wanted && (await works())) {
    console.log('.tools/ray is there: nothing to do');
    return 0;
  }
  const python = await findPython();
  if (python === null) return 1;
  // What an interrupted run or another version left behind is no ground to build on.
  await rm(FOLDER, { recursive: true, force: true, maxRetries: 5 });
  console.log(`making .tools/ray with ${python} (about 400 MB, a minute or two)`);
  const made = await makePythonEnvironment(python, FOLDER, ['-r', REQUIREMENTS]);
  if (!made.ok)
    return made.at === 'venv'
      ? say(`${python} -m venv failed; on Debian it needs the package python3-venv`, made.output)
      : say('pip could not install Ray: is the package index within reach?', made.output);
  if (!(await works())) return say('Ray was installed and does not start', '');
  await writeFile(MARKER, `${JSON.stringify({ requirements: wanted })}\n`);
  console.log('.tools/ray is ready');
  return 0;
}

function say(what: string, output: string): number {
  console.error(`setup:ray: ${what}`);
  if (output !== '') console.error(output.split('\n').slice(-20).join('\n'));
  return 1;
}

/** The hash of the requirements that the environment was made from; null when there is none, or half of one. */
async function installed(): Promise<string | null> {
  try {
    const marker: unknown = JSON.parse(await readFile(MARKER, 'utf8'));
    const said = typeof marker === 'object' && marker !== null && 'requirements' in marker;
    return said && typeof marker.requirements === 'string' ? marker.requirements : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function works(): Promise<boolean> {
  for (const program of ['ray', 'uv']) {
    const said = await execa(join(FOLDER, 'bin', program), ['--version'], {
      reject: false,
      timeout: PYTHON_TIMEOUT_MS,
    });
    if (said.failed) return false;
  }
  return true;
}

async function findPython(): Promise<string | null> {
  const found: string[] = [];
  for (const name of PYTHONS) {
    const source = 'import sys; print("%d.%d" % sys.version_info[:2])';
    const said = await execa(name, ['-c', source], { reject: false, timeout: PYTHON_TIMEOUT_MS });
    if (said.failed) continue;
    const minor = /^3\.(\d+)$/.exec(said.stdout)?.[1];
    if (minor !== undefined && Number(minor) >= 10 && Number(minor) <= 13) return name;
    found.push(`${name} is ${said.stdout}`);
  }
  say(`Ray needs Python 3.10 to 3.13 and there is none (${found.join(', ') || 'no python3 at all'})`, '');
  return null;
}
