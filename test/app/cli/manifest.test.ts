// `manifest` as a person uses it: the approved manifest, to the byte, from a kept folder or a checkout of the
// record.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/domain/launch/manifest.ts';
import type { EventDraft } from '../../../src/domain/logbook/define.ts';
import { canonicalDigest } from '../../../src/logbook/chain.ts';
import { createScratchFolder } from '../../host/git/scratch-repository.ts';
import { composeFile, digestOf, gated, listFerryEvents, proposed, RUN } from '../../logbook/sample-logbook.ts';
import { aManifest } from '../../support/run-parts.ts';
import { callVerb, type VerbResult } from './call-verb.ts';

const EVENTS = `runs/2026/11/${RUN}/events.jsonl`;
const sealed = composeFile(listFerryEvents(2)).text;
const call = (verb: string, cwd: string, ...args: readonly string[]): Promise<VerbResult> => callVerb(verb, cwd, args);

/** A folder with the record of one run, like a checkout of the branch. */
function folderWith(text: string): string {
  const folder = createScratchFolder();
  mkdirSync(dirname(join(folder, EVENTS)), { recursive: true });
  writeFileSync(join(folder, EVENTS), text);
  return folder;
}

function gatedWith(manifest: Manifest, digest = canonicalDigest(manifest, digestOf)): EventDraft {
  if (gated.type !== 'gated') throw new Error('the sample changed');
  return { ...gated, data: { ...gated.data, manifest, digest } };
}

describe('manifest', () => {
  it('prints the manifest that was gated last, even if the run is open and has no anchor', async () => {
    const manifest = aManifest({ cluster: 'us-east5', command: ['python3', 'experiments/été.py'] });
    const folder = folderWith(composeFile([proposed, gatedWith(aManifest()), gatedWith(manifest)]).text);
    const { code, out } = await call('manifest', folder, RUN, '--json');
    const answer = JSON.parse(out);
    expect({ code, ...answer }).toMatchObject({ code: 0, run: RUN, manifest, commit: expect.any(String) });
    expect(JSON.parse(answer.canonical)).toEqual(manifest);
    expect(answer.digest).toBe(`sha256:${createHash('sha256').update(answer.canonical).digest('hex')}`);
    expect(await call('manifest', folder, RUN)).toEqual({
      code: 0,
      out: `${answer.digest}\n${answer.canonical}\n`,
      err: '',
    });
  });

  it('exits 1 if the digest differs from the recorded digest', async () => {
    const other = canonicalDigest(aManifest({ cluster: 'elsewhere' }), digestOf);
    const folder = folderWith(composeFile([proposed, gatedWith(aManifest(), other)]).text);
    const { code, out } = await call('manifest', folder, RUN, '--json');
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, error: { code: 'digest-differs' } });
  });

  it('accepts a kept folder or a checkout of the logbook under any folder name', async () => {
    const kept = createScratchFolder();
    mkdirSync(dirname(join(kept, 'logbook', EVENTS)), { recursive: true });
    writeFileSync(join(kept, 'logbook', EVENTS), sealed);
    const answers = await Promise.all([
      call('manifest', kept, RUN, '--json'),
      call('manifest', kept, RUN, '--dir', 'logbook', '--json'),
      call('manifest', '/', RUN, '--dir', join(kept, 'logbook'), '--json'),
    ]);
    // The sample has no manifest; this error proves that the run was found.
    for (const { code, out } of answers)
      expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, error: { code: 'no-manifest' } });
  });

  it('accepts only the exact name of a run, not a folder on the path to it', async () => {
    const folder = createScratchFolder();
    const path = join(folder, 'kept', 'logbook', EVENTS);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, sealed);
    for (const run of ['runs', 'logbook', `runs/2026/11/${RUN}`]) {
      const { code, out } = await call('manifest', folder, run, '--dir', 'kept', '--json');
      expect({ run, code, ...JSON.parse(out) }).toMatchObject({ run, code: 1, error: { code: 'run-unknown' } });
    }
    const told = await call('manifest', folder, RUN, '--dir', 'kept', '--json');
    // The sample has no manifest.
    expect(JSON.parse(told.out)).toMatchObject({ error: { code: 'no-manifest' } });
  });
});
