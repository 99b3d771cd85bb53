/** Why each detector has raised an alarm, as people read it. */

import { describe, expect, it } from 'vitest';
import { DETECTOR_IDS } from '../../src/domain/detector-ids.ts';
import { alarmWhy } from '../../src/render/alarm-words.ts';

describe('an alarm', () => {
  it('says why, with what was seen and the bound', () => {
    const facts = { seen: '7', bound: '3', step: '12', minutes: 20 };
    expect(DETECTOR_IDS.map((id) => `${id}: ${alarmWhy(id, facts)}`)).toMatchSnapshot();
  });
});
