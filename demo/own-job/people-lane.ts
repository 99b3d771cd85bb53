/**
 * A lane for jobs that people launch manually, and a cluster that allows adoption, added to the example lab's config.
 */

/** The name of these jobs' cluster in the config. */
export const PEOPLES_CLUSTER = 'us-central1';

/** Observed as often as the short jobs of the example lab. */
const PEOPLES_LANE = `  people:
    kind: adoption
    cluster: ${PEOPLES_CLUSTER}
    ships: [experiments, lib, scripts]
    tracker: { kind: none, entity: '', project: '' }
    cadence: { startupMs: 3000, pollMs: 3000 }
`;

/** The example config with both. Throws if the config is not the example's. */
export function addPeoplesLane(config: string): string {
  const closed = '\n    adoption: false\n';
  if (!config.includes(closed) || !/^lanes:$/m.test(config))
    throw new Error('the example config has no cluster that is closed to jobs of people');
  return `${config.replace(closed, '\n    adoption: true\n').trimEnd()}\n${PEOPLES_LANE}`;
}
