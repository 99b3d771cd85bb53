/** `ferrybot fix`: a patch for the small error that failed a job. */

import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { createDiagnosis } from '../../../diagnosis/diagnose.ts';
import type { NoFix } from '../../../diagnosis/fix/suggest-fix.ts';
import { known, type Observed } from '../../../domain/values.ts';
import { explainNoFix } from '../../../render/failure-words.ts';
import { askPythonForFix, type Fix, smallFix } from '../../small-fix.ts';
import { EXIT, forTerminal, readArgument, readLogLines, refuse, reply, type VerbIo } from '../verb-io.ts';

type FixOptions = { readonly log: string; readonly tree: string };

/** Exit 0 with a patch for `git apply`, 1 without a patch. Writes nothing and runs no code from the tree. */
export async function fixVerb(io: VerbIo, { log, tree }: FixOptions): Promise<number> {
  try {
    const diagnosis = createDiagnosis();
    const stream = log === '-' ? io.stdin : createReadStream(resolve(io.cwd, log));
    for await (const line of readLogLines(stream)) diagnosis.read(line);
    const { class: kind, traceback } = diagnosis.conclude('FAILED');
    const looked: Observed<Fix | NoFix> =
      kind !== 'code-small' || traceback === null
        ? known({ kind: 'none', reason: 'not-small' })
        : await fixIn(io, tree, { ...traceback, error: traceback.message });
    if (looked.kind === 'unknown') return refuse(io, { code: 'no-python', message: looked.why });
    const found = looked.value;
    const at = traceback === null ? '' : `${traceback.file}:${traceback.line}: ${traceback.message}\n`;
    if (found.kind === 'none') {
      const { reason } = found;
      reply(io, { fix: null, reason, class: kind, traceback }, `${at}no fix: ${forTerminal(explainNoFix(reason))}\n`);
      return EXIT.no;
    }
    const { path, line, diff } = found;
    reply(io, { fix: { path, line, diff }, reason: null, class: kind, traceback }, diff);
    return EXIT.yes;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return refuse(io, { code: 'unreadable', message: error.message });
  }
}

async function fixIn(
  io: VerbIo,
  tree: string,
  failure: Parameters<typeof smallFix>[1],
): Promise<Observed<Fix | NoFix>> {
  const root = resolve(io.cwd, tree);
  const textOf = async (path: string): Promise<string | null> => {
    const text = await readArgument(io, join(root, path));
    return text.ok ? text.value : null;
  };
  return smallFix({ paths: () => pathsIn(root), textOf, mayChange: () => true }, failure, (question) =>
    askPythonForFix(question, 'python3', io.environment['PATH'] ?? ''),
  );
}

/** Lists regular files outside of dot folders, such as `.git` and virtual environments. */
async function pathsIn(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')));
}
