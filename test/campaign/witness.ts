// Records the real input of a lab's engine, and the world at that moment.

import type { World } from '../../packages/playground/world/world.ts';
import type { Permit } from '../../src/domain/actions/capability.ts';
import type { JobSpec } from '../../src/domain/engine.ts';
import { logbookText } from '../support/play.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';
import { secondRunName } from './terms.ts';

/** A job as submitted to the engine, and the world at that moment. */
export type Start = {
  readonly atMs: number;
  readonly spec: JobSpec;
  readonly comments: World['state']['comments'];
  readonly reviews: World['state']['reviews'];
  /** Other running or pending jobs at that moment. */
  readonly beside: readonly string[];
  readonly issues: World['state']['issues'];
  readonly roles: Readonly<Record<string, string>>;
  /** The run's file, those of runs that may follow it, and the journal, as they were on the branch. */
  readonly record: string;
  readonly journal: string;
};
/** The run that may follow this one, and a job that was not started by this lab. */
export type OtherJobs = { readonly next?: string; readonly job?: string };

/** Records what the engine receives and starts, and the world right before. */
export function recordStarts(
  lab: VirtualLab,
  run: string,
  starts: Start[],
  { next = secondRunName(run), job }: OtherJobs = {},
): void {
  const { engine, world, clock } = lab;
  const submit = engine.submit.bind(engine);
  Object.assign(engine, {
    submit: async (spec: JobSpec, permit: Permit) => {
      const collaborators = Object.values(world.state.repos)[0]?.collaborators ?? {};
      const start: Start = {
        atMs: clock.now(),
        spec,
        comments: { ...world.state.comments },
        reviews: { ...world.state.reviews },
        beside: await listLiveJobs(
          engine,
          [...starts.map((one) => one.spec.submissionId), ...(job === undefined ? [] : [job])],
          spec,
        ),
        issues: { ...world.state.issues },
        roles: { ...collaborators },
        record: `${await logbookText(lab, run)}${await logbookText(lab, next)}`,
        journal: await logbookText(lab, 'journal'),
      };
      const before = engine.startCount();
      const outcome = await submit(spec, permit);
      // An adopted job was started before.
      if (engine.startCount() > before) starts.push(start);
      return outcome;
    },
  });
}

async function listLiveJobs(
  engine: VirtualLab['engine'],
  jobs: readonly string[],
  { submissionId }: JobSpec,
): Promise<readonly string[]> {
  const ids = new Set(jobs.filter((id) => id !== submissionId));
  const live: string[] = [];
  for (const id of ids) {
    const job = await engine.observe(id, null);
    if (job.kind === 'found' && ['RUNNING', 'PENDING'].includes(job.status)) live.push(id);
  }
  return live;
}
