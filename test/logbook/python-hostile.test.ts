// Odd types, sizes and places: the Python verifier answers JSON for each, with the same verdict and reason as
// ours.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/values.ts';
import { parseSigningKey, sha256Hex } from '../../src/host/keys.ts';
import { canonicalize, textToSign } from '../../src/logbook/chain.ts';
import { answerOfFerrybot, answersOfPython, maskMessages, type VerifierAnswer } from './both-verifiers.ts';
import { commandAnswered, commandSeen, composeFile, gated, keys, proposed } from './sample-logbook.ts';

const root = mkdtempSync(join(tmpdir(), 'ferrybot-test-hostile-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let files = 0;
function fileWith(bytes: string | Uint8Array): string {
  files += 1;
  const path = join(root, `${files}.jsonl`);
  writeFileSync(path, bytes);
  return path;
}

const start = composeFile([proposed, gated, commandSeen(501, 'status'), commandAnswered(501, 'status-shown')]);
const lines = start.text.trimEnd().split('\n');
const first = start.events[0] as unknown as JsonObject;

/** JSON that is difficult for a verifier; each is one fragment of text. */
const ODD: readonly string[] = [
  ...['null', 'true', 'false', '0', '-1', '1', '-0', '1.5', '1e3', '1E400', 'NaN', 'Infinity', '-Infinity'],
  ...['[]', '{}', '""', '[[]]', '[{}]', '{"keys":0}', '["x"]', '"x"', '"\\u0000"', '"\\ud800"', '"é"'],
  ...['9007199254740991', '9007199254740992', `${'9'.repeat(5_000)}`, `"${'0'.repeat(64)}"`],
  ...['{"":null}', '{"a":1,"a":2}', '{"\\udc00":1}', '{"10":1,"9":2}', '{"__proto__":1}', '{"id":true}'],
  ...['{"id":1}', '{"id":1,"login":2}', '{"login":"x","id":1}', 'nothing', '', '[', '"'],
  `${'['.repeat(70)}${']'.repeat(70)}`,
  `${'['.repeat(63)}1${']'.repeat(63)}`,
  '['.repeat(200_000),
  '{"a":'.repeat(100_000),
];
const odd = fc.oneof(
  fc.constantFrom(...ODD),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
);
const field = fc.constantFrom(...Object.keys(first), 'actor', 'more', '__proto__', '0');

/**
 * A field with another value in its text: hash and signature are then wrong, unless an earlier rule fails
 * first.
 */
const changedField = fc.tuple(fc.nat(3), field, odd).map(([at, name, text]) => {
  const line = lines[at] ?? '';
  const value: unknown = JSON.parse(line)[name];
  const written = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  const changed = line.includes(written)
    ? line.replace(written, () => `${JSON.stringify(name)}:${text}`)
    : line.replace(/^\{/, () => `{${JSON.stringify(name)}:${text},`);
  return lines.map((one, index) => (index === at ? changed : one)).join('\n');
});
/** A field with another value, hashed and signed again by the key's holder. */
const resealedField = fc
  .tuple(field, odd)
  .map(([name, text]) => resealed(Object.fromEntries([...Object.entries(first), [name, lenient(text)]])));
/** The keys that the first event records. */
const recordedKeys = fc
  .tuple(fc.nat(2), fc.constantFrom('id', 'role', 'public', 'from', 'until'), oddKeyPart())
  .map(([at, name, part]) => {
    const list = keys.map((key, index) => (index === at ? { ...key, [name]: part } : key));
    return resealed({ ...first, data: { ...(first['data'] as JsonObject), keys: list as unknown as Json } });
  });
const strayLine = fc
  .tuple(fc.nat(4), odd)
  .map(([at, text]) => [...lines.slice(0, at), text, ...lines.slice(at)].join('\n'));
const rawBytes = fc
  .tuple(fc.nat(start.text.length), fc.constantFrom('ff', 'c0af', 'eda080', 'f4908080', 'efbbbf', '00', '0d'))
  .map(([at, hex]) =>
    Buffer.concat([Buffer.from(start.text.slice(0, at)), Buffer.from(hex, 'hex'), Buffer.from(start.text.slice(at))]),
  );
const hostile: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  changedField.map((text) => `${text}\n`),
  resealedField,
  recordedKeys,
  strayLine.map((text) => `${text}\n`),
  rawBytes,
);

function oddKeyPart(): fc.Arbitrary<Json> {
  return fc.oneof(
    odd.map(lenient),
    fc.constantFrom<Json>(
      ...['2026', '2026-02-30T00:00:00Z', '2026-01-01', '20260101T000000Z', 'Jan 1 2026', '2026-W01-1'],
      ...['2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00.123456Z', '2026-01-01T24:00:00Z', '0001-01-01T00:00:00Z'],
      ...['control', 'AAAA', 'AA==', 'é', `${keys[0]?.public} `, keys[1]?.public ?? '', keys[0]?.id ?? ''],
    ),
  );
}

/** The value of a fragment, if it can be written canonically. */
function lenient(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    // At its final depth: data, keys, a key, its part.
    canonicalize({ data: { keys: [{ part: value }] } });
    return value;
  } catch {
    return text;
  }
}

/**
 * The first event with other fields, hashed and signed again, followed by the second line, which continues
 * another event.
 */
function resealed({ hash: _hash, sig: _sig, ...rest }: JsonObject): string {
  const hash = sha256Hex(canonicalize(rest));
  const key = parseSigningKey(Buffer.alloc(32, 1).toString('base64'));
  if (!key.ok) throw new Error(key.error);
  return `${canonicalize({ ...rest, hash, sig: key.value.sign(textToSign(hash)) })}\n${lines[1]}\n`;
}

/** Ours continues with the data and the lifecycle (docs/logbook.md, points 6 and 7), where Python stops. */
const isOursAlone = ({ answer: { bad } }: VerifierAnswer): boolean =>
  bad !== null && (bad.reason === 'transition' || (bad.reason === 'canonical' && bad.message.startsWith('data: ')));

async function agreeOn(questions: readonly (readonly string[])[]): Promise<readonly VerifierAnswer[]> {
  const theirs = await answersOfPython(root, questions);
  for (const [index, question] of questions.entries()) {
    const [one, other] = [await answerOfFerrybot(root, question), theirs[index]];
    if (other === undefined) throw new Error('an answer is missing');
    if (one.answer.error !== undefined) {
      expect(other).toMatchObject({ code: 2, answer: { ok: false, error: { code: 'usage' } } });
    } else if (isOursAlone(one)) expect(other.answer.bad?.line ?? 99).toBeGreaterThanOrEqual(one.answer.bad?.line ?? 0);
    else
      expect([other.code, maskMessages(other.answer)], JSON.stringify(one)).toEqual([
        one.code,
        maskMessages(one.answer),
      ]);
  }
  return theirs;
}

describe('the verifier in Python', () => {
  it('agrees with ours on files with odd types, numbers, nesting, keys and bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 25, maxLength: 25 }), async (texts) => {
        await agreeOn(texts.map((text) => [fileWith(text)]));
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  it('answers JSON for every fragment as a field, as the whole line, and as the keys file', async () => {
    const fragments = ODD.filter((text) => text.length < 6_000);
    const questions = fragments.flatMap((text) => [
      [fileWith(`${text}\n`)],
      [fileWith(start.text), '--keys', fileWith(text)],
      ...Object.keys(first).map((name) => [fileWith(resealed({ ...first, [name]: lenient(text) })), '--no-signatures']),
    ]);
    for (const { code, answer } of await answersOfPython(root, questions)) {
      expect(answer.ok).toBe(code === 0);
      expect(code === 2 ? answer.error : answer.bad).toMatchObject(
        code === 2 ? { code: 'usage' } : { reason: expect.any(String) },
      );
    }
  });

  it('meets an invalid run name signed with a lab key, which ours reports as a broken rule', async () => {
    for (const run of ['[', 'A', 'x'.repeat(70), '../up']) {
      const { answer } = await answerOfFerrybot(root, [fileWith(resealed({ ...first, run }))]);
      expect(answer.bad).toMatchObject({ line: 1, reason: 'transition' });
    }
  });

  it('rejects an invalid keys file, as ours does', async () => {
    const path = fileWith(start.text);
    const [one] = keys;
    const answers = await agreeOn(
      [
        ...['', '[]', '{"keys":[]}', '{"keys":{}}', '{"keys":[1]}', '{"keys":[{"id":"a"}]}', '3', '"keys"'],
        JSON.stringify({ keys: [{ ...one, role: 'cook' }] }),
        JSON.stringify({ keys: [{ ...one, from: 5 }] }),
        JSON.stringify({ keys: [{ ...one, public: null }] }),
      ].map((text) => [path, '--keys', fileWith(text)]),
    );
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 2));
  });

  it('reports extreme nesting or size as not canonical', async () => {
    const [deep, wide] = await answersOfPython(root, [
      [fileWith(`${'['.repeat(400_000)}\n`)],
      [fileWith(`"${'a'.repeat(1_000_001)}"\n`)],
    ]);
    expect(deep?.answer.bad).toMatchObject({ line: 1, reason: 'canonical' });
    expect(wide?.answer.bad).toMatchObject({ line: 1, reason: 'canonical' });
  });

  it('reports usage errors and unreadable paths as JSON with exit code 2, as ours does', async () => {
    const path = fileWith(start.text);
    const folder = (...names: readonly string[]): string => {
      const made = join(root, ...names);
      mkdirSync(made, { recursive: true });
      return made;
    };
    folder('isfolder', 'events.jsonl');
    folder('loops', 'runs/2026/11', 'a');
    symlinkSync('events.jsonl', join(root, 'loops', 'runs/2026/11', 'a', 'events.jsonl'));
    for (const run of ['a', 'b']) {
      folder('two', 'runs/2026/11', run);
      writeFileSync(join(root, 'two', 'runs/2026/11', run, 'events.jsonl'), start.text);
    }
    const answers = await agreeOn([
      [],
      [''],
      ['a', 'b'],
      [join(root, 'missing')],
      [join(root, 'x'.repeat(5_000))],
      [folder('empty')],
      [join(root, 'isfolder')],
      [join(root, 'loops')],
      [join(root, 'two'), '--head', `0:${'a'.repeat(12)}`],
      [path, '--head', ''],
      [path, '--head', '1:abc'],
      [path, '--head', `${'9'.repeat(5_000)}:${'a'.repeat(12)}`],
      [path, '--head', `٣:${'a'.repeat(12)}`],
      [path, '--keys', ''],
      [path, '--keys', join(root, 'missing')],
      [path, '--keys', root],
      [path, '--key', path],
      [path, '--unknown'],
    ]);
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 2));
  });

  it('reads the runs of a checkout in the same order as ours', async () => {
    for (const run of ['a', 'a-b', 'a.b', 'aé', 'a🤖', 'a\uff5e']) {
      mkdirSync(join(root, 'ordered', 'runs/2026/11', run), { recursive: true });
      writeFileSync(join(root, 'ordered', 'runs/2026/11', run, 'events.jsonl'), 'no entry\n');
    }
    await agreeOn([[join(root, 'ordered')]]);
  });
});
