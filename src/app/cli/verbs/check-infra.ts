/** `ferrybot check-infra [FILE...] [--mount-point PATH]`: setup commands that write where a bucket may not be mounted. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type InfraFinding, lintClusterFile } from '../../../care/infra/lint.ts';
import { codeOf } from '../../../host/publish-once.ts';
import { INFRA_WORDS } from '../../../render/check.ts';
import { readArgument } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

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
