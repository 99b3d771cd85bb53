/** `ferrybot read-comment < comment.md`: the commands of a comment, and for each slash word that does not fire, why. */

import { readComment } from '../../../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../../commands/registry.ts';
import { readInput } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 if at least one valid command fires. */
export async function readCommentVerb(io: VerbIo, otherBots: readonly string[]): Promise<number> {
  const bytes = await readInput(io);
  if (!bytes.ok) return misused(io, bytes.error);
  // A mark at the start is a character of the comment, as it is when the comment comes from GitHub.
  const markdown = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.value);
  const reading = readComment(markdown, COMMAND_DEFINITIONS, { otherBots });
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
