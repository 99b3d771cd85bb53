/** Events about cluster changes and disk scans. */

import * as z from 'zod';
import {
  ACTION_OUTCOMES,
  type ActionEvent,
  actionsAfter,
  approvalSource,
  type ChangeStep,
  describeTarget,
  evidenceSchema,
  findIllegalAction,
  proposalSchema,
} from '../../actions/action.ts';
import { diskScan } from '../../care/machines.ts';
import { actorText, code, type DataOf, defineEvents, prose, scalarsText } from '../define.ts';
import { digest, integer, scalars, text } from '../parts.ts';
import type { RunState } from '../run-state.ts';

const data = {
  'action-proposed': z.object({ proposal: proposalSchema, digest, evidence: evidenceSchema }),
  'action-approved': z.object({ proposal: digest, source: approvalSource }),
  'action-claimed': z.object({
    proposal: digest,
    consent: integer.describe('the entry of the approval'),
    workflowRun: integer,
  }),
  'action-ended': z.object({ proposal: digest, outcome: z.enum(ACTION_OUTCOMES), code: text, detail: scalars }),
  'disk-scanned': diskScan,
};

export type CareEventData = DataOf<typeof data>;

export const careEvents = defineEvents(data, {
  'action-proposed': {
    title: 'change of the cluster proposed',
    meaning: 'ferrybot shows people a change of the cluster. Nobody may approve it before that.',
    writers: ['control', 'watch'],
    isInJournal: true,
    rule: checkActionEvent,
    apply: applyAction,
    describe: ({ data: { proposal, digest, evidence } }) => ({
      status: `${proposal.change.kind} of ${code(describeTarget(proposal.change))} on ${code(proposal.cluster)} is proposed`,
      evidence: scalarsText(evidence.facts),
      decision: `as ${code(digest)}: ${proposal.steps.map(describeStep).join(', then ')}`,
      next: `without an approval in #${proposal.thread}, nothing changes`,
    }),
  },
  'action-approved': {
    title: 'change of the cluster approved',
    meaning: 'A person, or the config of the default branch, approves the `proposal`.',
    writers: ['control'],
    isInJournal: true,
    isDecisive: true,
    rule: checkActionEvent,
    apply: applyAction,
    describe: ({ data: { proposal, source }, actor }) => ({
      status: actor === undefined ? 'approved by the config' : `approved by ${actorText(actor)}`,
      evidence:
        source.kind === 'config'
          ? `the entry on the default branch at commit ${code(source.commit)}`
          : `${source.surface} ${source.comment} on #${source.thread}`,
      decision: `${code(proposal)} may be carried out once`,
      next: 'the runner verifies it again',
    }),
  },
  'action-claimed': {
    title: 'change of the cluster started',
    meaning: 'The runner claims the change before it makes any call. There is never a second claim.',
    writers: ['runner'],
    isInJournal: true,
    isDecisive: true,
    rule: checkActionEvent,
    apply: applyAction,
    describe: ({ data: { proposal, consent, workflowRun } }) => ({
      status: 'the runner starts',
      evidence: `workflow run ${workflowRun}, with the approval of entry ${consent}`,
      decision: `carry out ${code(proposal)} once`,
      next: 'the runner observes and records the result',
    }),
  },
  'action-ended': {
    title: 'change of the cluster ended',
    meaning: 'The observed result of the change.',
    writers: ['runner'],
    isInJournal: true,
    isDecisive: true,
    rule: checkActionEvent,
    apply: applyAction,
    describe: ({ data: { proposal, outcome, code: reason, detail } }) => ({
      status: `${outcome}: ${code(reason)}`,
      evidence: scalarsText(detail),
      decision: `${code(proposal)} has ended`,
      next: outcome === 'done' ? 'the run continues' : 'a person checks the cluster',
    }),
  },
  'disk-scanned': {
    title: 'disks of the workers scanned',
    meaning: "In the journal: the result of a scan of a cluster's worker disks (policy AG-16).",
    writers: ['watch'],
    isInJournal: true,
    rule: () => 'a scan of disks belongs to no run',
    apply: (state) => state,
    describe: ({ data }) => ({
      status: `${prose(data.cluster)}: ${data.reading === 'unreadable' ? 'the scan could not be read' : `${data.workers.length} worker disks are low on space`}`,
      evidence: data.workers
        .map(({ tpu, worker, percentFree, finding }) => `${code(`${tpu}/${worker}`)} ${percentFree}% free, ${finding}`)
        .join('; '),
      decision: data.why === '' ? '' : prose(data.why),
      next: data.cleanup === 'not-seen' ? 'the cleanup job of the head node was not found' : '',
    }),
  },
});

function checkActionEvent(state: RunState, event: ActionEvent): string | null {
  return findIllegalAction(state.actions, state.run, event);
}

function applyAction(state: RunState, event: ActionEvent): RunState {
  return { ...state, actions: actionsAfter(state.actions, event) };
}

function describeStep({ command, fallback }: ChangeStep): string {
  const other = fallback === undefined ? '' : ` (or ${code(fallback.join(' '))} where that cannot start)`;
  return `${code(command.join(' '))}${other}`;
}
