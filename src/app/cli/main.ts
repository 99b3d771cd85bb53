#!/usr/bin/env node
/** `ferrybot <verb>`: every capability of the core has a door here, so that a person can ask without a server. */

import { parseArgs } from 'node:util';
import { takePrivateEnvironment } from '../../host/private-environment.ts';
import { asksForHelp, tellVerb, tellVerbs } from './usage.ts';
import { EXIT, misused, type VerbIo } from './verb-io.ts';
import { VERBS, type VerbEntry } from './verb-table.ts';

const io: VerbIo = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  cwd: process.cwd(),
  environment: process.env,
};

type Found = { readonly name: string; readonly entry: VerbEntry; readonly rest: readonly string[] };

/** The longest verb that the arguments begin with: `logbook verify` before `logbook`. */
function findVerb(args: readonly string[]): Found | null {
  for (const length of [2, 1]) {
    const name = args.slice(0, length).join(' ');
    const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (entry !== undefined) return { name, entry, rest: args.slice(length) };
  }
  return null;
}

async function main(args: readonly string[]): Promise<number> {
  const wantsJson = args.includes('--json');
  const found = findVerb(args);
  if (found === null) return noVerb(args, wantsJson);
  const { name, entry, rest } = found;
  if (asksForHelp(rest)) return tellVerb(io, wantsJson, name, entry);
  const twice = givenTwice(rest, entry);
  if (twice !== null) return misused(io, wantsJson, `${name} takes --${twice} once`);
  try {
    // Programs of the lab that it starts could read its keys as they came.
    const environment = entry.holdsKeys === true ? takePrivateEnvironment() : io.environment;
    return await (await entry.load())(rest, { ...io, environment });
  } catch (error) {
    // A bug, or a world that no verb foresaw: told whole to people, and a script gets its one value.
    console.error(error);
    const message = error instanceof Error ? error.message : String(error);
    if (wantsJson) io.stdout.write(`${JSON.stringify({ ok: false, error: { code: 'broken', message } })}\n`);
    return EXIT.no;
  }
}

/** The first option that is there twice and counts once: nobody can say which of them was meant. */
function givenTwice(args: readonly string[], { repeats = [] }: VerbEntry): string | null {
  const { tokens } = parseArgs({ args: [...args], strict: false, allowPositionals: true, tokens: true });
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
  const once = names.filter((name) => name !== 'json' && !repeats.includes(name));
  return once.find((name, index) => once.indexOf(name) !== index) ?? null;
}

function noVerb(args: readonly string[], wantsJson: boolean): number {
  const [word] = args.filter((arg) => arg !== '--json');
  if (args.length === 0 || word === 'help') return tellVerbs(io, wantsJson, '', null);
  if (word === undefined) return tellVerbs(io, wantsJson, '', 'no verb was given');
  if (asksForHelp([word])) return tellVerbs(io, wantsJson, '', null);
  const isGroup = Object.keys(VERBS).some((name) => name.startsWith(`${word} `));
  if (!isGroup) return tellVerbs(io, wantsJson, '', `unknown verb: ${word}`);
  return tellVerbs(io, wantsJson, word, asksForHelp(args) ? null : `${word} needs one of its verbs`);
}

/** A reader that closed early (`| head`) wants no more: nothing is written any more, and the exit code stays the answer's. */
function endsWithItsReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error;
  });
}

endsWithItsReader(process.stdout);
endsWithItsReader(process.stderr);
const [first, ...rest] = process.argv.slice(2);
// Before the verb it means the same.
process.exitCode = await main(first === '--json' ? [...rest, first] : process.argv.slice(2));
