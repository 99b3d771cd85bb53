/** The answer to a signature match of a bad node, as an event: the deletion is proposed, or a person is asked. */

import { assertNever } from '../domain/assert.ts';
import { deleteStep, type VmListing } from '../domain/care/tpu-vm.ts';
import type { DigestOf, Instant } from '../domain/ids.ts';
import { incidentDraft } from '../domain/incidents.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type BadNodeMatch, judgeBadNode } from './bad-node.ts';
import { proposeAction } from './propose-action.ts';

export type NodeProposalInput = {
  readonly state: RunState;
  readonly match: BadNodeMatch;
  /** Null where the config does not say where the machines are. */
  readonly listing: VmListing | null;
  readonly repository: string;
  readonly project: string;
  readonly now: Instant;
  readonly digestOf: DigestOf;
  readonly redact: (text: string) => string;
};

/** What the watch records; null while the machines cannot be listed. */
export function answerSignatureMatch(input: NodeProposalInput): EventDraft | null {
  const { state, match, redact } = input;
  const judged = judgeBadNode(match, input.listing, input.now);
  switch (judged.kind) {
    case 'wait':
      return null;
    case 'unclear': {
      const detail = {
        reason: judged.code,
        why: redact(judged.why),
        signature: match.signatures.join(' '),
        attempt: match.attempt,
      };
      return incidentDraft('watch', 'bad-node-unclear', detail);
    }
    case 'found': {
      const { vm, identity, workers } = judged;
      const facts = {
        attempt: match.attempt,
        signature: match.signatures.join(' '),
        address: match.workers.join(' '),
        worker: workers.join(' '),
        state: vm.state,
        acceleratorType: vm.acceleratorType,
        rayCluster: vm.rayCluster,
        job: state.end?.status ?? state.observation?.status ?? 'UNKNOWN',
      };
      const evidence = { facts, lines: match.lines };
      const what = {
        record: state.run,
        repository: input.repository,
        cluster: state.submission?.cluster ?? '',
        change: { kind: 'delete-tpu-vm', vm: identity },
        steps: [deleteStep(input.project, identity)],
        thread: state.proposal.issue,
        round: state.actions.length + 1,
      } as const;
      return proposeAction('watch', what, evidence, input.digestOf);
    }
    default:
      return assertNever(judged);
  }
}
