/** What people can approve for a cluster's disks: the command of each proposal, and exactly the steps that it consents to. */

import { consentText } from '../care/consent-command.ts';
import type { MutationKind, MutationStep } from '../domain/care/mutation.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import { STEP_WORDS } from './disk-words.ts';
import { fenced } from './escape.ts';
import { count, details, paragraphs } from './words.ts';

/** The exact steps of a proposal, folded: the command that clears a mount point has some 3,000. */
const SHOWN_STEPS_CHARS_MAX = 12_000;

export const APPROVABLE = '**What can be approved** (as a comment here; it counts once, for an hour):';

/** One proposal: the command that consents to it, and its steps as they will be made. */
export function diskProposal({ proposal, digest }: MutationRecord): string {
  return paragraphs(`\`\`\`\n${consentText(proposal.mutation, digest)}\n\`\`\``, exactSteps(proposal.steps));
}

const HOST = /^--worker=\d+$/;

/** Folded: the steps in words, then the calls. Hosts of one machine that are treated alike stand in one call. */
function exactSteps(steps: readonly MutationStep[]): string {
  const title = `Exactly ${count(steps.length, 'step')}, in this order; one that fails stops the rest`;
  const groups: { readonly does: MutationKind; readonly steps: MutationStep[] }[] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(withoutHost(step), withoutHost(last.steps[0]))) last.steps.push(step);
    else groups.push({ does: step.does, steps: [step] });
  }
  const inWords = groups.map(({ does, steps: alike }, index) => {
    const times = alike.length === 1 ? '' : ` (on each of ${alike.length} hosts, one after the other)`;
    return `${index + 1}. ${STEP_WORDS[does]}${times}`;
  });
  const calls = groups.map(({ steps: alike }) => shownCalls(alike));
  return details(title, paragraphs(inWords.join('\n'), fenced(calls.join('\n\n'), SHOWN_STEPS_CHARS_MAX)));
}

function withoutHost(step: MutationStep | undefined): MutationStep | undefined {
  return step && { ...step, command: step.command.map((arg) => arg.replace(HOST, '--worker=HOST')) };
}

function isAlike(a: MutationStep | undefined, b: MutationStep | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The call as it is made, and the one that takes its place. */
function shownCalls(alike: readonly MutationStep[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const { command, instead } = alike.length === 1 ? first : (withoutHost(first) ?? first);
  const hosts = alike.map((step) => step.command.find((arg) => HOST.test(arg))?.split('=')[1] ?? '');
  const each = alike.length === 1 ? '' : `# HOST is ${hosts.join(', then ')}\n`;
  const other = instead === undefined ? '' : `\n# where uv itself cannot start: ${instead.join(' ')}`;
  return `${each}${command.join(' ')}${other}`;
}
