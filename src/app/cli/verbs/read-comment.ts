/** `ferrybot read-comment < comment.md`: lists the commands in a comment, and why other slash words do not fire. */

import { readComment } from '../../../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../../commands/registry.ts';
import { ERRORS, PLACES } from '../../../render/answer-words.ts';
import { EXIT, readInputText, reply, usageError, type VerbIo } from '../verb-io.ts';

/** Exit 0 if at least one command fires. */
export async function readCommentVerb(io: VerbIo, otherBots: readonly string[]): Promise<number> {
  const text = await readInputText(io);
  if (!text.ok) return usageError(io, text.error);
  const reading = readComment(text.value, COMMAND_DEFINITIONS, { otherBots });
  const lines = [
    ...reading.commands.map(({ line, source }) => `line ${line}: ${source} runs.\n`),
    ...reading.errors.map(
      ({ line, column, word, code, suggest }) =>
        `line ${line}, column ${column}: ${word} does not run: ${ERRORS[code]}.${suggest === undefined ? '' : ` Did you mean ${suggest}?`}\n`,
    ),
    ...reading.ignored.map(({ line, word, reason }) => `line ${line}: ${word} does not run: ${PLACES[reason]}.\n`),
  ];
  reply(io, reading, lines.length === 0 ? 'The comment has no command.\n' : lines.join(''));
  return reading.commands.length > 0 ? EXIT.yes : EXIT.no;
}
