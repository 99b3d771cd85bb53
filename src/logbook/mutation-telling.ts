/** The entries about changes of a cluster, told for people. */

import { type MutationStep, targetName } from '../domain/care/mutation.ts';
import type { MUTATION_EVENTS } from '../domain/care/mutation-state.ts';
import type { EventOf } from '../domain/logbook/event.ts';
import { code, prose } from '../domain/logbook/plain-text.ts';

type Told = {
  readonly status: string;
  readonly evidence: string;
  readonly decision: string;
  readonly next: string;
};
type Tellers = {
  readonly [Type in (typeof MUTATION_EVENTS)[number]]: (event: EventOf<Type>) => Told;
};

export const mutationTellers: Tellers = {
  'mutation-proposed': ({ data: { proposal, digest, evidence } }) => ({
    status: `${proposal.mutation.kind} of ${code(targetName(proposal.mutation))} on ${code(proposal.cluster)} is proposed`,
    evidence: scalarsOf(evidence.facts),
    decision: `as ${code(digest)}: ${proposal.steps.map(stepWords).join(', then ')}`,
    next: `somebody consents in #${proposal.thread}, or nothing happens`,
  }),
  consented: ({ data: { proposal, source }, actor }) => ({
    status: actor === undefined ? 'the config consents' : `@${prose(actor.login)} (${actor.id}) consents`,
    evidence:
      source.kind === 'config'
        ? `the entry on the default branch at commit ${code(source.commit)}`
        : `${source.surface} ${source.comment} on #${source.thread}`,
    decision: `${code(proposal)} may be carried out once, within the hour`,
    next: 'the runner checks all of it again',
  }),
  'mutation-begun': ({ data: { proposal, consent, workflowRun } }) => ({
    status: 'the runner begins',
    evidence: `workflow run ${workflowRun}, on the consent of entry ${consent}`,
    decision: `carry out ${code(proposal)} once`,
    next: 'what came of it is looked at and recorded',
  }),
  'mutation-ended': ({ data: { proposal, outcome, code: reason, detail } }) => ({
    status: `${outcome}: ${code(reason)}`,
    evidence: scalarsOf(detail),
    decision: `${code(proposal)} is over`,
    next: outcome === 'done' ? 'the run goes on' : 'a person looks',
  }),
};

function stepWords({ command, instead }: MutationStep): string {
  const other = instead === undefined ? '' : ` (or ${code(instead.join(' '))} where that cannot start)`;
  return `${code(command.join(' '))}${other}`;
}

function scalarsOf(values: { readonly [name: string]: string | number }): string {
  return Object.entries(values)
    .map(([name, value]) => `${prose(name)} ${code(String(value))}`)
    .join(', ');
}
