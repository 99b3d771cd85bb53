/** `ferrybot check-consent PATH --thread N < comment.md`: whether a comment would consent to a change that a logbook has proposed. */

import { resolve } from 'node:path';
import { type ConsentContext, decideConsent } from '../../../commands/consent.ts';
import { readComment } from '../../../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../../../commands/registry.ts';
import { type Permission, permits } from '../../../domain/actor.ts';
import type { MutationKind } from '../../../domain/care/mutation.ts';
import { type MutationRecord, proposalShownAt } from '../../../domain/care/mutation-state.ts';
import type { CommentFacts } from '../../../domain/facts.ts';
import { branded, type Instant, isDigest } from '../../../domain/ids.ts';
import { type Hold, holdsOn } from '../../../domain/launch/hold.ts';
import { fold } from '../../../domain/logbook/fold.ts';
import { EMPTY_JOURNAL, foldJournal } from '../../../domain/logbook/journal-state.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import { known } from '../../../domain/observed.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { sha256Hex } from '../../../host/hash.ts';
import { JOURNAL } from '../../../logbook/rules.ts';
import { readInput } from '../read-argument.ts';
import { answer, EXIT, misused, pathOnly, refused, type VerbIo } from '../verb-io.ts';
import { findLogbookFiles, type LogbookFile } from './logbook-files.ts';
import { verifyFile } from './logbook-verify.ts';

const KINDS: Readonly<Record<string, readonly MutationKind[]>> = {
  'approve-node-delete': ['delete-tpu-vm'],
  'approve-disk-cleanup': ['clean-disk', 'init-worker'],
  'approve-start-cleanup': ['start-cleanup-cron'],
  'approve-checkpoint-cleanup': ['delete-checkpoint'],
};

/** Where and when the comment was written, and by whom as far as that decides. */
type Asked = {
  readonly thread: number;
  readonly at: Instant;
  readonly now?: Instant | undefined;
  readonly surface: CommentFacts['surface'];
  readonly permission: Permission;
  readonly needs: Permission;
  readonly bot: boolean;
};

type Verdict = {
  readonly command: string;
  readonly line: number;
  readonly code: string;
  readonly detail: Readonly<Record<string, string | number>>;
};

/**
 * Exit 0 if at least one command of the comment would be recorded as a consent. Judged: the comment's own text, thread and
 * time, its author's permission as given, and what is recorded. Whether the comment is still there, unedited and by that
 * author, and the live permission, is asked of GitHub by the runner, and stands in no file.
 */
export async function checkConsentVerb(io: VerbIo, path: string, asked: Asked): Promise<number> {
  const files = await findLogbookFiles(resolve(io.cwd, path), io.cwd, pathOnly(io));
  if (!files.ok) return misused(io, files.error);
  const bytes = await readInput(io);
  if (!bytes.ok) return misused(io, bytes.error);
  const place = placeIn(files.value, asked.thread);
  if (!place.ok) return refused(io, { code: 'logbook-broken', message: place.error });
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.value);
  const reading = readComment(body, COMMAND_DEFINITIONS, { otherBots: [] });
  const verdicts = reading.commands.flatMap(({ name, args: said, line }): readonly Verdict[] => {
    const kinds = KINDS[name];
    if (kinds === undefined) return [];
    const { code, detail } = decideConsent(context(asked, place.value, body, said), kinds);
    return [{ command: `/${name}`, line, code, detail }];
  });
  const { errors, ignored } = reading;
  const isBot = asked.bot;
  const mayConsent = permits(asked.permission, asked.needs);
  const isConsent = !isBot && mayConsent && verdicts.some(isGiven);
  const words = [
    ...(isBot ? ['a bot gives no commands'] : []),
    ...(mayConsent ? [] : ['its author may not consent']),
    ...verdicts.map(
      ({ line, command, code, detail }) => `line ${line}: ${command}: ${code} ${JSON.stringify(detail)}`,
    ),
    ...(verdicts.length === 0 ? ['no command of it consents to anything'] : []),
  ];
  answer(io, { ok: isConsent, verdicts, isBot, mayConsent, errors, ignored }, `${words.join('\n')}\n`);
  return isConsent ? EXIT.yes : EXIT.no;
}

function isGiven({ code }: Verdict): boolean {
  return code === 'consented';
}

function context(
  { thread, at, now = at, surface }: Asked,
  { mutations, holds }: Place,
  body: string,
  args: Readonly<Record<string, string>>,
): ConsentContext {
  const author = { id: 0, login: 'author' };
  return {
    now,
    actor: author,
    args,
    comment: {
      surface,
      id: 0,
      nodeId: '',
      thread,
      author,
      authorIsBot: false,
      byUs: false,
      byOwnApp: false,
      marker: null,
      body,
      bodyDigest: branded(`sha256:${sha256Hex(body)}`, isDigest),
      createdAt: at,
      updatedAt: at,
      editedAt: null,
      minimized: false,
      commit: null,
    },
    mutations: known(mutations),
    // What GitHub shows stands in no file: from the record on is the most that it can have been shown.
    showings: new Map(mutations.map((one) => [one.digest, known(proposalShownAt(one))])),
    holds: known(holds),
  };
}

/** What a thread can see: changes of its run and of the journal, and what holds them back. */
type Place = { readonly mutations: readonly MutationRecord[]; readonly holds: readonly Hold[] };

/** Reads the records as control would for this thread; an error where one of them does not verify. */
function placeIn(files: readonly LogbookFile[], thread: number): Result<Place, string> {
  let own: RunState | null = null;
  let journal = EMPTY_JOURNAL;
  for (const file of files) {
    const { run, bad, verification } = verifyFile(file, { keys: null, head: null });
    // A record that is not over needs no anchor to be read.
    if (bad !== null && bad.reason !== 'unanchored')
      return fail(`${bad.file}:${bad.line}: ${bad.message}: nothing can be consented to on a broken record`);
    if (run.run === JOURNAL) {
      journal = foldJournal(verification.events);
      continue;
    }
    const state = fold(verification.events);
    if (!state.ok) return fail(`${run.run}: ${state.error.rule}`);
    if (isThreadOf(state.value, thread)) own = state.value;
  }
  if (own === null) return ok({ mutations: journal.mutations, holds: journal.holds });
  return ok({
    mutations: [...own.mutations, ...journal.mutations],
    holds: [...own.holds, ...holdsOn(journal.holds, own.proposal)],
  });
}

function isThreadOf(state: RunState | null, thread: number): boolean {
  return state !== null && [state.proposal.issue, state.proposal.pull].includes(thread);
}
