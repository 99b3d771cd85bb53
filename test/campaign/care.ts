// A second, smaller scene: a bad node is proposed for deletion, people consent and brake, and others spoil what they can.

import { consentLine } from '../support/approve.ts';
import { openBadNodeLab, playUntilBad } from '../support/bad-node-lab.ts';
import { logbookText } from '../support/play.ts';
import { type Random, randomFrom } from '../support/random.ts';
import type { SimulatedCloud } from '../support/simulated-cloud.ts';
import { pushFile } from '../support/talk.ts';
import type { Moment, VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const VM = 'ray-worker-7c21';

type Said = { readonly atMs: number; readonly id: number; readonly text: string };

/** What happened, as the checker reads it. */
export type CareDeed = { readonly atMs: number } & (
  | ({ readonly kind: 'consented'; readonly isIntact: boolean } & Said)
  | ({ readonly kind: 'braked' } & Said)
  | { readonly kind: 'changed-comment'; readonly id: number; readonly text: string | null }
);

/** A deletion as the cloud was told of it, and the comments as they were. */
export type Deletion = {
  readonly atMs: number;
  readonly name: string;
  readonly comments: VirtualLab['world']['state']['comments'];
};

export type CareScene = {
  readonly seed: number;
  readonly random: Random;
  readonly lab: VirtualLab;
  readonly run: string;
  readonly issue: number;
  readonly deeds: CareDeed[];
  readonly deletions: Deletion[];
  readonly executor: { awayMs: number; startsAtMs: number | null };
};

let beginning: Promise<{
  readonly moment: Omit<Moment, 'seed'>;
  readonly run: string;
  readonly issue: number;
}> | null = null;

async function begin(): Promise<NonNullable<Awaited<typeof beginning>>> {
  const { lab } = await openBadNodeLab();
  const { run, issue } = await playUntilBad(lab);
  await lab.clock.advance(MINUTE);
  const moment = lab.keep();
  await lab.close();
  return { run, issue, moment };
}

/** Opens a lab in which the first attempt died and the deletion of its node waits for a consent. */
export async function openCareScene(seed: number): Promise<CareScene> {
  beginning ??= begin();
  const { moment, run, issue } = await beginning;
  const executor: CareScene['executor'] = { awayMs: 0, startsAtMs: null };
  let sleep = async (_ms: number): Promise<void> => undefined;
  const deletions: Deletion[] = [];
  const { lab, cloud } = await openBadNodeLab({
    from: { ...moment, seed },
    badLines: [],
    beforeJob: async (mode) => {
      if (mode !== 'care') return;
      executor.startsAtMs = lab.clock.now() + executor.awayMs;
      await sleep(executor.awayMs);
    },
  });
  sleep = lab.clock.sleep;
  watch(lab, cloud, deletions);
  return { seed, random: randomFrom(seed), lab, run, issue, deeds: [], deletions, executor };
}

function watch(lab: VirtualLab, { calls }: SimulatedCloud, deletions: Deletion[]): void {
  const push = calls.push.bind(calls);
  calls.push = (...more) => {
    for (const args of more)
      if (args[3] === 'delete')
        deletions.push({
          atMs: lab.clock.now(),
          name: args[4] ?? '',
          comments: { ...lab.world.state.comments },
        });
    return push(...more);
  };
}

async function say(scene: CareScene, who: 'mira' | 'ada' | 'sol', text: string): Promise<Said> {
  const { lab, issue } = scene;
  const { id } = (await lab.as(who, 'POST', `/issues/${issue}/comments`, { body: text })) as {
    readonly id: number;
  };
  return { atMs: lab.world.state.comments[id]?.createdAtMs ?? lab.clock.now(), id, text };
}

/** The comment that proposes the deletion. */
function proposal({ lab }: CareScene): { readonly id: number; readonly body: string } | null {
  const { comments, users } = lab.world.state;
  const rows = Object.values(comments).filter(
    ({ authorId, body }) => users[authorId]?.type === 'Bot' && body.includes(' kind=mutation '),
  );
  return rows.at(-1) ?? null;
}

/** mira copies the line that the proposal shows. */
export async function consent(scene: CareScene): Promise<void> {
  const shown = proposal(scene);
  const touched = scene.deeds.findLast((deed) => deed.kind === 'changed-comment' && deed.id === shown?.id);
  const isIntact = shown !== null && (touched?.kind !== 'changed-comment' || touched.text !== shown.body);
  const said = await say(scene, 'mira', consentLine(scene.lab, `approve-node-delete vm=${VM}`));
  scene.deeds.push({ kind: 'consented', isIntact, ...said });
}

const BRAKES = ['/hold reason="not today"', '/stop', '/freeze reason="an incident"'] as const;

async function brake(scene: CareScene): Promise<void> {
  scene.deeds.push({ kind: 'braked', ...(await say(scene, 'mira', scene.random.pick(BRAKES))) });
}

async function change(scene: CareScene, id: number, body: string): Promise<void> {
  await scene.lab.as('ada', 'PATCH', `/issues/comments/${id}`, { body });
  scene.deeds.push({ kind: 'changed-comment', atMs: scene.lab.clock.now(), id, text: body });
}

async function editProposal(scene: CareScene): Promise<void> {
  const shown = proposal(scene);
  if (shown === null) return;
  await change(scene, shown.id, `${shown.body}\n\nIt is quite safe.`);
  if (scene.random.chance(0.4)) await change(scene, shown.id, shown.body);
}

async function deleteSaid(scene: CareScene): Promise<void> {
  const said = scene.deeds.findLast((deed) => deed.kind !== 'changed-comment');
  if (said === undefined || scene.lab.world.state.comments[said.id] === undefined) return;
  await scene.lab.as('ada', 'DELETE', `/issues/comments/${said.id}`);
  scene.deeds.push({ kind: 'changed-comment', atMs: scene.lab.clock.now(), id: said.id, text: null });
}

async function dropLines({ lab, run, random }: CareScene): Promise<void> {
  const lines = (await logbookText(lab, run)).trimEnd().split('\n');
  const kept = lines.slice(0, Math.max(1, lines.length - 1 - random.below(5)));
  await pushFile(lab, 'ada', 'ferrybot/logbook', `runs/${run}/events.jsonl`, `${kept.join('\n')}\n`);
}

/** Says the bare command, of which nobody knows what it is of. */
async function bareConsent(scene: CareScene): Promise<void> {
  await say(scene, 'mira', `/approve-node-delete vm=${VM}`);
}

async function strangerConsents(scene: CareScene): Promise<void> {
  await say(scene, 'sol', consentLine(scene.lab, `approve-node-delete vm=${VM}`));
}

/** A consent, and a brake right before the executor comes to it; GitHub's webhook is lost. */
async function lateBrake(scene: CareScene): Promise<void> {
  const { lab, executor } = scene;
  executor.awayMs = (3 + scene.random.below(20)) * MINUTE;
  await consent(scene);
  await lab.clock.advance(MINUTE);
  const left = (executor.startsAtMs ?? 0) - 5_000 - lab.clock.now();
  if (left <= 0) return;
  lab.world.state.settings.drop = 'all';
  await lab.clock.advance(left);
  await (scene.random.chance(0.6) ? brake(scene) : deleteSaid(scene));
  await lab.clock.advance(MINUTE);
  lab.world.state.settings.drop = 'none';
}

/** The executor comes back when the consent is too old. */
async function lateExecutor(scene: CareScene): Promise<void> {
  scene.executor.awayMs = (61 + scene.random.below(60)) * MINUTE;
  await consent(scene);
  await scene.lab.clock.advance(scene.executor.awayMs + MINUTE);
}

/** The moves by their names. */
export const CARE_MOVES: Readonly<Record<string, (scene: CareScene) => Promise<void>>> = {
  'mira consents': consent,
  'a brake': brake,
  'the proposal is edited': editProposal,
  'what was said is deleted': deleteSaid,
  'lines are dropped': dropLines,
  'a bare consent': bareConsent,
  'a stranger consents': strangerConsents,
  'a brake at the last moment': lateBrake,
  'an executor that comes late': lateExecutor,
};
