/** Renders a change of the cluster: the proposal with its evidence, the approval by the config, and the result. */

import {
  type ActionApproval,
  type ActionOutcome,
  type ActionRecord,
  type ChangeStep,
  type ClusterChange,
  describeTarget,
} from '../domain/actions/action.ts';
import { isOrderRefusal } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { splitMarkerLine } from '../domain/marker.ts';
import { assertNever } from '../domain/values.ts';
import { explainRefusal } from './gate-words.ts';
import { commandText } from './job-table.ts';
import {
  approveLine,
  code,
  comment,
  fenced,
  paragraphs,
  person,
  shortCommit,
  shortDigest,
  table,
  text,
  utc,
} from './words.ts';

/** `title` is a sentence; `target` are rows of a table; `next` follows an approval. All are Markdown. */
type ActionWords = {
  readonly title: string;
  readonly target: readonly (readonly [string, string])[];
  readonly next: string;
};

function describeAction(change: ClusterChange): ActionWords {
  switch (change.kind) {
    case 'delete-tpu-vm':
      return {
        title: `The log shows a bad TPU node: ${code(change.vm.name)} should be deleted, so that the cluster replaces it.`,
        target: machineRows(change.vm),
        next: 'the runner checks that it is still this machine, deletes it and waits for its replacement. ferrybot starts the job again if it has failed and its approval permits it.',
      };
    case 'clean-disk':
      return {
        title: `The disk of ${code(change.vm.name)} is nearly full: the files below ${code(change.mountPoint)} on its own disk should be deleted.`,
        target: [...machineRows(change.vm), ['Mount point', code(change.mountPoint)]],
        next: 'the worker checks in the same command that nothing is mounted there, and deletes only on its own disk. The runner then initialises and checks it again.',
      };
    case 'start-cleanup-cron':
      return {
        title: 'The automatic clean-up on the head node is not running: it should be started.',
        target: [['Cluster file', code(change.head)]],
        next: 'the runner starts it and checks that it runs. It changes nothing else on the head node.',
      };
    case 'delete-checkpoint':
      return {
        title: `Checkpoints of ${code(change.run)} without protection could be deleted permanently.`,
        target: [
          ['Checked', change.roots.map(code).join('<br>')],
          ['Requested by', person(change.requestedBy)],
        ],
        next: `the runner lists everything again, and deletes these one by one: each only if it is unchanged and unprotected, and it checks each afterwards. The first that is not ends the deletion. The newest ${change.keep} steps stay.`,
      };
    default:
      return assertNever(change);
  }
}

function machineRows(
  vm: Readonly<Record<'name' | 'zone' | 'createdAt' | 'address', string>>,
): readonly (readonly [string, string])[] {
  return [
    ['Machine', `${code(vm.name)} in ${code(vm.zone)}`],
    ['Made', code(vm.createdAt)],
    ['Address', code(vm.address)],
  ];
}

/** An approval fault has the same sentence as for a launch. */
function outcomeSentence(outcome: ActionOutcome, reason: string): string {
  const own = SENTENCES[reason];
  if (own !== undefined) return own;
  return isOrderRefusal(reason)
    ? `nothing was called. ${explainRefusal(reason)}`
    : `${OUTCOMES[outcome].text}: ${code(reason)}.`;
}

const OUTCOMES: Readonly<Record<ActionOutcome, { readonly symbol: string; readonly text: string }>> = {
  done: { symbol: '✅', text: 'done, and checked afterwards' },
  refused: { symbol: '⚠️', text: 'nothing was done' },
  failed: { symbol: '❌', text: 'it failed' },
  unclear: { symbol: '❔', text: 'its result is unknown' },
};

const SENTENCES: Readonly<Record<string, string>> = {
  replaced:
    'the machine is gone and its replacement is ready. ferrybot starts the job again if its approval permits it.',
  'not-replaced': 'the machine is gone, and no replacement was ready in time. ferrybot does not start the job again.',
  'still-there': 'the machine is still there, and ferrybot tries nothing more. Check it on the cluster.',
  'not-verified': 'it was called, and its result is unknown. Check the cluster.',
  'call-failed': 'the call could not be made; nothing was changed.',
  interrupted: 'the runner died before it was done. This approval permits no other attempt.',
  'target-changed': 'nothing was called: the machine is not the one that was proposed any more.',
  'steps-changed': 'nothing was called: the current steps are not what was consented to.',
  deleted: 'all checkpoints of the list are gone, each checked afterwards.',
  'list-changed':
    'nothing was deleted: the checkpoints are not what was listed any more. `/cleanup-checkpoints` lists them again.',
  'deletion-failed': 'nothing was deleted: the store refused the deletion of the first one.',
  'deletion-stopped':
    'it ended before the end of the list: the results are below, and the others were not touched. `/cleanup-checkpoints` lists what is left.',
  'deletion-left':
    'a part of one is still there without its `metadata.json`, so no run uses it. `/cleanup-checkpoints` lists the rest.',
  'deletion-unclear': 'the store gave no answer, and the result is unknown. `/cleanup-checkpoints` checks again.',
  'deletion-interrupted':
    'the runner died during the deletion. The results are below, and this approval permits no other attempt. `/cleanup-checkpoints` lists what is left.',
  unreadable: 'nothing was called: it could not be checked any more.',
  'out-of-time':
    'the hour since the claim is over. The results of completed steps are listed here; the other steps were not started.',
  'not-pre-approved': 'nothing was called: the config does not approve it any more.',
  'pre-approval-used-up': 'nothing was called: the config permits no more of these within a day.',
};

