/** A lane for jobs that people launch by hand, and a cluster that lets them be taken over: more of the example lab's config. */

/** What the config calls the cluster of such jobs. */
export const PEOPLES_CLUSTER = 'us-central1';

/** Looked at as often as the short jobs of the example lab. */
const PEOPLES_LANE = `  people:
    kind: adoption
    cluster: ${PEOPLES_CLUSTER}
    ships: [experiments, lib, scripts]
    tracker: { kind: none, entity: '', project: '' }
    cadence: { startupMs: 3000, pollMs: 3000 }
`;

/** The example config with both. Throws where the config is not the example's. */
export function withPeoplesLane(config: string): string {
  const closed = '\n    adoption: false\n';
  if (!config.includes(closed) || !/^lanes:$/m.test(config))
    throw new Error('the example config has no cluster that is closed to jobs of people');
  return `${config.replace(closed, '\n    adoption: true\n').trimEnd()}\n${PEOPLES_LANE}`;
}
