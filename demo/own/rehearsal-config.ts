/** Changes a lab's valid config in three points so that it can be rehearsed on one machine: keys, engines and secrets. */

import { isMap, isSeq, parseDocument } from 'yaml';
import type { LabKeys, RoleName } from '../keys.ts';

export type RehearsalConfig = {
  readonly text: string;
  /** Clusters that had another engine: here their jobs run as processes of this machine. */
  readonly localClusters: readonly string[];
};

/**
 * Adds the folder's keys to the lab's own, so that the lab's private keys are not needed. Every cluster gets the engine
 * `local`, because a rehearsal must not reach the real cluster. Its jobs get no secret, because there is none. Null: the
 * text is not such a config.
 */
export function rehearsalConfig(text: string, keys: LabKeys): RehearsalConfig | null {
  const document = parseDocument(text);
  if (document.errors.length > 0) return null;
  const listed = document.get('keys');
  const clusters = document.get('clusters');
  if (!isSeq(listed) || !isMap(clusters)) return null;
  for (const role of ['control', 'runner', 'watch'] as const) listed.add(document.createNode(entry(role, keys)));
  const localClusters: string[] = [];
  for (const { key, value: cluster } of clusters.items) {
    if (!isMap(cluster) || cluster.get('engine') === 'local') continue;
    const known = cluster.toJSON() as Readonly<Record<string, unknown>>;
    const kept = Object.fromEntries(
      ['acceleratorHoursPerRun', 'accelerators', 'links']
        .filter((name) => Object.hasOwn(known, name))
        .map((name) => [name, known[name]]),
    );
    clusters.set(key, document.createNode({ engine: 'local', ...kept }));
    localClusters.push(String(key));
  }
  const lanes = document.get('lanes');
  for (const { value: lane } of isMap(lanes) ? lanes.items : []) {
    if (!isMap(lane)) continue;
    lane.delete('passSecrets');
    lane.deleteIn(['tracker', 'keyFrom']);
  }
  return { text: document.toString({ lineWidth: 0 }), localClusters };
}

function entry(role: RoleName, keys: LabKeys): object {
  return {
    id: `rehearsal-${role}`,
    role,
    public: keys.roles[role].public,
    from: '2020-01-01T00:00:00Z',
    until: '2100-01-01T00:00:00Z',
  };
}
