/**
 * Reads many experiment files with the product's script in one Python process, because one process for each
 * takes minutes.
 */

import { execa } from 'execa';
import { z } from 'zod';
import { createExperimentReader } from '../../src/app/control/change-facts.ts';
import type { ExperimentFile, FileReading } from '../../src/domain/launch/change-facts.ts';
import { scriptText } from '../../src/host/python/script.ts';
import { parseReading } from '../../src/host/python-child.ts';

/** Uses the script's functions without its last lines, which read one file and exit. */
const DRIVER = `
import base64, json, sys
space = {"__name__": "batch"}
exec(compile(sys.argv[1], "read_experiment.py", "exec"), space)
space["warnings"].simplefilter("ignore")
print(json.dumps([json.dumps(space["read"](base64.b64decode(one))) for one in json.load(sys.stdin)]))
`;

/** In the order of the sources. Without the child's limits, which have their own tests. */
export async function readExperiments(
  sources: readonly (string | Uint8Array)[],
  python = 'python3',
): Promise<readonly FileReading[]> {
  const files = sources.map((source) => Buffer.from(source));
  const input = JSON.stringify(files.map((file) => file.toString('base64')));
  const { stdout } = await execa(python, ['-I', '-S', '-c', DRIVER, scriptText('read_experiment.py')], {
    input,
    maxBuffer: 1_000_000_000,
  });
  const answers = z.array(z.string()).parse(JSON.parse(stdout));
  return files.map((file, at) => {
    const reading = parseReading(answers[at] ?? '', file);
    if (reading === null) throw new Error(`no answer of the script: ${answers[at] ?? ''}`);
    return reading;
  });
}

/** Reads one file as the product does. */
export const readExperiment = createExperimentReader(process.env['PATH'] ?? '');

/** The same with the Python of this machine, as Python unless `path` has another suffix. */
export function readText(text: string, path = 'daily.py'): Promise<FileReading> {
  return readExperiment(text, { path, python: 'python3' });
}

/** A file that its format accepts. */
export async function experimentFile(text: string, path = 'daily.py'): Promise<ExperimentFile> {
  const file = await readText(text, path);
  if (file.kind === 'unparsable') throw new Error(`line ${file.line}: ${file.message}`);
  return file;
}

/** The newest Python of this machine and its minor version; `python3` if no other is installed. */
export async function newestPython(): Promise<{ readonly python: string; readonly minor: number }> {
  for (const python of ['python3.14', 'python3.13', 'python3.12', 'python3']) {
    const ended = await execa(python, ['-I', '-S', '-c', 'import sys; print(sys.version_info[1])'], { reject: false });
    if (!ended.failed) return { python, minor: Number(ended.stdout) };
  }
  throw new Error('tests need Python 3.11 or newer on the PATH');
}

/** One reading, and the CPU time of its whole process. */
export async function childCpuSeconds(
  text: string,
): Promise<{ readonly reading: FileReading; readonly seconds: number }> {
  const reading = await readText(text);
  const driver = `
import resource, sys
space = {"__name__": "timed"}
exec(compile(sys.argv[1], "read_experiment.py", "exec"), space)
space["json"].dumps(space["read"](sys.stdin.buffer.read()))
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime)
`;
  const args = ['-I', '-S', '-W', 'ignore', '-c', driver, scriptText('read_experiment.py')];
  const { stdout } = await execa('python3', args, { input: text });
  return { reading, seconds: Number(stdout) };
}
