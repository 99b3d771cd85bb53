/**
 * A second ferry lane for the example lab, by its config only: the daily one under another name, on its own cluster.
 */

export const SECOND_LANE = 'canary';
const CLUSTER = 'us-central1';
const SECOND_CLUSTER = 'us-east1';

/** The example config with the second lane and its cluster. Throws if the config is not the example's. */
export function addSecondLane(config: string): string {
  const daily = findSection(config, 'daily');
  const cluster = findSection(config, CLUSTER);
  const lane = daily
    .replace('daily:', `${SECOND_LANE}:`)
    .replaceAll(CLUSTER, SECOND_CLUSTER)
    .replace('runName: ferry_daily', `runName: ferry_${SECOND_LANE}`)
    // Both lanes use the same experiment file, which names its own output.
    .replace('{outputRoot}/{runName}/', '{outputRoot}/ferry_daily_125m_{date}/')
    .replace('daily-ferry-log.md', `${SECOND_LANE}-ferry-log.md`);
  return config
    .replace(daily, () => `${daily}${lane}`)
    .replace(cluster, () => `${cluster}${cluster.replace(CLUSTER, SECOND_CLUSTER)}`);
}

/** A second-level map with its contents. */
function findSection(config: string, name: string): string {
  const found = new RegExp(`^ {2}${name}:\\n(?: {4}.*\\n|\\n(?= {4}))*`, 'm').exec(config)?.[0];
  if (found === undefined) throw new Error(`the example config has no ${name}`);
  return found;
}
