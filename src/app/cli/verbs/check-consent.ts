/** `ferrybot check-consent PATH --thread N < comment.md`: whether a comment would approve a change that a logbook proposes. */

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
import { readInputText } from '../read-argument.ts';
import { answer, EXIT, misused, pathOnly, refused, type VerbIo } from '../verb-io.ts';
import { findLogbookFiles, type LogbookFile } from './logbook-files.ts';
import { recordedEvents } from './logbook-verify.ts';

const KINDS: Readonly<Record<string, readonly MutationKind[]>> = {
  'approve-node-delete': ['delete-tpu-vm'],
  'approve-disk-cleanup': ['clean-disk', 'init-worker'],
  'approve-start-cleanup': ['start-cleanup-cron'],
  'approve-checkpoint-cleanup': ['delete-checkpoint'],
};

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
 * Exit 0 if at least one command would be recorded as an approval. Judges the given text, thread, time and permission against the record.
 * The runner also asks GitHub for the comment and the live permission.
 */
export async function checkConsentVerb(io: VerbIo, path: string, asked: Asked): Promise<number> {
  const files = await findLogbookFiles(resolve(io.cwd, path), io.cwd, pathOnly(io));
  if (!files.ok) return misused(io, files.error);
  const text = await readInputText(io);
  if (!text.ok) return misused(io, text.error);
  const place = placeIn(files.value, asked.thread);
  if (!place.ok) return refused(io, { code: 'logbook-broken', message: place.error });
  const body = text.value;
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
    // Files do not tell when a proposal was shown; the record's time is the earliest possible one.
    showings: new Map(mutations.map((one) => [one.digest, known(proposalShownAt(one))])),
    holds: known(holds),
  };
}

/** Changes and holds that apply to a thread. */
type Place = { readonly mutations: readonly MutationRecord[]; readonly holds: readonly Hold[] };

/** Reads the records for this thread; an error if one does not verify. */
function placeIn(files: readonly LogbookFile[], thread: number): Result<Place, string> {
  let own: RunState | null = null;
  let journal = EMPTY_JOURNAL;
  for (const file of files) {
    const read = recordedEvents(file);
    if (!read.ok) return fail(`${read.error.message}: nothing can be approved on a broken record`);
    const events = read.value;
    if (file.run === JOURNAL) {
      journal = foldJournal(events);
      continue;
    }
    const state = fold(events);
    if (!state.ok) return fail(`${file.run}: ${state.error.rule}`);
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
