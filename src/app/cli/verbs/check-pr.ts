/** `ferrybot check-pr`: every launch gate on a local branch, before anyone opens a pull request. */

import { parseArgs } from 'node:util';
import { GitError } from '../../../domain/git.ts';
import type { Verdict } from '../../../domain/launch/verdict.ts';
import { openCheckout } from '../../../host/git/checkout.ts';
import { gateWords } from '../../../render/gate-words.ts';
import { whoCan } from '../../../render/who-can.ts';
import { readArgument } from '../read-argument.ts';
import { EXIT, misused, pathOnly, type VerbIo } from '../verb-io.ts';
import { type BranchJudgement, judgeBranch } from './branch-gates.ts';

/** Exit 0 if nothing that can be told here holds it back, 1 if something does. What needs GitHub is unknown, and said so. */
export async function checkPrVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const options = optionsOf(args);
  if (options === null)
    return misused(
      io,
      wantsJson,
      'check-pr takes --base REF, --head REF, --lane NAME, --body FILE and --json',
    );
  const body = options.body === null ? null : await readArgument(io, options.body);
  if (body !== null && !body.ok) return misused(io, wantsJson, body.error);
  try {
    const checkout = await openCheckout(io.cwd, pathOnly(io));
    if (checkout === null) return misused(io, wantsJson, `${io.cwd} is in no git checkout`);
    const judged = await judgeBranch(checkout, { ...options, body: body?.value ?? null });
    if (judged.kind === 'unusable') return misused(io, wantsJson, judged.why);
    tell(io, wantsJson, judged);
    return judged.ok ? EXIT.yes : EXIT.no;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return misused(io, wantsJson, error.message);
  }
}

type Options = {
  readonly base: string | null;
  readonly head: string;
  readonly lane: string | null;
  readonly body: string | null;
};

/** Null for an option that is not known, or a word too many. */
function optionsOf(args: readonly string[]): Options | null {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { base: text, head: text, lane: text, body: text, json: { type: 'boolean' } },
    });
    const { base = null, head = 'HEAD', lane = null, body = null } = values;
    return { base, head, lane, body };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function tell(io: VerbIo, wantsJson: boolean, judged: Extract<BranchJudgement, { kind: 'judged' }>): void {
  const { ok, base, head, failing, unknown, verdicts } = judged;
  if (!wantsJson) for (const verdict of verdicts) io.stdout.write(line(verdict));
  else
    io.stdout.write(
      `${JSON.stringify({ ok, base, head, failing, unknown, verdicts: verdicts.map(inWords) })}\n`,
    );
}

/** The verdict as it is recorded, with its words and who can help beside it. */
function inWords(verdict: Verdict): object {
  const { found: says, remedy } = gateWords(verdict);
  return { ...verdict, says, remedy, who: whoCan(verdict.remedyBy) };
}

function line(verdict: Verdict): string {
  // Here nobody looks again by itself, as the card's words for an unknown say.
  const { found, remedy } =
    verdict.outcome === 'unknown'
      ? { found: String(verdict.found['why'] ?? ''), remedy: null }
      : gateWords(verdict);
  const todo = remedy === null ? '' : `; ${remedy} (${whoCan(verdict.remedyBy)})`;
  return `${verdict.outcome.padEnd(8)}${verdict.gate}: ${found}${todo}\n`;
}
