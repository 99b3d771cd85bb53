#!/usr/bin/env node
/** `ferrybot <verb>`: every capability of the core has a door here, so that a person can ask without a server. */

import { EXIT, type VerbIo } from './verb-io.ts';
import { VERBS } from './verb-table.ts';

const io: VerbIo = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  cwd: process.cwd(),
  environment: process.env,
};

/** The longest verb that the arguments begin with: `logbook verify` before `logbook`. */
function findVerb(
  args: readonly string[],
): { readonly name: string; readonly rest: readonly string[] } | null {
  for (const length of [2, 1]) {
    const name = args.slice(0, length).join(' ');
    if (VERBS[name] !== undefined) return { name, rest: args.slice(length) };
  }
  return null;
}

async function main(args: readonly string[]): Promise<number> {
  const found = findVerb(args);
  const verb = found === null ? undefined : VERBS[found.name];
  if (found !== null && verb !== undefined) return (await verb.load())(found.rest, io);
  const asked = args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '');
  const lines = Object.entries(VERBS).map(
    ([name, { usage, summary }]) => `  ${`${name} ${usage}`.trim().padEnd(44)} ${summary}`,
  );
  const text = `ferrybot <verb> [--json]\n\n${lines.join('\n')}\n\nExit 0 = yes, 1 = no (the JSON says why), 2 = used wrongly.\n`;
  if (args.includes('--json'))
    io.stdout.write(
      `${JSON.stringify({ ok: asked, error: asked ? null : { code: 'usage', message: `unknown verb ${args[0]}` }, verbs: Object.keys(VERBS) })}\n`,
    );
  else (asked ? io.stdout : io.stderr).write(asked ? text : `unknown verb: ${args[0]}\n\n${text}`);
  return asked ? EXIT.yes : EXIT.usedWrongly;
}

process.exitCode = await main(process.argv.slice(2));
