/** The answer to `/why`: what to do, in order, who can, and which gates it mends. */

import { REMEDIES, type RemedyKind } from '../domain/launch/remedy-kind.ts';
import { REMEDY_ACTORS } from '../domain/launch/verdict.ts';
import type { AnswerFacts } from './answer-view.ts';
import type { PlaceWord } from './place-word.ts';
import { whoCan } from './who-can.ts';
import { code, count, paragraphs, table, text } from './words.ts';

/** The words for `why-told`. */
export function whyWords(d: AnswerFacts<'why-told'>, place: PlaceWord = 'pull request'): string {
  const rows = d.do.map((_, at) => rowOf(d, at, place));
  return paragraphs(
    d.count === 0
      ? 'nothing that anybody can do:'
      : `${count(d.count, 'thing')} to do until this can launch, in this order:`,
    rows.length === 0 ? null : table(['What to do', 'Who can', 'Mends'], rows),
    d.unread.length === 0
      ? null
      : `What cannot be read now holds it back too, and ferrybot looks again by itself:\n${d.unread.map((one) => `- ${text(one)}`).join('\n')}`,
    d.proven === 1 ? null : 'So much is wrong that a shorter way was not looked for to the end.',
  );
}

function rowOf(d: AnswerFacts<'why-told'>, at: number, place: PlaceWord): readonly string[] {
  const [kind = '', about = '', who = ''] = [d.do[at], d.about[at], d.who[at]];
  const actor = REMEDY_ACTORS.find((one) => one === d.by[at]);
  const role = actor === undefined ? '' : whoCan(actor, place);
  const remedy = REMEDIES.find((one) => one === kind);
  const act = remedy === undefined ? code(kind) : ACTS[remedy](code(about), d.people);
  return [act, who === '' ? role : `${role}: ${text(who)}`, code(d.mends[at] ?? '')];
}

const ACTS: Readonly<Record<RemedyKind, (about: string, people: number) => string>> = {
  'push-here': () => 'push the branch to this repository',
  'open-as-person': () => 'open a pull request of your own from the same change',
  'put-branch-back': () =>
    'put the branch back on the commit that was proposed, or commit and push again under a name that GitHub knows',
  'put-text-back': () => 'put the text back as ferrybot wrote it',
  rebase: () => 'rebase the branch onto its target',
  'take-files-out': () => "take the files outside the lane's scope out",
  'change-values-only': () => 'change values only; code goes into a pull request of its own',
  'repair-file': () => 'repair the experiment file, which is no valid Python',
  'take-knob-back': (about) => `take ${about} back, and its row of the table`,
  'mend-checks': () => 'mend the checks that failed',
  'put-back-shipped': () => 'put back what the job ships',
  retarget: () => "change the base branch to the lane's",
  'reopen-pull': () => 'reopen the pull request',
  'mark-ready': () => 'mark the pull request as ready for review',
  'propose-anew': () => 'propose a new ferry: this pull request is merged',
  'write-table': () => 'write the before/after table',
  'mend-row': (about) => `mend the row of ${about} in the table`,
  'declare-regression': () => 'say under *Objective* which regression this confirms',
  'write-risk': () => 'write the risk level',
  'link-last-ferry': () => 'link the last ferry',
  'add-box': (about) => `add the box ${about}, and tick it when it is true`,
  'tick-box': (about) => `tick the box ${about} when it is true`,
  'repair-config': () => 'repair `.github/ferrybot.yml` on the default branch',
  'put-lane-back': (about) =>
    `put the lane ${about} back into \`.github/ferrybot.yml\` on the default branch`,
  'name-run': (about) => `name the run ${about}`,
  'set-cluster': (about) => `launch on ${about}`,
  'raise-cost-budget': (about) => `raise the cost budget to ${about} accelerator-hours`,
  'raise-week-budget': (about) =>
    `raise the cost budget of a week to ${about} accelerator-hours, or wait for the next week`,
  'raise-rental-budget': (about) =>
    `raise what the cluster may rent for in that day or month to $${text(about)}, or wait for the next one`,
  'raise-month-budget': (about) =>
    `raise the cost budget of a month to ${about} accelerator-hours, or wait for the next month`,
  'reopen-issue': () => 'reopen the ferry issue',
  'label-issue': () => 'put the label `experiment` on the ferry issue',
  'link-issue': () => 'write the number of this pull request into the ferry issue',
  'tell-issue': () => 'say in the ferry issue what changed',
  'allow-workflows': () => 'look at the change, then *Approve and run* its workflows',
  'start-checks': () => 'start the required checks that did not run',
  'wait-for-checks': () => 'wait until the checks have run',
  'wait-for-run': (about) => `wait until ${about} has ended`,
  unhold: () => '`/unhold`',
  thaw: () => '`/thaw`',
  'mend-gate': (about) => `do what the row of ${about} on the card says`,
  approve: (_, people) =>
    `the card's \`/approve-launch\` line, said by ${people === 1 ? 'one person' : `${people} people`}`,
};
