/** Events about cluster changes and disk scans. */

import * as z from 'zod';
import {
  ACTION_OUTCOMES,
  type ActionProposal,
  type ApprovalSource,
  CHANGE_STEPS,
  type ChangeStep,
  targetName,
} from '../../actions/action.ts';
import { type ActionEvent, actionsAfter, illegalAction } from '../../actions/action-state.ts';
import { CLEANUP_STATES, DISK_FINDINGS, type DiskScan, SCAN_READINGS } from '../../care/disk-scan.ts';
import { type DataOf, defineEvents, personOf } from '../define.ts';
import { actorSchema, digest, integer, scalars, sha, text } from '../parts.ts';
import { code, prose, scalarsText } from '../plain-text.ts';
import type { RunState } from '../run-state.ts';

const vm = z.object({ name: text, zone: text, createdAt: text, address: text });

const change = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('delete-tpu-vm'), vm }),
  z.object({ kind: z.literal('clean-disk'), vm, mountPoint: text }),
  z.object({ kind: z.literal('start-cleanup-cron'), head: text }),
  z.object({
    kind: z.literal('delete-checkpoint'),
    run: text,
    roots: z.array(text),
    keep: integer,
    askedBy: actorSchema,
  }),
]);

const proposal: z.ZodType<ActionProposal> = z.object({
  v: z.literal(1),
  record: text,
  repository: text,
  cluster: text,
  change,
  steps: z.array(
    z.object({ does: z.enum(CHANGE_STEPS), command: z.array(text), instead: z.array(text).exactOptional() }),
  ),
  evidence: digest,
  thread: integer,
  round: integer,
});

const source: z.ZodType<ApprovalSource> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('comment'),
    comment: integer,
    surface: z.enum(['comment', 'review']),
    thread: integer,
    bodyDigest: digest,
    writtenAt: text,
  }),
  z.object({ kind: z.literal('config'), commit: sha }),
]);

const worker = z.object({
  tpu: text,
  worker: integer,
  vm: vm.nullable(),
  percentFree: text,
  level: z.enum(['low', 'warning']),
  finding: z.enum(DISK_FINDINGS),
  detail: scalars,
  folders: z.array(z.object({ path: text, bytes: integer })),
});

const diskScan: z.ZodType<DiskScan> = z.object({
  cluster: text,
  reading: z.enum(SCAN_READINGS),
  why: text,
  mountPoint: text,
  thresholdPercent: integer,
  warnPercent: integer,
  workers: z.array(worker),
  cleanup: z.enum(CLEANUP_STATES),
});

const data = {
  'action-proposed': z.object({
    proposal,
    digest,
    evidence: z.object({ facts: scalars, lines: z.array(text) }),
  }),
  'action-approved': z.object({ proposal: digest, source }),
  'action-claimed': z.object({
    proposal: digest,
    consent: integer.describe('the entry of the consent'),
    workflowRun: integer,
  }),
  'action-ended': z.object({
    proposal: digest,
    outcome: z.enum(ACTION_OUTCOMES),
    code: text,
    detail: scalars,
  }),
  'disk-scanned': diskScan,
};

export type CareEventData = DataOf<typeof data>;

export const careEvents = defineEvents(data, {
  'action-proposed': {
    title: 'change of the cluster proposed',
    means: 'A change of the cluster is shown to people before anybody may consent to it.',
    writers: ['control', 'watch'],
    isByPerson: false,
    isInJournal: true,
    rule: actionRule,
    apply: withAction,
    tell: ({ data: { proposal, digest, evidence } }) => ({
      status: `${proposal.change.kind} of ${code(targetName(proposal.change))} on ${code(proposal.cluster)} is proposed`,
      evidence: scalarsText(evidence.facts),
      decision: `as ${code(digest)}: ${proposal.steps.map(stepWords).join(', then ')}`,
      next: `somebody consents in #${proposal.thread}, or nothing happens`,
    }),
  },
  'action-approved': {
    title: 'change of the cluster consented to',
    means: 'A person, or the config of the default branch, consents to the `proposal`.',
    writers: ['control'],
    isByPerson: false,
    isInJournal: true,
    isDecisive: true,
    rule: actionRule,
    apply: withAction,
    tell: ({ data: { proposal, source }, actor }) => ({
      status: actor === undefined ? 'the config consents' : `${personOf(actor)} consents`,
      evidence:
        source.kind === 'config'
          ? `the entry on the default branch at commit ${code(source.commit)}`
          : `${source.surface} ${source.comment} on #${source.thread}`,
      decision: `${code(proposal)} may be carried out once`,
      next: 'the runner checks all of it again',
    }),
  },
  'action-claimed': {
    title: 'change of the cluster begun',
    means: "The runner's claim, pushed before it calls anything; there is never a second.",
    writers: ['runner'],
    isByPerson: false,
    isInJournal: true,
    isDecisive: true,
    rule: actionRule,
    apply: withAction,
    tell: ({ data: { proposal, consent, workflowRun } }) => ({
      status: 'the runner begins',
      evidence: `workflow run ${workflowRun}, on the consent of entry ${consent}`,
      decision: `carry out ${code(proposal)} once`,
      next: 'what came of it is looked at and recorded',
    }),
  },
  'action-ended': {
    title: 'change of the cluster ended',
    means: 'What came of it, by looking.',
    writers: ['runner'],
    isByPerson: false,
    isInJournal: true,
    isDecisive: true,
    rule: actionRule,
    apply: withAction,
    tell: ({ data: { proposal, outcome, code: reason, detail } }) => ({
      status: `${outcome}: ${code(reason)}`,
      evidence: scalarsText(detail),
      decision: `${code(proposal)} is over`,
      next: outcome === 'done' ? 'the run goes on' : 'a person looks',
    }),
  },
  'disk-scanned': {
    title: 'disks of the workers scanned',
    means: "In the journal: what a scan of a cluster's worker disks found (policy AG-16).",
    writers: ['watch'],
    isByPerson: false,
    isInJournal: true,
    rule: () => 'a scan of disks belongs to no run',
    apply: (state) => state,
    tell: ({ data }) => ({
      status: `${prose(data.cluster)}: ${data.reading === 'unreadable' ? 'the scan could not be read' : `${data.workers.length} worker disks are short`}`,
      evidence: data.workers
        .map(
          ({ tpu, worker, percentFree, finding }) =>
            `${code(`${tpu}/${worker}`)} ${percentFree}% free, ${finding}`,
        )
        .join('; '),
      decision: data.why === '' ? '' : prose(data.why),
      next: data.cleanup === 'not-seen' ? 'the cleanup job of the head was not seen' : '',
    }),
  },
});

function actionRule(state: RunState, event: ActionEvent): string | null {
  return illegalAction(state.actions, state.run, event);
}

function withAction(state: RunState, event: ActionEvent): RunState {
  return { ...state, actions: actionsAfter(state.actions, event) };
}

function stepWords({ command, instead }: ChangeStep): string {
  const other = instead === undefined ? '' : ` (or ${code(instead.join(' '))} where that cannot start)`;
  return `${code(command.join(' '))}${other}`;
}
