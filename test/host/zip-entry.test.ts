/** The only file of an archive as real programs write it, and malformed archives. */

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readOnlyEntry } from '../../src/host/files.ts';
import { zipOf } from '../support/left-artifacts.ts';

/** Python's own writer; `seekable` false writes sizes after the data, as for a stream. */
function zip(script: string): Buffer {
  const program = `import io, sys, zipfile
class Pipe(io.RawIOBase):
    def __init__(self): self.all = b""
    def writable(self): return True
    def seekable(self): return False
    def write(self, data): self.all += bytes(data); return len(data)
out = Pipe()
def entry(z, name, data, how=zipfile.ZIP_DEFLATED):
    z.writestr(name, data, how)
with zipfile.ZipFile(out, "w") as z:
${script.replace(/^/gm, '    ')}
sys.stdout.buffer.write(out.all)`;
  const { stdout, status } = spawnSync('python3', ['-c', program]);
  expect(status).toBe(0);
  return stdout;
}

const read = (bytes: Uint8Array): string | null => readOnlyEntry(bytes, 'answer.json', 1_000);

describe('the only file of an archive', () => {
  it.each(['zipfile.ZIP_DEFLATED', 'zipfile.ZIP_STORED'])('is read as Python writes it (%s)', (how) => {
    expect(read(zip(`entry(z, "answer.json", "x" * 900, ${how})`))).toBe('x'.repeat(900));
    expect(read(zip(`entry(z, "answer.json", "", ${how})`))).toBe('');
    expect(read(zip(`entry(z, "answer.json", "\\u00e9", ${how})`))).toBe('é');
  });

  it("is read as a lab's tests write it", () => {
    expect(read(zipOf('answer.json', '{}'))).toBe('{}');
  });

  // threat T222
  it.each([
    ['another file', 'entry(z, "other.json", "{}")'],
    ['a path outside', 'entry(z, "../answer.json", "{}")'],
    ['two files', 'entry(z, "answer.json", "{}"); entry(z, "b", "{}")'],
    ['no file', 'pass'],
    ['more bytes than its limit', 'entry(z, "answer.json", "x" * 1001)'],
    ['more bytes than fit in memory, packed small', 'entry(z, "answer.json", "x" * 100_000_000)'],
    ['an unsupported compression', 'entry(z, "answer.json", "{}", zipfile.ZIP_BZIP2)'],
    ['text that is not UTF-8', 'entry(z, "answer.json", b"\\xff\\xfe")'],
  ])('is null if the archive has %s', (_what, script) => {
    expect(read(zip(script))).toBeNull();
  });

  it('is null or unchanged if bytes were changed or cut, without an exception', () => {
    const whole = zip('entry(z, "answer.json", "the quick brown fox " * 20)');
    const text = read(whole);
    expect(text).toContain('quick');
    for (let at = 0; at < whole.length; at += 1) {
      expect([null, text]).toContain(read(whole.subarray(0, at)));
      for (const value of [0x00, 0xff]) {
        const bent = Buffer.from(whole);
        bent[at] = value;
        const found = read(bent);
        if (found !== null) expect(found.length).toBeLessThanOrEqual(1_000);
      }
    }
  });

  it('is null if its directory contains a wrong size', () => {
    const bent = zip('entry(z, "answer.json", "x" * 5000)');
    const directory = bent.lastIndexOf('PK\x01\x02');
    bent.writeUInt32LE(900, directory + 24);
    expect(read(bent)).toBeNull();
  });
});
