/** Describes a job that a person wants to adopt. The watch reads its log only after the person has seen the description. */

import { linksOf } from '../../config/engine-traits.ts';
import { cutText } from '../../domain/cut-text.ts';
import type { Engine, JobDescription } from '../../domain/engine.ts';
import { branded, isSha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { awaitsDescription } from '../../domain/logbook/adoption.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { momentOfMs, toRfc3339 } from '../../domain/time.ts';
import { isWithheld } from '../../domain/withheld.ts';
import { transactRun } from '../../logbook/transact.ts';
import { mayAdoptOn } from '../../run/adoptable.ts';
import type { OpenLab } from '../open-lab.ts';
import type { WatchInput } from './watch-input.ts';

type Described = EventDataByType['described'];

/** Records and posts the description. An unreachable cluster is reported once and asked again. */
export async function describeAsked(open: OpenLab, input: WatchInput, asked: RunState): Promise<void> {
  const { adopts } = asked.proposal;
  const engine = input.engineOf(open.config, input.cluster);
  if (adopts === undefined || engine === null) return;
  const data = await answerOf(open, input, engine, asked);
  const isNews = (state: RunState): boolean =>
    awaitsDescription(state) && !(data.found === 'unknown' && state.description?.found === 'unknown');
  const recorded = await transactRun(open, asked.run, (state) =>
    isNews(state) ? [{ type: 'described', role: 'watch', data }] : [],
  );
  if (recorded.kind === 'recorded')
    await input.publisher.publish(open, asked.run, recorded.seqs.get(asked.run) ?? []);
}

/** The config of this process decides whether jobs of the cluster can be adopted. */
async function answerOf(
  open: OpenLab,
  { cluster, redact }: WatchInput,
  engine: Engine,
  { run, proposal }: RunState,
): Promise<Described> {
  const jobId = proposal.adopts?.jobId ?? '';
  const none = {
    engine: engine.name,
    status: null,
    since: null,
    submitter: null,
    entrypoint: null,
    commit: null,
    commitIsHere: false,
    session: null,
    urls: {},
  } as const;
  const not = (found: Described['found'], why: string): Described => ({
    ...none,
    found,
    why: cutText(redact(why), limits.messageCharactersMax),
  });
  if (!mayAdoptOn(open.config, cluster))
    return not('cannot', `the config does not let jobs of ${cluster} be taken over`);
  const told = await engine.describe(jobId);
  if (told.kind === 'unknown') return not('unknown', told.message);
  if (told.kind === 'cannot') return not('cannot', told.why);
  if (told.kind !== 'described') return not('absent', '');
  const owner = ownerOf(open, told);
  if (owner !== null) return not('taken', owner);
  const { job, origin } = told;
  const commit = origin.gitCommit === null ? null : branded(origin.gitCommit, isSha);
  const since = job.startedAtMs === null ? null : momentOfMs(job.startedAtMs);
  const clean = (text: string | null): string | null => {
    const told = text === null ? null : redact(text);
    return told === null || isWithheld(told) ? null : told;
  };
  return {
    ...none,
    found: 'described',
    why: '',
    status: job.status,
    since: since === null ? null : toRfc3339(since),
    submitter: clean(origin.submitter),
    entrypoint: clean(origin.entrypoint),
    commit,
    // Only count a commit that a branch has. If git fails, the turn fails.
    commitIsHere: commit !== null && (await open.git.isOnBranch(commit)),
    session: job.session,
    urls: linksOf(open.config, { cluster, run, jobId }),
  };
}

/** The run that a job belongs to by its metadata, of this or another repository. */
function ownerOf(
  { store }: OpenLab,
  { job }: Extract<JobDescription, { readonly kind: 'described' }>,
): string | null {
  const { metadata } = job;
  if (metadata === null) return null;
  const isOurs = store.current().runs.some(({ run }) => run === metadata.run);
  return isOurs || metadata.proof !== undefined ? metadata.run : null;
}
