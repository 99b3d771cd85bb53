/** `ferrybot delta base.py head.py`: the config delta of two files. */

import { configDelta } from '../../../delta/config-delta.ts';
import type { Delta } from '../../../domain/launch/delta.ts';
import type { PySyntax } from '../../../domain/python-syntax.ts';
import { judgedByPython } from '../../../host/python-compile.ts';
import { createPythonParser } from '../../../host/python-parser.ts';
import { decodePython, type PythonText } from '../../../host/python-text.ts';
import { readArgumentBytes } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 for none and knobs, 1 for structural and unparsable. */
export async function deltaVerb(io: VerbIo, base: string, head: string): Promise<number> {
  const texts: PythonText[] = [];
  for (const file of [base, head]) {
    const bytes = await readArgumentBytes(io, file);
    if (!bytes.ok) return misused(io, bytes.error);
    texts.push(decodePython(bytes.value));
  }
  const delta = await deltaOf(io, texts[0] ?? EMPTY, texts[1] ?? EMPTY);
  answer(io, delta, words(delta));
  return delta.kind === 'none' || delta.kind === 'knobs' ? EXIT.yes : EXIT.no;
}

function words(delta: Delta): string {
  if (delta.kind === 'none') return 'no change of the configuration\n';
  if (delta.kind === 'knobs')
    return delta.changes
      .map(
        (c) =>
          `line ${c.line}: ${c.path}: ${c.before ?? '(absent)'} -> ${c.after ?? '(absent)'}${c.bucket === null ? '' : ` [${c.bucket}]`}\n`,
      )
      .join('');
  return `${delta.kind}: ${delta.side}, line ${delta.line}: ${delta.kind === 'structural' ? delta.statement : delta.message}\n`;
}

const EMPTY: PythonText = { ok: true, text: '' };

async function deltaOf(io: VerbIo, base: PythonText, head: PythonText): Promise<Delta> {
  if (!base.ok) return { kind: 'unparsable', side: 'base', line: base.line, message: NOT_UTF8 };
  if (!head.ok) return { kind: 'unparsable', side: 'head', line: head.line, message: NOT_UTF8 };
  const parser = await createPythonParser();
  const judged = (text: string): Promise<PySyntax> =>
    judgedByPython(parser.parse(text), 'python3', io.environment['PATH'] ?? '');
  return configDelta(await judged(base.text), await judged(head.text));
}

const NOT_UTF8 = 'the file is not UTF-8';
