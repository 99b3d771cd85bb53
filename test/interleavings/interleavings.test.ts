/**
 * Random interleavings of comments, pushes, edits, permission changes, replays and crashes. Every launch
 * needs a valid approval of exactly its content by enough distinct permitted people, and every command gets
 * one answer. `INTERLEAVINGS` sets the number; a failure names its seed.
 */

import { describe, expect, it } from 'vitest';
import { alice } from '../support/run-drafts.ts';
import { findFaults } from './oracle.ts';
import { play } from './play.ts';
import type { Job, World } from './world.ts';

const ASKED = Number(process.env['INTERLEAVINGS'] ?? 0);
const COUNT = ASKED > 0 ? ASKED : process.env['CI'] === undefined ? 2_000 : 10_000;

it(`${COUNT} interleavings launch only approved content, and answer every command`, { timeout: 600_000 }, () => {
  const outcomes = new Map<string, number>();
  const count = (name: string): void => {
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  };
  const faults: string[] = [];
  for (let seed = 1; seed <= COUNT; seed += 1) {
    const world = play(seed);
    faults.push(...findFaults(world).map((fault) => `seed ${seed}: ${fault}`));
    count(world.jobs.size > 0 ? 'launched' : 'not launched');
    for (const event of world.events) {
      if (event.type === 'approval-dropped') count(`dropped: ${event.data.reason}`);
      if (event.type === 'incident') count(`incident: ${event.data.code} ${event.data.detail['reason'] ?? ''}`);
      if (event.type === 'command-answered') count(`answer: ${event.data.code}`);
    }
  }
  const lines = [...outcomes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${name}: ${n}`);
  process.stdout.write(`${COUNT} interleavings\n${lines.join('\n')}\n`);
  expect(faults.slice(0, 20)).toEqual([]);
  expect((outcomes.get('launched') ?? 0) / COUNT).toBeGreaterThanOrEqual(0.3);
});

describe('the checker', () => {
  /** A world that launched, with its state at the claim changed. */
  function tampered(change: (job: Job, world: World) => Partial<Job['atClaim']>): readonly string[] {
    const world = play(firstLaunched());
    for (const [id, job] of world.jobs)
      world.jobs.set(id, { ...job, atClaim: { ...job.atClaim, ...change(job, world) } });
    return findFaults(world);
  }

  it('reports nothing about an approved launch', () => {
    expect(tampered(() => ({}))).toEqual([]);
  });

  it.each([
    ['the approving comments were deleted', { comments: [] }],
    ['nobody may approve', { permissions: new Map() }],
    ['the head differs', { content: 'z' }],
    ['the description differs', { body: 99 }],
    ['nothing was ever shown', { recorded: [] }],
  ] as const)('detects that %s', (_, change) => {
    expect(tampered(() => change)).not.toEqual([]);
  });

  it('detects a second job, a command without an answer, and a command with two', () => {
    const world = play(firstLaunched());
    const [job] = world.jobs.values();
    if (job === undefined) throw new Error('nothing was launched');
    world.jobs.set('another', { ...job, submissionId: 'another' });
    const answer = world.events.find((event) => event.type === 'command-answered');
    if (answer !== undefined) world.events.push(answer, answer);
    const { content, body } = world;
    world.deeds.push({ kind: 'said', at: world.now, by: alice.id, comment: 1, text: '/status', content, body });
    world.comments.push({ ...(world.comments[0] ?? job.atClaim.comments[0] ?? fail()), id: 1 });
    const faults = findFaults(world).join('\n');
    expect(faults).toContain('2 jobs');
    expect(faults).toContain('/status (1) has 0 answers');
    expect(faults).toContain('has 3 answers');
  });
});

/** The first seed with a launch. */
function firstLaunched(): number {
  for (let seed = 1; seed < 100; seed += 1) if (play(seed).jobs.size > 0) return seed;
  throw new Error('nothing was launched in a hundred worlds');
}

function fail(): never {
  throw new Error('there is no comment');
}
