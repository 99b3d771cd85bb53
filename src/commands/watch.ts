/** `/watch [job=… cluster=… experiment=…]`: adopts a job, or resumes an ended watch. */

import { limits } from '../domain/limits.ts';
import { ownerOf } from '../domain/logbook/ownership.ts';
import { answering, type CommandContext, type CommandDecision, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { mayDirect, running, unlessAdopter } from './direct-watch.ts';
import { clusterWord, jobWord, treePath } from './values.ts';

const answerWatch = answering({
  'watch-resumed': {},
  'adopt-what': { missing: 'list', job: 'text?', cluster: 'text?', experiment: 'text?', clusters: 'text' },
  'adopt-asked': { run: 'text', job: 'text', cluster: 'text' },
  'adopt-cluster': { cluster: 'text', clusters: 'text' },
  'adopt-held': { job: 'text', run: 'text', thread: 'integer' },
  'adopt-place': {},
});

export const watch = {
  name: 'watch',
  answers: answerWatch.vocabulary,
  keys: {
    job: { required: false, value: jobWord },
    cluster: { required: false, value: clusterWord },
    experiment: { required: false, value: treePath },
  },
  who: (policy) => policy.permissions.watch,
  summary:
    'In an issue without a run: takes over a job that somebody has launched by hand, once the cluster has said what it is and `/accept` has confirmed that. In a run whose watch has ended: has the job watched again, by its owner, or who may approve.',
  example: '/watch job=ray-run-ada-sweep-20261121-051716 cluster=us-central1 experiment=experiments/sweep.py',
  decide: decideWatch,
  decideWithoutRun,
} as const satisfies CommandDefinition;

function decideWatch(context: CommandContext): CommandDecision {
  // Another job needs its own run and issue.
  if (Object.keys(context.args).length > 0) return answerWatch('adopt-place');
  const run = running(context);
  if ('kind' in run) return run;
  const refused = mayDirect(context);
  if (refused !== null) return refused;
  if (run.watch.ended === null) {
    const owner = ownerOf(run);
    return answerWatch('not-now', {
      status: `it is watched${owner === null ? '' : ` by ${owner.login}`} already`,
    });
  }
  const { attempt } = run.submission;
  return answerWatch('watch-resumed', {}, [
    { type: 'watch-resumed', role: 'control', actor: context.actor, data: { attempt } },
  ]);
}

/** Reports all missing arguments together. */
function decideWithoutRun(context: PlaceContext): Extract<CommandDecision, { kind: 'answer' | 'hand-over' }> {
  const refused = unlessAdopter(context);
  if (refused !== null) return refused;
  const { args, adoptable } = context;
  const { job, cluster, experiment } = args;
  const clusters = adoptable.slice(0, limits.shownRowsMax).join(' ');
  const missing = ['job', 'cluster', 'experiment'].filter((name) => args[name] === undefined);
  if (cluster !== undefined && !adoptable.includes(cluster))
    return answerWatch('adopt-cluster', { cluster, clusters });
  // rule ML-01
  return missing.length > 0
    ? answerWatch('adopt-what', { missing, job, cluster, experiment, clusters })
    : { kind: 'hand-over' };
}
