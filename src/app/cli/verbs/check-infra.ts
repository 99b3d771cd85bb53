/** `ferrybot check-infra [FILE...] [--mount-point PATH]`: set-up commands that write where a bucket may not be mounted. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { InfraFinding } from '../../../care/infra/lint.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { codeOf } from '../../../host/publish-once.ts';
import { INFRA_WORDS } from '../../../render/infra-check.ts';
import { lintClusterFile } from '../../lint-cluster-file.ts';
import { readArgument } from '../read-argument.ts';
import { EXIT, misused, type VerbIo } from '../verb-io.ts';

type Told = InfraFinding & { readonly file: string };

/** Exit 0 if nothing was found and everything was understood. Without a file: every YAML file of `infra/`. */
export async function checkInfraVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const flags = flagsOf(args);
  if (!flags.ok) return misused(io, wantsJson, flags.error);
  const files = flags.value.files.length > 0 ? flags.value.files : await infraFiles(io.cwd);
  if (files.length === 0) return misused(io, wantsJson, 'there is no infra/*.yaml here: name the files');
  const findings: Told[] = [];
  for (const file of files) {
    const text = await readArgument(io, file);
    if (!text.ok) return misused(io, wantsJson, text.error);
    const linted = lintClusterFile(text.value, flags.value.mountPoints);
    if (!linted.ok) return misused(io, wantsJson, `${file}: ${linted.error.what}`);
    findings.push(...linted.value.map((one) => ({ file, ...one })));
  }
  const isFine = findings.length === 0;
  if (wantsJson) io.stdout.write(`${JSON.stringify({ ok: isFine, files, findings })}\n`);
  else {
    for (const { file, line, code, mountPoint, what } of findings)
      io.stdout.write(
        `${file}:${line}: ${code}: ${mountPoint}: ${INFRA_WORDS[code]}: ${what.split('\n')[0] ?? ''}\n`,
      );
    if (isFine) io.stdout.write(`nothing writes where a bucket may not be mounted (${files.join(', ')})\n`);
  }
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

function flagsOf(
  args: readonly string[],
): Result<{ readonly files: readonly string[]; readonly mountPoints: readonly string[] }, string> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'mount-point': { type: 'string', multiple: true }, json: { type: 'boolean' } },
    });
    return ok({ files: positionals, mountPoints: values['mount-point'] ?? [] });
  } catch (error) {
    // parseArgs says what it does not know by throwing a TypeError.
    if (error instanceof TypeError) return fail(error.message);
    throw error;
  }
}
