/** action.yml declares exactly what the code reads and writes: names, descriptions, defaults and modes. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { isMode, MODES } from '../../src/app/action/parts.ts';

const root = join(import.meta.dirname, '../..');
const manifest = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    author: z.string(),
    branding: z.strictObject({ icon: z.string(), color: z.string() }),
    inputs: z.record(
      z.string(),
      z
        .strictObject({ description: z.string().min(20), required: z.boolean(), default: z.string().optional() })
        .transform((input) => ({ ...input, default: input.default ?? null })),
    ),
    outputs: z.record(z.string(), z.strictObject({ description: z.string().min(10) })),
    runs: z.strictObject({ using: z.literal('node24'), main: z.literal('dist/index.js') }),
  })
  .parse(parse(readFileSync(join(root, 'action.yml'), 'utf8')));

describe('action.yml', () => {
  it('names every mode in the description of `mode`', () => {
    const named = [...(manifest.inputs['mode']?.description ?? '').matchAll(/([\w-]+) \(/g)].map((m) => m[1]);
    expect(named).toEqual([...MODES]);
    expect(MODES.every(isMode)).toBe(true);
    expect(isMode('seal')).toBe(false);
  });

  it('has no default for a required input', () => {
    for (const [name, input] of Object.entries(manifest.inputs)) {
      if (input.required) expect(input.default, name).toBeNull();
    }
  });
});

describe('the code of the action', () => {
  const folder = join(root, 'src/app/action');
  const source = readdirSync(folder)
    .filter((file) => file !== 'inputs.ts')
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const named = (call: RegExp): string[] => [...new Set([...source.matchAll(call)].map((m) => m[1] ?? ''))].sort();

  it('reads each input of action.yml, and no other', () => {
    expect(named(/getInput\(\s*'([\w-]+)'/g)).toEqual(Object.keys(manifest.inputs).sort());
  });

  it('sets each output of action.yml, and no other', () => {
    expect(named(/setOutput\(\s*'([\w-]+)'/g)).toEqual(Object.keys(manifest.outputs).sort());
  });
});
