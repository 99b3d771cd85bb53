// The second, smaller scene: a cluster change waits for a consent, people consent and brake, and attackers
// interfere.

import { requireActionLine } from '../support/approve.ts';
import { logbookParts, logbookText } from '../support/play.ts';
import { createRandom, type Random } from '../support/random.ts';
import { pushFile } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';
import { type CareLab, type Change, CONSENTS, openCareLab } from './care-labs.ts';

const MINUTE = 60_000;

type RecordedComment = { readonly atMs: number; readonly id: number; readonly text: string };

/** What happened, for the checker. */
export type CareDeed = { readonly atMs: number } & (
  | ({ readonly kind: 'action-approved'; readonly isIntact: boolean } & RecordedComment)
  | ({ readonly kind: 'braked' } & RecordedComment)
  | { readonly kind: 'changed-proposal'; readonly text: string }
  | { readonly kind: 'deleted-comment'; readonly id: number }
);

/** A call that the cluster received, and the comments at that moment. */
export type Call = {
  readonly atMs: number;
  readonly command: readonly string[];
  readonly comments: VirtualLab['world']['state']['comments'];
};

export type CareScene = CareLab & {
  readonly seed: number;
  readonly random: Random;
  readonly change: Change;
  readonly deeds: CareDeed[];
  readonly calls: Call[];
  /** Versions of the record, because lines may be removed later. */
  readonly texts: string[];
  readonly executor: { awayMs: number; startsAtMs: number | null };
};

/** Opens a lab in which this change waits for a consent. */
export async function openCareScene(seed: number, change: Change): Promise<CareScene> {
  const executor: CareScene['executor'] = { awayMs: 0, startsAtMs: null };
  const calls: Call[] = [];
  const place = await openCareLab(
    change,
    seed,
    (command) => {
      const { world, clock } = place.lab;
      calls.push({ atMs: clock.now(), command, comments: { ...world.state.comments } });
    },
    async (mode) => {
      if (mode !== 'care') return;
      executor.startsAtMs = place.lab.clock.now() + executor.awayMs;
      await place.lab.clock.sleep(executor.awayMs);
    },
  );
  const texts = [await logbookText(place.lab, place.record)];
  return { ...place, seed, random: createRandom(seed), change, deeds: [], calls, texts, executor };
}

async function commentAndRecord(scene: CareScene, who: 'mira' | 'ada' | 'sol', text: string): Promise<RecordedComment> {
  const { lab, thread } = scene;
  const { id } = (await lab.as(who, 'POST', `/issues/${thread}/comments`, { body: text })) as { readonly id: number };
  return { atMs: lab.world.state.comments[id]?.createdAtMs ?? lab.clock.now(), id, text };
}

/** The text that proposes the change, and its place. */
function proposal({ lab, change, thread }: CareScene): { readonly path: string; readonly body: string } | null {
  const { comments, issues, users } = lab.world.state;
  if (change === 'disk' || change === 'cleanup job') {
    const issue = Object.values(issues).find(({ number }) => number === thread);
    return issue === undefined ? null : { path: `/issues/${thread}`, body: issue.body };
  }
  const rows = Object.values(comments).filter(
    ({ authorId, body }) => users[authorId]?.type === 'Bot' && body.includes(' kind=action '),
  );
  const last = rows.at(-1);
  return last === undefined ? null : { path: `/issues/comments/${last.id}`, body: last.body };
}

/** mira copies the line of the proposal, if it has one. */
export async function approveAction(scene: CareScene): Promise<void> {
  const shown = proposal(scene);
  const changed = scene.deeds.findLast((deed) => deed.kind === 'changed-proposal');
  const isIntact = shown !== null && (changed?.kind !== 'changed-proposal' || changed.text !== shown.body);
  const line = approvalLineOf(scene);
  if (line === null) return;
  const said = await commentAndRecord(scene, 'mira', line);
  scene.deeds.push({ kind: 'action-approved', isIntact, ...said });
}

function approvalLineOf({ lab, change }: CareScene): string | null {
  try {
    return requireActionLine(lab, CONSENTS[change]);
  } catch {
    // An executed change is no longer proposed.
    return null;
  }
}

const BRAKES = {
  node: ['/hold reason="not today"', '/stop', '/hold lane=daily reason="an incident"'],
  checkpoints: ['/hold reason="not today"', '/hold scope=repository reason="an incident"'],
  // A change without a run cannot be held or stopped by run.
  disk: ['/hold lane=daily reason="an incident"'],
  'cleanup job': ['/hold lane=daily reason="an incident"'],
} as const;

