/** `ferrybot fix --log FILE --tree DIR`: the correction of a slip that a job died of, as a patch, or why there is none. */

import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { createDiagnosis } from '../../../diagnosis/diagnose.ts';
import type { NoFix } from '../../../diagnosis/fix/no-fix.ts';
import type { Fix } from '../../../diagnosis/fix/suggest-fix.ts';
import { known, type Observed } from '../../../domain/observed.ts';
import { noFixWords } from '../../../render/failure-words.ts';
import { fixSmallMistake } from '../../fix-small-mistake.ts';
import { smallFix } from '../../small-fix.ts';
import { logLines } from '../log-lines.ts';
import { readArgument } from '../read-argument.ts';
import { answer, EXIT, refused, type VerbIo } from '../verb-io.ts';

export type FixOptions = { readonly log: string; readonly tree: string };

/** Exit 0 with a patch for `git apply`, 1 without one. Nothing is written and no code is run. */
export async function fixVerb(io: VerbIo, { log, tree }: FixOptions): Promise<number> {
  try {
    const diagnosis = createDiagnosis();
    const stream = log === '-' ? io.stdin : createReadStream(resolve(io.cwd, log));
    for await (const line of logLines(stream)) diagnosis.read(line);
    const { class: kind, traceback } = diagnosis.conclude('FAILED');
    const looked: Observed<Fix | NoFix> =
      kind !== 'code-small' || traceback === null
        ? known({ kind: 'none', reason: 'not-small' })
        : await fixIn(io, tree, { ...traceback, error: traceback.message });
    if (looked.kind === 'unknown') return refused(io, { code: 'no-python', message: looked.why });
    const found = looked.value;
    const at = traceback === null ? '' : `${traceback.file}:${traceback.line}: ${traceback.message}\n`;
    if (found.kind === 'none') {
      const { reason } = found;
      answer(
        io,
        { fix: null, reason, class: kind, traceback },
        `${at}no fix (${reason}): ${noFixWords(reason)}\n`,
      );
      return EXIT.no;
    }
    const { path, line, diff } = found;
    answer(io, { fix: { path, line, diff }, reason: null, class: kind, traceback }, diff);
    return EXIT.yes;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return refused(io, { code: 'unreadable', message: error.message });
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
    fixSmallMistake(question, 'python3', io.environment['PATH'] ?? ''),
  );
}

/** Every file but those of folders that begin with a dot, such as git's own and a virtual environment; links are none. */
async function pathsIn(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')));
}
