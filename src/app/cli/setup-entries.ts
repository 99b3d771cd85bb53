/** The set-up commands of a cluster's file in Ray's own form, each with the line that it begins at. */

import { isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { SetupEntry } from '../../care/infra/lint.ts';
import { fail, ok, type Result } from '../../domain/result.ts';

/** Entries of every list whose key ends in `_commands`, in the order of the file; an error is one line for people. */
export function setupEntries(text: string): Result<readonly SetupEntry[], string> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) return fail(error.message.split('\n')[0] ?? 'no YAML');
  const entries: SetupEntry[] = [];
  visit(document, {
    Pair: (_key, pair) => {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      if (!key.endsWith('_commands') || !isSeq(pair.value)) return;
      for (const item of pair.value.items) {
        if (!isScalar(item) || typeof item.value !== 'string') continue;
        const { line } = lines.linePos(item.range?.[0] ?? 0);
        // The text of a block begins on the line after its sign.
        const isBlock = item.type === 'BLOCK_LITERAL' || item.type === 'BLOCK_FOLDED';
        entries.push({ key, text: item.value, line: isBlock ? line + 1 : line });
      }
    },
  });
  return ok(entries);
}
