/** Judges whether the clusters that ask for a key would notice one that is missing. */

import type { Observed } from '../../../domain/observed.ts';
import type { ClusterConfig } from '../../../engines/registry.ts';
import type { LabConfig } from '../../../run/lane-scope.ts';
import { type Finding, fine, missing, unseen } from './finding.ts';

/** Asks one cluster, without a key; null where its engine tells nobody. */
export type AsksForKey = (cluster: ClusterConfig) => Promise<Observed<boolean> | null>;

const CHECK = 'cluster-keys';

/** One finding for all clusters; one that lets everybody in decides. */
export async function judgeClusterKeys(config: LabConfig, asks: AsksForKey): Promise<Finding> {
  const asked: { readonly name: string; readonly answer: Observed<boolean> }[] = [];
  for (const [name, cluster] of Object.entries(config.clusters)) {
    const answer = await asks(cluster);
    if (answer !== null) asked.push({ name, answer });
  }
  const open = asked.filter(({ answer }) => answer.kind === 'known' && !answer.value);
  if (open.length > 0) return missing(CHECK, `${namesOf(open)} asks nobody for a key`, REMEDY);
  const dark = asked.filter(({ answer }) => answer.kind === 'unknown');
  const [first] = dark;
  if (first?.answer.kind === 'unknown')
    return unseen(
      CHECK,
      `${namesOf(dark)} did not say whether it asks for a key: ${first.answer.why}`,
      ASK_THERE,
    );
  return fine(
    CHECK,
    asked.length === 0 ? 'no cluster is of an engine that says so' : `${namesOf(asked)} asks for a key`,
  );
}

const REMEDY =
  'Whoever reaches it is its administrator, may stop every job and may read every variable of a job: switch authentication on, give ferrybot a key of its own, and name its secret under `tokenFrom`.';
const ASK_THERE =
  'Ask again in the checkout of the lab, on a machine that reaches the cluster, for example its runner.';

function namesOf(asked: readonly { readonly name: string }[]): string {
  return asked.map(({ name }) => name).join(', ');
}
