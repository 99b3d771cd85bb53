/** `/watch job=… cluster=… experiment=…`, carried out: the issue in which it was said becomes the run of that job. */

import { adoptingLanes } from '../../config/adoptable.ts';
import { holderOf } from '../../domain/logbook/holder.ts';
import { isOver, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { dateOf } from '../../domain/time.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import { ownRunId, runsOfPull } from '../../run/own-pull.ts';
import { isFrom } from '../../run/propose-request.ts';
import type { OpenLab } from '../open-lab.ts';
import { answerTo } from './answers.ts';
import { proposedData } from './begin.ts';
import type { RequestOutcome } from './request.ts';

/** Decides on the record as it is now; who may ask was decided when the command was received. */
export async function adoptJob(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const { lab, store } = open;
  const { runs, broken } = store.current();
  const { job = '', cluster = '', experiment = '' } = command.args;
  const begun = runs.find(({ proposal }) => isFrom(proposal.request, command));
  if (begun !== undefined) return answerTo('adopt-asked', { run: begun.run, job, cluster });
  if (broken.length > 0) return answerTo('logbook-broken');
  const lanes = adoptingLanes(open.config);
  const config = lanes.find(({ lane }) => lane.cluster === cluster);
  if (config === undefined)
    return answerTo('adopt-cluster', { cluster, clusters: lanes.map(({ lane }) => lane.cluster).join(' ') });
  const holder = holderOf(runs, { jobId: job, cluster });
  if (holder !== null) return answerTo('adopt-held', { job, run: holder.run, thread: holder.proposal.issue });
  const read = await readOwnThread(lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const issue = read.value;
  const isRun = runsOfPull(runs, command.thread).some((run) => !isOver(run));
  if (issue === null || issue.kind !== 'issue' || !issue.isOpen || isRun) return answerTo('adopt-place');
  const date = dateOf(lab.now());
  const run = ownRunId(config, date, `issue${issue.number}`, runs);
  const planned = {
    run,
    date,
    recorded: {
      experiment,
      objective: config.kind.proposals.usual,
      interval: { sinceCommit: null, sinceDate: date, fallback: true, lastRun: null },
      candidate: null,
    },
    knobs: [],
  };
  const place = { headBranch: config.lane.targetBranch, author: issue.author };
  const data = {
    ...proposedData({ ...open, config }, planned, command, place),
    issue: issue.number,
    pull: issue.number,
    own: { label: null },
    adopts: { jobId: job, cluster },
  };
  const result = await store.append(run, [{ type: 'proposed', role: 'control', data }], lab.now());
  if (result.kind === 'appended') return answerTo('adopt-asked', { run, job, cluster });
  if (result.kind !== 'conflict') return { kind: 'wait', why: result.message };
  await store.load();
  return { kind: 'again' };
}
