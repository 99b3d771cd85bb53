/** A Python environment of the project's own, below .tools, filled by pip with wheels alone: no package runs code while it is installed. */

import { join } from 'node:path';
import { execa } from 'execa';

const TIMEOUT_MS = 15 * 60 * 1_000;

export type Made = { readonly ok: true } | { readonly ok: false; readonly at: 'venv' | 'pip'; readonly output: string };

/** Makes the environment at `home` anew with that Python and installs `wanted`, as pip's own arguments name it. */
export async function makePythonEnvironment(python: string, home: string, wanted: readonly string[]): Promise<Made> {
  const venv = await execa(python, ['-m', 'venv', '--clear', home], OPTIONS);
  if (venv.failed) return { ok: false, at: 'venv', output: venv.all ?? '' };
  const pip = await execa(join(home, 'bin', 'python'), [...PIP_INSTALL, ...wanted], OPTIONS);
  return pip.failed ? { ok: false, at: 'pip', output: pip.all ?? '' } : { ok: true };
}

const OPTIONS = { reject: false, all: true, timeout: TIMEOUT_MS } as const;
const PIP_INSTALL = [
  '-m',
  'pip',
  'install',
  '--quiet',
  '--disable-pip-version-check',
  '--no-input',
  '--only-binary',
  ':all:',
];
