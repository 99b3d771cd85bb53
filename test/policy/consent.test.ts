/**
 * No change of a cluster without consent, as checked by the compiler and in the source tree (policy ML-02).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { CHANGE_STEPS } from '../../src/domain/actions/action.ts';

const ROOT = join(import.meta.dirname, '../..');
const SPENDING = join(ROOT, 'src/domain/actions/capability.ts');
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file: `src/${file}`, text: readFileSync(join(ROOT, 'src', file), 'utf8') }));

/** The compiler's errors for a file that changes a cluster with `token`, the first line of each. */
function complaints(token: string): readonly string[] {
  const file = join(ROOT, 'src/app/forged.ts');
  const text = `import { type Capability, spendCapability } from '../domain/actions/capability.ts';
import type { Instant } from '../domain/values.ts';
declare const now: Instant;
declare const given: Capability;
spendCapability({ capability: ${token}, now }, { kind: 'delete-tpu-vm', command: ['gcloud'] });
`;
  const read = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile;
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext) : readSource.call(host, name, ...rest);
  const program = ts.createProgram([file, SPENDING], { ...options, noEmit: true, types: [], incremental: false }, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')[0] ?? '');
}

describe('the compiler', () => {
  it('accepts a token that was passed in', () => {
    expect(complaints('given')).toEqual([]);
  });

  it.each([
    ['nothing', '{}'],
    ['null', 'null'],
    ['an approval', "{ consent: 'a recorded consent' }"],
    ['a copy of its mark', "{ [Symbol('consent')]: 'a recorded consent' }"],
    ['the steps of a token', '{ steps: [], until: now }'],
    ['a type assertion', '{ consent: true } as Capability'],
  ])('rejects %s as a token', (_, token) => {
    expect(complaints(token)).toHaveLength(1);
  });
});

describe('the source tree', () => {
  it('casts nothing to a token except in the file that creates tokens', () => {
    const casts = sources.filter(({ text }) => /\bas (unknown as )?Capability\b|<Capability>/.test(text));
    expect(casts.map(({ file }) => file)).toEqual(['src/domain/actions/capability-seal.ts']);
  });

  it('changes a cluster only from files that hold a token', () => {
    const callers = (call: RegExp): readonly string[] =>
      sources.filter(({ text }) => call.test(text)).map(({ file }) => file);
    expect(callers(/(?<!function )\bchangeWith(Gcloud|Script)\(/)).toEqual([
      'src/app/disk-scan/disk-port.ts',
      'src/clouds/gcp/gcloud.ts',
    ]);
    expect(callers(/\.deleteVm\(/)).toEqual(['src/actions/replace-node.ts']);
    expect(callers(/\bport\(\)\)\.change\(/).toSorted()).toEqual([
      'src/actions/clear-disk.ts',
      'src/actions/start-cron.ts',
    ]);
    expect(callers(/(?<!function )\bmintAction\(/)).toEqual(['src/actions/change-cluster.ts']);
    expect(callers(/(?<!function )\bsealCapability\(/)).toEqual(['src/actions/mint.ts']);
    expect(callers(/(?<!function )\bmintSubmission\(/)).toEqual(['src/actions/launch.ts']);
    expect(callers(/(?<!function )\bmintStop\(/)).toEqual(['src/actions/stop.ts']);
    expect(callers(/\bengine\.submit\(/)).toEqual(['src/actions/launch.ts']);
    expect(callers(/\bengine\.stop\(/)).toEqual(['src/actions/stop.ts']);
    // For checkpoints: a consent covers a step, the action that performs it holds the store, and no other
    // code opens one to delete.
    expect(callers(/(?<!function )\bdeletionStep\(/)).toEqual(['src/checkpoints/cleanup.ts']);
    expect(callers(/\bstore(\.value)?\.remove\(/)).toEqual(['src/actions/delete-checkpoints.ts']);
    expect(callers(/(?<!function )\bopenStoreToDelete\(/).toSorted()).toEqual([
      'src/app/action/full.ts',
      'src/stores/open.ts',
    ]);
    expect(callers(/(?<!function )\bcreateCheckpointDeletion\(/)).toEqual(['src/app/care/executor-for.ts']);
    expect(callers(/\bCheckpointStore\b/).toSorted()).toEqual([
      'src/actions/delete-checkpoints.ts',
      'src/app/care/executor-for.ts',
      'src/domain/checkpoint/stored.ts',
      'src/stores/open.ts',
      'src/stores/store.ts',
    ]);
    expect(
      callers(/['"]DELETE['"]/)
        .filter((file) => file.startsWith('src/stores/'))
        .toSorted(),
    ).toEqual(['src/stores/buckets.ts', 'src/stores/open.ts', 'src/stores/store.ts']);
    expect(callers(/\bbucket\.remove\(/)).toEqual(['src/stores/store.ts']);
    // The words of a deletion occur only in the step that needs a consent.
    expect(callers(/'tpu-vm', 'delete'/)).toEqual(['src/domain/care/machines.ts']);
  });

  it('has no code that restarts, stops or creates a cluster or its head node', () => {
    const forbidden =
      /['"`](restart|stop|create|delete|start|add|update)[-_](cluster|head|worker)\b|['"`](add-worker|ray (up|down|stop))['"`]|\b(restart|recreate)(Cluster|Head(Node)?|Worker)\b/;
    expect(sources.filter(({ text }) => forbidden.test(text)).map(({ file }) => file)).toEqual([]);
    expect(CHANGE_STEPS.filter((kind) => /restart|cluster$|head/.test(kind))).toEqual([]);
    for (const example of ["'restart-cluster'", '"stop-cluster"', "'add-worker'", 'restartHeadNode', "'ray down'"])
      expect(forbidden.test(example), example).toBe(true);
  });
});
