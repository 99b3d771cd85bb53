// A second lane for the example lab: the daily one once more under another name.

/** Changes the example lab's config; `schedule` is the line of the second lane. */
export function twoLanes(schedule = 'schedule: {}'): (config: string) => string {
  return (config) => {
    const daily = /^ {2}daily:\n(?: {4}.*\n|\n)*/m.exec(config)?.[0];
    if (daily === undefined) throw new Error('the example config has other places');
    const canary = daily
      .replace('daily:', 'canary:')
      .replace(/^ {4}schedule:\n(?: {6}.*\n)*/m, `    ${schedule}\n`)
      .replace('runName: ferry_daily', 'runName: ferry_canary');
    return config.replace(daily, () => `${daily}${canary}`);
  };
}
