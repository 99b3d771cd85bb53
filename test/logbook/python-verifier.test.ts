// The Python verifier, written only from docs/logbook.md, agrees with ours on good and damaged logbooks.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { VerifyAnswer } from '../../src/app/cli/verbs/logbook-verify.ts';
import { brandAs, isRunId } from '../../src/domain/values.ts';
import { eventsName } from '../../src/logbook/segments.ts';
import { verifyWithBoth } from './both-verifiers.ts';
import { commandAnswered, commandSeen, composeFile, keys, listFerryEvents, RUN, seededKey } from './sample-logbook.ts';

const root = mkdtempSync(join(tmpdir(), 'ferrybot-test-python-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const agreed = (args: readonly string[]): Promise<VerifyAnswer> => verifyWithBoth(root, args);

let files = 0;
function fileWith(bytes: string | Uint8Array): string {
  files += 1;
  const path = join(root, `${files}.jsonl`);
  writeFileSync(path, bytes);
  return path;
}

const ferry = composeFile(listFerryEvents(2));

/** A run's folder with its events in several files. */
function folderOf(name: string, texts: readonly string[]): string {
  const folder = join(root, name, 'runs/2026/11', RUN);
  mkdirSync(folder, { recursive: true });
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, eventsName(index + 1)), text);
  return folder;
}

