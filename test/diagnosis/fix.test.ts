/**
 * Small mistakes as the real interpreter (CPython 3.14) reports them, fixed from the files, and run again.
 */

import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { loadPyodide } from 'pyodide';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askPythonForFix, smallFix } from '../../src/app/small-fix.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';

const RUN = `
import json, os, shutil, sys, traceback
def run(files):
    shutil.rmtree("/job", ignore_errors=True)
    for path, text in json.loads(files).items():
        os.makedirs(os.path.dirname("/job/" + path), exist_ok=True)
        with open("/job/" + path, "w", newline="") as f: f.write(text)
    for name in [m for m in sys.modules if m == "lab" or m.startswith("lab.")]: del sys.modules[name]
    sys.path[:] = ["/job"] + [p for p in sys.path if p != "/job"]
    import importlib, linecache
    importlib.invalidate_caches(); linecache.clearcache()
    sys.dont_write_bytecode = True
    try:
        source = open("/job/main.py").read()
        exec(compile(source, "/job/main.py", "exec"), {"__name__": "__main__"})
        return ""
    except BaseException:
        text = traceback.format_exc()
        lines = text.split("\\n")
        return "\\n".join(line for at, line in enumerate(lines)
            if not (line.startswith('  File "<exec>"') or (at > 0 and lines[at-1].startswith('  File "<exec>"') and not line.startswith("  File"))))
run
`;

type Files = Readonly<Record<string, string>>;
const python = await loadPyodide();
const runFiles = z
  .custom<(files: string) => string>((value) => typeof value === 'function')
  .parse(python.runPython(RUN));

const run = (files: Files): string => runFiles(JSON.stringify(files));

/** The fix for a log and these files, or the reason why there is none. */
async function fixFor(log: string, files: Files) {
  const found = diagnose(log.split('\n'), 'FAILED');
  if (found.class !== 'code-small' || found.traceback === null) return { kind: 'none', reason: found.class } as const;
  const { file, line, message } = found.traceback;
  const source = {
    paths: async () => Object.keys(files),
    textOf: async (path: string) => files[path] ?? null,
    mayChange: () => true,
  };
  const fix = await smallFix(source, { file, line, error: message }, (question) =>
    askPythonForFix(question, 'python3', process.env['PATH'] ?? ''),
  );
  if (fix.kind === 'unknown') throw new Error(fix.why);
  return fix.value;
}

