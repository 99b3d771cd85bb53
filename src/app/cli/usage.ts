/** What `ferrybot --help` and `ferrybot VERB --help` say, and how an unknown verb is answered. */

import { EXIT, type VerbIo } from './verb-io.ts';
import { VERBS, type VerbEntry } from './verb-table.ts';

const EXITS = 'Exit 0 = yes, 1 = no (the JSON says why), 2 = used wrongly.';
/** The longest usage that stands on one line with its summary. */
const USAGE_WIDTH = 44;

/** True where the arguments ask what there is instead of giving work. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.some((arg) => arg === '--help' || arg === '-h');
}

/** Tells one verb; with --json as one value. Exit 0. */
export function tellVerb(io: VerbIo, wantsJson: boolean, name: string, entry: VerbEntry): number {
  const { usage, summary } = entry;
  const line = `ferrybot ${`${name} ${usage}`.trim()} [--json]`;
  io.stdout.write(
    wantsJson
      ? `${JSON.stringify({ ok: true, error: null, verb: name, usage: line, summary })}\n`
      : `${line}\n\n${summary}\n\n${EXITS}\n`,
  );
  return EXIT.yes;
}

/** Tells all verbs, or those of a group such as `logbook`. Exit 0 where `error` is null, otherwise 2. */
export function tellVerbs(io: VerbIo, wantsJson: boolean, group: string, error: string | null): number {
  const told = Object.entries(VERBS).filter(([name]) => group === '' || name.startsWith(`${group} `));
  if (wantsJson) {
    const verbs = told.map(([name]) => name);
    const answer = {
      ok: error === null,
      error: error === null ? null : { code: 'usage', message: error },
      verbs,
    };
    io.stdout.write(`${JSON.stringify(answer)}\n`);
  } else {
    const lines = told.map(
      ([name, { usage, summary }]) => `  ${`${name} ${usage}`.trim().padEnd(USAGE_WIDTH)} ${summary}`,
    );
    const text = `ferrybot <verb> [--json]; ferrybot <verb> --help\n\n${lines.join('\n')}\n\n${EXITS}\n`;
    if (error === null) io.stdout.write(text);
    else io.stderr.write(`${error}\n\n${text}`);
  }
  return error === null ? EXIT.yes : EXIT.usedWrongly;
}
