/** Families of messages of what starts, holds and serves a job, and of libraries that no row knows. */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { namedClassOf } from '../../src/diagnosis/rows.ts';

const died = (...log: readonly string[]) => diagnose(log, null);

describe('families of messages of platforms', () => {
  it.each([
    'Process received signal ***',
    'double free or corruption (out)',
    '*** stack smashing detected ***: terminated',
    'free(): invalid pointer',
    'malloc(): corrupted top size',
  ])(
    'has a human look at a process that died of itself, whatever connections the others lost: %s',
    (line) => {
      const found = died('NCCL WARN Connection reset by peer', `[h3:77] ${line}`);
      expect(found).toMatchObject({ class: 'unknown', response: 'escalate' });
    },
  );

  it('believes what Ray says of a dead node as a warning, and anything worse rather', () => {
    const lost = 'WARNING worker.py:2074 -- The node with node id: 3fa9 is marked dead because it is silent';
    expect(died(lost)).toMatchObject({ class: 'unknown', evidence: [{ text: lost }] });
    expect(died(lost, 'OSError: [Errno 28] /lab/a').class).toBe('storage');
  });

  it('calls a connection that a worker of a loader lost no damage of the data', () => {
    expect(died('Caught ConnectTimeout in DataLoader worker process 3.').class).not.toBe('data');
    expect(died('Caught DecodeError in DataLoader worker process 3.').class).toBe('data');
  });

  it('blames the network below a service that is not there', () => {
    const line = 'Check failed: s UNAVAILABLE: failed to connect to all addresses';
    expect(died(line).class).not.toBe('infra-cluster');
  });

  it('lets a cause have its say where a cloud has none', () => {
    expect(died('an internal error. Please try again', 'a: Disk quota exceeded').class).toBe('storage');
  });
});

describe('what the name of an exception says', () => {
  it.each([
    ['storage', 'a.CheckpointException'],
    ['data', 'a.DecodingProblem'],
    ['data', 'a.CorruptShard'],
    ['auth', 'a.CredentialProblem'],
    ['dependency', 'a.VersionProblem'],
    ['code-other', 'a.ShapeError'],
    ['code-other', 'a.ShardingProblem'],
    ['config', 'a.UsageProblem'],
    [null, 'a.Error'],
    [null, 'a.TimeoutException'],
  ])('says %s of %s', (what, type) => {
    expect(namedClassOf(type)).toBe(what);
  });

  it('is asked last, and is no reason to try again', () => {
    const raised = (end: string) =>
      died(
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3.12/site-packages/a/b.py", line 9, in c',
        '    d()',
        end,
      );
    expect(raised('a.b.CheckpointException: 40')).toMatchObject({ class: 'unknown', confidence: 'low' });
    expect(raised('a.b.ConfigException: 40')).toMatchObject({ class: 'config', confidence: 'low' });
    expect(raised('a.b.CheckpointException: No space left on device').class).toBe('storage');
    expect(raised('a.b.StrangeError: 40')).toMatchObject({ class: 'unknown', response: 'escalate' });
  });
});
