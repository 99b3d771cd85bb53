/** `ferrybot delta base.py head.py`: the config delta of two files. */

import type { Delta } from '../../../domain/launch/delta.ts';
import { createPythonParser } from '../../../host/python-parser.ts';
import { decodePython, type PythonText } from '../../../host/python-text.ts';
import { configDelta } from '../../../kinds/ferry/delta/config-delta.ts';
import { readArgumentBytes } from '../read-argument.ts';
import { EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 for none and knobs, 1 for structural and unparsable. */
export async function deltaVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const files = args.filter((arg) => arg !== '--json');
  const option = files.find((arg) => arg.startsWith('-'));
  if (option !== undefined) return misused(io, wantsJson, `delta does not know ${option}`);
  const [base, head] = files;
  if (files.length !== 2 || base === undefined || head === undefined)
    return misused(io, wantsJson, 'delta takes two files: the base and the head version');
  const texts: PythonText[] = [];
  for (const file of [base, head]) {
    const bytes = await readArgumentBytes(io, file);
    if (!bytes.ok) return misused(io, wantsJson, bytes.error);
    texts.push(decodePython(bytes.value));
  }
  const delta = await deltaOf(texts[0] ?? EMPTY, texts[1] ?? EMPTY);
  if (wantsJson) io.stdout.write(`${JSON.stringify(delta)}\n`);
  else if (delta.kind === 'knobs') {
    for (const c of delta.changes)
      io.stdout.write(
        `line ${c.line}: ${c.path}: ${c.before ?? '(absent)'} -> ${c.after ?? '(absent)'}${c.bucket === null ? '' : ` [${c.bucket}]`}\n`,
      );
  } else if (delta.kind === 'none') io.stdout.write('no change of the configuration\n');
  else
    io.stdout.write(
      `${delta.kind}: ${delta.side}, line ${delta.line}: ${delta.kind === 'structural' ? delta.statement : delta.message}\n`,
    );
  return delta.kind === 'none' || delta.kind === 'knobs' ? EXIT.yes : EXIT.no;
}

const EMPTY: PythonText = { ok: true, text: '' };

async function deltaOf(base: PythonText, head: PythonText): Promise<Delta> {
  if (!base.ok) return { kind: 'unparsable', side: 'base', line: base.line, message: NOT_UTF8 };
  if (!head.ok) return { kind: 'unparsable', side: 'head', line: head.line, message: NOT_UTF8 };
  const parser = await createPythonParser();
  return configDelta(parser.parse(base.text), parser.parse(head.text));
}

const NOT_UTF8 = 'the file is not UTF-8';