async function pullBrake(scene: CareScene): Promise<void> {
  const text = scene.random.pick<string>(BRAKES[scene.change]);
  scene.deeds.push({ kind: 'braked', ...(await commentAndRecord(scene, 'mira', text)) });
}

async function write(scene: CareScene, path: string, body: string): Promise<void> {
  await scene.lab.as('ada', 'PATCH', path, { body });
  scene.deeds.push({ kind: 'changed-proposal', atMs: scene.lab.clock.now(), text: body });
}

async function editProposal(scene: CareScene): Promise<void> {
  const shown = proposal(scene);
  if (shown === null) return;
  await write(scene, shown.path, `${shown.body}\n\nIt is quite safe.`);
  if (scene.random.chance(0.4)) await write(scene, shown.path, shown.body);
}

/** ada changes the text around the correct line, and mira reads that. */
async function editedProposal(scene: CareScene): Promise<void> {
  await editProposal(scene);
  await approveAction(scene);
}

async function deleteComment(scene: CareScene): Promise<void> {
  const said = scene.deeds.findLast((deed) => deed.kind === 'action-approved' || deed.kind === 'braked');
  if (said === undefined || scene.lab.world.state.comments[said.id] === undefined) return;
  await scene.lab.as('ada', 'DELETE', `/issues/comments/${said.id}`);
  scene.deeds.push({ kind: 'deleted-comment', atMs: scene.lab.clock.now(), id: said.id });
}

async function dropLines({ lab, record, random }: CareScene): Promise<void> {
  const last = (await logbookParts(lab, record)).at(-1);
  if (last === undefined) throw new Error(`there is no record of ${record}`);
  const lines = last[1].trimEnd().split('\n');
  const kept = lines.slice(0, Math.max(1, lines.length - 1 - random.below(5)));
  await pushFile(lab, 'ada', 'ferrybot/logbook', last[0], `${kept.join('\n')}\n`);
}

/** A bare command that names no proposal. */
async function approveWithoutDigest(scene: CareScene): Promise<void> {
  await commentAndRecord(scene, 'mira', '/approve');
}

/** A digest so short that another proposal with the same digits can be found. */
async function approveWithShortDigest(scene: CareScene): Promise<void> {
  const line = approvalLineOf(scene);
  if (line !== null) await commentAndRecord(scene, 'mira', line.slice(0, line.lastIndexOf(' ') + 13));
}

async function strangerConsents(scene: CareScene): Promise<void> {
  const line = approvalLineOf(scene);
  if (line !== null) await commentAndRecord(scene, 'sol', line);
}

/** A consent, and a brake right before the executor runs; GitHub's webhook is lost. */
async function lateBrake(scene: CareScene): Promise<void> {
  const { lab, executor } = scene;
  executor.awayMs = (3 + scene.random.below(20)) * MINUTE;
  await approveAction(scene);
  await lab.clock.advance(MINUTE);
  const left = (executor.startsAtMs ?? 0) - 5_000 - lab.clock.now();
  if (left <= 0) return;
  lab.world.state.settings.drop = 'all';
  await lab.clock.advance(left);
  await (scene.random.chance(0.6) ? pullBrake(scene) : deleteComment(scene));
  await lab.clock.advance(MINUTE);
  lab.world.state.settings.drop = 'none';
}

/** A job rewrites a listed target, and mira consents to the old list. */
async function rewritten(scene: CareScene): Promise<void> {
  await scene.rewrite();
  await approveAction(scene);
}

/** The executor runs after the consent has expired. */
async function lateExecutor(scene: CareScene): Promise<void> {
  scene.executor.awayMs = (61 + scene.random.below(60)) * MINUTE;
  await approveAction(scene);
  await scene.lab.clock.advance(scene.executor.awayMs + MINUTE);
}

/** The moves, by name. */
export const CARE_MOVES: Readonly<Record<string, (scene: CareScene) => Promise<void>>> = {
  'mira consents': approveAction,
  'a brake': pullBrake,
  'the proposal is edited': editProposal,
  'an edited proposal': editedProposal,
  'what was said is deleted': deleteComment,
  'lines are dropped': dropLines,
  'a bare consent': approveWithoutDigest,
  'a consent of too few digits': approveWithShortDigest,
  'a stranger consents': strangerConsents,
  'a brake at the last moment': lateBrake,
  'an executor that comes late': lateExecutor,
  'what was listed is written anew': rewritten,
};
