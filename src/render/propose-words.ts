/** What came of a `/propose`: the proposal, a question, or what stands in the way and how to get past it. */

import type { resumeAs } from '../commands/attempts.ts';
import type { NotTakenUp, propose } from '../commands/propose.ts';
import type { rent } from '../commands/rentals.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isIssueFirst } from '../domain/own-pull.ts';
import { assertNever } from '../domain/values.ts';
import { startWords } from './contract-words.ts';
import type { AnswerFacts, Sentences } from './input.ts';
import { code, fenced, heldWords, inlineCode, liftWords, listed, text } from './words.ts';

const UNCHANGED = 'no other run continues this one, and this run is unchanged';

/** The sentences of the codes that only `/propose` has. */
export const PROPOSE_WORDS: Sentences<keyof (typeof propose)['answers']> = {
  proposed: (d) =>
    `proposed as ${code(d.run)}: ${placeOf(d)}. Its card shows what is missing for the launch; another person has to approve it.`,
  'propose-held': (d) =>
    `nothing is proposed: ${heldWords(d, text(d.by), d.reason)}. ${liftWords(d)} lifts it.`,
  'propose-standing': (d) =>
    `nothing is proposed: ${code(d.run)} is proposed already in #${d.pull}. ${standingOut(d)}`,
  'propose-busy': (d) =>
    `nothing is proposed: ${code(d.run)} (#${d.pull}) ${d.phase === 'ended' ? 'has' : 'is'} ${text(d.phase)}, and a lane has one run at a time. ${wayOut(d)}`,
  'propose-not-today': (d) =>
    `nothing is proposed: there were ${d.count} proposals today, which is the limit.`,
  'propose-edit-refused': (d) => `nothing is proposed: ${editRefused(d)}`,
  'propose-objective-unclear': (d) => objectiveQuestion(d.why, d.said, d.knobs),
  'propose-nothing': (d) => nothingWords(d.reason, d.why),
  'propose-refused': ({ why, about, wanted }) => `no run is created: ${NOT_TAKEN_UP[why](about, wanted)}`,
};

function editRefused({ why, name, about = '' }: AnswerFacts<'propose-edit-refused'>): string {
  switch (why) {
    case 'unknown-knob':
      return `the experiment file has no knob ${code(name)}.${about === '' ? '' : ` Did you mean ${code(about)}?`} \`npx ferrybot read-knobs\` lists them.`;
    case 'ambiguous-knob': {
      const paths = about.split('\n').slice(0, limits.shownRowsMax);
      return `${code(name)} is the name of more than one knob. Say which: ${listed(paths.map((path) => inlineCode(path, limits.shownTextCharsMax)))}.`;
    }
    case 'repeated-knob':
      return `${code(name)} is ${code(about)}, which is set twice.`;
    case 'value-refused':
      return `${code(about)} is no value that ${code(name)} can take. A value is a number, a text, a list of such, or a name that the file has already; no call and no code.`;
    case 'unchanged':
      return `${code(name)} is ${code(about)} already. To run the same again, say \`/propose objective="regression: …"\`.`;
    case 'over-budget':
      return `${name} knobs at once, and this lab allows ${about}, so that what changes in the result has a cause.`;
    default:
      return assertNever(why);
  }
}

/** A proposal from a label ends without the label; a proposal from a command ends with its thread. */
function standingOut({ own, pull }: AnswerFacts<'propose-standing'>): string {
  if (own === undefined) return `To replace it, comment \`/propose\` there; to withdraw it, close #${pull}.`;
  return `To withdraw it, close #${pull}${own === 1 ? ', or remove its label' : ''}.`;
}

/** The sentences of the codes that only `/rent` has. */
export const RENT_WORDS: Sentences<keyof (typeof rent)['answers']> = {
  'rent-not-here': ({ why, lanes }) => {
    switch (why) {
      case 'no-lane':
        return 'nothing is rented: this lab has no lane for it.';
      case 'no-issue':
        return `nothing is rented: comment \`/rent\` in an open issue of this lab${lanes.includes(' ') ? ` and name the lane (${listed(lanes.split(' ').map(code))})` : ''}; that issue becomes the run.`;
      case 'run-here':
        return 'nothing more is rented: this thread has a run already, with one machine at a time. Comment in another issue.';
      default:
        return assertNever(why);
    }
  },
};