const MAIN = 'from lab import train\n';
const SLIPS: readonly (readonly [what: string, files: Files, changed: string])[] = [
  [
    'a misspelt name',
    { 'main.py': MAIN, 'lab/train.py': 'warmup_steps = 3\nrate = 1 / warmup_stepz\n' },
    'rate = 1 / warmup_steps',
  ],
  [
    'a misspelt attribute',
    { 'main.py': MAIN, 'lab/train.py': 'class C:\n    warmup_steps = 3\nc = C()\nrate = 1 / c.warmup_stepz\n' },
    'rate = 1 / c.warmup_steps',
  ],
  [
    'a misspelt attribute of another file',
    {
      'main.py': MAIN,
      'lab/__init__.py': '',
      'lab/train.py': 'from lab.model import M\nsize = M().num_parms\n',
      'lab/model.py': 'class M:\n    def __init__(self):\n        self.num_params = 3\n',
    },
    'size = M().num_params',
  ],
  [
    'a misspelt keyword',
    { 'main.py': MAIN, 'lab/train.py': 'def step(rate, *, warmup): return rate\nstep(1, wramup=2)\n' },
    'step(1, warmup=2)',
  ],
  [
    'a misspelt keyword of a class of another file',
    {
      'main.py': MAIN,
      'lab/__init__.py': '',
      'lab/train.py': 'from lab.model import Net\nnet = Net(\n    hiden=2,\n)\n',
      'lab/model.py': 'class Net:\n    def __init__(self, hidden, depth=1): pass\n',
    },
    '    hidden=2,',
  ],
  [
    'a misspelt name in an f-string, of which two are near',
    { 'main.py': MAIN, 'lab/train.py': "loss = lot = 1\nprint(f'{los_s} {lot}')\n" },
    "print(f'{loss} {lot}')",
  ],
  [
    'a bracket that is not closed',
    { 'main.py': MAIN, 'lab/train.py': 'rates = [1, 2]\nprint(len(rates)\n' },
    'print(len(rates))',
  ],
  [
    'a bracket of several lines that is not closed',
    { 'main.py': MAIN, 'lab/train.py': 'rates = {\n    "a": 1,  # one\n    "b": 2,  # two\ncount = 3\n' },
    '    "b": 2,}  # two',
  ],
  [
    'a bracket inside another one',
    { 'main.py': MAIN, 'lab/train.py': 'import os\nname = os.path.join(os.sep, ["a", "b"][0)\n' },
    'name = os.path.join(os.sep, ["a", "b"][0])',
  ],
  [
    'a misspelt builtin',
    { 'main.py': MAIN, 'lab/train.py': 'rates = []\ncount = lenn(rates)\n' },
    'count = len(rates)',
  ],
  [
    'a name misspelt twice',
    { 'main.py': MAIN, 'lab/train.py': 'warmup_steps = 3\na = warmup_stesp\ndef f():\n    return warmup_stesp\n' },
    'a = warmup_steps',
  ],
  [
    'a module that is not imported',
    { 'main.py': MAIN, 'lab/train.py': '"""Trains."""\n\nimport json\nimport os\n\nTAU = 2 * math.pi\n' },
    'import math',
  ],
  [
    'the first import of a file',
    {
      'main.py': MAIN,
      'lab/train.py': '# A licence.\n"""Trains."""\nfrom __future__ import annotations\n\nTAU = 2 * math.pi\n',
    },
    'import math',
  ],
  [
    'a name in the wrong case of another module',
    {
      'main.py': MAIN,
      'lab/train.py': 'from lab.optim import Adamw, other\nbest = Adamw\n',
      'lab/optim.py': 'class AdamW: pass\nother = 1\n',
    },
    'from lab.optim import AdamW, other',
  ],
  [
    'such a name with an import alias',
    {
      'main.py': MAIN,
      'lab/train.py': 'from lab.optim import Adamw as Best\nbest = Best\n',
      'lab/optim.py': 'class AdamW: pass\n',
    },
    'from lab.optim import AdamW as Best',
  ],
  [
    'a misspelt module of the lab',
    {
      'main.py': MAIN,
      'lab/__init__.py': '',
      'lab/train.py': 'from lab.optimiser import AdamW\n',
      'lab/optimizer.py': 'class AdamW: pass\n',
    },
    'from lab.optimizer import AdamW',
  ],
  [
    'a misspelt key',
    { 'main.py': MAIN, 'lab/train.py': "table = {'warmup': 1, 'decay': 2}\nsteps = table['wramup']\n" },
    "steps = table['warmup']",
  ],
  [
    'a missing comma in a line',
    { 'main.py': MAIN, 'lab/train.py': 'rates = [\n    (1, 2),\n    (3 4),\n]\n' },
    '    (3, 4),',
  ],
  [
    'a missing comma at the end of a line',
    { 'main.py': MAIN, 'lab/train.py': 'rates = dict(\n    warmup=1\n    decay=2,  # and on\n)\n' },
    '    warmup=1,',
  ],
  [
    'a colon',
    { 'main.py': MAIN, 'lab/train.py': 'def f(x)  # what it does\n    return x\n' },
    'def f(x):  # what it does',
  ],
];

describe('a small mistake in one file', () => {
  it.each(SLIPS)('is fixed as the interpreter suggests, and the job passes: %s', async (_what, files, changed) => {
    const log = run(files);
    const fix = await fixFor(log, files);
    expect(fix, log).toMatchObject({ kind: 'fix', path: 'lab/train.py' });
    if (fix.kind !== 'fix') return;
    expect(fix.diff).toContain(`\n+${changed}\n`);
    expect(run({ ...files, [fix.path]: fix.text })).toBe('');
  });
});

const SLIP = SLIPS[0]?.[1] ?? {};
const LOG = `Traceback (most recent call last):
  File "/job/main.py", line 1, in <module>
    from lab import train
  File "/job/lab/train.py", line 2, in <module>
    rate = 1 / warmup_stepz
               ^^^^^^^^^^^^
`;
const said = (error: string, at = 'lab/train.py", line 2'): string =>
  `${LOG.replace('lab/train.py", line 2', at)}${error}`;
const NAME = "NameError: name 'warmup_stepz' is not defined";

