/** `ferrybot check-config [file]`: every problem of a config with line and column. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type InfraFinding, lintClusterFile } from '../../../care/infra/lint.ts';
import { branded, isInstant } from '../../../domain/values.ts';
import { codeOf } from '../../../host/files.ts';
import { INFRA_WORDS } from '../../../render/check.ts';
import { readLabConfig } from '../../config-source.ts';
import { answer, EXIT, misused, readArgument, type VerbIo } from '../verb-io.ts';

/** Exit 0 if the config is valid, with or without warnings. */
export async function checkConfigVerb(io: VerbIo, file: string): Promise<number> {
  const text = await readArgument(io, file);
  if (!text.ok) return misused(io, text.error);
  const reading = readLabConfig(text.value, branded(Date.now(), isInstant));
  const problems = reading.kind === 'valid' ? reading.warnings : reading.problems;
  const lines = problems.map(
    (p) =>
      `${file}:${p.line}:${p.column}: ${p.severity}: ${p.path === '' ? '' : `${p.path}: `}${p.message}\n`,
  );
  const isValid = reading.kind === 'valid';
  answer(io, { ok: isValid, problems }, `${lines.join('')}${isValid ? `${file} is valid\n` : ''}`);
  return isValid ? EXIT.yes : EXIT.no;
}

type Told = InfraFinding & { readonly file: string };

/** Exit 0 without findings. Without a file, reads every YAML file of `infra/`. */
export async function checkInfraVerb(
  io: VerbIo,
  named: readonly string[],
  mountPoints: readonly string[],
): Promise<number> {
  const files = named.length > 0 ? named : await infraFiles(io.cwd);
  if (files.length === 0) return misused(io, 'there is no infra/*.yaml here: name the files');
  const findings: Told[] = [];
  for (const file of files) {
    const text = await readArgument(io, file);
    if (!text.ok) return misused(io, text.error);
    findings.push(...lintClusterFile(text.value, mountPoints).map((one) => ({ file, ...one })));
  }
  const isFine = findings.length === 0;
  const lines = findings.map(
    ({ file, line, code, mountPoint, what }) =>
      `${file}:${line}: ${code}: ${mountPoint}: ${INFRA_WORDS[code]}: ${what.split('\n')[0] ?? ''}\n`,
  );
  const fine = `nothing writes where a bucket may not be mounted (${files.join(', ')})\n`;
  answer(io, { ok: isFine, files, findings }, isFine ? fine : lines.join(''));
  return isFine ? EXIT.yes : EXIT.no;
}

async function infraFiles(cwd: string): Promise<readonly string[]> {
  try {
    const names = await readdir(join(cwd, 'infra'));
    return names
      .filter((name) => /\.ya?ml$/.test(name))
      .toSorted()
      .map((name) => `infra/${name}`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
