/** `ferrybot read-comment < comment.md`: lists the commands in a comment, and why other slash words do not fire. */

import { readComment } from '../../../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../../commands/registry.ts';
import { answer, EXIT, misused, readInputText, type VerbIo } from '../verb-io.ts';

/** Exit 0 if at least one command fires. */
export async function readCommentVerb(io: VerbIo, otherBots: readonly string[]): Promise<number> {
  const text = await readInputText(io);
  if (!text.ok) return misused(io, text.error);
  const reading = readComment(text.value, COMMAND_DEFINITIONS, { otherBots });
  const lines = [
    ...reading.commands.map((c) => `line ${c.line}: ${c.source}\n`),
    ...reading.errors.map(
      (e) =>
        `line ${e.line}, column ${e.column}: ${e.word}: ${e.code}${e.suggest === undefined ? '' : `, did you mean ${e.suggest}?`}\n`,
    ),
    ...reading.ignored.map((i) => `line ${i.line}: ${i.word} does not fire: ${i.reason}\n`),
  ];
  answer(io, reading, lines.join(''));
  return reading.commands.length > 0 ? EXIT.yes : EXIT.no;
}