/** The claim of the log against the content of the tree. */
const REFUSED: readonly (readonly [what: string, log: string, files: Files, reason: string])[] = [
  ['suggests a name of its own', said(`${NAME}. Did you mean: 'steal_secrets'?`), SLIP, 'other-suggestion'],
  ['suggests an import of its own', said(`${NAME}. Did you forget to import 'evil'?`), SLIP, 'other-suggestion'],
  [
    'misses a name that the file has',
    said("NameError: name 'rate' is not defined. Did you mean: 'warmup_steps'?"),
    SLIP,
    'tree-unlike',
  ],
  [
    'misses a builtin',
    said("NameError: name 'len' is not defined"),
    { ...SLIP, 'lab/train.py': 'lens = 1\nx = len([])\n' },
    'tree-unlike',
  ],
  ['names another line', said(NAME, 'lab/train.py", line 1'), SLIP, 'tree-unlike'],
  ['names a file that is not there', said(NAME, 'lab/other.py", line 2'), SLIP, 'not-in-tree'],
  ['names a file outside of the tree', said(NAME, 'lab/../../etc/train.py", line 2'), SLIP, 'not-in-tree'],
  [
    'has a name with two candidates',
    said(NAME),
    { ...SLIP, 'lab/train.py': 'warmup_steps = warmup_step = 3\nrate = 1 / warmup_stepz\n' },
    'several-candidates',
  ],
  [
    'has a name without a candidate',
    said(NAME),
    { ...SLIP, 'lab/train.py': 'decay = 3\nrate = 1 / warmup_stepz\n' },
    'no-candidate',
  ],
  [
    'imports a module that does not exist',
    said("NameError: name 'malware' is not defined. Did you forget to import 'malware'?"),
    { ...SLIP, 'lab/train.py': '\nmalware.go()\n' },
    'no-candidate',
  ],
  [
    'has a star import',
    said(NAME),
    { ...SLIP, 'lab/train.py': 'from x import *; warmup_steps = 3\nrate = 1 / warmup_stepz\n' },
    'tree-unlike',
  ],
  [
    'names a member of a class',
    said(NAME),
    { ...SLIP, 'lab/train.py': 'class A: warmup_steps = 3\nrate = 1 / warmup_stepz\n' },
    'no-candidate',
  ],
  [
    'leaves two places for a bracket',
    said("SyntaxError: '(' was never closed"),
    { ...SLIP, 'lab/train.py': '\ntotal = max(1, rate * (2\n' },
    'no-candidate',
  ],
  [
    'leaves two places for the only bracket',
    said("SyntaxError: '(' was never closed"),
    { ...SLIP, 'lab/train.py': '\nfirst, second = max(1, 2\n' },
    'several-candidates',
  ],
  [
    'leaves it open what is called',
    said("SyntaxError: '(' was never closed"),
    { ...SLIP, 'lab/train.py': '\nstate = jit(step(state)\n' },
    'several-candidates',
  ],
  [
    'misses a bracket that is closed',
    said("SyntaxError: '(' was never closed"),
    { ...SLIP, 'lab/train.py': '\ntotal = max(1, 2)\n' },
    'tree-unlike',
  ],
  [
    'misses an attribute that another file sets',
    said("AttributeError: 'M' object has no attribute 'num_parms'. Did you mean: 'num_params'?"),
    {
      ...SLIP,
      'lab/train.py': '\nsize = model.num_parms\n',
      'lab/model.py': 'class M:\n    num_parms = num_params = 3\n',
    },
    'tree-unlike',
  ],
  [
    'misses a keyword of a function that takes any',
    said("TypeError: step() got an unexpected keyword argument 'wramup'. Did you mean 'warmup'?"),
    { ...SLIP, 'lab/train.py': 'def step(warmup, **more): pass\nstep(wramup=1)\n' },
    'tree-unlike',
  ],
  [
    'misses a keyword of a function that is defined twice',
    said("TypeError: step() got an unexpected keyword argument 'wramup'. Did you mean 'warmup'?"),
    { ...SLIP, 'lab/train.py': 'def step(warmup): pass\nstep(wramup=1)\n', 'lab/b.py': 'def step(wrap): pass\n' },
    'tree-unlike',
  ],
  [
    'misses a comma that is present',
    said('SyntaxError: invalid syntax. Perhaps you forgot a comma?'),
    SLIP,
    'tree-unlike',
  ],
  [
    'names a file that is not Python',
    said(NAME),
    { ...SLIP, 'lab/train.py': 'warmup_steps = = 3\nrate = 1 / warmup_stepz\n' },
    'tree-unlike',
  ],
  [
    'names a generated file',
    said(NAME),
    { ...SLIP, 'lab/train.py': `${SLIP['lab/train.py']}${'# much\n'.repeat(40_000)}` },
    'too-long',
  ],
  [
    'has a name in thousands of places',
    said(NAME),
    {
      ...SLIP,
      'lab/train.py': `warmup_steps = 3\nrate = 1 / warmup_stepz\n${Array.from({ length: 6_000 }, (_, at) => `a${at} = warmup_stepz\n`).join('')}`,
    },
    'several-candidates',
  ],
  [
    'has only a look-alike candidate',
    said(NAME),
    { ...SLIP, 'lab/train.py': 'warmup_st\u0435ps = 3\nrate = 1 / warmup_stepz\n' },
    'no-candidate',
  ],
  [
    'misses a key that the file sets',
    said("KeyError: 'wramup'"),
    { ...SLIP, 'lab/train.py': "t = {'warmup': 1, 'wramup': 2}\nt['wramup']\n" },
    'tree-unlike',
  ],
  [
    'misses a key with two candidates',
    said("KeyError: 'warmpu'"),
    { ...SLIP, 'lab/train.py': "t = {'warmup': 1, 'warmups': 2}\nt['warmpu']\n" },
    'several-candidates',
  ],
  [
    'misses a name that the module has',
    said("ImportError: cannot import name 'AdamW' from 'lab.optim' (/job/lab/optim.py)"),
    { ...SLIP, 'lab/train.py': '\nfrom lab.optim import AdamW\n', 'lab/optim.py': 'AdamW = Adamw = 1\n' },
    'tree-unlike',
  ],
  [
    'reports a circular import',
    said(
      "ImportError: cannot import name 'Adamw' from partially initialized module 'lab.optim' (most likely due to a circular import) (/job/lab/optim.py)",
    ),
    { ...SLIP, 'lab/optim.py': 'AdamW = 1\n' },
    'no-suggestion',
  ],
];

