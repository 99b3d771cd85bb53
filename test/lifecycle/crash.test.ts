/** Kill any process at any boundary of any effect and start it again: one launch, every command answered once, the seal reached. */

import { describe, expect, it } from 'vitest';
import { EFFECT_KINDS } from '../../src/domain/effect.ts';
import { readMarker } from '../../src/render/marker.ts';
import { playFerry, stateOf } from '../support/play.ts';
import { Crash, openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

/** Half an hour with the policy's cadences: every kind of event happens, and a hundred such ferries cost a minute or two. */
const SHORT = {
  steps: 1_200,
  durationMs: 30 * 60_000,
  compileMs: 60_000,
  evalEverySteps: 400,
  checkpointEverySteps: 400,
};

type Boundary = { readonly process: string; readonly kind: string; readonly moment: string };

/** Plays one ferry and ends the process that comes to boundary number `at`; returns all boundaries that were met. */
async function playWithCrash(
  at: number | null,
  options: VirtualLabOptions,
): Promise<{ readonly lab: VirtualLab; readonly run: string; readonly met: readonly Boundary[] }> {
  const met: Boundary[] = [];
  const lab = await openVirtualLab({
    ...options,
    ferry: SHORT,
    atBoundary: (process, kind, moment) => {
      met.push({ process, kind, moment });
      if (met.length - 1 === at) throw new Crash(`killed ${moment} ${kind} in ${process}`);
    },
  });
  const { run } = await playFerry(lab);
  // Two sweeps more, for what an ended process had still to say.
  await lab.clock.advance(45 * 60_000);
  return { lab, run, met };
}

/** Bot comments by kind and key, each with how often it stands there. */
function saidBy(lab: VirtualLab): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const comment of Object.values(lab.world.state.comments)) {
    const marker = readMarker(comment.body);
    if (marker === null || lab.world.state.users[comment.authorId]?.type !== 'Bot') continue;
    const key = `${marker.kind} ${marker.key}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

async function check(lab: VirtualLab, run: string, where: string): Promise<void> {
  const state = await stateOf(lab, run);
  expect(state?.seal?.verdict, where).toBe('pass');
  expect(lab.engine.startCount(), `${where}: launches`).toBe(1);
  const said = saidBy(lab);
  const doubled = [...said].filter(([, count]) => count > 1);
  expect(doubled, `${where}: said twice`).toEqual([]);
  for (const command of state?.commands.values() ?? []) {
    expect(
      said.get(`answer ${command.surface}-${command.comment}`),
      `${where}: /${command.name} answered`,
    ).toBe(1);
  }
  for (const kind of ['launch', 'first-eval', 'ended', 'sealed']) {
    expect(
      [...said.keys()].filter((key) => key.startsWith(`${kind} `)),
      `${where}: ${kind}`,
    ).toHaveLength(1);
  }
}

describe.each([
  { name: 'with the server', server: true },
  { name: 'by the action alone', server: false },
])('a ferry whose processes die, $name', ({ server }) => {
  it('reaches its seal from every boundary of every effect', { timeout: 900_000 }, async () => {
    const calm = await playWithCrash(null, { server });
    await check(calm.lab, calm.run, 'without a crash');
    await calm.lab.close();
    const kinds = new Set(calm.met.map((boundary) => boundary.kind));
    for (let at = 0; at < calm.met.length; at += 1) {
      const { process, kind, moment } = calm.met[at] ?? { process: '', kind: '', moment: '' };
      const { lab, run } = await playWithCrash(at, { server });
      await check(lab, run, `killed ${moment} ${kind} in ${process} (boundary ${at})`);
      await lab.close();
    }
    const unmet = EFFECT_KINDS.filter((kind) => !kinds.has(kind));
    console.log(
      `${calm.met.length} boundaries survived (${[...kinds].sort().join(', ')}); kinds that this ferry does not need: ${unmet.join(', ')}`,
    );
    // A stop, a merge of the proposal and a second look at a reaction belong to other ferries; everything else is met here.
    expect(unmet.toSorted()).toEqual(server ? ['merge-pull', 'stop-job'] : ['merge-pull', 'stop-job']);
  });
});
