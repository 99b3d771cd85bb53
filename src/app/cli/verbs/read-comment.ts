/** `ferrybot read-comment < comment.md`: the commands of a comment, and for each slash word that does not fire, why. */

import { readComment } from '../../../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../../commands/registry.ts';
import { readInput } from '../read-argument.ts';
import { EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 if at least one valid command fires. `--other-bot /word` may be given several times. */
export async function readCommentVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const otherBots: string[] = [];
  const rest = args.filter((arg) => arg !== '--json');
  while (rest.length > 0) {
    const [flag, word] = rest.splice(0, 2);
    if (flag !== '--other-bot' || word === undefined)
      return misused(
        io,
        wantsJson,
        `read-comment reads standard input and takes only --other-bot /word; found ${flag}`,
      );
    otherBots.push(word);
  }
  const bytes = await readInput(io);
  if (!bytes.ok) return misused(io, wantsJson, bytes.error);
  // A mark at the start is a character of the comment, as it is when the comment comes from GitHub.
  const markdown = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.value);
  const reading = readComment(markdown, COMMAND_DEFINITIONS, { otherBots });
  if (wantsJson) io.stdout.write(`${JSON.stringify(reading)}\n`);
  else {
    for (const c of reading.commands) io.stdout.write(`line ${c.line}: ${c.source}\n`);
    for (const e of reading.errors)
      io.stdout.write(
        `line ${e.line}, column ${e.column}: ${e.word}: ${e.code}${e.suggest === undefined ? '' : `, did you mean ${e.suggest}?`}\n`,
      );
    for (const i of reading.ignored)
      io.stdout.write(`line ${i.line}: ${i.word} does not fire: ${i.reason}\n`);
  }
  return reading.commands.length > 0 ? EXIT.yes : EXIT.no;
}