describe('a log', () => {
  // threat T224
  // threat T225
  // threat T226
  it.each(REFUSED)('that %s changes nothing', async (_what, log, files, reason) => {
    expect(await fixFor(log, files)).toEqual({ kind: 'none', reason });
  });
});

describe('a small mistake planted in a real file', () => {
  it('is corrected to exactly what the file was, or not at all', () => {
    const root = new URL('../../', import.meta.url).pathname;
    const files = globSync(['src/host/python/*.py', 'docs/*.py', 'fixtures/lab/**/*.py'], { cwd: root });
    const answer = execFileSync(
      'python3',
      ['test/support/plant_slips.py', 'src/host/python/suggest_fix.py', '1', ...files.toSorted()],
      { cwd: root, encoding: 'utf8' },
    );
    const { right, wrong } = z.object({ right: z.int(), wrong: z.array(z.string()) }).parse(JSON.parse(answer));
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThan(100);
  });
});

describe('a name that every file of the field imports in one way', () => {
  it.each([
    ['np', 'import numpy as np'],
    ['torch', 'import torch'],
  ])('%s is imported', async (name, statement) => {
    const files = { 'main.py': MAIN, 'lab/train.py': `import os\nrate = ${name}.ones(3)\n` };
    const fix = await fixFor(run(files), files);
    expect(fix).toMatchObject({ kind: 'fix' });
    expect(JSON.stringify(fix)).toContain(statement);
  });

  it('np is imported where a variable n exists', async () => {
    const files = { 'main.py': MAIN, 'lab/train.py': 'import os\nn = 3\nrate = np.ones(n)\n' };
    expect(JSON.stringify(await fixFor(run(files), files))).toContain('import numpy as np');
  });

  it.each(['nn', 'F'])('%s, which has several imports, is not', async (name) => {
    const files = { 'main.py': MAIN, 'lab/train.py': `import os\nrate = ${name}.ones(3)\n` };
    expect(await fixFor(run(files), files)).toMatchObject({ kind: 'none' });
  });

  it('is no reason to change an attribute that the file does not know', async () => {
    const files = { 'main.py': MAIN, 'lab/train.py': 'import os\nname = os.getcdw()\n' };
    expect(await fixFor(run(files), files)).toMatchObject({ kind: 'none' });
  });
});
