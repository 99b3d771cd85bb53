/**
 * Whether a run can go on as the one that `/resume-as` asks for. What the command says stands in the new run's contract whatever
 * its issue says later: what can be no part of it is refused while the old run is still there to ask again in.
 */

import { rootOf, startPoint } from '../../checkpoints/start.ts';
import { wantedForSecret } from '../../contracts/fields.ts';
import type { ContractIssue } from '../../domain/launch/contract.ts';
import { rootHolder } from '../../domain/launch/output-root.ts';
import { known } from '../../domain/observed.ts';
import type { Contracts } from '../../run/kind.ts';
import { answerTo } from '../../run/propose-answers.ts';
import { searchRoots } from '../control/checkpoint-facts.ts';
import type { OpenLane } from '../open-lab.ts';
import type { RequestOutcome } from './request.ts';

/** Null: nothing is known against it; what cannot be read now, its launch gates wait for. */
export async function refusedAsAsked(
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
    return answerTo('resume-as-root-taken', { root, run: holder.run });
  const from = contracts.checkpoints?.(contracts.read(issue, lane), lane).from ?? null;
  if (from === null) return null;
  const start = startPoint(from, await searchRoots([rootOf(from.path)], lab.stores), known(runs));
  return start.kind === 'known' && start.value.kind === 'refused'
    ? answerTo('resume-as-refused', { path: start.value.path, why: start.value.code })
    : null;
}
