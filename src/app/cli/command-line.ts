/** Parses the command line, calls the verb, and converts its outcome into text or one JSON value, and an exit code. */

import { inspect } from 'node:util';
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import manifest from '../../../package.json' with { type: 'json' };
import { EXIT, refuse, usageError, type VerbIo } from './verb-io.ts';
import { addVerbs } from './verbs.ts';

const EXITS = 'Exit codes: 0 yes, 1 no (the JSON has the reason), 2 usage error.';

/** Runs the command line. Accepts `--json` at any position, so that usage errors are JSON, too. */
export async function runCommandLine(given: readonly string[], io: Omit<VerbIo, 'json'>): Promise<number> {
  const args = given.filter((arg) => arg !== '--json');
  const verbIo: VerbIo = { ...io, json: args.length < given.length };
  let code: number = EXIT.yes;
  const program = createProgram(verbIo, (exit) => {
    code = exit;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeForError(error, verbIo);
    // A bug: print the whole error, and give scripts their JSON value.
    io.stderr.write(`${inspect(error)}\n`);
    const message = error instanceof Error ? error.message : String(error);
    return verbIo.json ? refuse(verbIo, { code: 'broken', message }) : EXIT.no;
  }
}

function createProgram(io: VerbIo, exit: (code: number) => void): CommandUnknownOpts {
  const program = new Command('ferrybot')
    .usage('<verb> [--json]; ferrybot <verb> --help')
    .helpOption('-h, --help', 'shows this help')
    .version(formatVersion(io), '-V, --version', 'the version of ferrybot')
    .exitOverride()
    .configureHelp(io.json ? { formatHelp: (asked) => `${JSON.stringify(helpAsJson(asked))}\n` } : {})
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // The catch block writes the JSON value of a usage error.
      writeErr: (text) => (io.json ? undefined : io.stderr.write(text)),
      outputError: (text, write) =>
        write(`${text.replace(/^error: /, '')}Run \`ferrybot --help\` to list the verbs.\n`),
    });
  addVerbs(program, io, exit);
  if (!io.json) program.addHelpText('afterAll', `\n${EXITS}`);
  for (const verb of listVerbs(program)) {
    rejectRepeatedOptions(verb);
    verb.option('--json', 'one JSON value on standard output');
    const help = `Run \`ferrybot ${verbName(verb)} --help\` for the arguments.\n`;
    verb.configureOutput({ outputError: (text, write) => write(`${text.replace(/^error: /, '')}${help}`) });
  }
  return program;
}

function formatVersion({ json }: VerbIo): string {
  const { version } = manifest;
  return json ? JSON.stringify({ ok: true, error: null, version }) : version;
}

/** Rejects repeated options; commander would silently use the last value. */
function rejectRepeatedOptions(verb: CommandUnknownOpts): void {
  for (const option of verb.options.filter(({ defaultValue }) => !Array.isArray(defaultValue))) {
    let times = 0;
    verb.on(`option:${option.name()}`, () => {
      times += 1;
      if (times > 1) verb.error(`${verbName(verb)} takes ${option.long} once`);
    });
  }
}

function exitCodeForError(error: CommanderError, io: VerbIo): number {
  if (error.exitCode === 0) return EXIT.yes;
  if (!io.json) return EXIT.usedWrongly;
  const message = error.code === 'commander.help' ? 'no verb was given' : error.message;
  return usageError(io, message.replace(/^error: /, ''));
}

function helpAsJson(asked: CommandUnknownOpts): object {
  if (asked.commands.length > 0) return { ok: true, error: null, verbs: listVerbs(asked).map(verbName) };
  const [verb, usage] = [verbName(asked), asked.usage()];
  return {
    ok: true,
    error: null,
    verb,
    usage: `ferrybot ${verb} ${usage}`.trim(),
    summary: asked.description(),
  };
}

function listVerbs(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return command.commands.flatMap((one) => (one.commands.length === 0 ? [one] : listVerbs(one)));
}

/** The verb's name as typed, for example `logbook verify`. */
function verbName(verb: CommandUnknownOpts): string {
  const group = verb.parent;
  return group === null || group.parent === null ? verb.name() : `${verbName(group)} ${verb.name()}`;
}
