// Moves around an adopted job: people adopt it, hand it off, stop it and launch it again, and attackers
// interfere.

import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import { readBranchFile } from '../support/talk.ts';
import type { AdoptedScene } from './adopted.ts';
import { ATTACKS, type Attack, edit } from './attacks.ts';
import { lateWord } from './hero-moves.ts';
import { approve, askStatus, brake, comment, release, sendCommand } from './honest.ts';
import { forgeFailure } from './rental-moves.ts';
import { STOLEN_KEYS } from './stolen-keys.ts';

const MINUTE = 60_000;
const BRAKES = ['hold', 'stop', 'hold lane', 'revoke'] as const;

export type AdoptedMove = (scene: AdoptedScene) => Promise<void>;

async function wait(scene: AdoptedScene): Promise<void> {
  await scene.lab.clock.advance((5 + scene.random.below(25)) * MINUTE);
}

/** A user without permission requests the job, or accepts it for another user. */
async function strangerSays(scene: AdoptedScene): Promise<void> {
  const texts = ['/accept', '/handoff @sol', '/stop-watching', '/stop', '/watch', '/until step=1'];
  await comment(scene, 'sol', scene.pull, scene.random.pick(texts));
}

/** Edits another user's comment into an acceptance. */
async function editIntoYes(scene: AdoptedScene): Promise<void> {
  const { mira, noor, ada } = scene.ids;
  const rows = Object.values(scene.lab.world.state.comments).filter(({ authorId }) =>
    [mira, noor, ada].includes(authorId),
  );
  if (rows.length === 0) return;
  const texts = ['/accept', '/handoff @sol', '/stop-watching'];
  const by = scene.random.pick(['ada', 'workflow'] as const);
  await edit(scene, by, scene.random.pick(rows).id, scene.random.pick(texts));
}

/** A commit on the branch of the fix, or one in its place before a fix exists. */
async function pushToFix(scene: AdoptedScene): Promise<void> {
  const { lab, random, branch, original } = scene;
  const ref = `refs/heads/${branch}`;
  const tip = (await lab.store.refs(ref)).get(ref) ?? null;
  const path = random.pick(['experiments/sweep.py', 'lib/simple.py'] as const);
  const text = (await readBranchFile(lab, tip === null ? 'main' : branch, path)) ?? '';
  await commitFiles(lab.store, {
    ref,
    expected: tip,
    ...(tip === null ? { parents: [original.commit] } : {}),
    files: { [path]: `${text}# ${random.below(1e6)}\n` },
    message: 'A small fix',
    author: { name: 'Mira Okafor', email: 'mira@lab.example', atMs: lab.clock.now() },
  });
  scene.deeds.push({ kind: 'changed', atMs: lab.clock.now(), what: 'branch', by: 'ada' });
}

/** An approval, and a brake right before the launcher runs, without a webhook. */
async function approveAndBrake(scene: AdoptedScene): Promise<void> {
  const { launcher, random } = scene;
  launcher.awayMs = (3 + random.below(20)) * MINUTE;
  await approve(scene, 'mira');
  await lateWord(scene, () => brake(scene, random.pick(BRAKES)));
}

/** This scene has no pull request. */
const NOT_HERE = /^pushes (?:to|a config)|^edits the body/;

const OF_OTHERS: readonly Attack[] = [...ATTACKS, ...STOLEN_KEYS].filter(({ what }) => !NOT_HERE.test(what));

const ATTACKS_HERE: Readonly<Record<string, AdoptedMove>> = {
  'a stranger wants it': strangerSays,
  'edits into a yes': editIntoYes,
  'pushes to the fix': pushToFix,
  'watch key: failed': forgeFailure,
  ...Object.fromEntries(OF_OTHERS.map(({ what, act }) => [what, act])),
};

async function playAttack(
  scene: AdoptedScene,
  what: string,
  act: (scene: AdoptedScene) => Promise<void>,
): Promise<void> {
  await act(scene);
  scene.deeds.push({ kind: 'attack', atMs: scene.lab.clock.now(), what });
}

/** The moves of honest people and attackers, by name. */
export const ADOPTED_MOVES: Readonly<Record<string, AdoptedMove>> = {
  'the asker accepts': (scene) => sendCommand(scene, '/accept', scene.asker),
  'mira accepts': (scene) => sendCommand(scene, '/accept'),
  'noor accepts': (scene) => sendCommand(scene, '/accept', 'noor'),
  'hands it over': (scene) => sendCommand(scene, '/handoff @noor', scene.asker),
  'mira hands it over': (scene) => sendCommand(scene, '/handoff @ada'),
  'ends the watch': (scene) => sendCommand(scene, '/stop-watching', scene.random.pick(['mira', 'ada'] as const)),
  'watches again': (scene) => sendCommand(scene, '/watch', scene.random.pick(['mira', 'ada'] as const)),
  'names an end': (scene) => sendCommand(scene, '/until step=500'),
  'mira approves': (scene) => approve(scene, 'mira'),
  'noor approves': (scene) => approve(scene, 'noor'),
  'ada relaunches': (scene) => sendCommand(scene, '/relaunch reason="once more"', 'ada'),
  'a brake': (scene) => brake(scene, scene.random.pick(BRAKES)),
  'a stop': (scene) => brake(scene, 'stop'),
  'a release': (scene) => release(scene, scene.random.pick(['hold', 'hold lane'] as const)),
  'an approval and a late brake': approveAndBrake,
  asks: askStatus,
  'time passes': wait,
  ...Object.fromEntries(
    Object.entries(ATTACKS_HERE).map(([what, act]) => [what, (scene: AdoptedScene) => playAttack(scene, what, act)]),
  ),
};