const NOT_TAKEN_UP: Readonly<Record<NotTakenUp, (about: string, wanted: string) => string>> = {
  fork: (branch, repository) =>
    `the branch is in ${code(branch)}. Push it to ${code(repository)}; ferrybot never runs a fork with credentials.`,
  draft: () => 'it is a draft. Mark it as ready for review; without a label, also comment `/propose` again.',
  'no-experiment': (files) =>
    `it does not change ${listed(files.split(' ').map(code))}, the experiment of the lane.`,
  'several-lanes': (lanes) =>
    `it fits several lanes (${listed(lanes.split(' ').map(code))}). Name one with \`/propose lane=…\`, or leave only the label of one.`,
  knobs: () =>
    'it is proposed unchanged. Change the values here, then comment `/propose` without values; or request the values in another issue.',
  'not-permitted': (login, permission) =>
    `${text(login)} requests it, and a proposal needs ${text(permission)} permission.`,
  'no-person': (login, permission) =>
    `an app (${text(login)}) opened this issue, and no person added the label. A person with ${text(permission)} permission comments \`/propose\` here, or adds the label again.`,
  'no-value': (name, names) =>
    `the contract has no value ${code(name)}. It has ${listed(names.split(' ').map(code))}.`,
  'no-name': (_, example) =>
    `the run has no name. Add ${code(example)}, in lower-case letters, digits and dashes, or its purpose with \`objective="…"\`.`,
};

function placeOf({ pull, issue }: AnswerFacts<'proposed'>): string {
  return isIssueFirst({ pull, issue }) ? `issue #${issue}` : `pull request #${pull}, issue #${issue}`;
}

function wayOut({ phase, issue }: AnswerFacts<'propose-busy'>): string {
  switch (phase) {
    case 'proposed':
    case 'gated':
      return issue === undefined ? 'Close its pull request to withdraw it.' : 'Close it to withdraw it.';
    case 'approved':
    case 'ordered':
      return '`/revoke` or `/stop` there withdraws it.';
    case 'ended':
      return 'Close it with `/seal` or `/ack`, as its card describes.';
    default:
      return '`/stop` there ends its job.';
  }
}

const UNCLEAR: Readonly<Record<string, string>> = {
  'names-both': 'the objective names both',
  negated: 'the objective is ambiguous',
  'nothing-said': 'this lab requires an objective',
};

/** The one question, with the command that would answer it each way (policy DF-05). */
function objectiveQuestion(why: string, said: string, knobs: string): string {
  const begin = knobs === '' ? '/propose' : `/propose ${knobs}`;
  const words = said.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const answers = ['integration', 'regression'].map((kind) =>
    inlineCode(`${begin} objective="${kind}${words === '' ? '' : `: ${words}`}"`, limits.shownBlockCharsMax),
  );
  const because = UNCLEAR[why] ?? 'the objective names neither';
  return `nothing was edited, because ${because}. Is this ferry the normal integration check, or does it confirm a regression?\n\n- ${answers[0] ?? ''}\n- ${answers[1] ?? ''}`;
}

function nothingWords(reason: string, why: string): string {
  const reported = inlineCode(why, limits.shownTextCharsMax);
  switch (reason) {
    case 'checks-failed':
      return `nothing is pushed: a check of the lab fails with this change.\n\n${fenced(why, limits.answerTextChars)}`;
    case 'proposer-failed':
    case 'proposer-refused':
      return `nothing is proposed: the lab's proposer gave no usable answer (${reported}).`;
    case 'no-candidates':
      return `nothing is proposed: the lab lists no candidates. ${NAME_KNOB}`;
    case 'names-taken':
      return `nothing is proposed: ${text(why)}.`;
    case 'nothing-due':
      return `nothing is proposed: nothing is due (${reported}). ${NAME_KNOB}`;
    default:
      return `nothing is proposed: ${inlineCode(reason, limits.shownTextCharsMax)}: ${reported}.`;
  }
}

const NAME_KNOB = 'Name a knob: `/propose learning_rate=…`.';

/** The sentences of the codes that only `/resume-as` has. */
export const RESUME_WORDS: Sentences<keyof (typeof resumeAs)['answers']> = {
  'resumed-as': ({ old, run, from, root, reason }) =>
    `${code(old)} is closed and goes on as ${code(run)}, a separate run in this issue, from ${code(from)}${root ? ` into ${code(root)}` : ''} (${text(reason)}). Nothing was started: the card of ${code(run)} shows its manifest and the line that approves it. The issue contains the other changes${root ? '' : ', including the output root'}.`,
  'resume-as-unclear': ({ name, said, wanted }) =>
    `${UNCHANGED}: ${code(said)} cannot be its ${text(name)}; wanted is ${text(wanted)}.`,
  'resume-as-refused': ({ path, why }) =>
    `${UNCHANGED}: it cannot start from ${code(path)}: ${startWords(why)}. Use another \`from=\`.`,
};

/** The card's line about the run that this one continues; null without one. */
export function continuesLine({ proposal: { continues } }: RunState): string | null {
  if (continues === undefined) return null;
  return `Continues the run ${code(continues.run)} under a new identity: ${text(continues.reason)}.`;
}
