/**
 * Message families of launchers, containers and services around a job, and of libraries without a row in the
 * table.
 */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { namedClassOf } from '../../src/diagnosis/rows.ts';

const died = (...log: readonly string[]) => diagnose(log, null);

describe('message families of platforms', () => {
  it.each([
    'Process received signal ***',
    'double free or corruption (out)',
    '*** stack smashing detected ***: terminated',
    'free(): invalid pointer',
    'malloc(): corrupted top size',
  ])('escalate a crashed process, even if other ranks lost their connection: %s', (line) => {
    const found = died('NCCL WARN Connection reset by peer', `[h3:77] ${line}`);
    expect(found).toMatchObject({ class: 'unknown', response: 'escalate' });
  });

  it("treat Ray's dead-node warning as unknown, and prefer any stronger message", () => {
    const lost = 'WARNING worker.py:2074 -- The node with node id: 3fa9 is marked dead because it is silent';
    expect(died(lost)).toMatchObject({ class: 'unknown', evidence: [{ text: lost }] });
    expect(died(lost, 'OSError: [Errno 28] /lab/a').class).toBe('storage');
  });

  it("do not report a lost connection in a loader's worker as damaged data", () => {
    expect(died('Caught ConnectTimeout in DataLoader worker process 3.').class).not.toBe('data');
    expect(died('Caught DecodeError in DataLoader worker process 3.').class).toBe('data');
  });

  it('do not blame the cluster for a service that cannot be reached', () => {
    const line = 'Check failed: s UNAVAILABLE: failed to connect to all addresses';
    expect(died(line).class).not.toBe('infra-cluster');
  });

  it('prefer a cause over an internal error of a cloud', () => {
    expect(died('an internal error. Please try again', 'a: Disk quota exceeded').class).toBe('storage');
  });
});

describe('the name of an exception', () => {
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
  ])('means class %s for %s', (what, type) => {
    expect(namedClassOf(type)).toBe(what);
  });

  it('is used last, with low confidence, and never causes a restart', () => {
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
