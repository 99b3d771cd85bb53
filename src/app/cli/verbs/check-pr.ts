/** `ferrybot check-pr`: every launch gate on a local branch, before anyone opens a pull request. */

import { GitError } from '../../../domain/git.ts';
import { type Verdict, whyUnknown } from '../../../domain/launch/verdict.ts';
import { openCheckout } from '../../../host/git/checkout.ts';
import { whoCan } from '../../../render/card-gates.ts';
import { gateWords } from '../../../render/gate-words.ts';
import { readArgument } from '../read-argument.ts';
import { answer, EXIT, misused, pathOnly, type VerbIo } from '../verb-io.ts';
import { type BranchJudgement, judgeBranch } from './branch-gates.ts';

/** Exit 0 if nothing that can be told here holds it back, 1 if something does. What needs GitHub is unknown, and said so. */
export async function checkPrVerb(io: VerbIo, options: Options): Promise<number> {
  const { base = null, head, lane = null } = options;
  const body = options.body === undefined ? null : await readArgument(io, options.body);
  if (body?.ok === false) return misused(io, body.error);
  try {
    const checkout = await openCheckout(io.cwd, pathOnly(io));
    if (checkout === null) return misused(io, `${io.cwd} is in no git checkout`);
    const judged = await judgeBranch(checkout, {
      ...{ base, head, lane, body: body?.value ?? null },
      path: io.environment['PATH'] ?? '',
    });
    if (judged.kind === 'unusable') return misused(io, judged.why);
    tell(io, judged);
    return judged.ok ? EXIT.yes : EXIT.no;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return misused(io, error.message);
  }
}

type Options = {
  readonly base?: string | undefined;
  readonly head: string;
  readonly lane?: string | undefined;
  readonly body?: string | undefined;
};

function tell(io: VerbIo, judged: Extract<BranchJudgement, { kind: 'judged' }>): void {
  const { ok, base, head, failing, unknown, verdicts } = judged;
  const told = { ok, base, head, failing, unknown, verdicts: verdicts.map(inWords) };
  answer(io, told, verdicts.map(line).join(''));
}

/** The verdict as it is recorded, with its words and who can help beside it. */
function inWords(verdict: Verdict): object {
  const { found: says, remedy } = gateWords(verdict);
  return { ...verdict, says, remedy, who: whoCan(verdict.remedyBy) };
}

function line(verdict: Verdict): string {
  // Here nobody looks again by itself, as the card's words for an unknown say.
  const { found, remedy } =
    verdict.outcome === 'unknown' ? { found: whyUnknown(verdict), remedy: null } : gateWords(verdict);
  const todo = remedy === null ? '' : `; ${remedy} (${whoCan(verdict.remedyBy)})`;
  return `${verdict.outcome.padEnd(8)}${verdict.gate}: ${found}${todo}\n`;
}
