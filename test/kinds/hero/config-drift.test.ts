/** What may differ from the attempt before: in the same run, and in one that goes on from another's checkpoint under an identity of its own. */

import { expect, it } from 'vitest';
import type { FileChange } from '../../../src/domain/facts.ts';
import type { Manifest } from '../../../src/domain/launch/manifest.ts';
import { known, unknown } from '../../../src/domain/observed.ts';
import { configDrift } from '../../../src/kinds/hero/gates/config-drift.ts';
import { aManifest } from '../../gates/gate-manifest.ts';
import { gateFacts } from '../../gates/sample-facts.ts';
import { aChange } from '../../support/run-facts.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const COMMAND = ['OUT=gs://lab/a', 'python3', 'train.py', '--run', 'grug-a', '--id=grug-a', '--lr=1'];
const BEFORE = aManifest({ ...named('grug-a', 'gs://lab/a'), command: COMMAND });

function named(id: string, outputRoot: string): Partial<Manifest> {
  return {
    runName: id,
    outputRoot,
    tracker: { ...aManifest().tracker, runId: id },
    resume: { policy: 'allow', initializeFrom: null, roots: [outputRoot] },
    policy: {
      ...aManifest().policy,
      'contract.slug': `given: ${id}`,
      'contract.outputRoot': `given: ${outputRoot}`,
    },
  };
}

/** The same under other names and elsewhere. */
const AS_B = aManifest({
  ...named('grug-b', 'gs://lab/b'),
  command: COMMAND.map((part) => part.replaceAll('grug-a', 'grug-b').replace('gs://lab/a', 'gs://lab/b')),
});

function judge(now: Manifest, isOfAnotherRun: boolean, sinceAttempt: readonly FileChange[] = []) {
  const facts = gateFacts({
    ranBefore: known({ manifest: BEFORE, isOfAnotherRun }),
    manifest: known(now),
    change: known(aChange({ sinceAttempt })),
  });
  return configDrift.evaluate(facts);
}

const withPolicy = (policy: Readonly<Record<string, string>>, of = BEFORE): Manifest => ({
  ...of,
  policy: { ...of.policy, ...policy },
});

it('takes the names and the place of another run for no drift, and in the same run for one', () => {
  expect(judge(AS_B, true)).toMatchObject({ outcome: 'pass', code: 'as-before' });
  expect(judge(AS_B, false)).toMatchObject({ outcome: 'fail', code: 'drift' });
});

it.each([
  ['another value in its command', { ...AS_B, command: [...AS_B.command, '--seed=2'] }, 'Command'],
  [
    'a name that is part of another word',
    { ...AS_B, command: AS_B.command.map((part) => part.replace('--lr=1', '--data=grug-b2')) },
    'Command',
  ],
  [
    'another project of the tracker',
    { ...AS_B, tracker: { ...AS_B.tracker, project: 'other' } },
    'W&B run id',
  ],
  ['another budget', withPolicy({ 'contract.tokens': 'given: 9' }, AS_B), 'Token budget'],
  ['another cluster', { ...AS_B, cluster: 'us-east5' }, 'Cluster'],
  [
    'other retention',
    { ...AS_B, retention: { ...AS_B.retention, keepTemporary: 99 } },
    'Checkpoint retention',
  ],
])('blocks another run with %s that nobody says is meant', (_, now, name) => {
  expect(judge(now, true)).toMatchObject({ outcome: 'fail', code: 'drift', found: { names1: name } });
});

it('shows another run the code that it trains with otherwise, and blocks the same run for it', () => {
  const delta = { kind: 'structural', side: 'head', line: 9, statement: 'x = y' } as const;
  const code = [{ path: 'lib/model.py', delta }];
  const found = { names1: 'lib/model.py, line 9' };
  expect(judge(AS_B, true, code)).toMatchObject({ outcome: 'pass', code: 'as-another-run', found });
  expect(judge(BEFORE, false, code)).toMatchObject({ outcome: 'fail', code: 'may-train-otherwise', found });
  const value = { knob: 'lr', path: 'train().lr', before: '1', after: '2', bucket: null, line: 4 };
  const slip = [{ path: 'lib/train.py', delta: { kind: 'knobs', changes: [value] } as const }];
  expect(judge(AS_B, true, slip)).toMatchObject({ outcome: 'fail', code: 'drift' });
});

it('knows nothing of what another run ran where its record cannot be read', () => {
  const facts = gateFacts({ ranBefore: unknown('the record of grug-a does not verify') });
  expect(configDrift.evaluate(facts)).toMatchObject({ outcome: 'unknown' });
});

it.each([
  ['the same commit', 'a', `ghcr.io/lab/t@${OTHER}`, 'fail'],
  ['a commit that was mended, built anew', 'b', `ghcr.io/lab/t@${OTHER}`, 'pass'],
  ['a commit that was mended, built anew under a tag', 'b', 'ghcr.io/lab/t:v2', 'pass'],
  ['a commit that was mended, of another name', 'b', `ghcr.io/lab/other@${OTHER}`, 'fail'],
  ['a commit that was mended, in no container any more', 'b', 'the tree of the source SHA', 'fail'],
])('another container is %s', (_, commit, image, outcome) => {
  const before = withPolicy({
    'contract.commit': 'given: a',
    'contract.bundle': `given: ghcr.io/lab/t@${DIGEST}`,
  });
  const now = withPolicy({ 'contract.commit': `given: ${commit}`, 'contract.bundle': `given: ${image}` });
  const facts = gateFacts({
    ranBefore: known({ manifest: before, isOfAnotherRun: false }),
    manifest: known(now),
  });
  expect(configDrift.evaluate(facts)).toMatchObject({ outcome });
});
