import { describe, expect, it } from 'vitest';
import { carryOver, type PassedFile } from '../../../src/kinds/ferry/carry-over.ts';
import { readText } from '../../support/read-experiments.ts';

const left = '# the daily\nrun(lr=1, warmup=5, decay=2)\n';
const ran = left.replace('lr=1', 'lr=3');
const carried = (file: Partial<PassedFile>): ReturnType<typeof carryOver> => {
  const target = file.target ?? left;
  return carryOver({ ran, left, target, since: [target], ...file }, readText);
};

describe('what a pass ran, on the file as the target branch has it', () => {
  it('is the file that ran, byte for byte, where nobody has touched it since', async () => {
    expect(await carried({ ran: `${ran}# a note\n`, since: [] })).toEqual({
      text: `${ran}# a note\n`,
      notTaken: [],
    });
  });

  it('is written into a file that others have changed elsewhere', async () => {
    const target = left.replace('# the daily', '# the daily run').replace('decay=2', 'decay=4');
    expect(await carried({ target })).toEqual({ text: target.replace('lr=1', 'lr=3'), notTaken: [] });
  });

  it.each([
    ['set by the branch since', { target: left.replace('lr=1', 'lr=9') }, '9', 'moved'],
    ['set and taken back by the branch', { since: [left, left.replace('lr=1', 'lr=3')] }, '1', 'moved'],
    ['gone from the branch', { target: left.replace('lr=1, ', '') }, null, 'gone'],
    ['of a branch with more commits than are read', { since: null }, '1', 'unclear'],
    ['of a branch that was no Python for a while', { since: [left, 'run(lr='] }, '1', 'unclear'],
  ] as const)('leaves a knob as it is that is %s', async (_, file, target, why) => {
    const path = 'run().lr';
    expect((await carried(file))?.notTaken).toEqual([{ knob: 'lr', path, ran: '3', target, why }]);
    expect((await carried(file))?.text).toBe('target' in file ? file.target : left);
  });

  it('puts no setting in and takes none out: only values are written', async () => {
    const added = left.replace('decay=2', 'decay=2, seed=7').replace('warmup=5, ', '');
    const target = left.replace('# the daily', '# ours');
    expect(await carried({ ran: added, target })).toEqual({
      text: target,
      notTaken: [
        { knob: 'warmup', path: 'run().warmup', ran: null, target: '5', why: 'no-value' },
        { knob: 'seed', path: 'run().seed', ran: '7', target: null, why: 'no-value' },
      ],
    });
  });

  it('says nothing of a value that the branch has by now', async () => {
    expect(await carried({ target: ran, since: [ran] })).toEqual({ text: ran, notTaken: [] });
  });

  it('is not known where more than knobs differ', async () => {
    expect(await carried({ ran: `import os\n${left}os.remove("x")\n` })).toBeNull();
    expect(await carried({ target: 'run(' })).toBeNull();
  });
});
