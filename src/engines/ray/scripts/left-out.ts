/** Which files of a tree a lab's script would not ship: told from the rules by which Ray's SDK and the script leave files out. */

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { JobSpec, LeftOut } from '../../../domain/engine.ts';
import type { ScriptTemplates } from './run-script.ts';

/** What Ray leaves out everywhere (ray-project/ray, ray_constants.py, RAY_RUNTIME_ENV_DEFAULT_EXCLUDES). */
const OF_RAY = ['.git', '.venv', 'venv', '__pycache__'];

type Rules = {
  /** Folder that the patterns are relative to, with a slash at its end; empty: the root. */
  readonly folder: string;
  readonly name: string;
  readonly matcher: Ignore;
  readonly isAll: boolean;
};

/**
 * Ray walks the folder and leaves out what any rule of any folder above it names; a later rule of another file takes
 * nothing back (ray-project/ray, runtime_env/packaging.py, _dir_travel). In doubt a file counts as left out.
 */
export async function leftOutByScript(
  { leavesOut, ignoreFiles }: Pick<ScriptTemplates, 'leavesOut' | 'ignoreFiles'>,
  { workingDirectory, files = [] }: Pick<JobSpec, 'workingDirectory' | 'files'>,
): Promise<readonly LeftOut[]> {
  const rules: Rules[] = [
    rulesOf('', "Ray's own rules", OF_RAY.join('\n')),
    rulesOf('', 'leavesOut of the config', leavesOut.join('\n')),
  ];
  for (const file of files) {
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    if (!ignoreFiles.includes(name)) continue;
    const text = await readFile(join(workingDirectory, file.path), 'utf8');
    rules.push(rulesOf(file.path.slice(0, -name.length), file.path, text));
  }
  const leftOut: LeftOut[] = [];
  for (const { path, target } of files) {
    const why = nameOfRule(rules, path);
    if (why !== null) leftOut.push({ path, why: `left out by ${why}` });
    // Ray follows it: a link to a file arrives as that file, one to a folder as a second copy of it, or for ever.
    else if (target !== null && !(await stat(join(workingDirectory, path))).isFile())
      leftOut.push({ path, why: 'a link to a folder, which arrives as no link' });
  }
  return leftOut;
}

function nameOfRule(rules: readonly Rules[], path: string): string | null {
  const rule = rules.find(
    ({ folder, matcher, isAll }) =>
      path.startsWith(folder) && (isAll || matcher.ignores(path.slice(folder.length))),
  );
  return rule?.name ?? null;
}

function rulesOf(folder: string, name: string, text: string): Rules {
  const matcher = ignore({ ignorecase: false }).add(text);
  return { folder, name, matcher, isAll: text.split('\n').some(namesItsFolder) };
}

/** Ray asks each file's rules about its own folder as `.` too: a star takes all of it away, whatever `!` says after it. */
function namesItsFolder(line: string): boolean {
  return /^\/?[*?.[\]]+\/?$/.test(line.trim());
}
