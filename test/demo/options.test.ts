/** The options of `npm start`: their values, the help, and a message for each mistake. */

import { describe, expect, it } from 'vitest';
import { readOptions, USAGE } from '../../demo/options.ts';

describe('the options of npm start', () => {
  it('default to a lab on the usual port that keeps running', () => {
    expect(readOptions([])).toMatchObject({
      kind: 'options',
      options: { port: 4610, keep: null, webhooks: true, server: true, auto: false, days: 1, json: false },
    });
    for (const engine of ['ray', 'slurm', 'iris'])
      expect(readOptions(['--engine', engine])).toMatchObject({ options: { engine } });
    for (const lane of ['rental', 'hero', 'adopted'])
      expect(readOptions(['--lane', lane])).toMatchObject({ options: { lane } });
    expect(readOptions(['--auto'])).toMatchObject({ kind: 'options', options: { port: 0, auto: true } });
  });

  it('are all listed in the help', () => {
    expect(readOptions(['--help'])).toEqual({ kind: 'help' });
    expect(readOptions(['-h', '--auto'])).toEqual({ kind: 'help' });
    for (const name of ['port', 'keep', 'webhooks', 'server', 'engine', 'auto', 'days', 'json', 'help'])
      expect(USAGE).toContain(`  --${name} `);
  });

  it.each([
    [['--bogus'], /--bogus/],
    [['ferry'], /ferry/],
    [['--port', ''], /is no port/],
    [['--port', '65536'], /65536 is no port/],
    [['--port', '1.5'], /is no port/],
    [['--keep', ''], /--keep needs a folder/],
    [['--engine', 'lsf'], /local, ray, slurm, iris, not lsf/],
    [['--lane', 'daily'], /rental, hero, adopted, not daily/],
    [['--lane', 'hero', '--engine', 'ray'], /--lane goes without --engine/],
    [['--keep'], /--keep/],
    [['--keep', 'a', '--keep', 'b'], /--keep is given twice/],
    [['--server', 'yes'], /on or off, not yes/],
    [['--webhooks', ''], /on or off/],
    [['--auto', '--days', '0'], /from 1 to 31/],
    [['--auto', '--days', ''], /from 1 to 31/],
    [['--days', '2'], /--days needs --auto/],
  ])('%j is rejected with the reason', (args, words) => {
    const parsed = readOptions([...args, '--json']);
    expect(parsed).toMatchObject({ kind: 'misused', json: true });
    expect(parsed.kind === 'misused' && parsed.message).toMatch(words);
    expect(readOptions(args)).toMatchObject({ kind: 'misused', json: false });
  });
});
