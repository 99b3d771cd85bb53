// One interleaving: people, pushes, edits, permissions, replays and crashes in random order, then quiet until
// nothing is pending.

import type { Permission } from '../../src/domain/actor.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { type Control, launch, QUIET_MS, restart, trigger } from './bot.ts';
import { CONTENTS } from './content.ts';
import { addComment, carol, createTestWorld, ELSEWHERE, eve, PEOPLE, passTime, type World } from './world.ts';

const SAID = [
  '/approve-launch',
  '/approve-launch DIGEST',
  '/approve-launch DIGEST',
  '/approve-launch DIGEST',
  '/approve-launch DIGEST',
  '/approve-launch 0123456789ab',
  '/revoke',
  '/hold reason="wait"',
  '/unhold',
  '/status',
] as const;
const PERMISSIONS: readonly Permission[] = ['maintain', 'maintain', 'write', 'none'];

/** Plays one world to its end. */
export function play(seed: number): World {
  const world = createTestWorld(seed);
  const controls: [Control, Control] = [restart(world), restart(world)];
  trigger(world, controls[0], 10);
  const moves = 6 + world.random.below(18);
  for (let move = 0; move < moves; move += 1) {
    passTime(world, 500 + world.random.below(world.random.chance(0.05) ? 8_000_000 : 120_000));
    const deed = world.random.below(100);
    if (deed < 45) botMoves(world, controls);
    else if (deed < 75) speak(world);
    else changeProposal(world);
  }
  if (world.random.chance(0.75)) settle(world, controls);
  runUntilQuiet(world, controls);
  return world;
}

function botMoves(world: World, controls: [Control, Control]): void {
  const index = world.random.below(2);
  const control = controls[index];
  if (control === undefined) return;
  const deed = world.random.below(10);
  if (deed < 1) controls[index] = restart(world);
  else if (deed < 7) trigger(world, control, world.random.chance(0.3) ? 1 + world.random.below(3) : 25);
  else run(world);
}

/** Runs any earlier dispatch, also an executed one, because a person may re-run the job. */
function run(world: World): void {
  if (world.dispatches.length === 0) return;
  const dispatch = world.random.pick(world.dispatches);
  const dieAt = world.random.chance(0.7) ? 0 : world.random.chance(0.5) ? 1 : 2;
  launch(world, dispatch.order, dieAt);
  dispatch.done = true;
}

function speak(world: World): void {
  const by = world.random.pick([alice, alice, bob, bob, carol, eve]);
  if (world.random.chance(0.08))
    addComment(world, by, world.random.pick(['/hold lane=daily', '/unhold lane=daily']), ELSEWHERE);
  else if (world.random.chance(0.02)) addComment(world, by, '/stop');
  else addComment(world, by, world.random.pick(SAID).replace('DIGEST', digestOnShow(world)));
}

/** The digest on the card; people without a card type nothing useful. */
function digestOnShow(world: World): string {
  return world.version.state.gate?.digest?.slice(7, 39) ?? 'abcdefabcdef'.repeat(3);
}

function changeProposal(world: World): void {
  const { random } = world;
  const deed = random.below(10);
  if (deed < 3) move(world, random.pick(CONTENTS));
  else if (deed < 5) editBody(world, random.pick(PEOPLE).id);
  else if (deed < 7) world.permissions.set(random.pick([alice, bob, carol]).id, random.pick(PERMISSIONS));
  else if (deed < 8) forge(world);
  else touchComment(world);
}

function move(world: World, content: string): void {
  world.content = content;
  world.deeds.push({ kind: 'pushed', at: world.now, by: carol.id, content, body: world.body });
}

function editBody(world: World, by: number): void {
  world.body = world.random.chance(0.3) ? Math.max(1, world.body - 1) : world.body + 1;
  world.editors = [by, ...world.editors];
  world.deeds.push({ kind: 'edited-body', at: world.now, by, content: world.content, body: world.body });
}

/** A manual dispatch of an unknown or an old order. */
function forge(world: World): void {
  const order = `sha256:${'f'.repeat(64)}`;
  launch(world, world.random.chance(0.5) ? order : (world.dispatches[0]?.order ?? order), 0);
}

function touchComment(world: World): void {
  if (world.comments.length === 0) return;
  const comment = world.random.pick(world.comments);
  const others = world.comments.filter((one) => one !== comment);
  const deed = world.random.below(3);
  const changed =
    deed === 0
      ? { ...comment, body: `${comment.body} please`, editedAt: world.now, updatedAt: world.now }
      : { ...comment, minimized: true };
  world.comments = deed === 2 ? others : world.comments.map((one) => (one === comment ? changed : one));
}

/** Removes all obstacles, and lets the permitted people approve once more. */
function settle(world: World, controls: readonly Control[]): void {
  world.permissions.set(alice.id, 'maintain').set(bob.id, 'maintain');
  if (world.content === 'x') move(world, 'a');
  addComment(world, alice, '/unhold lane=daily', ELSEWHERE);
  addComment(world, alice, '/unhold');
  serve(world, controls);
  for (const by of [alice, bob, bob, alice]) {
    passTime(world, 61_000);
    addComment(world, by, `/approve-launch ${digestOnShow(world)}`);
    serve(world, controls);
  }
}

function serve(world: World, controls: readonly Control[]): void {
  for (const control of controls) trigger(world, control, 25);
  for (const dispatch of world.dispatches.filter((one) => !one.done)) {
    launch(world, dispatch.order, 0);
    dispatch.done = true;
  }
}

/** No more events by people; the bot's triggers continue until all of its waits have ended. */
function runUntilQuiet(world: World, controls: readonly Control[]): void {
  for (let round = 0; round < 4; round += 1) {
    serve(world, controls);
    passTime(world, QUIET_MS / 2 + 60_000);
  }
  serve(world, controls);
  serve(world, controls);
}
