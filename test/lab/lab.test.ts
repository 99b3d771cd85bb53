/** The example lab's own tests, which need only Python 3. */

import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/host/process.ts';

describe('the example lab', () => {
  it('passes its own tests', async () => {
    const result = await runProgram('python3', ['-B', '-m', 'unittest', 'discover', '-s', 'tests'], {
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
      cwd: new URL('../../fixtures/lab', import.meta.url).pathname,
      // It trains: half a minute of processor time, and much longer on a busy machine.
      timeoutMs: 280_000,
    });
    expect(result.stderr).toMatch(/^OK$/m);
    expect(result.ok).toBe(true);
  });
});
