/** What is told of a change of the cluster: the proposal with its evidence, that the config consents, and how it ended. */

import {
  type ActionOutcome,
  type ChangeStep,
  type ClusterChange,
  targetName,
} from '../domain/actions/action.ts';
import type { ActionApproval, ActionRecord } from '../domain/actions/action-state.ts';
import { assertNever } from '../domain/assert.ts';
import { isOrderRefusal } from '../domain/launch/refusal.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { splitBody } from '../domain/marker.ts';
import { comment } from './comment.ts';
import { commandText } from './job-table.ts';
import { refusalWords } from './refusal-words.ts';
import {
  actionLine,
  code,
  digestHex,
  fenced,
  paragraphs,
  person,
  shortCommit,
  table,
  text,
  utc,
} from './words.ts';

/** `title` is a sentence; `target` are rows of a table; `next` says what follows on a consent. All are Markdown. */
type ActionWords = {
  readonly title: string;
  readonly target: readonly (readonly [string, string])[];
  readonly next: string;
};

/** What is proposed, in words. */
function actionWords(change: ClusterChange): ActionWords {
  switch (change.kind) {
    case 'delete-tpu-vm':
      return {
        title: `The log shows a bad TPU node: ${code(change.vm.name)} should be deleted, so that the cluster replaces it.`,
        target: machine(change.vm),
        next: 'the runner makes sure that it is still this machine, deletes it, waits for its replacement, and the job is started again if it has failed and its approval allows that.',
      };
    case 'clean-disk':
      return {
        title: `The disk of ${code(change.vm.name)} is nearly full: the files that lie below ${code(change.mountPoint)} on its own disk should be deleted.`,
        target: [...machine(change.vm), ['Mount point', code(change.mountPoint)]],
        next: 'the worker makes sure in the same breath that nothing is mounted there, deletes on its own disk alone, is initialised again and looked at again.',
      };
    case 'start-cleanup-cron':
      return {
        title: 'The automatic clean-up on the head node is not running: it should be started.',
        target: [['Cluster file', code(change.head)]],
        next: 'the runner starts it and looks whether it runs. Nothing else of the head node is touched.',
      };
    case 'delete-checkpoint':
      return {
        title: `Checkpoints of ${code(change.run)} that nothing protects could be deleted, for good.`,
        target: [
          ['Looked at', change.roots.map(code).join('<br>')],
          ['Asked for by', person(change.askedBy)],
        ],
        next: `the runner lists everything anew, and deletes these one by one: each only while it is as it was listed and nothing protects it, and each is looked for afterwards. The first that is not so ends it. The newest ${change.keep} steps stay.`,
      };
    default:
      return assertNever(change);
  }
}

function machine(vm: {
  readonly name: string;
  readonly zone: string;
  readonly createdAt: string;
  readonly address: string;
}): readonly (readonly [string, string])[] {
  return [
    ['Machine', `${code(vm.name)} in ${code(vm.zone)}`],
    ['Made', code(vm.createdAt)],
    ['Address', code(vm.address)],
  ];
}

/** How it ended; a code of another version is shown as it stands. */
function endingWords(
  outcome: ActionOutcome,
  reason: string,
): { readonly symbol: string; readonly sentence: string } {
  return { symbol: OUTCOMES[outcome].symbol, sentence: sentenceOf(outcome, reason) };
}

/** What is wrong with an approval is said in the words of a launch. */
function sentenceOf(outcome: ActionOutcome, reason: string): string {
  const own = SENTENCES[reason];
  if (own !== undefined) return own;
  return isOrderRefusal(reason)
    ? `nothing was called. ${refusalWords(reason)}`
    : `${OUTCOMES[outcome].words}: ${code(reason)}.`;
}

const OUTCOMES: Readonly<Record<ActionOutcome, { readonly symbol: string; readonly words: string }>> = {
  done: { symbol: '✅', words: 'done, and checked afterwards' },
  refused: { symbol: '⚠️', words: 'nothing was done' },
  failed: { symbol: '❌', words: 'it failed' },
  unclear: { symbol: '❔', words: 'nobody can say whether it worked' },
};

const SENTENCES: Readonly<Record<string, string>> = {
  replaced:
    'the machine is gone and its replacement is ready. The job is started again if its approval allows it.',
  'not-replaced':
    'the machine is gone, and no replacement was ready in time. The job is not started again by itself.',
  'still-there': 'the machine is still there. Nothing more is tried; look at it on the cluster.',
  'not-verified': 'it was called, and nobody can say what came of it. Look at the cluster.',
  'call-failed': 'the call could not be made; nothing was changed.',
  interrupted: 'the runner died in the middle, and it is not done. It is not tried again on this approval.',
  'target-changed': 'nothing was called: the machine is not the one that was proposed any more.',
  'steps-changed': 'nothing was called: what would be called by now is not what was consented to.',
  deleted: 'all of the list are gone, each looked for afterwards.',
  'list-changed':
    'nothing was deleted: what lies there is not what was listed any more. `/cleanup-checkpoints` lists it anew.',
  'deletion-failed': 'nothing was deleted: the store did not take the deletion of the first one.',
  'deletion-stopped':
    'it ended before the end of the list: what became of each stands below. What is not named was not touched; `/cleanup-checkpoints` lists what is left.',
  'deletion-left':
    'a part of one is still there: its `metadata.json` is gone, so that no run takes it for whole. `/cleanup-checkpoints` lists what is left of it.',
  'deletion-unclear':
    'the store gave no answer, and nobody can say what became of it. `/cleanup-checkpoints` looks again.',
  'deletion-interrupted':
    'the runner died in the middle. What is gone and what is there stands below; nothing is tried again on this consent. `/cleanup-checkpoints` lists what is left.',
  unreadable: 'nothing was called: it could not be looked at any more.',
  'out-of-time':
    'the hour since the claim is over. The results of completed steps are listed here; the other steps were not started.',
  'not-pre-approved': 'nothing was called: the config does not consent any more.',
  'pre-approval-used-up': 'nothing was called: the config consents to no more of these within a day.',
};