describe('both verifiers', () => {
  it('read a run in several files as one, and name the file that is bad', async () => {
    const lines = ferry.text.trimEnd().split('\n');
    const cut = (...ends: readonly number[]): readonly string[] =>
      ends.map((end, index) =>
        lines
          .slice(ends[index - 1] ?? 0, end)
          .map((line) => `${line}\n`)
          .join(''),
      );
    const whole = cut(5, 9, lines.length);
    const good = folderOf('parts', whole);
    for (const path of [good, join(good, 'events.jsonl'), join(good, 'events-0002.jsonl'), join(root, 'parts')])
      expect(await agreed([path])).toMatchObject({ ok: true, runs: [{ events: lines.length, anchor: 'terminal' }] });
    const [first = '', second = '', third = ''] = whole;
    const damaged: readonly (readonly [readonly string[], string, string, number])[] = [
      [[first, third], 'order', 'events-0002.jsonl', 1],
      [[first, '', third], 'truncated', 'events-0002.jsonl', 1],
      [[first, third, second], 'order', 'events-0002.jsonl', 1],
      [[first, second.slice(0, -1), third], 'truncated', 'events-0002.jsonl', 4],
      [[first, second, third.replace('3.012', '2.012')], 'hash', 'events-0003.jsonl', 2],
      [['', second, third], 'truncated', 'events.jsonl', 1],
    ];
    for (const [index, [texts, reason, file, line]] of damaged.entries()) {
      const folder = folderOf(`damaged-${index}`, texts);
      const { bad } = await agreed([folder]);
      expect({ reason: bad?.reason, line: bad?.line }).toEqual({ reason, line });
      expect(bad?.file.endsWith(file)).toBe(true);
    }
    const gap = folderOf('gap', whole);
    rmSync(join(gap, 'events-0002.jsonl'));
    expect(await agreed([gap])).toMatchObject({ bad: { reason: 'truncated', seq: 5 } });
  });

  it('accept a whole ferry, report a partial copy as unanchored, and accept a given head', async () => {
    expect(await agreed([fileWith(ferry.text)])).toMatchObject({
      ok: true,
      runs: [{ run: RUN, anchor: 'terminal', keys: 'recorded' }],
    });
    const open = composeFile(listFerryEvents(2).slice(0, 9));
    const path = fileWith(open.text);
    expect(await agreed([path])).toMatchObject({ ok: false, bad: { reason: 'unanchored', line: 10 } });
    const head = `8:${open.events[8]?.hash ?? ''}`;
    expect(await agreed([path, '--head', head])).toMatchObject({ ok: true, runs: [{ anchor: 'flag', head }] });
    expect(await agreed([path, '--head', `12:${'a'.repeat(12)}`])).toMatchObject({
      bad: { reason: 'truncated', line: 10 },
    });
    expect(await agreed([path, '--head', `3:${'a'.repeat(12)}`])).toMatchObject({ bad: { reason: 'hash', line: 4 } });
  });

  it('read a checkout of the branch, and expect in each file the run of its folder', async () => {
    const folder = join(root, 'checkout');
    mkdirSync(join(folder, 'runs/2026/11', RUN), { recursive: true });
    mkdirSync(join(folder, 'journal'), { recursive: true });
    writeFileSync(join(folder, 'runs/2026/11', RUN, 'events.jsonl'), ferry.text);
    expect(await agreed([folder])).toMatchObject({ ok: true, runs: [{ run: RUN }] });
    writeFileSync(
      join(folder, 'journal', 'events.jsonl'),
      composeFile([commandSeen(1, 'status'), commandAnswered(1, 'status-shown')], 'journal').text,
    );
    expect(await agreed([folder])).toMatchObject({ ok: false, bad: { reason: 'unanchored' } });
    writeFileSync(join(folder, 'journal', 'events.jsonl'), ferry.text);
    expect(await agreed([folder])).toMatchObject({ ok: false, bad: { reason: 'order', line: 1 } });
  });

  it('compare the runs of a checkout with the checkpoints of its journal', async () => {
    const { seq, hash, at } = ferry.events.at(-1) ?? { seq: 0, hash: '', at: '' };
    const run = { run: brandAs(RUN, isRunId), firstEntryAt: at, seq, hash, launched: true };
    const checkpoint = (ended: readonly (typeof run)[]): string => {
      const draft = { type: 'record-checkpointed', role: 'control', data: { ended, live: [] } } as const;
      return composeFile([draft], 'journal').text;
    };
    const checkout = (name: string, journal: string, text: string | null): string => {
      const folder = join(root, name);
      mkdirSync(join(folder, 'journal'), { recursive: true });
      writeFileSync(join(folder, 'journal', 'events.jsonl'), journal);
      if (text !== null) folderOf(name, [text]);
      return folder;
    };
    const whole = checkpoint([run]);
    // Nothing anchors the journal; that is the only fault.
    expect(await agreed([checkout('covered', whole, ferry.text)])).toMatchObject({
      runs: [{ run: 'journal' }, { run: RUN }],
      bad: { reason: 'unanchored' },
    });
    const cut = ferry.text.split('\n').slice(0, -2).join('\n');
    for (const text of [null, `${cut}\n`])
      expect(await agreed([checkout(`covered-${text?.length}`, whole, text)])).toMatchObject({
        bad: { reason: 'truncated' },
      });
    const other = checkpoint([{ ...run, hash: 'a'.repeat(64) }]);
    expect(await agreed([checkout('other', other, ferry.text)])).toMatchObject({ bad: { reason: 'hash' } });
    // The journal alone reports nothing about files that were not asked for.
    expect(await agreed([join(root, 'covered', 'journal')])).toMatchObject({ bad: { reason: 'unanchored' } });
  });

  // threat T9
  it('reject a run in the folder of another month, which would be a second place for it', async () => {
    const folder = join(root, 'moved', 'runs/2026/12', RUN);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'events.jsonl'), ferry.text);
    const bad = { reason: 'order', line: 1 };
    expect(await agreed([join(root, 'moved')])).toMatchObject({ ok: false, bad });
    expect(await agreed([folder])).toMatchObject({ ok: false, bad });
  });

  it('use the keys that they are given', async () => {
    const path = fileWith(ferry.text);
    const config = join(root, 'keys.json');
    writeFileSync(config, JSON.stringify({ keys }));
    expect(await agreed([path, '--keys', config])).toMatchObject({ ok: true, runs: [{ keys: 'config' }] });
    const others = keys.map((key) => (key.role === 'watch' ? { ...key, public: seededKey(9).public } : key));
    writeFileSync(config, JSON.stringify({ keys: others }));
    expect(await agreed([path, '--keys', config])).toMatchObject({ bad: { reason: 'signature', line: 9 } });
    writeFileSync(config, JSON.stringify({ keys: keys.map((key) => ({ ...key, role: 'watch' })) }));
    expect(await agreed([path, '--keys', config])).toMatchObject({ bad: { reason: 'role', line: 1 } });
  });

  it('agree on where and why a damaged file is bad', async () => {
    const bytes = Buffer.from(ferry.text, 'utf8');
    const damage = fc.oneof(
      fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, flip]) => {
        const changed = Buffer.from(bytes);
        changed[at] = (bytes[at] ?? 0) ^ flip;
        return changed;
      }),
      fc.nat(bytes.length - 1).map((length) => bytes.subarray(0, length)),
      fc.nat(bytes.length - 1).map((at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])),
      fc
        .tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }))
        .map(([at, byte]) => Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)])),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (changed) => {
        fc.pre(!changed.equals(bytes));
        expect((await agreed([fileWith(changed)])).ok).toBe(false);
      }),
      { numRuns: 12 },
    );
  });

  it('agree on texts that a lenient reader would accept', async () => {
    const [first = ''] = ferry.text.split('\n');
    const rest = ferry.text.slice(first.length);
    for (const changed of [
      first.replace('"issue":12', '"issue":12.0'),
      first.replace('"issue":12', '"issue":1.2e1'),
      first.replace('"issue":12', '"issue": 12'),
      first.replace('"issue":12', '"issue":12,"issue":12'),
      first.replace('"issue":12', '"issue":9007199254740993'),
      first.replace('"issue":12', '"issue":NaN'),
      first.replace('"issue":12', `"issue":${'['.repeat(70)}${']'.repeat(70)}`),
      first.replace('lr-up', '\\u006cr-up'),
      first.replace('lr-up', '\\ud800'),
      `${first}\r`,
      `\uFEFF${first}`,
      first.replace('"v":1', '"v":true'),
      first.replace('T09:00:00.000Z', 'T24:00:00.000Z').replace('2026-11-21T24', '2026-02-30T24'),
    ]) {
      expect(changed).not.toBe(first);
      expect((await agreed([fileWith(changed + rest)])).bad).toMatchObject({ line: 1, reason: 'canonical' });
    }
  });
});
