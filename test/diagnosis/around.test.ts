/** Lines around a failure that decide which line counts. */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';

const died = (...log: readonly string[]) => diagnose(log, null);
const steps = [10, 20, 30, 40].map((step) => `step ${step} loss 2.${step}`);

describe('a log that is queried later', () => {
  it('keeps its failure if the query is followed by older steps', () => {
    const told = ['      Reason:       OOMKilled', '      Exit Code:    137'];
    const asked = '$ kubectl logs worker-3 --previous | tail -n 4';
    expect(died(...told, asked, ...steps).class).toBe('oom-host');
    // Without a query, the job continued.
    expect(died(...told, ...steps).class).toBe('benign');
  });
});

describe('a preempted machine', () => {
  const notice = 'WARNING Spot interruption notice: this instance will be terminated in 2 minutes';
  const closing = 'W1114 03:41:31.6 17 api.py:900] Sending process 70 closing signal SIGTERM';

  it('is announced some steps before it is gone', () => {
    expect(died(notice, ...steps, closing).class).toBe('preempted');
    expect(died(notice, ...steps).class).toBe('benign');
  });

  it('is not concluded from a signal alone, but from an event that follows the signal', () => {
    expect(died(...steps, 'received signal 15, exiting')).toMatchObject({ response: 'escalate' });
    expect(
      died(...steps, 'received signal 15, exiting', '7m  Normal  Preempted  pod/a  Preempted by pod 8f1c')
        .class,
    ).toBe('preempted');
  });

  it('is not concluded from a shell that reports the end', () => {
    for (const end of ['Terminated', '[rank: 0] Child process with PID 4410 terminated with code -15.'])
      expect(died(...steps, end)).toMatchObject({ class: 'unknown', response: 'escalate' });
  });

  it('leaves an incomplete checkpoint, which is not a storage failure', () => {
    expect(
      died(...steps, 'emergency checkpoint incomplete: grace period over', 'event: Preempted by pod 8f1c')
        .class,
    ).toBe('preempted');
    expect(died(...steps, 'ERROR checkpoint incomplete').class).toBe('storage');
  });
});

describe('a monitor', () => {
  it('is trusted when its watchdog reports without emphasis that no step completed', () => {
    const says = 'step has not incremented in the last 1800 seconds and the host is idle.';
    expect(died(...steps, `I1114 04:21:04.1 trainer.py:410] Watchdog triggered because ${says}`).class).toBe(
      'stalled',
    );
    expect(died(...steps, `I1114 04:21:04.1 trainer.py:410] ${says}`).class).not.toBe('stalled');
  });

  it('reports that a pod failed without a cause, which is unknown', () => {
    const record = (msg: string) => JSON.stringify({ level: 'WARN', msg });
    expect(died(...steps, record('pod worker-0 phase=Failed reason=<nil>')).class).toBe('unknown');
    expect(died(...steps, record('pod worker-0 phase=Running reason=<nil>')).class).toBe('benign');
  });
});

describe('a missing name', () => {
  const at = (file: string, statement: string, error: string) =>
    died(
      'Traceback (most recent call last):',
      `  File "${file}", line 7, in <module>`,
      `    ${statement}`,
      error,
    );

  it('is a small fix if a similar attribute exists', () => {
    const wrong = (suggestion: string) =>
      at(
        '/lab/train.py',
        'args.warmup_step',
        `AttributeError: 'Args' object has no attribute 'warmup_step'.${suggestion}`,
      );
    expect(wrong(" Did you mean: 'warmup_steps'?").class).toBe('code-small');
    expect(wrong(" Did you mean: 'warmup_ratio'?").class).toBe('code-other');
    expect(wrong('').class).toBe('code-other');
  });

  it('is a small fix in an import if the package has a similar name', () => {
    const wrong = (name: string) =>
      at(
        '/lab/train.py',
        `from lightning.callbacks import ${name}`,
        `ImportError: cannot import name '${name}' from 'lightning.callbacks' (/opt/lib/python3.12/site-packages/lightning/callbacks.py). Did you mean: 'EarlyStopping'?`,
      );
    expect(wrong('EarlyStoping').class).toBe('code-small');
    expect(wrong('LateStopper').class).toBe('dependency');
  });

  it('is a small fix for a misspelt module of the lab, and a dependency for a missing package', () => {
    const missing = (name: string, file = '/lab/run/pretrain.py') =>
      at(file, `import ${name}`, `ModuleNotFoundError: No module named '${name}'`);
    expect(missing('experiments.utlis').class).toBe('code-small');
    expect(missing('transformers.utlis').class).toBe('dependency');
    expect(missing('experiments').class).toBe('dependency');
    expect(missing('transformer_engine', '/opt/core/extensions/transformer_engine.py').class).toBe(
      'dependency',
    );
  });
});

describe("an error about a program's own arrays", () => {
  it('is not a storage failure, although the arrays come from storage', () => {
    const raised = (message: string) =>
      died(
        'Traceback (most recent call last):',
        '  File "/lab/load.py", line 7, in load_checkpoint',
        '    return jitted(state)',
        `ValueError: ${message}`,
      );
    expect(raised('Received incompatible devices for jitted computation. Got argument x').class).toBe(
      'code-other',
    );
    expect(raised('nothing to be found there').class).toBe('storage');
  });
});

describe('a lost connection', () => {
  it('is no cause once a later line reports that it is restored', () => {
    const lost = 'wandb: Network error (ReadTimeout), entering retry loop.';
    const again = 'wandb: Network error resolved after 0:00:31.1, resuming normal operation.';
    const count = 'gen - 512/1024 (5m 1s)  | loss = 0.383';
    expect(died(lost, again, count).class).toBe('benign');
    expect(died(again, 'ConnectionResetError: [Errno 104] Connection reset by peer').class).toBe('network');
    const reset = 'wandb: Network error: Connection reset by peer';
    expect(died(reset, again, count).class).toBe('benign');
    expect(died(reset, count).class).toBe('network');
    expect(died(count).class).toBe('benign');
    expect(died('gen/512/1024  | loss = 0.383').class).toBe('unknown');
  });
});

describe('a task of Iris', () => {
  it('has its traceback after the task name, with and without a bar', () => {
    for (const bar of ['', '| ']) {
      const log = [
        'Traceback (most recent call last):',
        '  File "/app/run.py", line 4, in <module>',
        '    import dupekit',
        "ModuleNotFoundError: No module named 'dupekit'",
      ];
      expect(died(...log.map((line) => `task=/mira/run/0 ${bar}${line}`))).toMatchObject({
        class: 'dependency',
        traceback: { file: '/app/run.py', line: 4 },
      });
    }
  });
});

describe('debug output of a runtime', () => {
  it('is ignored at level DEBUG, even if it names libraries', () => {
    const said = '  addLibsMount()   Add library /usr/lib64/libcudart.so.12 to mount list';
    expect(died(...steps, `DEBUG   [U=8,P=5]${said}`).class).toBe('benign');
    expect(died(...steps, `FATAL   [U=8,P=5]${said}`).class).toBe('dependency');
  });
});
