/** `/resume-as`: the old run is closed, and the same issue becomes the run that goes on from it, in one push. */

import { rootOf, startPoint } from '../../checkpoints/start.ts';
import { wantedForSecret } from '../../contracts/fields.ts';
import type { ContractIssue } from '../../domain/launch/contract.ts';
import { failedAttempt } from '../../domain/launch/next-attempt.ts';
import { rootHolder } from '../../domain/launch/output-root.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import { isHolding } from '../../domain/logbook/liveness.ts';
import { type Ending, isOver, type RunState, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { known } from '../../domain/observed.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import type { Contracts } from '../../run/kind.ts';
import { lanesOf } from '../../run/lane-scope.ts';
import { runsOfPull } from '../../run/own-pull.ts';
import { type Answered, answerTo } from '../../run/propose-answers.ts';
import { searchRoots } from '../control/checkpoint-facts.ts';
import type { OpenLab, OpenLane } from '../open-lab.ts';
import type { RequestOutcome } from './outcome.ts';
import { takeUp } from './own-thread.ts';

const NEVER_RAN =
  'no attempt of it has ended; to be rid of a run that was never launched, close the issue, and open it again to go on from the one before';

function hasRun({ submission, attempts }: RunState): boolean {
  return submission !== null || attempts.length > 0;
}

/** Throws `GitError`. */
export async function resumeAs(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const { lab, store } = open;
  const { runs } = store.current();
  const { id = '', reason = '' } = command.args;
  const here = runsOfPull(runs, command.thread);
  // One that began from it and was never launched has left nothing to go on from.
  const old = here.find((run) => !isOver(run)) ?? here.find(hasRun) ?? here[0];
  const config = lanesOf(open.config).find(({ laneName }) => laneName === old?.proposal.lane);
  const contracts = config?.kind.contracts;
  const knobs = old === undefined ? undefined : contracts?.continued?.(old.run, command.args);
  if (old === undefined || config === undefined || contracts === undefined || knobs === undefined)
    return answerTo('not-now', { status: 'no run of this thread can go on as another one' });
  const holder = runs.find((run) => run.run === id || run.order?.manifest?.tracker.runId === id);
  if (holder !== undefined)
    return answerTo('resume-as-unclear', { name: 'id', said: id, wanted: unlike(holder.run) });
  const read = await readOwnThread(lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const issue = read.value;
  if (issue === null || issue.kind !== 'issue' || !issue.isOpen)
    return answerTo('not-now', { status: 'its issue is not open, so that it is reopened first' });
  const refused = isOver(old)
    ? null
    : (notYet(old) ?? (await refusedAsAsked({ ...open, config }, contracts, { ...issue, asked: knobs })));
  if (refused !== null) return refused;
  const end = isOver(old) ? null : endOf(old);
  const continues = { old, reason, knobs, draft: end === null ? null : closing(end, command) };
  return takeUp({ ...open, config }, issue, { kind: 'command', command, continues });
}

/** The last entry of the old run. */
function closing({ status }: Ending, { actor, args }: SeenCommand): EventDraft {
  const { id = '', reason = '' } = args;
  const outcome = status === 'FAILED' ? 'failed' : 'rejected';
  const data = { outcome, reason: `goes on as ${id}: ${reason}`, closurePull: null } as const;
  return { type: 'closed', role: 'control', actor, data };
}

/** What is said of the new run. */
export function resumedAs({ run, proposal }: RunState, { args }: SeenCommand): Answered {
  const { from = '', root } = args;
  const { run: old = '', reason = '' } = proposal.continues ?? {};
  return answerTo('resumed-as', { old, run, from, reason, ...(root === undefined ? {} : { root }) });
}

/** Why nothing goes on from it now; null where an attempt has ended, and nobody holds it. */
function notYet(old: RunState): RequestOutcome | null {
  if (isHolding(old) || endOf(old) === null)
    return answerTo('not-now', { status: hasRun(old) ? 'no attempt of it has ended' : NEVER_RAN });
  return old.holds.length > 0 ? answerTo('not-now', { status: 'it is on hold' }) : null;
}

/** One identity and one output root are of one lineage. */
function unlike(run: string): string {
  return `another than that of the run ${run}`;
}

function endOf(old: RunState): Ending | null {
  return old.end ?? failedAttempt(old)?.end ?? null;
}

/**
 * What `/resume-as` says stands in the new run's contract whatever its issue says later: what can be no part of it is refused
 * while the old run is still there to ask again in. Null: nothing is known against it; what cannot be read now, its launch
 * gates wait for.
 */
async function refusedAsAsked(
  { lab, store, config: { lane } }: OpenLane,
  contracts: Contracts,
  issue: ContractIssue,
): Promise<RequestOutcome | null> {
  const { asked = [] } = issue;
  for (const { path, after } of asked) {
    const field = contracts.fields[path];
    const read = field?.read(after) ?? { value: after };
    const wanted = wantedForSecret(after) ?? ('unclear' in read ? read.unclear : null);
    if (wanted !== null)
      return answerTo('resume-as-unclear', { name: field?.label ?? path, said: after, wanted });
  }
  const { runs } = store.current();
  const root = asked.find(({ path }) => path === 'outputRoot')?.after;
  const place = { roots: root === undefined ? [] : [root], cluster: lane.cluster, common: [] };
  const holder = rootHolder(runs, place, { run: '', lineage: () => false });
  if (root !== undefined && holder !== null)
    return answerTo('resume-as-unclear', { name: 'root', said: root, wanted: unlike(holder.run) });
  const from = contracts.checkpoints?.(contracts.read(issue, lane), lane).from ?? null;
  if (from === null) return null;
  const start = startPoint(from, await searchRoots([rootOf(from.path)], lab.stores), known(runs));
  return start.kind === 'known' && start.value.kind === 'refused'
    ? answerTo('resume-as-refused', { path: start.value.path, why: start.value.code })
    : null;
}