/** High enough for the complete list, because a truncated one would hide deletions. */
const CHECKPOINT_LIST_SHOWN_MAX = 27_000;

/** The comment for the entry with this sequence number. Throws if the record has none. */
export function renderActionByKey(key: string, { actions }: Pick<RunState, 'actions'>): string {
  const seq = Number(key);
  for (const one of actions) {
    if (one.seq === seq) return renderProposal(one);
    if (one.ended?.seq === seq) return renderEnding(one);
    const consent = one.approvals.find((given) => given.seq === seq);
    if (consent !== undefined) return renderConsent(one, consent);
  }
  throw new Error(`entry ${key} is not a change of the cluster`);
}

/** The text of the proposal below its marker, in the form that a seal covers. */
export function proposalFingerprintText(one: ActionRecord): string {
  const marker = { run: one.proposal.record, kind: 'action', key: String(one.seq), fields: {} } as const;
  return splitMarkerLine(comment(marker, renderProposal(one))).text;
}

/** The proposal: what, why, the exact calls, how to approve, and what follows. */
export function renderProposal({ proposal, digest, evidence }: ActionRecord): string {
  const { change, steps, cluster } = proposal;
  const words = describeAction(change);
  // The record sorts the facts, and every process must write the same text.
  const charsMax = change.kind === 'delete-checkpoint' ? CHECKPOINT_LIST_SHOWN_MAX : limits.shownBlockCharsMax;
  const facts = Object.entries(evidence.facts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [text(name), text(String(value))]);
  return paragraphs(
    `⚠️ **${words.title}** ${change.kind === 'delete-checkpoint' ? 'Nothing is deleted before another person approves.' : 'Nothing on the cluster is changed before an approval.'}`,
    table(
      ['Proposal', ''],
      [['Cluster', code(cluster)], ...words.target, ...facts, ['Digest', `\`${shortDigest(digest)}\``]],
    ),
    evidence.lines.length === 0 ? null : `Evidence (redacted):\n\n${fenced(evidence.lines.join('\n'), charsMax)}`,
    `Exact calls, made once:\n\n${fenced(steps.map(formatStep).join('\n'), charsMax)}`,
    `What follows: ${words.next}`,
    `**Wanted: to approve it, an approver comments \`${approveLine(digest)}\` in this thread.** It counts once; to prevent it, do nothing or comment \`/hold reason="…"\`.`,
  );
}

/** The exact call, and its replacement if uv itself cannot start. */
function formatStep({ command, fallback }: ChangeStep): string {
  const other = fallback === undefined ? '' : `\n# where uv itself cannot start: ${commandText(fallback)}`;
  return `${commandText(command)}${other}`;
}

function renderConsent({ proposal, digest }: ActionRecord, { source }: ActionApproval): string {
  const where = source.kind === 'config' ? ` at commit ${shortCommit(source.commit)}` : '';
  return paragraphs(
    `⚠️ **The config approves ${proposal.change.kind} of ${code(describeTarget(proposal.change))}** (\`${shortDigest(digest)}\`): \`badNodes.approval\` is \`pre-approved\`${where}.`,
    `The runner verifies everything again and does it once. \`/hold reason="…"\` prevents it until it has started.`,
  );
}

/** The result and its recorded details. Throws before the end. */
export function renderEnding({ proposal, ended, approvals: consents, claim: begun, digest }: ActionRecord): string {
  if (ended === null) throw new Error('an end that is none');
  const consent = consents.find(({ seq }) => seq === begun?.consent);
  const by = consent === undefined ? '' : ` Approved by ${formatApprover(consent)}.`;
  const rows = Object.entries(ended.detail).map(([name, value]) => [text(name), text(String(value))]);
  return paragraphs(
    `${OUTCOMES[ended.outcome].symbol} **${proposal.change.kind} of ${code(describeTarget(proposal.change))}** (\`${shortDigest(digest)}\`): ${outcomeSentence(ended.outcome, ended.code)}${by}`,
    rows.length === 0 ? null : table(['What was found', ''], rows),
    `${begun === null ? 'Not started' : `Started ${utc(begun.at)}`}, ended ${utc(ended.at)}.`,
  );
}

function formatApprover({ actor, source }: ActionApproval): string {
  if (actor !== null) return person(actor);
  return source.kind === 'config' ? `the config at ${shortCommit(source.commit)}` : 'no recorded person';
}
