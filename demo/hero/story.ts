/**
 * The story of `npm start -- --lane hero`, for the page and for `--auto`: a contract, a crash, a loss spike, rejected
 * checkpoints, the rollback, and the seal.
 */

import type { Try } from '../../packages/playground/pages/visit.ts';

export const TEMPLATE = 'hero-run.yml';
/** The training script of the story. */
export const TRAINING = 'experiments/hero.py';
export const HERO_RUN = 'small-hero';

/** The planned faults, by step. A checkpoint is kept every 200 steps, and the newest of every 50 until the next one. */
const FINAL = 1_200;
/**
 * After an attempt ends, a watch may take half a minute to see the next one, so the loss spikes well before the job
 * ends.
 */
const STEP_MS = 100;
const PREEMPTED_AT = 530;
/** The newest complete checkpoint at that time. */
const GOES_ON_FROM = 500;
const JUMPS_AT = 760;
const GIVES_UP_AT = 960;
/** The first permanent checkpoint with the damage, and the newest one without it. */
export const DAMAGED = 800;
export const SOUND = 600;

/** The approval line of the card differs for each manifest. */
const APPROVAL = 'Comment the line `/approve-launch …` of the card';

/** All comments in order; a reply that is the card's own line is omitted. */
export const SAID = {
  reject: `/reject-checkpoint step=${DAMAGED} reason="made after the loss had jumped at step ${JUMPS_AT}"`,
  refused: `/rollback step=${DAMAGED} reason="it is the newest that stays"`,
  rollback: `/rollback step=${SOUND} reason="the newest permanent one of before the jump"`,
  seal: '/seal',
} as const;

/** The issue that ada opens; `outputs`: an absolute folder. */
export function heroTry(outputs: string): Try {
  return {
    title: 'a hero run, from its contract to its seal',
    about: `Ada asks, mira and ravi approve; choose at the top right who is speaking. The job is the lab's own small training, ${FINAL} steps of a tenth of a second, with three failures planted by \`LAB_FAIL_PLAN\` in its command. It writes real checkpoints, and goes on from the one that it is given in place of \`{checkpoint}\`.`,
    form: {
      template: TEMPLATE,
      label: 'hero-run',
      commitField: 'commit',
      answers: { title: '[Hero run] Small hero', ...answersFor(outputs) },
    },
    steps: [
      {
        who: 'ada',
        line: null,
        what: 'Open the issue with the form that is filled in. The bot reads the contract, says what it inferred, and shows a card with the manifest.',
      },
      {
        who: 'mira',
        line: null,
        what: `${APPROVAL}. A run of this cost takes two people, so that nothing starts yet. (Ada, who asked, would be refused.)`,
      },
      { who: 'ravi', line: null, what: `${APPROVAL}, the same one. The job is launched.` },
      {
        who: null,
        line: null,
        what: `At step ${PREEMPTED_AT} the machine is taken away. The bot starts the same manifest again, from step ${GOES_ON_FROM}: the newest complete checkpoint.`,
      },
      {
        who: null,
        line: null,
        what: `At step ${JUMPS_AT} the loss jumps, and an incident tells of it. At step ${GIVES_UP_AT} the training gives up. That is nothing that the same again could mend: people are asked.`,
      },
      {
        who: 'mira',
        line: SAID.reject,
        what: `Takes step ${DAMAGED} and all that is newer out of the lineage: those checkpoints have the damage in them.`,
      },
      { who: 'mira', line: SAID.refused, what: 'Try it: it is refused, and an incident says why.' },
      {
        who: 'mira',
        line: SAID.rollback,
        what: `The next attempt would begin at step ${SOUND}. That is another manifest: the card shows it with a new line.`,
      },
      { who: 'mira', line: null, what: `${APPROVAL}, the new one.` },
      { who: 'ravi', line: null, what: `${APPROVAL}, the new one. The third attempt trains to its end.` },
      {
        who: 'mira',
        line: SAID.seal,
        what: `The final checkpoint, of step ${FINAL}, is looked at, and the run is sealed with a tag. The logbook of the run, on the branch \`ferrybot/logbook\`, tells all of it.`,
      },
    ],
  };
}

/** Answers by the ids of the form's fields. */
function answersFor(outputs: string): Readonly<Record<string, string>> {
  const plan = `preempted@${PREEMPTED_AT}/spike@${JUMPS_AT},diverged@${GIVES_UP_AT}`;
  return {
    dri: '@ada',
    goal: 'Train the small model to its last step once more, as a rehearsal of a large run: does everybody know what to do?',
    stop: 'Stop on NaN, or on a loss above 5 after step 600; call mira when a restart does not help.',
    slug: HERO_RUN,
    command: `LAB_OUTPUT_ROOT=${outputs} LAB_STEP_DELAY_MS=${STEP_MS} LAB_FAIL_PLAN=${plan} python3 ${TRAINING} --run ${HERO_RUN} --max-steps ${FINAL} --initialize-from={checkpoint}`,
    outputRoot: `${outputs}/${HERO_RUN}`,
    trackerId: HERO_RUN,
    resume: 'allow',
    permanent: '200',
    temporary: '1',
    rollback: '1',
    initializeFrom: 'none',
    hardware: 'one process of this machine',
    parameters: '2254',
    tokens: '57600',
    loss: '2.1',
    cadence: '1',
  };
}