/** The list as it is shown: a cut one would show nobody what goes. */
const CHECKPOINT_LIST_SHOWN_MAX = 27_000;

/** The comment for the entry with this sequence number. Throws where the record has none. */
export function renderAction(key: string, { actions }: Pick<RunState, 'actions'>): string {
  const seq = Number(key);
  for (const one of actions) {
    if (one.seq === seq) return renderProposal(one);
    if (one.ended?.seq === seq) return renderEnding(one);
    const consent = one.approvals.find((given) => given.seq === seq);
    if (consent !== undefined) return renderConsent(one, consent);
  }
  throw new Error(`entry ${key} tells of no change of the cluster`);
}

/** The words of the comment that proposes it, below its marker, in the form that a seal covers. */
export function proposalWords(one: ActionRecord): string {
  const marker = { run: one.proposal.record, kind: 'action', key: String(one.seq), fields: {} } as const;
  return splitBody(comment(marker, renderProposal(one))).text;
}

/** What is proposed, why, exactly which calls, how to consent, and what follows. */
export function renderProposal({ proposal, digest, evidence }: ActionRecord): string {
  const { change, steps, cluster } = proposal;
  const words = actionWords(change);
  // Read back from the record they come sorted: every process has to say the same.
  const charsMax =
    change.kind === 'delete-checkpoint' ? CHECKPOINT_LIST_SHOWN_MAX : limits.shownBlockCharsMax;
  const facts = Object.entries(evidence.facts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [text(name), text(String(value))]);
  return paragraphs(
    `⚠️ **${words.title}** ${change.kind === 'delete-checkpoint' ? 'Nothing is deleted before somebody else consents.' : 'Nothing on the cluster is touched before somebody consents.'}`,
    table(
      ['Proposal', ''],
      [['Cluster', code(cluster)], ...words.target, ...facts, ['Digest', `\`${digestHex(digest)}\``]],
    ),
    evidence.lines.length === 0
      ? null
      : `What was seen (redacted):\n\n${fenced(evidence.lines.join('\n'), charsMax)}`,
    `Exactly this is called, once:\n\n${fenced(steps.map(stepText).join('\n'), charsMax)}`,
    `What follows: ${words.next}`,
    `**Wanted: to approve it, somebody who may comments \`${actionLine(digest)}\` in this thread.** It counts once; to keep it back, say nothing or \`/hold reason="…"\`.`,
  );
}

/** The call as it is made, and the one that takes its place. */
function stepText({ command, instead }: ChangeStep): string {
  const other = instead === undefined ? '' : `\n# where uv itself cannot start: ${commandText(instead)}`;
  return `${commandText(command)}${other}`;
}

function renderConsent({ proposal, digest }: ActionRecord, { source }: ActionApproval): string {
  const where = source.kind === 'config' ? ` at commit ${shortCommit(source.commit)}` : '';
  return paragraphs(
    `⚠️ **The config consents to ${proposal.change.kind} of ${code(targetName(proposal.change))}** (\`${digestHex(digest)}\`): \`badNodes.approval\` is \`pre-approved\`${where}.`,
    `The runner looks at all of it once more and does it once. \`/hold reason="…"\` keeps it back as long as it has not begun.`,
  );
}

/** How it ended, and what was found. Throws where it has not. */
export function renderEnding({
  proposal,
  ended,
  approvals: consents,
  claim: begun,
  digest,
}: ActionRecord): string {
  if (ended === null) throw new Error('an end that is none');
  const consent = consents.find(({ seq }) => seq === begun?.consent);
  const by = consent === undefined ? '' : ` Consented to by ${byWhom(consent)}.`;
  const rows = Object.entries(ended.detail).map(([name, value]) => [text(name), text(String(value))]);
  const { symbol, sentence } = endingWords(ended.outcome, ended.code);
  return paragraphs(
    `${symbol} **${proposal.change.kind} of ${code(targetName(proposal.change))}** (\`${digestHex(digest)}\`): ${sentence}${by}`,
    rows.length === 0 ? null : table(['What was found', ''], rows),
    `${begun === null ? 'Not begun' : `Begun ${utc(begun.at)}`}, ended ${utc(ended.at)}.`,
  );
}

function byWhom({ actor, source }: ActionApproval): string {
  if (actor !== null) return person(actor);
  return source.kind === 'config' ? `the config at ${shortCommit(source.commit)}` : 'nobody on record';
}
